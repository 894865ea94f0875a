"""The page over videos that someone filmed: it seeks where their pictures start, steps by their own frames, and says
what a browser cannot play.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from lft.counting.clips import Clips
from lft.counting.reporting import results
from lft.counting.reporting.page import writer
from tests.broken_videos import write
from tests.counting.natural.test_annotations import lft
from tests.fake_runs import make_run
from tests.natural_videos import film
from tests.videos import STEP

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser

# A page's canvas may be read only where its video counts as of the same origin.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
SHOWN = """
() => {
    const video = document.querySelector("#clip video, video");
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    const context = canvas.getContext("2d");
    context.drawImage(video, 0, 0);
    return context.getImageData(video.videoWidth - 5, video.videoHeight - 5, 1, 1).data[0];
}
"""
STAMPS = [0, 40, 80, 400, 440, 500, 1200, 1230, 2000, 2040]  # ms
STILL = "(v => v && v.readyState >= 2 && !v.seeking)(document.querySelector('video'))"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One event each, at 0.4 s of the clip: of a file that starts with a second of sound, of one without a rate, and of
    one that Chromium does not play.
    """
    work = tmp_path_factory.mktemp("own")
    (work / "videos").mkdir()
    closed = {"crf": "10", "preset": "veryfast"}  # Chromium does not seek into open groups
    write(work / "videos" / "late.mp4", 50, start_s=1.0, sound="aac", size=(160, 120), options=closed)
    film(work / "videos" / "uneven.mp4", STAMPS, Fraction(1, 1000), size=(160, 120))
    write(work / "videos" / "old.avi", 50, codec="mpeg4", size=(160, 120))
    (work / "t.csv").write_text("video,times_s\nlate.mp4,1.4\nuneven.mp4,0.4\nold.avi,0.4\n")
    assert (
        lft(
            "import",
            "videos",
            work / "videos",
            "--annotations",
            work / "t.csv",
            "--out",
            work / "clips" / "own",
        )
        == 0
    )
    run = make_run(
        work / "runs" / "own", Clips.open(work / "clips" / "own"), samplings=("native", "frames:16")
    )
    writer.write(results.load([run]), work / "report")
    return work / "report"


@pytest.fixture(scope="module")
def view(report: Path) -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        tab = browser.new_page()
        tab.set_default_timeout(20_000)
        yield tab
        browser.close()


def until(view: Any, expression: str) -> None:
    """Waits for a condition. (Playwright's own waiting evaluates text, which the page forbids.)"""
    for _ in range(400):
        if view.evaluate(expression):
            return
        view.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


def press(view: Any, key: str) -> None:
    before = view.evaluate("document.querySelector('video').currentTime")
    view.keyboard.press(key)
    until(view, f"document.querySelector('video').currentTime !== {before}")


def opened(view: Any, report: Path, source: str) -> str:
    clips = Clips.open(report.parent / "clips" / "own")
    spec = next(clip.spec for clip in clips if clip.spec.source == source)
    view.goto("about:blank")
    where = f"#s=0&d=natural&n={spec.count}&f={spec.frequency_hz:g}&k={spec.seed}"
    view.goto((report / "index.html").as_uri() + where)
    return where


def number(view: Any) -> int:
    until(view, STILL)
    return round(view.evaluate(SHOWN) / STEP)


def test_it_seeks_and_steps_where_pictures_start_after_the_sound(view: Any, report: Path) -> None:
    opened(view, report, "late.mp4")
    until(view, "document.querySelector('video')?.readyState >= 1")
    view.click("table.events button.num >> nth=0")  # the event, at 0.4 s: frame 10 of 25 a second
    until(view, "document.querySelector('video').currentTime > 1.3")
    assert number(view) == 10
    for key, expected in ((".", 11), (".", 12), (",", 11), (",", 10), (",", 9)):
        press(view, key)
        assert number(view) == expected
    playwright.expect(view.locator(".picture .note")).to_contain_text("The first picture comes at 1")


def test_it_steps_frame_by_frame_where_there_is_no_rate(view: Any, report: Path) -> None:
    opened(view, report, "uneven.mp4")
    until(view, STILL)
    view.evaluate("document.querySelector('video').currentTime = 0.01")
    assert number(view) == 0
    for k in range(1, len(STAMPS)):
        press(view, ".")
        assert number(view) == k


def test_a_kind_that_the_browser_does_not_play_is_not_said_to_be_gone(view: Any, report: Path) -> None:
    opened(view, report, "old.avi")
    note = view.locator(".picture .note")
    playwright.expect(note).to_contain_text("This browser does not play this .avi file")
    assert "moved" not in note.inner_text()
