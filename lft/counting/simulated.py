"""`simulated:miss=0.1,false=0.05,jitter_s=0.2,round_s=1,misadd=0.02`: a reporter with known faults.

It reads the truth instead of the frames, so that scores can be compared with known parameters: for testing a
pipeline, planning a study, and comparing figures with those of a simple error model.

    miss      probability that an event is left out, independently (0)
    false     mean number of invented events per clip, Poisson, uniform over the clip (0)
    jitter_s  standard deviation of the reported times in seconds, normal (0)
    round_s   times are rounded to multiples of this many seconds; 0 for none (0)
    misadd    probability that the answer is one more or one less than the ledger's length (0)
    evidence  1: it knows only events with evidence in the supplied frames (for native video: every frame, or
              the rate of `lft sweep --native-rate`); 0: all events (0)
    merge     probability that an event shares one entry with the one before it, which counts once (0)

Faults of the clock, applied in this order:

    reverse   probability that the clip is reported backwards, t as length - t (0)
    scale, offset_s    the time t is reported as offset_s + scale * t (1, 0)
    shuffle   probability that the entries of a list have each other's times (0)
    even      probability that a list is spread evenly over the clip, without looking (0)
    blind     probability that all times of a list are random, uniform over the clip (0)

Answers without counting; their lists are as long as the answer.

    constant  always this number, at random times (none)
    rate      probability that the answer is F * length, listed at that rate over the whole clip (0)

Option `?seed=N` (0). An answer depends only on the seed, the clip and the replicate (and, with
evidence=1, on the sampling), not on the order of asking. It has the format that the prompt asks for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields

import numpy as np

from lft.core.errors import InputError, shown, unknown_name
from lft.core.models import ModelSpec
from lft.core.records import JsonObject, Key
from lft.core.requests import NotApplicable, Request, Response
from lft.core.video.frames import Sampling
from lft.counting.audit.ceiling import can_be_told, ceiling_of_frames, supplied_frames
from lft.counting.domains import domain_of_event
from lft.counting.trace import Event, Trace

_PROBABILITIES = ("miss", "misadd", "evidence", "merge", "reverse", "shuffle", "even", "blind", "rate")
_RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(_PROBABILITIES, (0.0, 1.0)),
    **dict.fromkeys(("false", "jitter_s", "round_s"), (0.0, 1e4)),
    "scale": (0.01, 100.0),
    "offset_s": (-1e4, 1e4),
    "constant": (0.0, 1e4),
}


@dataclass(frozen=True)
class Faults:
    """The parameters of a simulated reporter, see the module docstring."""

    miss: float = 0.0
    false: float = 0.0
    jitter_s: float = 0.0
    round_s: float = 0.0
    misadd: float = 0.0
    evidence: float = 0.0
    merge: float = 0.0
    reverse: float = 0.0
    scale: float = 1.0
    offset_s: float = 0.0
    shuffle: float = 0.0
    even: float = 0.0
    blind: float = 0.0
    constant: float | None = None
    rate: float = 0.0

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise InputError(
                    f"{name} is {shown(value)}",
                    where="simulated",
                    expected=f"a number from {least:g} to {most:g}",
                )
        if self.constant is not None and self.constant % 1:
            raise InputError(
                f"constant is {shown(self.constant)}", where="simulated", expected="a whole number"
            )

    @classmethod
    def parse(cls, text: str) -> Faults:
        """Parses `miss=0.1,false=0.05`; raises `InputError` for unknown names.

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
                raise InputError(
                    f"{name} is {shown(number)}", where="simulated", expected="a number"
                ) from None
        return cls(**values)


@dataclass(frozen=True)
class Account:
    """A report: (time in seconds, words) of each entry, and a total; `ends_s`: index of an interval entry -> its
    end.
    """

    ledger: tuple[tuple[float, str], ...]
    answer: int
    ends_s: Mapping[int, float] = field(default_factory=dict)


