"""The spec of a clip: domain, count N, frequency F, seed, frame rate and size.

`ClipSpec` is for rendered clips, `Footage` for imported videos, whose events have no frequency. The frequency of
a `Footage` is the power of two nearest to its mean rate, so that clips of similar rate share a cell.
"""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import PurePath

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
SLOWEST_HZ, FASTEST_HZ = 1 / 16, 16.0  # of footage
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
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
            Count, frequency and seed must fit into the clip's id: see `parse_clip_id`.
    fps, width, height, duration_s : 10 to 240 frames per second, even sizes from 64x64 to
        7680x4320, up to an hour.
    schedule : spacing of events, one of `SCHEDULES`; see `rendering.schedule`. It is not part of the id: each
        schedule has its own grids.
    version : the seed of look and states. 1: domain and seed, so that all clips of a seed share them;
        2: the clip. The defaults of a stored clip are regular and version 1.

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
        try:
            self._check()
        except InputError as error:
            n, hz, seed = map(shown, (self.count, self.frequency_hz, self.seed))
            raise InputError(str(error), where=f"clip {self.domain} N={n} F={hz} seed={seed}") from None

    def _check(self) -> None:
        for name in ("count", "seed", "fps", "width", "height", "duration_s"):
            value = getattr(self, name)
            least, most = _RANGES[name]
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise InputError(
                    f"{name} is {shown(value)}", expected=f"a whole number from {least} to {most}"
                )
        if not math.isfinite(self.frequency_hz) or self.frequency_hz <= 0:
            raise InputError("the frequency is not positive", expected="a frequency in Hz such as 1.5")
        if not _CLIP_ID.fullmatch(self.clip_id) or float(_hz(self.frequency_hz)) != self.frequency_hz:
            raise InputError(
                "count, frequency and seed do not fit into a clip id",
                expected="a frequency from 0.0001 to 999 Hz with at most four decimals, "
                "a count up to 9999, a seed up to 999999",
            )  # fmt: skip
        if self.active_span_s > self.duration_s:
            raise InputError(
                f"{self.count} events at {self.frequency_hz:g} Hz last {float(self.active_span_s):g} s",
                expected=f"at most {self.duration_s} s, so a count up to {int(self.duration_s * self.frequency_hz)}",
            )
        if self.count and self.fps / self.frequency_hz < 4:
            raise InputError(
                f"{self.frequency_hz:g} Hz leaves under four frames an event at {self.fps} frames per second",
                expected=f"a frequency up to {self.fps / 4:g} Hz or a higher --fps",
            )
        if self.schedule not in SCHEDULES:
            raise unknown_name("schedule", str(self.schedule), SCHEDULES)
        if self.version not in range(1, VERSION + 1) or isinstance(self.version, bool):
            raise InputError(f"version is {shown(self.version)}", expected=f"1 or {VERSION}")
        if self.version == 1 and self.schedule != "regular":
            raise InputError(f"a clip of version 1 cannot be {self.schedule}", expected=f"version: {VERSION}")
        if self.schedule != "regular" and not fits(
            self.schedule, self.count, self.frequency_hz, self.fps, self.frame_count
        ):
            raise InputError(
                f"{self.count} events at {self.frequency_hz:g} Hz do not fit as {self.schedule}",
                remedy=f"fewer, or a period of {least_gap(self.fps)} frames or more; bursts need room for pauses",
            )  # fmt: skip
        if self.width % 2 or self.height % 2:
            raise InputError(
                f"size {self.width}x{self.height}", expected="even sizes from 64x64 to 7680x4320"
            )

    @property
    def clip_id(self) -> str:
        """domain/nNN_fF_sSS, unique within a grid and used as the file name."""
        return clip_id_of(self.domain, self.count, self.frequency_hz, self.seed)

    @property
    def look_id(self) -> str:
        """The name of look and states; clips of one look form one cluster.

        >>> ClipSpec("blinking", 3, 1.5, 7).look_id, ClipSpec("blinking", 3, 1.5, 7, version=1).look_id
        ('blinking/n03_f1.5_s07', 'blinking/s07')
        """
        return self.clip_id if self.version > 1 else shared_look_id(self.domain, self.seed)

    @property
    def evidence(self) -> str:
        """The frames that show an event: see `Domain.evidence`."""
        return DOMAINS[self.domain].evidence

    @property
    def timed(self) -> bool:
        """Whether event times are known; only imported videos may have just a count."""
        return True

    @property
    def regular(self) -> bool:
        """Whether `frequency_hz` determines the tolerance: True for every rendered clip."""
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
        """A JSON object with one entry per field; version 1 has no `schedule` and no `version`."""
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
                f"clip spec: {error}", where=where, expected="domain, count, frequency_hz, seed"
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
        raise InputError(f"not a clip id: {shown(clip_id)}", expected="domain/nNN_fF_sSS")
    return found["domain"], int(found["n"]), float(found["f"]), int(found["s"])


