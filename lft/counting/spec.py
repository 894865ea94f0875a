"""Which clip: domain, count N, frequency F, seed, and how it is filmed.

`DOMAINS` is the whole list of domains, with those of other installed packages at its end (entry points
`lft.domains`). A domain is one entry in it and the files that the entry names; no other module knows a
domain by its name.
"""

from __future__ import annotations

import importlib
import math
import re
import warnings
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from lft.core import plugins
from lft.core.errors import InputError, shown, unknown_name
from lft.counting.spacing import fits, least_gap

DURATION_S = 24
_RANGES = {
    "count": (0, 9999),
    "seed": (0, 999_999),
    "fps": (10, 240),
    "width": (64, 7680),
    "height": (64, 4320),
    "duration_s": (1, 3600),
}
SCHEDULES = ("regular", "irregular", "bursts")
VERSION = 2  # of what clips are drawn from
NOMINAL_HZ = 1.0  # the frequency under which clips without events are filed


@dataclass(frozen=True)
class Domain:
    """What sets one domain apart. Code is named as "module:object" and imported when it is first needed.

    Attributes
    ----------
    name : as in clip ids; its question is the file prompts/questions/NAME.txt.
    event_type : the word for one event in traces.
    evidence : which frames show an event. "instant": its own frame; "pulse": while it lasts
        (`lft.counting.rendering.schedule.Schedule.on_frames`); "state": until the next event.
    scene : the Manim scene, an `lft.renderers.base.EventScene`.
    look : function (`lft.counting.rendering.look.Choices`) -> look: what the seed decides about colours and geometry.
    sequence : function (look, seed, count) -> the N + 1 states, as text: before the first event, after each.
    frames : function (`lft.counting.rendering.schedule.Schedule`) -> one visual state per frame.
    reader : function (`lft.core.video.frames.Frames`) -> the events that the pixels show, a list of
        `lft.counting.observer.observe.Sighting`. The observer and `lft verify` use it; it may know nothing of the
        scene's code.
    question : the text of its question, for a domain of another package; else the file says it.
    ideal : what the ideal observer goes by, as `lft.counting.audit.ideal.evidence` lists it: "pulse", "contact" or
        "walk"; empty where none is stated, and then there is no ideal bound.
    """

    name: str
    event_type: str
    evidence: str
    scene: str
    look: str
    sequence: str
    frames: str
    reader: str
    question: str = ""
    ideal: str = ""


DOMAINS: dict[str, Domain] = {
    "bounce_ball": Domain(
        name="bounce_ball",
        event_type="wall_contact",
        evidence="instant",
        scene="lft.renderers.bounce_ball:BounceBall",
        look="lft.counting.rendering.look:bounce_look",
        sequence="lft.counting.rendering.look:bounce_sequence",
        frames="lft.counting.rendering.visual:bounce_frames",
        reader="lft.counting.observer.observe:read_contacts",
        ideal="contact",
    ),
    "blinking": Domain(
        name="blinking",
        event_type="blink",
        evidence="pulse",
        scene="lft.renderers.blinking:Blinking",
        look="lft.counting.rendering.look:blink_look",
        sequence="lft.counting.rendering.look:blink_sequence",
        frames="lft.counting.rendering.visual:blink_frames",
        reader="lft.counting.observer.observe:read_blinks",
        ideal="pulse",
    ),
    "state_machine": Domain(
        name="state_machine",
        event_type="transition",
        evidence="state",
        scene="lft.renderers.state_machine:StateMachine",
        look="lft.counting.rendering.look:state_look",
        sequence="lft.counting.rendering.look:state_sequence",
        frames="lft.counting.rendering.visual:state_frames",
        reader="lft.counting.observer.observe:read_transitions",
        ideal="walk",
    ),
}


def domain(name: str) -> Domain:
    """The domain called `name`; raises `InputError` with the nearest known name."""
    if name not in DOMAINS:
        raise unknown_name("domain", name, DOMAINS)
    return DOMAINS[name]


def named(reference: str) -> Any:
    """The object that "module:object" names.

    >>> named("lft.counting.spec:domain")("blinking").event_type
    'blink'
    """
    module, _, attribute = reference.partition(":")
    return getattr(importlib.import_module(module), attribute)


