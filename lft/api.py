"""The library: the commands as functions, for notebooks and scripts, exported as `lft.NAME`."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lft.core import models
from lft.core.ask import Limits
from lft.core.errors import InputError, shown
from lft.core.failure_kinds import checked_kinds
from lft.core.models import Model
from lft.core.models.secrets import clean
from lft.core.progress import Progress
from lft.core.records import Failure, JsonObject, Line
from lft.core.requests import ModelError, NotApplicable, Request, Response
from lft.core.run_sweep import conduct
from lft.core.runs import ANSWERED, MANIFEST, Run, Tally
from lft.core.video.frames import Frames, Sampling
from lft.core.video.frames import sample as sample_frames
from lft.core.video.media import Media
from lft.counting.clips import Clips
from lft.counting.names import NAME
from lft.counting.study import CountingStudy
from lft.counting.sweep import PROVIDERS, Sweep

if TYPE_CHECKING:
    import pandas as pd

ModelLike = str | Model | Callable[[Request], str | Response]


def open_clips(folder: Path | str) -> Clips:
    """The clips in a folder of `lft render` or `lft import`; iterate over them, or get one by its id.

    `folder` is a path. Raises `InputError` if it has no clips.
    """
    return Clips.open(Path(folder))


def open_run(folder: Path | str) -> Run:
    """A run of `lft sweep` or `lft.sweep`.

    `folder` is a path; unlike in the commands, a bare name is not looked up in results/runs. Raises `InputError` if it
    is not a run.
    """
    return Run.open(Path(folder).absolute())


def sample(media: Media | Path | str, policy: str, event_times_s: Iterable[float] = ()) -> Frames:
    """The frames of a video that a policy (`native`, `fps:K`, `frames:K`, `keyframes:W`) supplies.

    `frames.times_s` is float64 (n,), `frames.pictures()` yields uint8 (h, w, 3) RGB.
    """
    video = media if isinstance(media, Media) else Media.open(media)
    return sample_frames(video, Sampling.parse(policy), tuple(event_times_s))


def sweep(
    experiment: str | Sweep,
    model: ModelLike,
    clips: Clips | Path | str,
    run: Path | str,
    *,
    concurrency: int | None = None,
    max_cost_usd: float | None = None,
    limit: int | None = None,
    patience_s: float | None = None,
    retry: Collection[str] | None = None,
    progress: bool = False,
) -> Run:
    """Asks a model the trials of an experiment and returns the run; the same call again asks only missing trials.

    Parameters
    ----------
    experiment : name of a built-in sweep (`"demo"`), path of a sweep file, or a `Sweep`.
    model : a model spec (`"observer"`, `"gemini:NAME"`), an object with `name`, `generate`, `describe`, or a function
        from a `Request` to its answer (text or `Response`), called from `concurrency` threads. If a call raises,
        its trial has no answer and is asked again by the next call of `sweep`; if all of the first
        5 calls raise, the first exception ends the sweep. `lft.ModelError` and `lft.NotApplicable` keep their
        meaning.
    clips : rendered or imported clips, or their folder.
    run : path of the run folder; created if needed.
    concurrency, max_cost_usd, limit : as in `lft sweep`.
    patience_s : how long the provider may be down before the sweep stops; None as in `lft sweep`.
    retry : kinds of failed trials to ask again (`"truncated"`, `"not-applicable"`); None for all but `not-applicable`.
        Raises `InputError` for an unknown kind.
    progress : whether to show progress and result on stderr. Nothing is printed by default.
    """
    opened = clips if isinstance(clips, Clips) else open_clips(clips)
    chosen = Sweep.load(experiment) if isinstance(experiment, str) else experiment
    answering = _model(model, opened)
    if isinstance(answering, _Function) and (Path(run) / MANIFEST).exists():
        answering.has_worked = any(line.get("status") == ANSWERED for line in open_run(run).lines())
    study = CountingStudy(chosen, opened)
    planned = study.trials(answering.name)[:limit]
    at_once = concurrency or int(getattr(answering, "concurrency", 4))
    kinds = None if retry is None else checked_kinds([retry] if isinstance(retry, str) else retry)
    limits = Limits(concurrency=at_once, max_cost_usd=max_cost_usd, patience_s=patience_s, retry=kinds)
    spec = model if isinstance(model, str) else ""
    if not progress:
        conduct(Path(run), NAME, study, answering, planned, limits, model_spec=spec)
    else:
        last: list[Failure] = []
        with Progress("asking", total=len(planned)) as bar:

            def seen(tally: Tally, _: object, line: Line) -> None:
                if error := line.get("error"):
                    last[:] = [error]
                bar.update(tally.kept + tally.answered + tally.not_applicable)

            done = conduct(Path(run), NAME, study, answering, planned, limits, model_spec=spec, seen=seen)
        words = ", ".join(f"{done[key]} {key.replace('_', ' ')}" for key in ("answered", "kept", "missing"))
        if done["missing"] and last:
            words += f"; the last error: {last[0]['kind']}, {last[0]['message']}"
        print(f"{run}: {words}", file=sys.stderr)
    return open_run(run)


def score(run: Run | Path | str, *, rule: str = "ledger", tolerance: str | float = "rate") -> pd.DataFrame:
    """Scores of a run, one row per trial with the columns of scores.csv. Missing trials have a row.

    `rule` is `ledger` or `mentions`, `tolerance` is `rate` (1 / (2 F)) or seconds.
    """
    from lft.counting.clips import traces_of
    from lft.counting.scores import frame, score_run

    opened = run if isinstance(run, Run) else open_run(run)
    return frame(score_run(opened, traces_of(opened), rule=rule, tolerance=tolerance))


def surface(scores: pd.DataFrame) -> pd.DataFrame:
    """Accuracy per cell (model, domain, condition, F, N) with n, n_missing and a Wilson interval; see `cells`."""
    from lft.counting.cells import Surface

    return Surface.of_scores(scores).table


def frontiers(scores: pd.DataFrame, tau: float = 0.8) -> pd.DataFrame:
    """Frontiers at `tau`: columns model, sampling, labels, prompt, domain, axis, at, frontier, status.

    For `axis` `count`, `at` is a frequency in Hz and `frontier` the largest N reached; for `frequency`, `at`
    is a count and `frontier` the highest Hz. Both are float64. `frontier` is NaN unless `status` is `reached`;
    `status` is `below` if the first cell fails, and `undetermined` if a needed cell was not measured. `surface` has
    the number of trials per cell.
    """
    import pandas as pd

    from lft.core.conditions import CONDITION
    from lft.counting.cells import Surface
    from lft.counting.frontier import REACHED

    heads = ("model", *CONDITION, "domain")
    rows = [
        (
            *(group[name] for name in heads),
            axis,
            float(at),
            *((math.nan, value) if isinstance(value, str) else (float(value), REACHED)),
        )
        for group, _, found in Surface.of_scores(scores).by_condition(tau)
        for axis, values in (("count", found.count), ("frequency", found.frequency))
        for at, value in values.items()
    ]
    table = pd.DataFrame(rows, columns=[*heads, "axis", "at", "frontier", "status"])
    return table.astype({"at": float, "frontier": float})


def compare_models(scores: pd.DataFrame) -> pd.DataFrame:
    """Compares each pair of models under the same condition, on the clips that both answered: difference in EM with its
    interval, gained, lost, p of the paired exact test, and p with Holm's correction within condition and domain.

    Columns are those of models.csv (`lft audit`); empty for a single model. A column `run` distinguishes runs of one
    model.
    """
    import pandas as pd

    from lft.counting.audit.compare import models_compared

    return pd.DataFrame(models_compared(scores))


def _model(model: ModelLike, clips: Clips) -> Model:
    if isinstance(model, str):
        return models.load(model, PROVIDERS, truth=clips.trace)
    if isinstance(model, Model):
        return model
    if callable(model):
        return _Function(model)
    raise InputError(
        f"unusable model {shown(model)}", expected="a model spec, a Model or a function of a Request"
    )


_DEFECT_AFTER = 5  # calls of a function that raise, with none that answers: a defect, not bad luck


class _Function:
    """A user's function as a model. An exception is a failed attempt, unless the function has never answered."""

    takes_schema = True  # as `request.response_schema`

    def __init__(self, function: Callable[[Request], str | Response]) -> None:
        self.function = function
        self.has_worked = False
        self._lock = threading.Lock()
        self._raised: list[Exception] = []
        self._ended = False

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "function")

    def generate(self, request: Request) -> Response:
        raised: Exception | None = None
        try:
            answer = self.function(request)
        except (ModelError, NotApplicable):
            raise
        except Exception as error:
            raised = error
        if raised is not None:
            # Not within `except`: the traceback is only that of the first exception.
            self._note(raised)
            raise ModelError("raised", clean(f"{type(raised).__name__}: {raised}"))
        if isinstance(answer, str | Response):
            self.has_worked = True
            return Response(answer) if isinstance(answer, str) else answer
        fault = InputError(
            f"the function {self.name} returned {shown(answer)}, not text",
            expected="text or an lft.Response",
        )
        self._end(fault)
        raise ModelError("raised", str(fault))

    def _note(self, error: Exception) -> None:
        with self._lock:
            self._raised.append(error)
            defect = not self.has_worked and len(self._raised) == _DEFECT_AFTER
        if defect:
            self._end(self._raised[0])

    def _end(self, error: Exception) -> None:
        """Ends the sweep with an error, once for all threads."""
        with self._lock:
            first, self._ended = not self._ended, True
        if first:
            raise error

    def describe(self) -> JsonObject:
        return {"provider": "function", "function": self.name, "sha256": _code_sha256(self.function)}


def _code_sha256(function: Callable[..., object]) -> str | None:
    """Hash of a function's source, or of its byte code if there is no source, so that a run notices an edit.

    Functions that it calls are not included. None for a callable object.
    """
    import hashlib
    import inspect

    try:
        return hashlib.sha256(inspect.getsource(function).encode()).hexdigest()
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        return hashlib.sha256(code.co_code + repr(code.co_consts).encode()).hexdigest() if code else None