def shared_look_id(domain_name: str, seed: int) -> str:
    """The look of all clips of one domain and seed, in version 1.

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


FOOTAGE_EVIDENCE = ("span", "pulse", "unknown")


@dataclass(frozen=True)
class Footage:
    """One imported clip.

    Attributes
    ----------
    domain : name of the kind of event, such as `repetition`; not a rendered domain.
    count : N >= 0, events in the video.
    frequency_hz : the power of two nearest to the mean rate; see `filed_hz`.
    seed : >= 0, distinguishes the clips of an import.
    fps : mean frames per second, n / duration_s; durations of frames may vary.
    width, height : pixels, upright.
    duration_s : from the first frame to the end of the last, by presentation time stamps.
    source : file name of the video that was imported.
    timed : whether event times are known, not only their number.
    kind : the action, as named in the annotations ("pull_up"), or empty.
    start_s : time of the first frame on a browser's clock; times of the clip count from that frame.
    evidence : which frames show an event. "span": two within it; "pulse": one within it; "unknown": its duration
        is unknown, so only all frames of the file are sure to show it.

    >>> Footage("repetition", 7, 0.5, 3, 29.97, 640, 360, 12.5, "squat.mp4").clip_id
    'repetition/n07_f0.5_s03'
    """

    domain: str
    count: int
    frequency_hz: float
    seed: int
    fps: float
    width: int
    height: int
    duration_s: float
    source: str
    timed: bool = True
    kind: str = ""
    start_s: float = 0.0
    evidence: str = "span"

    def __post_init__(self) -> None:
        where = f"clip of {shown(self.source)}"
        domain_name(self.domain, where=where)
        for name, low, high in (
            ("count", 0, 9999),
            ("seed", 0, 999_999),
            ("width", 1, 65536),
            ("height", 1, 65536),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise InputError(
                    f"{name} is {shown(value)}", where=where, expected=f"a whole number, {low} to {high}"
                )
        for name in ("frequency_hz", "fps", "duration_s"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise InputError(f"{name} is {shown(value)}", where=where, expected="a number above 0")
        if isinstance(self.start_s, bool) or not isinstance(self.start_s, int | float):
            raise InputError(f"start_s is {shown(self.start_s)}", where=where, expected="a number from 0 on")
        if not 0 <= self.start_s < math.inf:
            raise InputError(f"start_s is {self.start_s:g}", where=where, expected="a number from 0 on")
        if not SLOWEST_HZ <= self.frequency_hz <= FASTEST_HZ:
            raise InputError(f"frequency_hz is {self.frequency_hz:g}", where=where, expected="1/16 to 16 Hz")
        if not isinstance(self.source, str) or not self.source or self.source != PurePath(self.source).name:
            raise InputError(
                f"source is {shown(self.source)}", where=where, expected="the name of a file, without folders"
            )
        if not isinstance(self.timed, bool) or not isinstance(self.kind, str) or len(self.kind) > 200:
            raise InputError(
                "timed or kind is of the wrong kind", where=where, expected="true or false; a short text"
            )
        if self.evidence not in FOOTAGE_EVIDENCE:
            raise InputError(
                f"evidence is {shown(self.evidence)}", where=where, expected=" or ".join(FOOTAGE_EVIDENCE)
            )

    @property
    def clip_id(self) -> str:
        """domain/nNN_fF_sSS, as for rendered clips."""
        return clip_id_of(self.domain, self.count, self.frequency_hz, self.seed)

    @property
    def look_id(self) -> str:
        """The source file: clips of one video share a look."""
        return f"{self.domain}/{self.source}"

    @property
    def schedule(self) -> str:
        """`natural`."""
        return "natural"

    @property
    def regular(self) -> bool:
        """False: each event has its own tolerance."""
        return False

    def to_json(self) -> JsonObject:
        """A JSON object with one entry per field, without a `start_s` of 0 and an `evidence` of `span`."""
        usual = {"start_s": 0.0, "evidence": "span"}
        return {name: value for name, value in asdict(self).items() if value != usual.get(name, ...)}


AnySpec = ClipSpec | Footage


def source_of(spec: AnySpec) -> str:
    """The file name of an imported video; "" for a rendered clip."""
    return spec.source if isinstance(spec, Footage) else ""


def spec_from_json(document: JsonObject, *, where: object = None) -> AnySpec:
    """A spec from its JSON object: `Footage` if it has a source.

    Raises `InputError` for missing, unknown or unusable entries.
    """
    if "source" not in document:
        return ClipSpec.from_json(document, where=where)
    for name in document:
        if name not in Footage.__dataclass_fields__:
            raise unknown_name("key", name, Footage.__dataclass_fields__, where=where)
    try:
        return Footage(**document)
    except TypeError as error:
        raise InputError(f"clip spec: {error}", where=where, expected="a manifest of `lft import`") from error


def domain_name(name: str, *, where: object = None) -> str:
    """`name`, checked to be a possible domain of imported clips; raises `InputError` otherwise."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(
            f"unusable domain {shown(name)}", where=where, expected="small letters, digits and _"
        )
    if name in DOMAINS:
        raise InputError(
            f"{name} is a domain that LFT renders", where=where, remedy="another name, such as natural"
        )
    return name


def filed_hz(rate_hz: float) -> float:
    """The power of two nearest to a rate on a logarithmic scale, from 1/16 to 16 Hz; 1 Hz without events.

    >>> [filed_hz(x) for x in (0.0, 0.3, 0.45, 1.4, 1.5, 40.0)]
    [1.0, 0.25, 0.5, 1.0, 2.0, 16.0]
    """
    if rate_hz <= 0:
        return NOMINAL_HZ
    return float(min(max(2.0 ** round(math.log2(rate_hz)), SLOWEST_HZ), FASTEST_HZ))
