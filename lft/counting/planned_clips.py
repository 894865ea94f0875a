"""The clips of a grid before they are rendered, as far as a plan needs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lft.counting.grid import Grid, expand
from lft.counting.spec import ClipSpec


@dataclass(frozen=True)
class PlannedClip:
    """A clip that need not be rendered yet."""

    clip_id: str
    spec: ClipSpec
    video: Path = Path()
    trace_path: Path = Path()


@dataclass(frozen=True)
class PlannedClips:
    """The clips of a grid, as `lft.counting.sweep.trials` takes them."""

    folder: Path
    clips: tuple[PlannedClip, ...]

    @classmethod
    def of_grid(cls, name: str) -> PlannedClips:
        """The clips that rendering the grid would give."""
        specs = expand(Grid.load(name))
        return cls(Path("results/clips") / name, tuple(PlannedClip(spec.clip_id, spec) for spec in specs))

    def __iter__(self) -> Iterator[PlannedClip]:
        return iter(self.clips)
