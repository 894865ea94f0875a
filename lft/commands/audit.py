"""`lft ceiling`, `lft audit`, `lft power`: what was possible, how sure the results are, how much a study
needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lft.core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Rows = list[dict[str, Any]]


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--sampling", required=True, help="native, fps:K, frames:K or keyframes:W.")
@click.option(
    "--native-rate",
    type=click.FloatRange(0, min_open=True),
    help="Hz at which the provider samples native video.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def ceiling(folder: Path, sampling: str, native_rate: float | None, as_json: bool) -> None:
    """What the supplied frames make possible, per cell, from the traces of the clips in DIR alone.

    Recall: the share of events with evidence in the frames. Accuracy: the share of clips whose every event
    has it, so that the exact count can be had.
    """
    from lft.core.frames import Sampling
    from lft.counting.ceiling import ceiling as ceiling_of
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


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--tau", type=float, default=0.8, show_default=True, help="Accuracy that counts as reliable, inclusive."
)
@click.option(
    "--against", help="Condition to compare with: 'SAMPLING LABELS PROMPT'. Default: each model's first."
)
@click.option(
    "--clips", "clips_folder", type=click.Path(path_type=Path), help="Where the runs' clips are now."
)
@click.option(
    "--no-sensitivity", is_flag=True, help="Leave out tolerance x rule, which scores every answer anew."
)
@click.option("--draws", type=click.IntRange(100), default=2000, show_default=True, help="Resamples.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the tables; default: audit/ in the first run."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def audit(
    runs: tuple[Path, ...],
    tau: float,
    against: str | None,
    clips_folder: Path | None,
    no_sensitivity: bool,
    draws: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """How sure the results of scored runs are, and how much they depend on choices.

    Writes pooled.csv (rates with intervals by resampling clips), error_model.csv, comparisons.csv (paired
    exact tests on the same clips, Holm-corrected), cells.csv (with the probability that each truly reaches
    tau), frontiers.csv (their distribution), psychometric.csv (50 % and 80 % contours, and whether the
    surface fits), sensitivity.csv.
    """
    from lft.core.files import write_text
    from lft.counting.frontier import checked_tau

    checked_tau(tau)
    found = _audit(runs, tau, against.split() if against else None, clips_folder, not no_sensitivity, draws)
    folder = out or runs[0] / "audit"
    import pandas as pd

    for name, rows in found.items():
        if rows:
            write_text(folder / f"{name}.csv", pd.DataFrame(rows).to_csv(index=False, float_format="%.6g"))
    if as_json:
        click.echo(json.dumps(_plain(found)))
        return
    _print_audit(found, tau)
    click.echo(f"{folder}{'/'}: {', '.join(f'{name}.csv' for name, rows in found.items() if rows)}")


def _audit(
    runs: Sequence[Path],
    tau: float,
    against: list[str] | None,
    clips_folder: Path | None,
    with_sensitivity: bool,
    draws: int,
) -> dict[str, Rows]:
    import pandas as pd

    from lft.core.runs import Run
    from lft.counting.compare import comparisons, pooled
    from lft.counting.errormodel import error_model
    from lft.counting.scores import read_scores, traces_of
    from lft.counting.sensitivity import answers_of, sensitivity

    opened = [Run.open(run) for run in runs]
    for run in opened:
        if not (run.folder / "scores.csv").is_file():
            raise InputError("has no scores.csv", where=run.folder, remedy=f"`lft score {run.folder}` first")
    scores = pd.concat([read_scores(run.folder / "scores.csv") for run in opened], ignore_index=True)
    groups = ["model", "sampling", "labels", "prompt"]
    found: dict[str, Rows] = {"pooled": [], "error_model": []}
    for key, part in scores.groupby(groups, sort=False, dropna=False):
        head = dict(zip(groups, map(str, key), strict=True))
        for domain, rows in [*part.groupby("domain", sort=False), ("all", part)]:
            missing = int((~rows["status"].isin(["answered", "not_applicable", "not_asked"])).sum())
            place = head | {"domain": domain, "n_missing": missing}
            found["pooled"] += [place | {"rate": n} | vars(e) for n, e in pooled(rows, draws=draws).items()]
            found["error_model"] += [
                place | {"parameter": n} | vars(e) for n, e in error_model(rows, draws=draws).items()
            ]
    found["comparisons"] = comparisons(scores, against=against)
    found |= _surfaces(scores, tau, draws)
    if with_sensitivity:
        answers = (answer for run in opened for answer in answers_of(run, traces_of(run, clips_folder)))
        found["sensitivity"] = sensitivity(answers)
    beside = _beside(scores)
    for row in (*found["pooled"], *found["comparisons"], *found.get("sensitivity", [])):
        place = tuple(str(row[name]) for name in (*groups, "domain"))
        row |= {k: v for k, v in beside.get(place, {}).items() if k not in row}
    return found


def _beside(scores: pd.DataFrame) -> dict[tuple[str, ...], dict[str, Any]]:
    """What every rate is read against: missing trials, ceiling and chance of each condition and domain."""
    from lft.counting.summary import summarise

    names = ("n_missing", "ceiling_correct", "ceiling_recall", "chance_f1")
    found = {}
    for condition in summarise(scores):
        head = tuple(str(condition[name]) for name in ("model", "sampling", "labels", "prompt"))
        for domain, row in [*condition["domains"].items(), ("all", condition["all"])]:
            found[*head, domain] = {name: row.get(name) for name in names}
    return found


def _surfaces(scores: pd.DataFrame, tau: float, draws: int) -> dict[str, Rows]:
    import math

    from lft.counting.cells import Surface
    from lft.counting.certainty import frontier_certainty, with_certainty
    from lft.counting.psychometric import fit

    found: dict[str, Rows] = {"cells": [], "frontiers": [], "psychometric": []}
    surface = Surface.of_scores(scores, more=("ceiling_correct", "ceiling_recall", "chance_f1"))
    for head, cells in surface.groups():
        found["cells"] += [
            {str(k): v for k, v in row.items()} for row in with_certainty(cells, tau).to_dict("records")
        ]
        for method in ("bootstrap", "posterior"):
            sure = frontier_certainty(cells, tau, draws=draws, method=method)
            for axis, distributions in (("count", sure.count), ("frequency", sure.frequency)):
                for at, shares in distributions.items():
                    rows = [{"value": value, "share": share} for value, share in shares.items()]
                    found["frontiers"] += [
                        head | {"method": method, "axis": axis, "at": at} | row for row in rows
                    ]
        fitted = fit(cells)
        for frequency in sorted(cells["frequency_hz"].unique()) if fitted else ():
            for level in (0.5, 0.8):
                contour = fitted.contour(level, float(frequency)) if fitted else None
                row = {"frequency_hz": frequency, "level": level, **(vars(contour) if contour else {})}
                row = {k: None if isinstance(v, float) and math.isinf(v) else v for k, v in row.items()}
                extra = {"p_fit": fitted.p_fit, "fits": fitted.fits, "lapse": fitted.lapse} if fitted else {}
                found["psychometric"].append(head | row | extra)
    return found


def _print_audit(found: Mapping[str, Rows], tau: float) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if Console().is_terminal else 132)

    def show(title: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
        table = Table(title=title, title_justify="left", box=box.SIMPLE, padding=0)
        for name in columns:
            table.add_column(name.replace("_", " "))
        for row in rows:
            table.add_row(*(_shown(row.get(name)) for name in columns))
        if table.row_count:
            console.print(table)

    head = ["model", "sampling", "prompt", "domain"]
    em = [row for row in found["pooled"] if row["rate"] in ("em", "f1")]
    show("Rates, 95 % by resampling clips", [*head, "rate", "value", "lower", "upper", "n", "n_missing"], em)
    show(
        "Against the first condition, same clips",
        [
            "model",
            "domain",
            "sampling",
            "labels",
            "prompt",
            "n",
            "n_missing",
            "ceiling_correct",
            "gained",
            "lost",
            "difference",
            "lower",
            "upper",
            "p_holm",
        ],
        found["comparisons"],
    )
    weak = [row for row in found["cells"] if row["count"] and row["accuracy"] >= tau - 1e-9]
    show(
        f"Cells at or above {tau:g} that are least sure to be",
        [*head, "frequency_hz", "count", "n", "correct", "p_reaches"],
        sorted(weak, key=lambda row: float(row["p_reaches"]))[:8],
    )
    show(
        "Sensitivity",
        [
            "model",
            "sampling",
            "prompt",
            "rule",
            "tolerance",
            "n",
            "n_missing",
            "em",
            "ceiling_correct",
            "precision",
            "recall",
            "f1",
            "chance_f1",
            "acr",
        ],
        [row for row in found.get("sensitivity", []) if row["domain"] == "all"],
    )


@click.command()
@click.option(
    "--difference", type=float, help="Difference in accuracy between two conditions on the same clips."
)
@click.option(
    "--discordant", type=float, help="Share of clips that change at all; default |difference| + 0.1."
)
@click.option(
    "--power",
    "wanted",
    type=float,
    default=0.8,
    show_default=True,
    help="Probability to find the difference.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Level of the exact McNemar test.")
@click.option("--accuracy", type=float, help="True accuracy of a cell, to be told from tau.")
@click.option(
    "--tau", type=float, default=0.8, show_default=True, help="Accuracy that counts as reliable, inclusive."
)
@click.option(
    "--certainty", type=float, default=0.95, show_default=True, help="Probability that the frontier is right."
)
@click.option("--cells", type=int, default=1, show_default=True, help="Cells that the frontier runs through.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def power(
    difference: float | None,
    discordant: float | None,
    wanted: float,
    alpha: float,
    accuracy: float | None,
    tau: float,
    certainty: float,
    cells: int,
    as_json: bool,
) -> None:
    """How many clips a difference needs, how many seeds a frontier.

    Without --difference or --accuracy: a table of both.
    """
    from lft.counting.power import clips_needed, seeds_needed

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
                "clips": clips_needed(d, discordant=discordant, power=wanted, alpha=alpha),
            }
            for d in differences
        ],
        "seeds": [
            {
                "accuracy": a,
                "tau": tau,
                "certainty": certainty,
                "cells": cells,
                "seeds": seeds_needed(a, tau=tau, certainty=certainty, cells=cells),
            }
            for a in accuracies
        ],
    }
    if as_json:
        click.echo(json.dumps(document))
        return
    for row in document["clips"]:
        clips = row["clips"] or "more than 20,000"
        click.echo(
            f"a difference of {row['difference']:g} is found with probability {wanted:g} on {clips} clips"
        )
    for row in document["seeds"]:
        seeds = row["seeds"] or "more than 2,000"
        many = f"{cells} cells" if cells > 1 else "a cell"
        click.echo(
            f"{many} of true accuracy {row['accuracy']:g}: on the right side of {tau:g} with probability "
            f"{certainty:g} from {seeds} seeds on"
        )


def _shown(value: Any) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    """Without NaN, infinity and numpy's scalars, which JSON has no words for."""
    import math

    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _without(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {k: v for k, v in row.items() if k != name}
