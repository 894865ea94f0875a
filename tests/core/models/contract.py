"""What every contract test asks: policies with the times they stand for, trials, and a clip that tells its frames.

The expected times are written out here, not taken from the code under test.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from lft.core.conditions import Condition
from lft.core.prompts import Template, folder
from lft.core.video.media import Media
from lft.counting.spec import ClipSpec
from lft.counting.sweep import ClipTrial, question
from tests.videos import numbered, write_video

# Twelve events, 4 Hz, from 10.125 s on; neighbours are 0.25 s apart, so windows of 0.1 s do not meet.
EVENTS_S = tuple(10.125 + 0.25 * k for k in range(12))
EXPECTED_S: dict[str, list[float]] = {
    "fps:1": [float(j) for j in range(24)],
    "fps:4": [j / 4 for j in range(96)],
    "fps:16": [j / 16 for j in range(384)],
    "frames:5": [2.4, 7.2, 12.0, 16.8, 21.6],  # an odd number, where some families merge frames in pairs
    "frames:8": [1.5, 4.5, 7.5, 10.5, 13.5, 16.5, 19.5, 22.5],
    "keyframes:0.1": [t + d for t in EVENTS_S for d in (-0.1, 0.0, 0.1)],
}
PROMPTS = sorted(path.stem for path in (folder() / "conditions").glob("*.txt"))


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Media:
    """24 s at 30 frames per second, 64x48."""
    return Media.open(write_video(tmp_path_factory.mktemp("clip") / "clip.mp4", numbered(720)))


def trial(
    clip: Media, sampling: str, labels: str, prompt: str, events_s: tuple[float, ...] = EVENTS_S
) -> ClipTrial:
    return ClipTrial(
        f"{sampling},{labels},{prompt}",
        {
            "clip": "blinking/n12_f4.0_s00",
            "sampling": sampling,
            "labels": labels,
            "prompt": prompt,
            "replicate": 0,
        },
        "blinking",
        clip.path,
        lambda: SimpleNamespace(times_s=events_s),  # type: ignore[arg-type, return-value]
        Condition(sampling, labels, prompt),
        Template.load(prompt),
        question("blinking"),
        ClipSpec("blinking", 12, 4.0, 0),
    )
