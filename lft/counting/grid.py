"""A grid file: the clips of an experiment.

    title: ...
    domains: [bounce_ball, blinking, state_machine]
    counts: [0, 1, 2, 3]
    frequencies_hz: [0.5, 1.0]
    seeds: 10                   # 0 .. 9, or a list
    fps: 30                     # optional, as are size and duration_s
    size: 1280x720
    duration_s: 24
    schedule: regular           # or irregular, bursts
    version: 2                  # 1: clips of one seed share look and states, as in grids before versions

Every count is combined with every frequency and seed; N = 0, which has no frequency, occurs once per seed,
under 1.0 Hz.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from lft.core.config import checked_keys, read_yaml
from lft.core.errors import InputError, shown, unknown_name
from lft.core.records import Json, JsonObject
from lft.counting.domains import DOMAINS, domain
from lft.counting.spec import DURATION_S, NOMINAL_HZ, VERSION, ClipSpec

_KEYS = ("title", "domains", "counts", "frequencies_hz", "seeds", "fps", "size", "duration_s",
         "schedule", "version")  # fmt: skip
_MOST_CLIPS = 1_000_000
_PREFIX = "grid_"


@dataclass(frozen=True)
class Grid:
    """A checked grid file."""

    name: str
    title: str
    domains: tuple[str, ...]
    counts: tuple[int, ...]
    frequencies_hz: tuple[float, ...]
    seeds: tuple[int, ...]
    fps: int = 30
    width: int = 1280
    height: int = 720
    duration_s: int = DURATION_S
    schedule: str = "regular"
    version: int = VERSION

    @classmethod
    def load(cls, name: str) -> Grid:
        """The grid called `name` (sweeps/grid_<name>.yaml), or the file at that path."""
        if name.endswith((".yaml", ".yml")) or "/" in name:
            path = Path(name)
            return cls.from_document(read_yaml(path), name=path.stem.removeprefix(_PREFIX), where=path)
        folder = resources.files("lft") / "sweeps"
        known = [
            p.name.removeprefix(_PREFIX)[: -len(".yaml")]
            for p in folder.iterdir()
            if p.name.startswith(_PREFIX)
        ]
        if name not in known:
            raise unknown_name("grid", name, known)
        path = Path(str(folder / f"{_PREFIX}{name}.yaml"))
        return cls.from_document(read_yaml(path), name=name, where=path)

    @classmethod
    def from_document(cls, document: JsonObject, *, name: str, where: object = None) -> Grid:
        """A grid from its YAML document; `InputError` for unknown keys, wrong types and repeated values."""
        known = checked_keys(document, _KEYS, where=where)
        for key in ("domains", "counts", "frequencies_hz", "seeds"):
            if key not in known:
                raise InputError(f"the key {key} is missing", where=where, expected=f"{key}: [...]")
        seeds = known["seeds"]
        if type(seeds) is int and not 1 <= seeds <= _MOST_CLIPS:
            expected = f"a whole number from 1 to {_MOST_CLIPS}, or a list of seeds"
            raise InputError(f"seeds is {shown(seeds)}", where=where, expected=expected)
        width, height = parse_size(known.get("size", "1280x720"), where=where)
        return cls(
            name=name,
            title=title_of(known, name, where=where),
            domains=tuple(domain(str(d)).name for d in _values(known, "domains", str, where)),
            counts=_values(known, "counts", int, where),
            frequencies_hz=tuple(float(f) for f in _values(known, "frequencies_hz", (int, float), where)),
            seeds=tuple(range(seeds)) if type(seeds) is int else _values(known, "seeds", int, where),
            fps=known.get("fps", 30),
            width=width,
            height=height,
            duration_s=known.get("duration_s", DURATION_S),
            schedule=str(known.get("schedule", "regular")),
            version=known.get("version", VERSION),
        )

    def filmed(
        self,
        *,
        fps: int | None = None,
        size: str | None = None,
        domains: Sequence[str] = (),
        version: int | None = None,
    ) -> Grid:
        """The same grid at another rate or size, of another version, or for some of its domains."""
        width, height = parse_size(size, where="--size") if size is not None else (self.width, self.height)
        for name in domains:
            if domain(name).name not in self.domains:
                raise unknown_name("domain", name, self.domains, where=f"grid {self.name}")
        kept = tuple(d for d in self.domains if d in domains) if domains else self.domains
        rate = self.fps if fps is None else fps
        of_version = self.version if version is None else version
        return replace(self, fps=rate, width=width, height=height, domains=kept, version=of_version)


def expand(grid: Grid) -> tuple[ClipSpec, ...]:
    """The clips of a grid, by domain, seed, count, frequency. Raises `InputError` for an impossible clip.

    >>> len(expand(Grid.load("paper")))
    2190
    """
    pairs = [(n, f) for n in grid.counts for f in (grid.frequencies_hz if n else (NOMINAL_HZ,))]
    if len(grid.domains) * len(grid.seeds) * len(pairs) > _MOST_CLIPS:
        raise InputError(
            f"more than {_MOST_CLIPS} clips", where=f"grid {grid.name}", remedy="fewer seeds or counts"
        )
    film: JsonObject = {"fps": grid.fps, "width": grid.width, "height": grid.height, "duration_s": grid.duration_s,
            "schedule": grid.schedule, "version": grid.version}  # fmt: skip
    return tuple(
        ClipSpec(name, count, frequency_hz, seed, **film)
        for name in grid.domains
        for seed in grid.seeds
        for count, frequency_hz in pairs
    )


def parse_size(text: Json, *, where: object = None) -> tuple[int, int]:
    """Width and height in pixels.

    >>> parse_size("1280x720")
    (1280, 720)
    """
    found = re.fullmatch(r"(\d{1,5})[x×](\d{1,5})", str(text))
    if not found:
        raise InputError(
            f"unusable size {shown(text)}", where=where, expected="WIDTHxHEIGHT such as 1280x720"
        )
    return int(found[1]), int(found[2])


def title_of(document: JsonObject, name: str, *, where: object = None) -> str:
    """The title in a grid or sweep file, or `name`; raises `InputError` unless it is text or a number."""
    title = document.get("title", name)
    if not isinstance(title, str | int | float):
        raise InputError(f"title is {shown(title)}", where=where, expected="text")
    return str(title)


def _fits(value: object) -> bool:
    """Whether a number can be a float; YAML writes whole numbers of any length."""
    return not isinstance(value, int) or -1e300 <= value <= 1e300


def _values(document: JsonObject, key: str, kind: type | tuple[type, ...], where: object) -> tuple[Json, ...]:
    values: Json = document[key]
    if (
        not isinstance(values, list)
        or not values
        or not all(isinstance(v, kind) and not isinstance(v, bool) and _fits(v) for v in values)
    ):
        what = {
            "domains": f"a list of {', '.join(DOMAINS)}",
            "seeds": "a whole number of seeds or a list of them",
        }
        raise InputError(
            f"{key} is {shown(values)}", where=where, expected=what.get(key, "a list of numbers")
        )
    if len(set(values)) != len(values):
        raise InputError(f"{key} repeats a value: {shown(values)}", where=where, expected="each value once")
    return tuple(values)
