"""`check_model`: what a sweep relies on in a model.

Checked are: the name; `describe` (plain JSON, the same each time, no key of the environment in it); the optional
attributes; and `generate`, which is called from several threads with frames, with a video and with a second turn: it
answers with a `Response`, or says `NotApplicable` or `ModelError`, and leaves the request as it was.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lft.core.failure_kinds import KINDS
from lft.core.models import NATIVE_FRAMES, Model
from lft.core.requests import Images, ModelError, NotApplicable, Request, Response, Text, Video
from lft.core.video.frames import Frames
from lft.core.video.media import Media
from lft.counting.domains import DOMAINS
from lft.testing.must import must

_SECRET = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
_SHORTEST_SECRET = 8


def check_model(model: Model, requests: Sequence[Request] | None = None) -> None:
    """Checks a model. Each request is asked twice at once, so a hosted model is called a few times and may cost.

    `requests` are the questions to ask; by default frames without and with times, and a video of one second, each with
    the question how often something happens. A model may say `NotApplicable` to some of them, not to all.

    Raises `AssertionError`.

    >>> from lft.core.models import load
    >>> check_model(load("observer", {"observer": "lft.counting.observer.model:Observer"}))
    """
    _attributes(model)
    _description(model)
    with _questions() as own:
        _answers(model, list(requests) if requests is not None else own)


def _attributes(model: Model) -> None:
    lacking = [part for part in ("name", "generate", "describe") if not hasattr(model, part)]
    must(
        not lacking,
        f"{type(model).__name__} lacks {', '.join(lacking)}; expected name, generate and describe",
    )
    name = model.name
    must(
        isinstance(name, str) and name.strip() and name.isprintable(),
        f"name is {name!r}; expected printable text for tables",
    )
    for field, kind, words in (
        ("concurrency", int, "a whole number from 1"),
        ("is_free", bool, "True or False"),
        ("takes_schema", bool, "True or False"),
    ):
        value = getattr(model, field, None)
        must(
            value is None or (isinstance(value, kind) and value >= 0),
            f"{field} is {value!r}; expected {words}",
        )
    must(getattr(model, "concurrency", 1) != 0, "concurrency is 0; expected a whole number from 1")
    must(callable(getattr(model, "prepare", print)), "prepare cannot be called")


def _description(model: Model) -> None:
    described = model.describe()
    must(isinstance(described, dict), f"describe() returned {type(described).__name__}; expected a dict")
    try:
        text = json.dumps(described, allow_nan=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"describe() cannot be written as JSON ({error})") from None
    must(
        text == json.dumps(model.describe(), sort_keys=True),
        "describe() differs from one call to the next; a run could never be resumed",
    )
    known = described.get("native_frames", "unknown")
    must(known in NATIVE_FRAMES, f"native_frames is {known!r}; expected {', '.join(NATIVE_FRAMES)}")
    must(
        known != "sampled" or isinstance(described.get("native_rate_hz"), int | float),
        "native_frames is 'sampled' without native_rate_hz; expected the rate in Hz",
    )
    must(
        not _secrets_in(text),
        f"describe() holds the value of {', '.join(_secrets_in(text))}; it goes into the run",
    )


def _secrets_in(text: str) -> list[str]:
    return [
        name
        for name, value in os.environ.items()
        if name.endswith(_SECRET) and len(value) >= _SHORTEST_SECRET and value in text
    ]


def _answers(model: Model, requests: Sequence[Request]) -> None:
    before = [_print_of(request) for request in requests]
    with ThreadPoolExecutor(max_workers=4) as threads:
        found = list(
            threads.map(lambda request: _answer(model, request), [r for r in requests for _ in range(2)])
        )
    must(
        any(isinstance(one, Response) for one in found),
        f"answered none of {len(requests)} requests: {found[0]}",
    )
    for request, print_ in zip(requests, before, strict=True):
        must(_print_of(request) == print_, "generate changed the request or its frames")


def _answer(model: Model, request: Request) -> Response | str:
    """The reply, or why there is none."""
    prepare = getattr(model, "prepare", None)
    try:
        if prepare is not None:
            prepare(request)
        reply = model.generate(request)
    except NotApplicable as error:
        must(str(error), "NotApplicable without words; expected what cannot be given")
        return str(error)
    except ModelError as error:
        must(error.kind in KINDS, f"ModelError of kind {error.kind!r}; expected one of {', '.join(KINDS)}")
        return f"{error.kind}: {error}"
    except Exception as error:
        raise AssertionError(
            f"generate raised {type(error).__name__} ({error}); expected a Response, ModelError or NotApplicable"
        ) from error
    must(isinstance(reply, Response), f"generate returned {type(reply).__name__}; expected an lft.Response")
    must(isinstance(reply.text, str), f"the response's text is {type(reply.text).__name__}; expected str")
    try:
        sent = json.dumps(dict(reply.sent), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"the response's `sent` cannot be written as JSON ({error})") from None
    must(not _secrets_in(sent), f"the response's `sent` holds the value of {', '.join(_secrets_in(sent))}")
    return reply


def _print_of(request: Request) -> object:
    pixels = [p.frames.pixels.tobytes() for p in request.parts if isinstance(p, Images)]
    return request.text, request.system, dict(request.key), dict(request.task), pixels


@contextmanager
def _questions() -> Iterator[list[Request]]:
    """Eight frames of one second, in which a square lights up once, as frames and as a video."""
    pixels = np.full((8, 96, 160, 3), 12, np.uint8)
    pixels[:, 30:60, 60:100] = 40
    pixels[3, 30:60, 60:100] = 220
    times_s = [i / 8 for i in range(8)]
    flashing = next(name for name, one in DOMAINS.items() if one.evidence == "pulse")
    task = {"suite": "counting", "domain": flashing}
    words = Text("How often does the square light up? Put the number in \\boxed{N}.")
    with tempfile.TemporaryDirectory() as folder:
        shown: list[Images | Video] = [
            Images(Frames.of_pixels(pixels, times_s)),
            Images(Frames.of_pixels(pixels, times_s), labels="time"),
            Video(_video(pixels, 8, Path(folder) / "clip.mp4")),
        ]
        yield [
            Request((part, words), key={"clip": f"check/{i}", "replicate": 0}, task=task)
            for i, part in enumerate(shown)
        ]


def _video(pixels: np.ndarray[Any, np.dtype[np.uint8]], fps: int, path: Path) -> Media:
    from lft.core.video.writer import Format, Writer, encode, to_planes

    form = Format(pixels.shape[2], pixels.shape[1], fps)
    writer = Writer(form)
    solid = np.full((*pixels.shape[1:3], 1), 255, np.uint8)
    changes, lengths = zip(*writer.runs(list(range(len(pixels)))), strict=True)
    planes = [to_planes(np.concatenate([pixels[i], solid], axis=2)) for i in changes]
    path.write_bytes(writer.file_of([writer.group(encode(planes, form), lengths)]))
    return Media.open(path)
