"""`lft ceiling`: what the supplied frames make possible."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from lft.commands.numbers import FiniteRange

Rows = list[dict[str, Any]]


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--sampling", required=True, help="native, fps:K, frames:K or keyframes:W.")
@click.option(
    "--native-rate",
    type=FiniteRange(0, min_open=True),
    help="Hz at which the provider samples native video.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def ceiling(folder: Path, sampling: str, native_rate: float | None, as_json: bool) -> None:
    """What the supplied frames make possible, per cell, from the traces of the clips in DIR alone.

    Recall: the share of events with evidence in the frames. Accuracy: the share of clips whose every event
    has it, so that the exact count can be had.
    """
    from lft.core.frames import Sampling
    from lft.counting.audit.ceiling import ceiling as ceiling_of
    from lft.counting.clips import Clips

    policy = Sampling.parse(sampling)
    clips = Clips.open(folder)
    rows = []
    for clip in clips:
        found = ceiling_of(clip.trace, policy, native_rate_hz=native_rate)
        spec = clip.spec
        rows.append((spec.domain, spec.frequency_hz, spec.count, found.recall, found.correct, found.frames))
    cells = _means(rows, 3)
    document = {
        "sampling": str(policy),
        "clips": len(rows),
        "domains": {row["domain"]: _without(row, "domain") for row in _means(rows, 1)},
        "cells": cells,
    }
    click.echo(json.dumps(document) if as_json else _ceiling_text(document))


def _means(rows: Sequence[tuple[Any, ...]], axes: int) -> Rows:
    """Rows averaged over equal leading axes (domain, frequency_hz, count)."""
    groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for row in rows:
        groups.setdefault(row[:axes], []).append(row[3:])
    found = []
    for key, values in sorted(groups.items()):
        recalls = [recall for recall, _, _ in values if recall is not None]
        found.append(
            dict(zip(("domain", "frequency_hz", "count"), key, strict=False))
            | {
                "n": len(values),
                "recall": sum(recalls) / len(recalls) if recalls else None,
                "accuracy": sum(correct for _, correct, _ in values) / len(values),
                "frames": sum(frames for _, _, frames in values) / len(values),
            }
        )
    return found


def _ceiling_text(document: Mapping[str, Any]) -> str:
    lines = [f"ceilings of {document['clips']} clips under {document['sampling']}"]
    for domain, whole in document["domains"].items():
        recall = "-" if whole["recall"] is None else f"{whole['recall']:.3f}"
        lines.append(
            f"\n{domain}: recall {recall}, exact count {whole['accuracy']:.3f} of {whole['n']} clips"
        )
        cells = [c for c in document["cells"] if c["domain"] == domain and c["count"]]
        counts = sorted({c["count"] for c in cells})
        lines.append("exact count  " + "".join(f"N={n:<5}" for n in counts))
        for frequency in sorted({c["frequency_hz"] for c in cells}):
            at = {c["count"]: c["accuracy"] for c in cells if c["frequency_hz"] == frequency}
            lines.append(
                f"{frequency:>8g} Hz  "
                + "".join(f"{at[n]:<7.2f}" if n in at else f"{'-':<7}" for n in counts)
            )
    return "\n".join(line.rstrip() for line in lines)


def _without(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {k: v for k, v in row.items() if k != name}
