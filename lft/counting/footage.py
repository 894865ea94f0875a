"""What a clip specifies if someone filmed it: how often something happens in a video that already exists.

It stands where `ClipSpec` stands for a rendered clip, and is read in the same way. Nothing was drawn at a
frequency here: a clip is filed under the power of two nearest to its mean rate, so that clips of like pace
share a cell.
"""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from pathlib import PurePath

from lft.core.errors import InputError, shown, unknown_name
from lft.core.records import JsonObject
from lft.counting.domains import DOMAINS
from lft.counting.spec import NOMINAL_HZ, ClipSpec, clip_id_of

SLOWEST_HZ, FASTEST_HZ = 1 / 16, 16.0
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True)
class Footage:
    """One imported clip.

    Attributes
    ----------
    domain : name of the kind of event, such as `repetition`; not one that LFT renders.
    count : N >= 0, events in the video.
    frequency_hz : the power of two nearest to the mean rate; see `filed_hz`.
    seed : >= 0, tells the clips of one import apart.
    fps : mean frames per second, n / duration_s; single frames may be on screen for longer or shorter.
    width, height : pixels, upright.
    duration_s : from the first frame to the end of the last, by presentation time stamps.
    source : file name of the video that was imported.
    timed : whether it is known when the events happen; False if only their number is.
    kind : what is done, as the annotations call it ("pull_up"), or empty.
    start_s : what a browser's clock shows when the first frame comes; times of the clip count from that frame.

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
                    f"{name} is {shown(value)}", where=where, remedy=f"a whole number, {low} to {high}"
                )
        for name in ("frequency_hz", "fps", "duration_s"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise InputError(f"{name} is {shown(value)}", where=where, remedy="a number above 0")
        if isinstance(self.start_s, bool) or not isinstance(self.start_s, int | float):
            raise InputError(f"start_s is {shown(self.start_s)}", where=where, remedy="a number from 0 on")
        if not 0 <= self.start_s < math.inf:
            raise InputError(f"start_s is {self.start_s:g}", where=where, remedy="a number from 0 on")
        if not SLOWEST_HZ <= self.frequency_hz <= FASTEST_HZ:
            raise InputError(f"frequency_hz is {self.frequency_hz:g}", where=where, remedy="1/16 to 16 Hz")
        if not isinstance(self.source, str) or not self.source or self.source != PurePath(self.source).name:
            raise InputError(
                f"source is {shown(self.source)}", where=where, remedy="the name of a file, without folders"
            )
        if not isinstance(self.timed, bool) or not isinstance(self.kind, str) or len(self.kind) > 200:
            raise InputError(
                "timed or kind is of the wrong kind", where=where, remedy="true or false; a short text"
            )

    @property
    def clip_id(self) -> str:
        """domain/nNN_fF_sSS, as for rendered clips."""
        return clip_id_of(self.domain, self.count, self.frequency_hz, self.seed)

    @property
    def look_id(self) -> str:
        """The file it came from: clips of one video look alike."""
        return f"{self.domain}/{self.source}"

    @property
    def schedule(self) -> str:
        """`natural`: events come as they came."""
        return "natural"

    @property
    def evidence(self) -> str:
        """`span`: an event shows while it lasts, and it takes two frames to see that something changed."""
        return "span"

    @property
    def regular(self) -> bool:
        """False: events come as they come, and each has a tolerance of its own."""
        return False

    def to_json(self) -> JsonObject:
        """A JSON object with one entry per field, without `start_s` where it is 0, as for most files."""
        return {name: value for name, value in asdict(self).items() if name != "start_s" or value}


AnySpec = ClipSpec | Footage


def source_of(spec: AnySpec) -> str:
    """The file name of an imported video; "" of a rendered clip, which has none."""
    return spec.source if isinstance(spec, Footage) else ""


def spec_from_json(document: JsonObject, *, where: object = None) -> AnySpec:
    """A spec from its JSON object: one that names a source is of footage.

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
        raise InputError(f"clip spec: {error}", where=where, remedy="a manifest of `lft import`") from error


def domain_name(name: str, *, where: object = None) -> str:
    """`name` if imported clips may be filed under it; raises `InputError` otherwise."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(f"unusable domain {shown(name)}", where=where, remedy="small letters, digits and _")
    if name in DOMAINS:
        raise InputError(
            f"{name} is a domain that LFT renders", where=where, remedy="another name, such as natural"
        )
    return name


def filed_hz(rate_hz: float) -> float:
    """The power of two nearest to a rate, on a logarithmic scale, from 1/16 to 16 Hz; 1 Hz for no events.

    >>> [filed_hz(x) for x in (0.0, 0.3, 0.45, 1.4, 1.5, 40.0)]
    [1.0, 0.25, 0.5, 1.0, 2.0, 16.0]
    """
    if rate_hz <= 0:
        return NOMINAL_HZ
    return float(min(max(2.0 ** round(math.log2(rate_hz)), SLOWEST_HZ), FASTEST_HZ))