@dataclass(frozen=True)
class ClipSpec:
    """One clip of the grid.

    Attributes
    ----------
    domain : a name in `DOMAINS`.
    count : N >= 0, events in the clip; count / frequency_hz must fit in duration_s.
    frequency_hz : F > 0, events per second while they happen.
    seed : >= 0; varies the look, the initial state and the start, never the spacing.
        Count, frequency and seed are those that the clip's id can say: see `parse_clip_id`.
    fps, width, height, duration_s : how it is filmed: 10 to 240 frames per second, even sizes from 64x64 to
        7680x4320, up to an hour.
    schedule : how events are spaced, one of `SCHEDULES`; see `rendering.schedule`. It is no part of the id: each
        schedule has grids of its own.
    version : what look and states are drawn from. 1: domain and seed, so that all clips of a seed share them;
        2: the clip. Clips that say neither schedule nor version are regular, of version 1.

    >>> ClipSpec("blinking", 3, 1.5, 7).clip_id
    'blinking/n03_f1.5_s07'
    """

    domain: str
    count: int
    frequency_hz: float
    seed: int
    fps: int = 30
    width: int = 1280
    height: int = 720
    duration_s: int = DURATION_S
    schedule: str = "regular"
    version: int = VERSION

    def __post_init__(self) -> None:
        domain(self.domain)
        where = (
            f"clip {self.domain} N={shown(self.count)} F={shown(self.frequency_hz)} seed={shown(self.seed)}"
        )
        for name in ("count", "seed", "fps", "width", "height", "duration_s"):
            value = getattr(self, name)
            least, most = _RANGES[name]
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise InputError(
                    f"{name} is {shown(value)}", where=where, remedy=f"a whole number from {least} to {most}"
                )
        if not math.isfinite(self.frequency_hz) or self.frequency_hz <= 0:
            raise InputError(
                "the frequency is not positive", where=where, remedy="a frequency in Hz such as 1.5"
            )
        if not _CLIP_ID.fullmatch(self.clip_id) or float(_hz(self.frequency_hz)) != self.frequency_hz:
            raise InputError(
                "no clip id can say this count, frequency and seed", where=where,
                remedy="a frequency from 0.0001 to 999 Hz with at most four decimals, "
                "a count up to 9999, a seed up to 999999",
            )  # fmt: skip
        if self.active_span_s > self.duration_s:
            raise InputError(
                f"{self.count} events at {self.frequency_hz:g} Hz last {float(self.active_span_s):g} s",
                where=where,
                remedy=f"at most {self.duration_s} s, so a count up to {int(self.duration_s * self.frequency_hz)}",
            )
        if self.count and self.fps / self.frequency_hz < 4:
            raise InputError(
                f"{self.frequency_hz:g} Hz leaves under four frames an event at {self.fps} frames per second",
                where=where,
                remedy=f"a frequency up to {self.fps / 4:g} Hz or a higher --fps",
            )
        if self.schedule not in SCHEDULES:
            raise unknown_name("schedule", str(self.schedule), SCHEDULES, where=where)
        if self.version not in range(1, VERSION + 1) or isinstance(self.version, bool):
            raise InputError(f"version is {shown(self.version)}", where=where, remedy=f"1 or {VERSION}")
        if self.version == 1 and self.schedule != "regular":
            raise InputError(
                f"a clip of version 1 cannot be {self.schedule}", where=where, remedy=f"version: {VERSION}"
            )
        if self.schedule != "regular" and not fits(
            self.schedule, self.count, self.frequency_hz, self.fps, self.frame_count
        ):
            raise InputError(
                f"{self.count} events at {self.frequency_hz:g} Hz do not fit as {self.schedule}", where=where,
                remedy=f"fewer, or a period of {least_gap(self.fps)} frames or more; bursts need room for pauses",
            )  # fmt: skip
        if self.width % 2 or self.height % 2:
            raise InputError(
                f"size {self.width}x{self.height}", where=where, remedy="even sizes from 64x64 to 7680x4320"
            )

    @property
    def clip_id(self) -> str:
        """domain/nNN_fF_sSS, unique within a grid and used as the file name."""
        return clip_id_of(self.domain, self.count, self.frequency_hz, self.seed)

    @property
    def look_id(self) -> str:
        """Names what the clip looks like and which states it goes through; clips of one look are one cluster.

        >>> ClipSpec("blinking", 3, 1.5, 7).look_id, ClipSpec("blinking", 3, 1.5, 7, version=1).look_id
        ('blinking/n03_f1.5_s07', 'blinking/s07')
        """
        return self.clip_id if self.version > 1 else shared_look_id(self.domain, self.seed)

    @property
    def evidence(self) -> str:
        """Which frames show an event: see `Domain.evidence`."""
        return DOMAINS[self.domain].evidence

    @property
    def timed(self) -> bool:
        """Whether the truth says when events happen; only imported videos may have a count alone."""
        return True

    @property
    def regular(self) -> bool:
        """Whether `frequency_hz` decides the tolerance, as it does in every rendered clip, whatever its schedule."""
        return True

    @property
    def active_span_s(self) -> Fraction:
        """N / F, exactly."""
        return Fraction(self.count) / Fraction(str(self.frequency_hz))

    @property
    def frame_count(self) -> int:
        """fps * duration_s, exactly."""
        return self.fps * self.duration_s

    def to_json(self) -> dict[str, Any]:
        """A JSON object with one entry per field; in version 1 there were no `schedule` and no `version`."""
        document = asdict(self)
        if self.version == 1:
            del document["schedule"], document["version"]
        return document

    @classmethod
    def from_json(cls, document: dict[str, Any], *, where: object = None) -> ClipSpec:
        """The inverse of `to_json`; raises `InputError` for missing, unknown or unusable entries."""
        known = cls.__dataclass_fields__
        for name in document:
            if name not in known:
                raise unknown_name("key", name, known, where=where)
        try:
            return cls(**{"version": 1, **document})
        except TypeError as error:
            raise InputError(
                f"clip spec: {error}", where=where, remedy="domain, count, frequency_hz, seed"
            ) from error
        except InputError as error:
            raise InputError(str(error), where=where) from error


