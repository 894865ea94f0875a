"""`lft ceiling`: bounds set by the supplied frames."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from lft.core.records import Entries, JsonObject
from lft.core.terminal import FiniteRange

Rows = list[JsonObject]


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--sampling", required=True, help="native, fps:K, frames:K or keyframes:W.")
@click.option(
    "--native-rate",
    type=FiniteRange(0, min_open=True),
    help="Hz at which the provider samples native video.",
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes; the cores of this machine.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def ceiling(folder: Path, sampling: str, native_rate: float | None, jobs: int | None, as_json: bool) -> None:
    """Bounds set by the supplied frames, per cell, computed from the traces of the clips in DIR.

    Literal: for reports of only what the frames show. Recall: the share of events with evidence in the
    frames; exact count: the share of clips in which every event has evidence. Ideal: the share of clips whose count is
    the most probable one, given the frames and a prior: regular events, N uniform on 0 to 12, F on 0.5 to 4 Hz,
    the start uniform; irregular events and bursts have priors of their own. Ceiling: the same for an observer who knows
    the grid, that is the counts and rates of these clips.
    """
    from lft.core.video.frames import Sampling
    from lft.core.workers import cores
    from lft.counting.audit.ideal.folder import bounds_in
    from lft.counting.clips import Clips

    policy = Sampling.parse(sampling)
    rows = []
    clips = Clips.open(folder)
    found = bounds_in(clips, policy, native_rate_hz=native_rate, jobs=jobs or cores())
    for clip, (literal, ideal, ceiling_) in zip(clips, found, strict=True):
        spec = clip.spec
        right = [None if one is None else one.answer == spec.count for one in (ideal, ceiling_)]
        read = (literal.recall, literal.correct) if literal else (None, None)
        shown = (*read, *right, literal.frames if literal else None)
        rows.append((spec.domain, spec.frequency_hz, spec.count, *shown))
    document = {
        "sampling": str(policy),
        "clips": len(rows),
        "domains": {row["domain"]: _without(row, "domain") for row in _means(rows, 1)},
        "cells": _means(rows, 3),
    }
    click.echo(json.dumps(document) if as_json else _ceiling_text(document))


def _means(rows: Sequence[tuple[Any, ...]], axes: int) -> Rows:
    """Rows averaged over equal leading axes (domain, frequency_hz, count)."""
    groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for row in rows:
        groups.setdefault(row[:axes], []).append(row[3:])
    found = []
    for key, values in sorted(groups.items()):
        found.append(
            dict(zip(("domain", "frequency_hz", "count"), key, strict=False))
            | {
                "clips": len(values),
                **{
                    name: _mean([value[i] for value in values])
                    for i, name in ((1, "literal_em"), (2, "ideal_em"), (3, "ideal_grid_em"))
                },
                "literal_recall": _mean([value[0] for value in values]),
                "frames": _mean([value[4] for value in values]),
            }
        )
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _ceiling_text(document: Entries) -> str:
    lines = [f"bounds of {document['clips']} clips under {document['sampling']}"]
    for domain, whole in document["domains"].items():
        shares = (
            _share(whole[name]) for name in ("literal_recall", "literal_em", "ideal_em", "ideal_grid_em")
        )
        lines.append(
            "\n{}: literal recall {}; exact count: literal {}, ideal {}, ceiling {}, of {} clips".format(
                domain, *shares, whole["clips"]
            )
        )
        cells = [c for c in document["cells"] if c["domain"] == domain and c["count"]]
        counts = sorted({c["count"] for c in cells})
        for name, title in (("literal_em", "literal"), ("ideal_em", "ideal"), ("ideal_grid_em", "ceiling")):
            lines.append(f"{title:<13}" + "".join(f"N={n:<5}" for n in counts))
            for frequency in sorted({c["frequency_hz"] for c in cells}):
                at = {c["count"]: c[name] for c in cells if c["frequency_hz"] == frequency}
                lines.append(f"{frequency:>8g} Hz  " + "".join(f"{_share(at.get(n)):<7}" for n in counts))
    return "\n".join(line.rstrip() for line in lines)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _without(row: Entries, name: str) -> JsonObject:
    return {k: v for k, v in row.items() if k != name}
