"""LFT: where, and why, a video-language model's account of events stops being reliable.

The names that a notebook needs are here; each is loaded when it is first used. A whole study in five lines:

    import lft
    clips = lft.open_clips("results/clips/demo")
    run = lft.sweep("demo", model=my_function, clips=clips, run="results/runs/mine")
    scores = lft.score(run)                 # pandas, one line a trial
    lft.surface(scores), lft.frontiers(scores), lft.compare_models(scores)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lft.api import compare_models, frontiers, open_clips, open_run, sample, score, surface, sweep
    from lft.core.errors import InputError
    from lft.core.requests import Images, Request, Response, Text, Video
    from lft.core.video.frames import Frames, Sampling
    from lft.core.video.media import Media
    from lft.counting.match import match
    from lft.counting.parse import parse

_PUBLIC = {
    "open_clips": "lft.api",
    "sample": "lft.api",
    "sweep": "lft.api",
    "open_run": "lft.api",
    "score": "lft.api",
    "surface": "lft.api",
    "frontiers": "lft.api",
    "compare_models": "lft.api",
    "parse": "lft.counting.parse",
    "match": "lft.counting.match",
    "Media": "lft.core.video.media",
    "Frames": "lft.core.video.frames",
    "Sampling": "lft.core.video.frames",
    "Request": "lft.core.requests",
    "Response": "lft.core.requests",
    "Text": "lft.core.requests",
    "Images": "lft.core.requests",
    "Video": "lft.core.requests",
    "InputError": "lft.core.errors",
}
__all__ = [
    "Frames",
    "Images",
    "InputError",
    "Media",
    "Request",
    "Response",
    "Sampling",
    "Text",
    "Video",
    "__version__",
    "compare_models",
    "frontiers",
    "match",
    "open_clips",
    "open_run",
    "parse",
    "sample",
    "score",
    "surface",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'lft' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