class Simulated:
    """The model of `simulated:`. `truth` returns the trace of a clip id. With evidence=1 it samples native video at
    `native_rate_hz`; None: every frame.
    """

    context = ("truth", "native_rate_hz")
    is_free = True

    def __init__(
        self, spec: ModelSpec, truth: Callable[[str], Trace], native_rate_hz: float | None = None
    ) -> None:
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
        self._truth, self._native_rate_hz = truth, native_rate_hz

    def generate(self, request: Request) -> Response:
        """The report about the clip in the request's key."""
        told = self.tells(request.key)
        return Response(written(told, str(request.key.get("prompt", "")), self.faults.round_s))

    def tells(self, key: Key) -> Account:
        """The report about the clip in a trial's key, before it is written as text."""
        trace = self._truth(str(key["clip"]))
        if not trace.spec.timed:
            raise NotApplicable("when the events of this clip happen is not known")
        return account(trace, self.faults, self._rng(key), self._known(trace, key))

    def describe(self) -> JsonObject:
        """All parameters, for the run's manifest."""
        native: JsonObject = {"native_frames": "all"}
        if self._native_rate_hz is not None:
            native = {"native_frames": "sampled", "native_rate_hz": self._native_rate_hz}
        return {"provider": "simulated", "seed": self.seed, **asdict(self.faults), **native}

    def _rng(self, key: Key) -> np.random.Generator:
        words = f"{self.seed}\0{key['clip']}\0{key.get('replicate', 0)}"
        return np.random.default_rng(int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big"))

    def _known(self, trace: Trace, key: Key) -> tuple[bool, ...] | None:
        if not self.faults.evidence:
            return None
        policy = Sampling.parse(str(key.get("sampling", "native")))
        frames = supplied_frames(trace, policy, native_rate_hz=self._native_rate_hz)
        if not can_be_told(trace, frames):
            raise NotApplicable("how long an event of this clip is visible is not known")
        return ceiling_of_frames(trace, frames).evident


def account(
    trace: Trace, faults: Faults, rng: np.random.Generator, known: tuple[bool, ...] | None = None
) -> Account:
    """Draws one report about a clip; `known`: the events that can be reported (None: all)."""
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
    # Absent faults draw no random numbers, so that answers without them do not change.
    told = _otherwise(told, trace, faults, rng)
    told = _by_its_clock(told, duration_s, faults, rng)
    ends_s: dict[int, float] = {}
    if faults.merge:
        told, ends_s = _merged(sorted(told), [bool(x) for x in rng.random(len(told)) < faults.merge])
    ledger = [(_rounded(min(max(t, 0.0), duration_s), faults.round_s), words) for t, words in told]
    if not faults.shuffle and not ends_s:
        ledger.sort()
    answer = len(ledger)
    if wrong:
        answer += 1 if up or not answer else -1
    ends_s = {k: _rounded(min(max(t, 0.0), duration_s), faults.round_s) for k, t in ends_s.items()}
    return Account(tuple(ledger), answer, ends_s)


Told = list[tuple[float, str]]


def _otherwise(told: Told, trace: Trace, faults: Faults, rng: np.random.Generator) -> Told:
    """A report that ignores the events: a constant number of entries, or the rate over the whole clip."""
    duration_s, times_s = trace.duration_s, trace.times_s
    words = _words(trace.events[0]) if trace.events else "something happens"
    if faults.constant is not None:
        return [(float(t), words) for t in np.sort(rng.uniform(0, duration_s, int(faults.constant)))]
    if faults.rate and rng.random() < faults.rate and times_s:
        # A rendered clip has a rate, whatever its pauses; of an imported one only the gaps are known.
        own_s = (times_s[-1] - times_s[0]) / max(1, len(times_s) - 1)
        gap_s = 1 / trace.spec.frequency_hz if trace.spec.regular or not own_s else own_s
        return [(float(t), words) for t in np.arange(times_s[0] % gap_s, duration_s, gap_s)]
    return told


def _by_its_clock(told: Told, duration_s: float, faults: Faults, rng: np.random.Generator) -> Told:
    """The same entries with faults of the clock applied to their times."""
    if faults.reverse and rng.random() < faults.reverse:
        told = [(duration_s - t, words) for t, words in told]
    told = sorted((faults.offset_s + faults.scale * t, words) for t, words in told)
    times_s = [t for t, _ in told]
    if faults.shuffle and rng.random() < faults.shuffle:
        times_s = [float(t) for t in rng.permutation(times_s)]
    if faults.even and rng.random() < faults.even:
        times_s = [(k + 0.5) / len(told) * duration_s for k in range(len(told))]
    if faults.blind and rng.random() < faults.blind:
        times_s = [float(t) for t in np.sort(rng.uniform(0, duration_s, len(told)))]
    return [(t, words) for t, (_, words) in zip(times_s, told, strict=True)]


def _merged(told: Told, joined: Sequence[bool]) -> tuple[Told, dict[int, float]]:
    """Entries, some merged with the one before, and the ends of interval entries."""
    kept: Told = []
    ends_s: dict[int, float] = {}
    for entry, joins in zip(told, joined, strict=True):
        if joins and kept:
            ends_s[len(kept) - 1] = entry[0]
        else:
            kept.append(entry)
    return kept, ends_s


def written(told: Account, prompt: str, round_s: float) -> str:
    """The report as text: only the count if the prompt asks for no more, else ledger and count."""
    box = f"\\boxed{{{told.answer}}}"
    if prompt == "direct":
        return box
    whole = round_s > 0 and round_s % 1 == 0
    lines = []
    for k, (t, words) in enumerate(told.ledger):
        end = f" - {_clock(told.ends_s[k], whole)}" if k in told.ends_s else ""
        lines.append(f"{k + 1}. {_clock(t, whole)}{end} - {words} - count {k + 1}")
    return "\n".join([*(lines or ["no events"]), "", box])


def _clock(time_s: float, whole: bool) -> str:
    minutes, seconds = divmod(round(time_s, 3), 60)
    return f"{int(minutes):02d}:{seconds:02.0f}" if whole else f"{int(minutes):02d}:{seconds:06.3f}"


def _rounded(time_s: float, step_s: float) -> float:
    return round(time_s / step_s) * step_s if step_s else time_s


def _words(event: Event) -> str:
    known = domain_of_event(event.type)
    phrase = known.phrase if known is not None else "{before} -> {after}"
    return phrase.format(before=event.state_before, after=event.state_after)
