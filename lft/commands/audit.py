"""`lft audit`: how sure the results of scored runs are, and how much they depend on choices."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lft.commands.tables import printable
from lft.core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Rows = list[dict[str, Any]]


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

    Writes pooled.csv (rates with their intervals, EM beside what guesses reach), error_model.csv (misses, inventions,
    jitter and mis-adding, for all frequencies and at each), comparisons.csv and models.csv (conditions and models
    compared on the same clips by paired exact tests, Holm-corrected), cells.csv (with the probability that each truly
    reaches tau), frontiers.csv (their distribution), psychometric.csv (50 % and 80 % contours, and whether the surface
    fits), sensitivity.csv.
    """
    from lft.core.files import write_text
    from lft.core.rows import guarded
    from lft.core.runs import Run
    from lft.counting.frontier import checked_tau

    checked_tau(tau)
    found = _audit(runs, tau, against.split() if against else None, clips_folder, not no_sensitivity, draws)
    folder = out or Run.open(runs[0]).folder / "audit"
    import pandas as pd

    for name, rows in found.items():
        if rows:
            safe = [{k: guarded(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]
            write_text(folder / f"{name}.csv", pd.DataFrame(safe).to_csv(index=False, float_format="%.6g"))
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
    from lft.counting.audit.compare import comparisons, models_compared, pooled
    from lft.counting.audit.errormodel import heard_in
    from lft.counting.audit.sensitivity import answers_of, sensitivity
    from lft.counting.cells import condition_order
    from lft.counting.readings import bring_up_to_date
    from lft.counting.scores import read_scores, traces_of

    opened = list({run.folder.resolve(): run for run in map(Run.open, runs)}.values())
    for run in opened:
        if told := bring_up_to_date(run, clips_folder):
            click.echo(f"lft audit: {told}", err=True)
        if not (run.folder / "scores.csv").is_file():
            raise InputError("has no scores.csv", where=run.folder, remedy=f"`lft score {run.folder}` first")
    tables = [read_scores(run.folder / "scores.csv") for run in opened]
    scores = pd.concat(tables, ignore_index=True)
    heard = [
        heard_in(run, traces_of(run, clips_folder), table) for run, table in zip(opened, tables, strict=True)
    ]
    answers_heard = [
        here.get(str(trial)) for here, table in zip(heard, tables, strict=True) for trial in table["trial"]
    ]
    groups = ["model", "sampling", "labels", "prompt"]
    found: dict[str, Rows] = {"pooled": [], "error_model": []}
    models = list(dict.fromkeys(scores["model"].astype(str)))
    parts = [
        (dict(zip(groups, map(str, key), strict=True)), part)
        for key, part in scores.groupby(groups, sort=False, dropna=False)
    ]
    for head, part in sorted(parts, key=lambda one: (models.index(one[0]["model"]), condition_order(one[0]))):
        for domain, rows in [*part.groupby("domain", sort=False), ("all", part)]:
            missing = int((~rows["status"].isin(["answered", "not_applicable", "not_asked"])).sum())
            place = head | {"domain": domain, "n_missing": missing}
            found["pooled"] += [place | {"rate": n} | vars(e) for n, e in pooled(rows, draws=draws).items()]
            found["error_model"] += _error_models(place, [answers_heard[at] for at in rows.index])
    named = [table.assign(run=run.folder.name) for run, table in zip(opened, tables, strict=True)]
    told_apart = pd.concat(named, ignore_index=True) if len(named) > 1 else scores
    found["comparisons"] = comparisons(told_apart, against=against)
    found["models"] = models_compared(told_apart)
    found |= _surfaces(scores, tau, draws)
    if with_sensitivity:
        answers = (answer for run in opened for answer in answers_of(run, traces_of(run, clips_folder)))
        found["sensitivity"] = sensitivity(answers)
    beside = _beside(scores)
    for row in (*found["pooled"], *found["comparisons"], *found.get("sensitivity", [])):
        at = tuple([str(row[name]) for name in (*groups, "domain")])
        row |= {k: v for k, v in beside.get(at, {}).items() if k not in row}
    return found


def _error_models(place: Mapping[str, Any], heard: Iterable[Any]) -> Rows:
    """One row for each parameter, over all frequencies (an empty `frequency_hz`) and at each."""
    from lft.counting.audit.errormodel import by_frequency, error_model

    answers = [one for one in heard if one is not None]
    models = [(None, error_model(answers)), *by_frequency(answers).items()]
    rows = []
    for frequency, model in models:
        left_out = {"n_doubted": model.doubted, "n_unlisted": model.unlisted}
        seen = {"n_hidden_events": model.hidden, "frames_known": model.frames_known}
        for name, estimate in model.parameters.items():
            row = {
                **place,
                "frequency_hz": frequency,
                "parameter": name,
                **vars(estimate),
                **left_out,
                **seen,
            }
            if name == "misadd":  # whatever the doubted answers are
                row["least"], row["most"] = model.misadd_range or (None, None)
            rows.append(row)
    return rows


def _beside(scores: pd.DataFrame) -> dict[tuple[str, ...], dict[str, Any]]:
    """What every rate is read against: missing trials, ceiling and chance of each condition and domain."""
    from lft.counting.summary import summarise

    names = ("n_missing", "ceiling_correct", "literal_recall", "chance_f1", "em_constant", "em_shuffled")
    found = {}
    for condition in summarise(scores):
        head = tuple(str(condition[name]) for name in ("model", "sampling", "labels", "prompt"))
        for domain, row in [*condition["domains"].items(), ("all", condition["all"])]:
            found[*head, domain] = {name: row.get(name) for name in names}
    return found


def _surfaces(scores: pd.DataFrame, tau: float, draws: int) -> dict[str, Rows]:
    import math

    from lft.counting.audit.certainty import frontier_certainty, with_certainty
    from lft.counting.audit.psychometric import fit
    from lft.counting.cells import Surface

    found: dict[str, Rows] = {"cells": [], "frontiers": [], "psychometric": []}
    surface = Surface.of_scores(scores, more=("ceiling_correct", "literal_recall", "chance_f1"))
    for head, cells in surface.groups():
        found["cells"] += [
            {str(k): v for k, v in row.items()} for row in with_certainty(cells, tau).to_dict("records")
        ]
        sure = frontier_certainty(cells, tau, draws=draws)
        for method, where in (("posterior", sure), ("repeat", sure.repeat)):
            for axis, distributions in (("count", where.count), ("frequency", where.frequency)):
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

    from lft.counting.audit.errormodel import PARAMETERS

    console = Console(width=None if Console().is_terminal else 132)

    def show(title: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
        # What is the same in every row is said once.
        same = [n for n in ("model", "labels", "prompt") if len({str(row.get(n)) for row in rows}) == 1]
        columns = [name for name in columns if name not in same]
        said = ", ".join(f"{name} {_shown(rows[0].get(name))}" for name in same if name in rows[0])
        table = Table(
            title=f"{title} ({said})" if said else title, title_justify="left", box=box.SIMPLE, padding=0
        )
        for name in columns:
            table.add_column(name.replace("_", " "))
        for row in rows:
            table.add_row(*(_shown(row.get(name)) for name in columns))
        if table.row_count:
            console.print(table)

    bases = {row["against"] for row in found["comparisons"]}
    head = ["model", "sampling", "labels", "prompt", "domain"]
    beside = {
        "em": {"ceiling": "ceiling_correct", "constant": "em_constant", "shuffled": "em_shuffled"},
        "recall": {"ceiling": "literal_recall"},
        "f1": {"chance": "chance_f1"},
    }
    show(
        "Rates, 95 % intervals; of EM also what the best constant answer and the same answers shuffled reach",
        [
            *head,
            "rate",
            "value",
            "lower",
            "upper",
            "n",
            "clusters",
            "n_missing",
            "ceiling",
            "constant",
            "shuffled",
            "chance",
        ],
        [
            row | {column: row.get(name) for column, name in beside[row["rate"]].items()}
            for row in found["pooled"]
            if row["rate"] in beside
        ],
    )
    show(
        "Error model, 95 % intervals: share of shown events missed, inventions a clip, jitter in seconds, answers "
        "that differ from their list",
        [*head[:-1], "frequency", *PARAMETERS, "n_doubted", "n_unlisted", "n_hidden_events"],
        _error_table(found["error_model"]),
    )
    several = ["run"] if any("run" in row for row in found["comparisons"]) else []
    show(
        f"Exact count against {_shown(bases.pop()) if len(bases) == 1 else 'the first condition'}, same clips",
        ["model", "domain", "sampling", "labels", "prompt", *several, "n", "n_missing", "ceiling_correct", "gained",
         "lost", "difference", "lower", "upper", "p_holm"],
        found["comparisons"],
    )  # fmt: skip
    show(
        "Exact count, models compared on the same clips",
        ["domain", "sampling", "labels", "prompt", "model", "against", "n", "clusters", "gained", "lost", "difference",
         "lower", "upper", "p_holm"],
        found["models"],
    )  # fmt: skip
    weak = [row for row in found["cells"] if row["count"] and row["accuracy"] >= tau - 1e-9]
    show(
        f"Cells at or above {tau:g} that are least sure to be",
        [
            *head,
            "frequency_hz",
            "count",
            "correct",
            "n",
            "n_missing",
            "lower",
            "upper",
            "ceiling_correct",
            "p_reaches",
        ],
        sorted(weak, key=lambda row: float(row["p_reaches"]))[:8],
    )
    show(
        "Sensitivity",
        ["model", "sampling", "labels", "prompt", "rule", "tolerance", "n", "n_missing", "em", "em_lower", "em_upper",
         "ceiling_correct", "precision", "recall", "f1", "chance_f1", "acr"],
        [row for row in found.get("sensitivity", []) if row["domain"] == "all"],
    )  # fmt: skip


def _error_table(rows: Rows) -> Rows:
    """Of all domains together, a line for all frequencies and, of a single condition, one for each."""
    lines: dict[tuple[str, ...], dict[str, Any]] = {}
    whole = [row for row in rows if row["domain"] == "all"]
    conditions = {
        tuple(str(row[name]) for name in ("model", "sampling", "labels", "prompt")) for row in whole
    }
    for row in whole:
        if row["frequency_hz"] is not None and len(conditions) > 1:
            continue
        at = "all" if row["frequency_hz"] is None else f"{row['frequency_hz']:g} Hz"
        key = (*(str(row[name]) for name in ("model", "sampling", "labels", "prompt")), at)
        line = lines.setdefault(key, {**row, "frequency": at})
        line[row["parameter"]] = f"{row['value']:.3g} ({row['lower']:.3g}–{row['upper']:.3g})"
    return list(lines.values())


def _shown(value: Any) -> str:
    from rich.markup import escape

    if value is None or value != value:
        return "-"
    # A name may hold what rich takes for its markup.
    return f"{value:.3g}" if isinstance(value, float) else escape(printable(value))


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
