"""`lft power` and `lft plan --power` for this suite: clips for a difference, seeds for a frontier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lft.core.records import Entries
from lft.core.suite import Told

if TYPE_CHECKING:
    from lft.counting.sweep import ClipTrial


def powers(options: Entries) -> Told:
    """Clips that a difference needs, and seeds that a frontier needs; without either option a table of both.

    Tests and intervals are those of `lft audit`: a clip with r replicates counts as r / (1 + (r - 1) c) independent
    answers, where c is the correlation.
    """
    from lft.counting.audit.power import clips_needed, seeds_needed, with_replicates

    difference, discordant, accuracy = (options[name] for name in ("difference", "discordant", "accuracy"))
    wanted, alpha, tau, certainty = (options[name] for name in ("wanted", "alpha", "tau", "certainty"))
    cells, replicates, correlation = (options[name] for name in ("cells", "replicates", "correlation"))
    differences = (
        [difference] if difference is not None else [0.02, 0.05, 0.1, 0.2] if accuracy is None else []
    )
    accuracies = (
        [accuracy] if accuracy is not None else [0.5, 0.6, 0.7, 0.9, 0.95] if difference is None else []
    )
    document = {
        "clips": [
            {
                "difference": d,
                "power": wanted,
                "alpha": alpha,
                "clips": with_replicates(
                    clips_needed(d, discordant=discordant, power=wanted, alpha=alpha), replicates, correlation
                ),
            }
            for d in differences
        ],
        "seeds": [
            {
                "accuracy": a,
                "tau": tau,
                "certainty": certainty,
                "cells": cells,
                "seeds": with_replicates(
                    seeds_needed(a, tau=tau, certainty=certainty, cells=cells), replicates, correlation
                ),
            }
            for a in accuracies
        ],
    }
    lines = []
    each = f", asked {replicates} times each" if replicates > 1 else ""
    for row in document["clips"]:
        clips = row["clips"] or "more than 20,000"
        lines.append(
            f"a difference of {row['difference']:g} is found with probability {wanted:g} on {clips} clips{each}"
        )
    for row in document["seeds"]:
        seeds = row["seeds"] or "more than 2,000"
        many = f"{cells} cells" if cells > 1 else "a cell"
        lines.append(
            f"{many} of true accuracy {row['accuracy']:g}: on the right side of {tau:g} with probability "
            f"{certainty:g} from {seeds} seeds on{each}"
        )
    return Told(document, "\n".join(lines))


def power_of(planned: Sequence[ClipTrial]) -> Told:
    """The power of the clips of a sweep: `lft.counting.audit.power.of_study`."""
    from lft.counting.audit.power import of_study
    from lft.counting.spec import parse_clip_id

    clips = {str(trial.key["clip"]) for trial in planned}
    cells: dict[tuple[object, ...], int] = {}
    for clip in clips:
        domain, count, frequency_hz, _ = parse_clip_id(clip)
        if count:
            cells[domain, count, frequency_hz] = cells.get((domain, count, frequency_hz), 0) + 1
    found = of_study(len(clips), min(cells.values(), default=0))
    return Told({"power": found}, _power_text(found))


def _power_text(found: Entries) -> str:
    lines = [f"{found['clips']} clips under two conditions, exact paired test:"]
    for row in found["differences"]:
        lines.append(f"  a difference of {row['difference']:g} is found with probability {row['power']:.2f}")
    if found["seeds"]:
        lines.append(f"{found['seeds']} seeds a cell, on the right side of 0.8:")
    for row in found["cells"]:
        lines.append(f"  true accuracy {row['accuracy']:g}: with probability {row['certainty']:.2f}")
    return "\n".join([*lines, "`lft power` computes how many are needed"])
