"""LFT: where, and why, a video-language model's account of events stops being reliable.

The names that a notebook needs are here; each is loaded when it is first used. A whole study in five lines:

    import lft
    clips = lft.open_clips("results/clips/demo")
    run = lft.sweep("demo", model=my_function, clips=clips, run="results/runs/mine")
    scores = lft.score(run)                 # pandas, one line a trial
    lft.surface(scores), lft.frontiers(scores), lft.compare_models(scores)

Times that come from elsewhere are scored without a run: `lft.evaluate(true_s, reported_s, tolerance_s)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lft.core.version import __version__

if TYPE_CHECKING:
    from lft.api import compare_models, frontiers, open_clips, open_run, sample, score, surface, sweep
    from lft.core.ask import Limits
    from lft.core.errors import InputError
    from lft.core.models import Model
    from lft.core.requests import Images, ModelError, NotApplicable, Request, Response, Text, Usage, Video
    from lft.core.runs import Run
    from lft.core.video.frames import Frames, Sampling
    from lft.core.video.media import Media
    from lft.counting.clips import Clips
    from lft.counting.evaluate import Evaluation, evaluate
    from lft.counting.match import Matching, Pair, match
    from lft.counting.parse import parse
    from lft.counting.reported import Reported, ReportedEvent, Unparsed
    from lft.counting.sweep import Sweep

_HOMES = {
    "lft.api": "open_clips open_run sample sweep score surface frontiers compare_models",
    "lft.core.ask": "Limits",
    "lft.core.errors": "InputError",
    "lft.core.models": "Model",
    "lft.core.requests": "Images ModelError NotApplicable Request Response Text Usage Video",
    "lft.core.runs": "Run",
    "lft.core.video.frames": "Frames Sampling",
    "lft.core.video.media": "Media",
    "lft.counting.clips": "Clips",
    "lft.counting.evaluate": "Evaluation evaluate",
    "lft.counting.match": "Matching Pair match",
    "lft.counting.parse": "parse",
    "lft.counting.reported": "Reported ReportedEvent Unparsed",
    "lft.counting.sweep": "Sweep",
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = [
    "Clips",
    "Evaluation",
    "Frames",
    "Images",
    "InputError",
    "Limits",
    "Matching",
    "Media",
    "Model",
    "ModelError",
    "NotApplicable",
    "Pair",
    "Reported",
    "ReportedEvent",
    "Request",
    "Response",
    "Run",
    "Sampling",
    "Sweep",
    "Text",
    "Unparsed",
    "Usage",
    "Video",
    "__version__",
    "compare_models",
    "evaluate",
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
