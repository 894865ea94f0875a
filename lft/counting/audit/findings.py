"""All tables of an audit of scored runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lft.core.conditions import MODEL_CONDITION, condition_of
from lft.core.errors import InputError
from lft.core.files import read_json
from lft.core.records import Entries, JsonObject
from lft.core.runs import Run

if TYPE_CHECKING:
    import pandas as pd

    from lft.core.progress import Progress
    from lft.counting.audit.errormodel import Heard

_Item = TypeVar("_Item")
Rows = list[JsonObject]


def gather(
    runs: Sequence[Run],
    tau: float,
    against: Sequence[str] | None,
    clips_folder: Path | None,
    with_sensitivity: bool,
    draws: int,
    say: Callable[[str], None],
) -> dict[str, Rows]:
    """Table -> rows: findings, pooled, error_model, comparisons, models, cells, frontiers, psychometric, sensitivity.

    `against` is the condition that others are compared with (sampling, labels, prompt), None for each model's first.
    A run with outdated scores is scored again, with a message to `say`; one without scores raises `InputError`.
    """
    import pandas as pd

    from lft.core.progress import Progress
    from lft.counting.audit.compare import comparisons, models_compared, pooled
    from lft.counting.audit.errormodel import heard_in
    from lft.counting.audit.sensitivity import answers_of, sensitivity
    from lft.counting.cells import condition_order
    from lft.counting.clips import traces_of
    from lft.counting.reader import Reader
    from lft.counting.readings import bring_up_to_date
    from lft.counting.scores import read_scores

    opened = list({run.folder.resolve(): run for run in runs}.values())
    for run in opened:
        if told := bring_up_to_date(run, clips_folder):
            say(told)
        if not (run.folder / "scores.csv").is_file():
            raise InputError("has no scores.csv", where=run.folder, remedy=f"`lft score {run.folder}` first")
    tables = [read_scores(run.folder / "scores.csv") for run in opened]
    scores = pd.concat(tables, ignore_index=True)
    sources = [(run, traces_of(run, clips_folder)) for run in opened]
    readers = [Reader(*source, keeps=with_sensitivity) for source in sources]
    heard = [
        heard_in(*source, table, reader)
        for source, table, reader in zip(sources, tables, readers, strict=True)
    ]
    answers_heard = [
        here.get(str(trial)) for here, table in zip(heard, tables, strict=True) for trial in table["trial"]
    ]
    groups = list(MODEL_CONDITION)
    found: dict[str, Rows] = {"findings": _findings(opened), "pooled": [], "error_model": []}
    models = list(dict.fromkeys(scores["model"].astype(str)))
    parts = [
        (dict(zip(groups, map(str, key), strict=True)), part)
        for key, part in scores.groupby(groups, sort=False, dropna=False)
    ]
    parts.sort(key=lambda one: (models.index(one[0]["model"]), condition_order(one[0])))
    with Progress("resampling condition", total=len(parts)) as progress:
        for head, part in parts:
            for domain, rows in [*part.groupby("domain", sort=False), ("all", part)]:
                missing = int((~rows["status"].isin(["answered", "not_applicable", "not_asked"])).sum())
                place = head | {"domain": domain, "n_missing": missing}
                found["pooled"] += [
                    place | {"rate": name} | vars(rate) for name, rate in pooled(rows, draws=draws).items()
                ]
                found["error_model"] += _error_models(place, [answers_heard[at] for at in rows.index])
            progress.advance()
    named = [table.assign(run=run.folder.name) for run, table in zip(opened, tables, strict=True)]
    told_apart = pd.concat(named, ignore_index=True) if len(named) > 1 else scores
    found["comparisons"] = comparisons(told_apart, against=against)
    found["models"] = models_compared(told_apart)
    found |= _surfaces(scores, tau, draws)
    if with_sensitivity:
        with Progress("reading under other rules and tolerances", total=len(scores)) as progress:
            answers = (
                answer
                for source, reader in zip(sources, readers, strict=True)
                for answer in _each(answers_of(*source, reader), progress)
            )
            found["sensitivity"] = sensitivity(answers)
    beside = _beside(scores)
    for row in (*found["pooled"], *found["comparisons"], *found.get("sensitivity", [])):
        at = tuple([str(row[name]) for name in (*groups, "domain")])
        row |= {k: v for k, v in beside.get(at, {}).items() if k not in row}
    return found


def _findings(runs: Iterable[Run]) -> Rows:
    """The findings of `lft score` about each condition, from the summaries of the runs."""
    rows: Rows = []
    for run in runs:
        path = run.folder / "summary.json"
        document = read_json(path) if path.is_file() else None
        for condition in document.get("conditions", []) if isinstance(document, dict) else ():
            head = {axis: str(condition.get(axis, "")) for axis in MODEL_CONDITION}
            rows += [{**head, "run": run.folder.name, **finding} for finding in condition.get("verdict", [])]
    return rows


def _each(items: Iterable[_Item], progress: Progress) -> Iterator[_Item]:
    for item in items:
        yield item
        progress.advance()


def _error_models(place: Entries, heard: Iterable[Heard | None]) -> Rows:
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


def _beside(scores: pd.DataFrame) -> dict[tuple[str, ...], JsonObject]:
    """The references of each rate: missing trials, ceiling and chance of each condition and domain."""
    from lft.counting.summary import summarise

    names = ("n_missing", "ceiling_correct", "literal_recall", "chance_f1", "em_constant", "em_shuffled")
    found = {}
    for condition in summarise(scores):
        head = condition_of(condition)
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
