"""An error model of a reporter: rates of misses, inventions and mis-adding, and jitter of times.

The parameters are those of the simulated reporter (`lft.counting.simulated`), so that estimates can
be simulated and compared. They are maximum likelihood estimates over all assignments of reports to events
(`lft.counting.audit.assignments`), so there is no tolerance, and the rate of the events does
not bias them. An event that the supplied frames do not show cannot be missed: it is left out, and a report of it is an
invention. An event within a merged report counts as missed unless it is the one that the report is assigned to.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lft.core.records import JsonObject
from lft.core.stats import Estimate
from lft.core.stats_clusters import sandwich, share
from lft.counting.audit.assignments import Lists, likelihood
from lft.counting.audit.causes import follows
from lft.counting.audit.chance import resolution_s
from lft.counting.reported import Reported, Unparsed
from lft.counting.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

    from lft.core.runs import Run
    from lft.counting.reader import Reader

Floats = npt.NDArray[np.float64]
PARAMETERS = ("miss", "false", "misadd", "jitter_s")
_LOWEST = np.array(
    [-12.0, -12.0, np.log(1e-3)]
)  # logit of miss, log of false a clip, log of jitter in seconds
_HIGHEST = np.array([12.0, 9.0, np.log(3.0)])
_JITTERS_S = (0.01, 0.03, 0.1, 0.2, 0.4, 0.8, 1.6)  # where the search may begin
_FINEST_S = 0.001
_MOST_STEPS = 25


@dataclass(frozen=True)
class Heard:
    """One answered trial for the error model.

    Attributes
    ----------
    true_s : times of the events that the supplied frames show; of all events if the frames are unknown.
    hidden : number of events that they do not show.
    reported_s : times of the reports; empty if the list of events is in doubt.
    step_s : the coarsest step of these times, or None without times.
    follows : whether the answer is the ledger's own length, or None without a ledger.
    doubted : whether the list of events is in doubt. listed : whether there is a list, an empty one with the answer 0
        included. frames_known : whether it is known which frames were supplied.
    """

    cluster: Hashable
    frequency_hz: float
    duration_s: float
    true_s: tuple[float, ...]
    hidden: int
    reported_s: tuple[float, ...]
    step_s: float | None
    follows: bool | None
    doubted: bool = False
    listed: bool = True
    frames_known: bool = True


@dataclass(frozen=True)
class ErrorModel:
    """Estimates by name of the parameter, with 95 % intervals; parameters without data are left out.

    miss      share of the events shown that were not reported
    false     invented reports a clip, clips without events included
    misadd    share of answers that differ from their ledger's length, among those with a ledger
    jitter_s  standard deviation of the reported times about the true ones, rounding apart

    `doubted` trials were left out because their list of events is in doubt; `misadd_range` is the range of misadd that
    they leave open. `unlisted` trials have no ledger. `hidden` events were in no supplied frame; `frames_known`:
    whether the frames of every trial are known.
    """

    parameters: Mapping[str, Estimate]
    doubted: int
    unlisted: int
    hidden: int
    frames_known: bool
    misadd_range: tuple[float, float] | None


def heard(
    ledger: Reported | Unparsed, trace: Trace, evident: Sequence[bool] | None, cluster: Hashable
) -> Heard:
    """What the error model takes of one answer: `ledger` by the ledger rule, `evident` for each event (None if the
    supplied frames are not known).
    """
    events = ledger.events if isinstance(ledger, Reported) else ()
    shown = tuple(evident) if evident is not None else (True,) * len(trace.events)
    doubted = isinstance(ledger, Reported) and ledger.events_doubted
    empty_ledger = isinstance(ledger, Reported) and ledger.final_answer == 0
    return Heard(
        cluster=cluster,
        frequency_hz=trace.spec.frequency_hz,
        duration_s=trace.duration_s,
        true_s=tuple(event.time_s for event, seen in zip(trace.events, shown, strict=True) if seen),
        hidden=len(shown) - sum(shown),
        reported_s=() if doubted else tuple(event.time_s for event in events),
        step_s=None if doubted else resolution_s(events),
        # An empty list has nothing to add up: with the answer 0 it would follow always, with any other it is no ledger.
        follows=follows(ledger) if events else None,
        doubted=doubted,
        listed=bool(events) or empty_ledger,
        frames_known=evident is not None,
    )


def heard_in(
    run: Run, trace_of: Callable[[str], Trace], scores: pd.DataFrame, reader: Reader | None = None
) -> dict[str, Heard]:
    """trial -> what was heard, of the answered trials of a run whose clips have known times; `scores` is its table."""
    from lft.counting.audit.clusters import clusters_of
    from lft.counting.audit.columns import ceilings_of, native_of
    from lft.counting.reader import Reader

    reader = reader or Reader(run, trace_of)
    ceiling_of = ceilings_of(trace_of, **native_of(run))
    answers = run.answers()
    found: dict[str, Heard] = {}
    answered = scores[scores["status"] == "answered"]
    for row, cluster in zip(answered.to_dict("records"), clusters_of(answered), strict=True):
        trial = str(row["trial"])
        trace, line = trace_of(str(row["clip"])), answers.get(trial)
        if line is None or not trace.spec.timed:
            continue
        place: JsonObject = {
            "clip": row["clip"],
            "sampling": row["sampling"] if row["sampling"] == row["sampling"] else "",
        }
        ceiling = ceiling_of(place, line)
        ledger = reader.read(line).report
        found[trial] = heard(ledger, trace, ceiling.evident if ceiling else None, cluster)
    return found


def error_model(answers: Iterable[Heard]) -> ErrorModel:
    """Fits the model to answers; intervals treat clusters as independent units."""
    everything = list(answers)
    clear = [one for one in everything if not one.doubted]
    listed = [one for one in clear if one.listed]
    parameters = _times(listed)
    with_ledger = [one for one in clear if one.follows is not None]
    wrong = [one.follows is False for one in with_ledger]
    doubted = len(everything) - len(clear)
    if with_ledger:
        found = share(wrong, [one.cluster for one in with_ledger])
        if found is not None:
            parameters["misadd"] = found
    total = len(with_ledger) + doubted
    return ErrorModel(
        {name: parameters[name] for name in PARAMETERS if name in parameters},
        doubted,
        len(clear) - len(listed),
        sum(one.hidden for one in listed),
        all(one.frames_known for one in listed),
        (sum(wrong) / total, (sum(wrong) + doubted) / total) if total else None,
    )


def by_frequency(answers: Iterable[Heard]) -> dict[float, ErrorModel]:
    """The same for the answers at each frequency, in rising order."""
    parts: dict[float, list[Heard]] = {}
    for one in answers:
        parts.setdefault(one.frequency_hz, []).append(one)
    return {frequency: error_model(parts[frequency]) for frequency in sorted(parts)}


def _times(answers: Sequence[Heard]) -> dict[str, Estimate]:
    """Estimates of miss, false and jitter."""
    if not answers:
        return {}
    step_s = _step(answers)
    lists = Lists.of(
        [one.true_s for one in answers],
        [one.reported_s for one in answers],
        [min(step_s, one.step_s or step_s) for one in answers],
        [one.duration_s for one in answers],
    )
    theta = _maximise(lists)
    lower, upper, clusters = _ends(lists, theta, [one.cluster for one in answers])
    miss, false, jitter_s = _natural(theta)
    assigned = float(likelihood(lists, miss, false, jitter_s).assigned.sum())
    events, reports = int(lists.events.sum()), int(lists.reports.sum())
    values = {
        # What was expected of the lists: none missed is 0, where the fit itself stays off the edge.
        "miss": (_tidy(events - assigned) / events, events) if events else None,
        "false": (_tidy(reports - assigned) / len(answers), len(answers)),
        "jitter_s": (jitter_s if theta[2] > _LOWEST[2] + 1e-6 else 0.0, round(assigned))
        if assigned > 0.5
        else None,
    }
    found = {}
    for k, (name, value) in enumerate(values.items()):
        if value is not None:
            low, high = min(float(lower[k]), value[0]), max(float(upper[k]), value[0])
            found[name] = Estimate(value[0], low, high, value[1], clusters)
    return found


def _step(answers: Sequence[Heard]) -> float:
    """The most frequent step of the times: a single response with few times can seem coarser than the reporter is."""
    weight: dict[float, int] = {}
    for one in answers:
        if one.step_s is not None:
            weight[one.step_s] = weight.get(one.step_s, 0) + len(one.reported_s)
    return max(weight, key=lambda step: weight[step]) if weight else _FINEST_S


def _natural(theta: Floats) -> tuple[float, float, float]:
    """(miss, false, jitter_s) of (logit miss, log false, log jitter)."""
    return float(1 / (1 + np.exp(-theta[0]))), float(np.exp(theta[1])), float(np.exp(theta[2]))


def _gradients(lists: Lists, theta: Floats) -> tuple[float, Floats]:
    """The log likelihood, and its gradient of each response (responses, 3)."""
    miss, false, jitter_s = _natural(theta)
    found = likelihood(lists, miss, false, jitter_s)
    by = [lists.events * (1 - miss) - found.assigned, lists.reports - found.assigned - false, found.by_jitter]
    return float(found.log.sum()), np.stack(by, axis=1)


def _prior(theta: Floats) -> tuple[float, Floats]:
    """Half an event missed and half reported, half an invention: keeps the fit off the boundary; negligible for dozens
    of events.
    """
    miss, _, _ = _natural(theta)
    value = 0.5 * (np.log(miss) + np.log1p(-miss) + theta[1])
    return float(value), np.array([0.5 - miss, 0.5, 0.0])


def _maximise(lists: Lists) -> Floats:
    """Maximum likelihood: scoring with the sum of squared gradients as information, else a general optimiser."""
    from scipy.optimize import minimize

    def loss(theta: Floats) -> tuple[float, Floats]:
        value, by = _gradients(lists, theta)
        extra, extra_by = _prior(theta)
        return -(value + extra), -(by.sum(axis=0) + extra_by)

    theta, found = _scored(lists, _start(lists))
    if found:
        return theta
    best = minimize(
        loss, theta, jac=True, method="L-BFGS-B",
        bounds=list(zip(_LOWEST, _HIGHEST, strict=True)), options={"maxiter": 200, "ftol": 1e-11, "gtol": 1e-6},
    )  # fmt: skip
    return np.asarray(best.x, dtype=np.float64)


def _scored(lists: Lists, theta: Floats) -> tuple[Floats, bool]:
    """Where scoring from `theta` ends, and whether it has arrived: a further step would gain under 1e-5."""
    value, by = _gradients(lists, theta)
    value += _prior(theta)[0]
    for _ in range(_MOST_STEPS):
        gradient = by.sum(axis=0) + _prior(theta)[1]
        miss = _natural(theta)[0]
        information = by.T @ by + np.diag([miss * (1 - miss), 0.5, 1e-3])
        outward = ((theta <= _LOWEST) & (gradient < 0)) | ((theta >= _HIGHEST) & (gradient > 0))
        free = np.flatnonzero(~outward)
        step = np.zeros(3)
        step[free] = np.linalg.solve(information[np.ix_(free, free)], gradient[free])
        if float(gradient @ step) < 1e-5:
            return theta, True
        step /= max(1.0, float(np.abs(step).max()))
        for shorter in (1.0, 0.5, 0.25, 0.06):
            tried = np.clip(theta + shorter * step, _LOWEST, _HIGHEST)
            reached, by_there = _gradients(lists, tried)
            reached += _prior(tried)[0]
            if reached > value:
                theta, value, by = tried, reached, by_there
                break
        else:
            return theta, False
    return theta, False


def _start(lists: Lists) -> Floats:
    """Where to begin: the best of some jitters, as if reports were a Poisson process around the events."""
    found, best = None, -np.inf
    events = max(1, int(lists.events.sum()))
    many = max(1, len(lists))
    with np.errstate(invalid="ignore"):
        apart_s = np.abs(lists.reported_s[:, :, None] - lists.true_s[:, None, :])
    apart_s = np.where(np.isfinite(apart_s), apart_s, np.inf)
    real = np.isfinite(lists.reported_s)
    for jitter_s in _JITTERS_S:
        spread_s = float(np.hypot(jitter_s, np.median(lists.step_s) / 3.5))
        near = np.exp(-0.5 * np.minimum(apart_s / spread_s, 30.0) ** 2).sum(axis=2) / (spread_s * 2.5066)
        kept, false = 0.8, 0.5
        for _ in range(12):
            alone = false / lists.duration_s[:, None]
            rate = alone + kept * near
            own = np.where(real, kept * near / rate, 0.0)
            kept = float(np.clip(own.sum() / events, 1e-3, 0.999))
            false = float(max((real.sum() - own.sum()) / many, 1e-3))
        value = (
            float(np.where(real, np.log(np.maximum(rate, 1e-300)), 0.0).sum()) - false * many - kept * events
        )
        if value > best:
            best, found = value, np.array([np.log((1 - kept) / kept), np.log(false), np.log(jitter_s)])
    assert found is not None
    return np.asarray(np.clip(found, _LOWEST, _HIGHEST), dtype=np.float64)


def _ends(lists: Lists, theta: Floats, clusters: Sequence[Hashable]) -> tuple[Floats, Floats, int]:
    """Ends of the 95 % intervals of miss, false and jitter, and the number of clusters.

    Wald intervals on the scale of `theta`, with the variance of clusters. A jitter that the times are too coarse to
    tell from none has its lower end at 0 and its upper one where twice the log likelihood has fallen by 3.84.
    """
    value, by = _gradients(lists, theta)
    curvature = np.zeros((3, 3))
    here = by.sum(axis=0) + _prior(theta)[1]
    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-3
        beside = _gradients(lists, theta + step)[1].sum(axis=0) + _prior(theta + step)[1]
        curvature[k] = (here - beside) / 1e-3
    flat = theta[2] <= _LOWEST[2] + 1e-6 or curvature[2, 2] < 0.5
    free = [0, 1] if flat or theta[2] >= _HIGHEST[2] - 1e-6 else [0, 1, 2]
    half, count = sandwich(by[:, free], (curvature + curvature.T)[np.ix_(free, free)] / 2, clusters)
    low, high = theta.copy(), theta.copy()
    low[free], high[free] = theta[free] - half, theta[free] + half
    lower, upper = (np.array(_natural(np.clip(x, -30, 30))) for x in (low, high))
    if 2 not in free:
        lower[2], upper[2] = (0.0, _fallen(lists, theta, value)) if flat else (0.0, np.inf)
    return lower, upper, count


def _fallen(lists: Lists, theta: Floats, value: float) -> float:
    """The jitter above that of `theta` at which the log likelihood is 1.92 lower, in seconds."""
    from scipy.optimize import brentq

    def left(log_jitter: float) -> float:
        return _gradients(lists, np.array([theta[0], theta[1], log_jitter]))[0] - value + 1.92

    if left(float(_HIGHEST[2])) > 0:
        return float("inf")
    return float(np.exp(brentq(left, theta[2], _HIGHEST[2], xtol=1e-3)))


def _tidy(expected: float) -> float:
    """An expected number of events; a value far below one is 0."""
    return expected if expected > 0.01 else 0.0
