"""`simulated:miss=0.1,false=0.05,jitter_s=0.2,round_s=1,misadd=0.02`: a reporter whose faults are known.

It looks at the truth instead of the frames, so that what the scores say of it can be compared with what it
is: for checking a pipeline, planning a study, and reading one's own figures against those of a plain error
model.

    miss      probability that an event is left out, each on its own (0)
    false     mean number of invented events a clip, Poisson, uniform over the clip (0)
    jitter_s  standard deviation of the reported times in seconds, normal (0)
    round_s   times are rounded to multiples of this many seconds; 0 for none (0)
    misadd    probability that the answer is one more or one less than the ledger's length (0)
    evidence  1: only events with evidence in the supplied frames are known; 0: all are (0)

Option `?seed=N` (0). An answer is a function of the seed, the clip and the replicate alone (and, with
evidence=1, of the sampling), whatever the order of asking. It is written in the form that the prompt asks
for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from lft.core.errors import InputError, shown, unknown_name
from lft.core.frames import Sampling
from lft.core.models import ModelSpec
from lft.core.requests import NotApplicable, Request, Response
from lft.counting.audit.ceiling import ceiling
from lft.counting.trace import Event, Trace

_WORDS = {"wall_contact": "the ball touches the {after} wall", "blink": "the shape lights up"}


@dataclass(frozen=True)
class Faults:
    """The parameters of a simulated reporter, as the module's first lines have them."""

    miss: float = 0.0
    false: float = 0.0
    jitter_s: float = 0.0
    round_s: float = 0.0
    misadd: float = 0.0
    evidence: float = 0.0

    def __post_init__(self) -> None:
        for name, most in (
            ("miss", 1),
            ("misadd", 1),
            ("evidence", 1),
            ("false", 1e4),
            ("jitter_s", 1e4),
            ("round_s", 1e4),
        ):
            value = getattr(self, name)
            if not 0 <= value <= most:
                raise InputError(
                    f"{name} is {shown(value)}", where="simulated", remedy=f"a number from 0 to {most:g}"
                )

    @classmethod
    def parse(cls, text: str) -> Faults:
        """Reads `miss=0.1,false=0.05`; raises `InputError` for anything it does not know.

        >>> Faults.parse("miss=0.1,round_s=1").miss
        0.1
        """
        known = [f.name for f in fields(cls)]
        values: dict[str, float] = {}
        for part in text.split(",") if text else []:
            name, _, number = part.partition("=")
            if name not in known:
                raise unknown_name("parameter", name, known, where="simulated")
            if name in values:
                raise InputError(f"{name} is given twice", where="simulated")
            try:
                values[name] = float(number)
            except ValueError:
                raise InputError(f"{name} is {shown(number)}", where="simulated", remedy="a number") from None
        return cls(**values)


@dataclass(frozen=True)
class Account:
    """What the reporter tells: (time in seconds, words) in order of time, and a total."""

    ledger: tuple[tuple[float, str], ...]
    answer: int


class Simulated:
    """The model behind `simulated:`. `truth` gives the trace of a clip id."""

    context = ("truth",)
    is_free = True

    def __init__(self, spec: ModelSpec, truth: Callable[[str], Trace]) -> None:
        for name in spec.options:
            if name not in ("seed", "name"):
                raise unknown_name("option", name, ["seed", "name"], where=str(spec))
        try:
            self.seed = int(spec.options.get("seed", "0"))
        except ValueError:
            raise InputError(
                f"seed is {shown(spec.options['seed'])}", where=str(spec), remedy="?seed=0"
            ) from None
        self.faults = Faults.parse(spec.name)
        self.name = spec.options.get("name") or str(spec)
        self._truth = truth

    def generate(self, request: Request) -> Response:
        """The account of the clip that the request's key names."""
        key = request.key
        trace = self._truth(str(key["clip"]))
        if not trace.spec.timed:
            raise NotApplicable("when the events of this clip happen is not known")
        told = account(trace, self.faults, self._rng(key), self._known(trace, key))
        return Response(written(told, str(key.get("prompt", "")), self.faults.round_s))

    def describe(self) -> dict[str, Any]:
        """All parameters, for the run's manifest."""
        return {"provider": "simulated", "seed": self.seed, **asdict(self.faults), "native_frames": "all"}

    def _rng(self, key: Mapping[str, Any]) -> np.random.Generator:
        words = f"{self.seed}\0{key['clip']}\0{key.get('replicate', 0)}"
        return np.random.default_rng(int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big"))

    def _known(self, trace: Trace, key: Mapping[str, Any]) -> tuple[bool, ...] | None:
        if not self.faults.evidence:
            return None
        return ceiling(trace, Sampling.parse(str(key.get("sampling", "native")))).evident


def account(
    trace: Trace, faults: Faults, rng: np.random.Generator, known: tuple[bool, ...] | None = None
) -> Account:
    """Draws one account of a clip; `known` says which events can be reported at all (None: all)."""
    n = len(trace.events)
    duration_s = trace.frame_count / trace.fps
    kept = rng.random(n) >= faults.miss
    moved = rng.normal(0.0, 1.0, n) * faults.jitter_s
    invented = np.sort(rng.uniform(0, duration_s, rng.poisson(faults.false)))
    wrong, up = rng.random() < faults.misadd, rng.random() < 0.5
    told = [
        (event.time_s + shift, _words(event))
        for event, keep, shift, seen in zip(trace.events, kept, moved, known or (True,) * n, strict=True)
        if keep and seen
    ]
    told += [(float(t), _words(trace.events[0]) if n else "something happens") for t in invented]
    ledger = sorted((_rounded(min(max(t, 0.0), duration_s), faults.round_s), words) for t, words in told)
    answer = len(ledger)
    if wrong:
        answer += 1 if up or not answer else -1
    return Account(tuple(ledger), answer)


def written(told: Account, prompt: str, round_s: float) -> str:
    """The account as text: the count alone where the prompt asks for no more, else the ledger and the count."""
    box = f"\\boxed{{{told.answer}}}"
    if prompt == "direct":
        return box
    whole = round_s > 0 and round_s % 1 == 0
    lines = [
        f"{k}. {_clock(t, whole)} - {words} - count {k}" for k, (t, words) in enumerate(told.ledger, start=1)
    ]
    return "\n".join([*(lines or ["no events"]), "", box])


def _clock(time_s: float, whole: bool) -> str:
    minutes, seconds = divmod(round(time_s, 3), 60)
    return f"{int(minutes):02d}:{seconds:02.0f}" if whole else f"{int(minutes):02d}:{seconds:06.3f}"


def _rounded(time_s: float, step_s: float) -> float:
    return round(time_s / step_s) * step_s if step_s else time_s


def _words(event: Event) -> str:
    template = _WORDS.get(event.type, "{before} -> {after}")
    return template.format(before=event.state_before, after=event.state_after)
