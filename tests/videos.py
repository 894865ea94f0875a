"""Small videos made for tests, with every frame's number readable from its pixels."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

STEP = 8  # grey level per frame number, far above compression noise


def numbered(count: int, size: tuple[int, int] = (64, 48)) -> npt.NDArray[np.uint8]:
    """uint8 (count, h, w, 3): frame k is a grey of level STEP * (k % 31), lighter in its upper left corner."""
    width, height = size
    frames = np.empty((count, height, width, 3), np.uint8)
    frames[...] = (np.arange(count) % 31 * STEP)[:, None, None, None]
    frames[:, : height // 2, : width // 2] = np.minimum(frames[:, : height // 2, : width // 2] + 6, 255)
    return frames


def number_of(picture: npt.NDArray[np.uint8]) -> int:
    """The frame number (mod 31) that a picture from `numbered` shows."""
    height, width = picture.shape[:2]
    return round(float(picture[height * 3 // 4 :, width * 3 // 4 :].mean()) / STEP) % 31


def write_video(
    path: Path,
    frames: npt.NDArray[np.uint8],
    *,
    pts: Sequence[int] | None = None,
    time_base: Fraction = Fraction(1, 30),
    codec: str = "libx264",
    options: dict[str, str] | None = None,
) -> Path:
    """Writes uint8 (n, h, w, 3) frames; `pts` in units of `time_base` (default 0, 1, 2, ...)."""
    pts = list(range(len(frames))) if pts is None else list(pts)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=30)
        stream.width, stream.height, stream.pix_fmt = frames.shape[2], frames.shape[1], "yuv420p"
        stream.codec_context.time_base = time_base
        stream.time_base = time_base
        stream.options = options or {"crf": "10", "preset": "ultrafast"}
        for picture, stamp in zip(frames, pts, strict=True):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = stamp, time_base
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path
