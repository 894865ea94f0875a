"""Clips in Chromium: they play, a seek lands on its frame, and colours are those that other readers see."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lft.counting.domains import DOMAINS
from lft.counting.rendering.scene import render
from lft.counting.rendering.schedule import draw
from lft.counting.spec import ClipSpec

pytestmark = pytest.mark.browser

READ = """
async ([seconds, points]) => {
    const video = document.querySelector("video");
    const seeked = new Promise(done => video.addEventListener("seeked", done, {once: true}));
    video.currentTime = seconds;
    await seeked;
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    const context = canvas.getContext("2d");
    context.drawImage(video, 0, 0);
    return points.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3));
}
"""


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if not chromium:
        pytest.skip("needs Chromium")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_clip_plays_and_seeks_to_its_events(domain: str, page: Any, tmp_path: Path) -> None:
    schedule = draw(ClipSpec(domain, 4, 3.5, 3, width=640, height=360))
    media, trace = render(schedule, tmp_path / "clip.mp4")
    source = base64.b64encode(media.path.read_bytes()).decode()
    page.set_content(f'<video muted preload="auto" src="data:video/mp4;base64,{source}"></video>')
    page.wait_for_function("document.querySelector('video').readyState >= 2")
    assert page.evaluate("document.querySelector('video').duration") == 24.0
    assert page.evaluate("document.querySelector('video').videoWidth") == 640

    events = [event.frame_index for event in trace.events]
    frames = [0, 719, *events, *(frame - 1 for frame in events[::-1])]  # forwards, then backwards
    pictures = dict(media.pictures(frames))
    points = changing_points(pictures, events)
    for frame in frames:
        seen = page.evaluate(READ, [(frame + 0.5) / 30, points])
        expected = np.array([pictures[frame][y, x] for x, y in points], dtype=int)
        assert np.abs(np.array(seen) - expected).max() <= 12, f"frame {frame}"

    page.evaluate("document.querySelector('video').currentTime = 0")
    page.evaluate("document.querySelector('video').play()")
    page.wait_for_function("document.querySelector('video').currentTime > 0.3")


def changing_points(pictures: dict[int, np.ndarray], events: list[int]) -> list[list[int]]:
    """Points (x, y) in even areas that tell an event frame from the one before, and one of the background."""
    points = [[5, 5]]
    for event in events:
        change = np.abs(pictures[event].astype(int) - pictures[event - 1]).max(axis=2)
        even = np.minimum.reduce(
            [np.roll(change, (dy, dx), (0, 1)) for dy in (-3, 0, 3) for dx in (-3, 0, 3)]
        )
        y, x = np.unravel_index(int(np.argmax(even)), even.shape)
        assert even[y, x] > 40
        points.append([int(x), int(y)])
    return points