_CLIP_ID = re.compile(r"(?P<domain>[a-z][a-z0-9_]*)/n(?P<n>\d{1,4})_f(?P<f>\d{1,3}\.\d{1,4})_s(?P<s>\d{1,6})")


def parse_clip_id(clip_id: str) -> tuple[str, int, float, int]:
    """(domain, count, frequency_hz, seed) of a clip id.

    >>> parse_clip_id("blinking/n03_f1.5_s07")
    ('blinking', 3, 1.5, 7)
    """
    found = _CLIP_ID.fullmatch(clip_id)
    if not found or not float(found["f"]):
        raise InputError(f"not a clip id: {shown(clip_id)}", remedy="domain/nNN_fF_sSS")
    return found["domain"], int(found["n"]), float(found["f"]), int(found["s"])


def shared_look_id(domain_name: str, seed: int) -> str:
    """The look of every clip of one domain and seed, in version 1.

    >>> shared_look_id("blinking", 7)
    'blinking/s07'
    """
    return f"{domain_name}/s{seed:02d}"


def clip_id_of(domain_name: str, count: int, frequency_hz: float, seed: int) -> str:
    """domain/nNN_fF_sSS; the inverse of `parse_clip_id`."""
    return f"{domain_name}/n{count:02d}_f{_hz(frequency_hz)}_s{seed:02d}"


def _hz(frequency_hz: float) -> str:
    text = f"{frequency_hz:.4f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _of_other_packages() -> dict[str, Domain]:
    """Their domains; one that cannot be used is left out with a warning, so that the rest goes on working."""
    found = {}
    for name, reference in plugins.plugged("lft.domains", taken=DOMAINS).items():
        try:
            value = named(reference)
            if not isinstance(value, Domain) or value.name != name:
                raise TypeError(f"not a Domain called {name}")
            found[name] = value
        except Exception as error:  # whatever a module of someone else raises when it is imported
            warnings.warn(f"the domain {shown(name)} of {reference} is left out ({error})", stacklevel=2)
    return found


DOMAINS |= _of_other_packages()
