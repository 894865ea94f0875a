"""The clips of a grid before rendering, for plans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lft.counting.grid import Grid, expand
from lft.counting.spec import ClipSpec


@dataclass(frozen=True)
class PlannedClip:
    """A clip that may not be rendered yet."""

    clip_id: str
    spec: ClipSpec
    video: Path = Path()
    trace_path: Path = Path()


@dataclass(frozen=True)
class PlannedClips:
    """The clips of a grid, for `lft.counting.sweep.trials`."""

    folder: Path
    clips: tuple[PlannedClip, ...]

    @classmethod
    def of_grid(cls, name: str) -> PlannedClips:
        """The clips of a grid file."""
        specs = expand(Grid.load(name))
        return cls(Path("results/clips") / name, tuple(PlannedClip(spec.clip_id, spec) for spec in specs))

    def __iter__(self) -> Iterator[PlannedClip]:
        return iter(self.clips)
