"""The frame times that a provider has: recorded where they are known, and held against those of the file."""

from __future__ import annotations

import numpy as np
import pytest

from lft.core.models.hf_inputs import Prepared, _as_video
from lft.core.video.frames import Frames
from lft.counting.trial_as_sent import provider_clock


def test_what_a_processor_is_told_is_recorded_beside_what_was_taken() -> None:
    times_s = [0.0, 0.1, 0.35]
    made = Prepared([])
    _as_video(Frames.of_pixels(np.zeros((3, 4, 4, 3), np.uint8), times_s), made)
    (told,) = made.metadata
    # The family writes index / fps beside a frame.
    assert [i / told["fps"] for i in told["frames_indices"]] == pytest.approx(times_s)
    assert made.sent["provider_frame_times_s"] == pytest.approx(times_s)
    assert (
        provider_clock(made.sent, times_s)
        == "the provider has 3 frames, up to 0.000 s from those of the file"
    )


@pytest.mark.parametrize(
    ("said", "own", "words"),
    [
        ([0.0, 1.5], [0.0, 1.0], "up to 0.500 s from"),
        ([0.0], [0.0, 1.0], "has 1 frame, of the file are 2"),
        ([0.0, 1.0], [], "is not known"),
        (["a", "b"], [0.0, 1.0], "no numbers"),
    ],
)
def test_a_clock_that_differs_is_said(said: list[object], own: list[float], words: str) -> None:
    assert words in str(provider_clock({"provider_frame_times_s": said}, own))


@pytest.mark.parametrize("said", [None, [], "0.0 1.0"])
def test_nothing_is_said_where_nothing_usable_was_recorded(said: object) -> None:
    assert provider_clock({"provider_frame_times_s": said}, [0.0]) is None
