"""A contact sheet: the frames a model was given, in order, each with its time, as one picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lft.core.files import replacing
from lft.core.video.frames import Frames

_SHEET_WIDTH = 1600  # pixels, about
_SMALLEST, _LARGEST = 120, 400  # width of one picture, pixels
_STRIP = 18  # pixels for the words under a picture
_GAP = 4
_GROUND, _INK = 250, 30  # grey levels of the sheet and of its words


def contact_sheet(frames: Frames, captions: Sequence[str] | None = None) -> npt.NDArray[np.uint8]:
    """uint8 (h, w, 3) RGB: every supplied frame, row by row, with its number and time under it.

    `captions` replace number and time, one per frame. Without frames the sheet says that there are none.
    """
    import cv2

    if not len(frames):
        return _write(np.full((60, 400, 3), _GROUND, np.uint8), "no frame was supplied", 12, 36)
    words = captions or [f"{k + 1}: {time_s:.3f} s" for k, time_s in enumerate(frames.times_s)]
    columns = min(len(frames), max(_SHEET_WIDTH // _LARGEST, math.ceil(math.sqrt(len(frames)))))
    columns = min(columns, _SHEET_WIDTH // _SMALLEST)
    width = min(_LARGEST, _SHEET_WIDTH // columns)
    sheet: npt.NDArray[np.uint8] | None = None
    rows, height = math.ceil(len(frames) / columns), 0
    for position, picture in enumerate(frames.pictures()):
        if sheet is None:
            height = max(1, round(picture.shape[0] * width / picture.shape[1]))
            tall = rows * (height + _STRIP + _GAP) + _GAP
            sheet = np.full((tall, columns * (width + _GAP) + _GAP, 3), _GROUND, np.uint8)
        row, column = divmod(position, columns)
        top, left = _GAP + row * (height + _STRIP + _GAP), _GAP + column * (width + _GAP)
        small = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
        sheet[top : top + height, left : left + width] = small
        _write(sheet, words[position], left + 2, top + height + _STRIP - 5)
    assert sheet is not None
    return sheet


def write_sheet(path: Path, frames: Frames, captions: Sequence[str] | None = None) -> None:
    """Writes the contact sheet as PNG, atomically."""
    import cv2

    done, data = cv2.imencode(".png", contact_sheet(frames, captions)[..., ::-1])
    if not done:
        raise RuntimeError("OpenCV could not encode the sheet")
    with replacing(path) as temporary:
        temporary.write_bytes(data.tobytes())


def _write(sheet: npt.NDArray[np.uint8], words: str, left: int, base: int) -> npt.NDArray[np.uint8]:
    import cv2

    cv2.putText(sheet, words, (left, base), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (_INK,) * 3, 1, cv2.LINE_AA)
    return sheet
