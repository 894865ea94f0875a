"""Which clip: domain, count N, frequency F, seed, and how it is filmed."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from fractions import Fraction

from lft.core.errors import InputError, shown, unknown_name
from lft.core.records import JsonObject
from lft.counting.domains import DOMAINS, domain
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

    def to_json(self) -> JsonObject:
        """A JSON object with one entry per field; in version 1 there were no `schedule` and no `version`."""
        document = asdict(self)
        if self.version == 1:
            del document["schedule"], document["version"]
        return document

    @classmethod
    def from_json(cls, document: JsonObject, *, where: object = None) -> ClipSpec:
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
