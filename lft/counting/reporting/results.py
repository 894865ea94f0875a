"""Scored runs, combined for tables, figures and the page.

A series is one run, model, sampling, labels and prompt, over all domains and cells.
Series keep the order of the runs and, within a run, of first appearance.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lft.core.conditions import CONDITION, MODEL_CONDITION, condition_words
from lft.core.errors import InputError, shown
from lft.core.records import Entries
from lft.core.runs import Run
from lft.counting.frontier import TAU, Frontier

if TYPE_CHECKING:
    from pandas import DataFrame

    from lft.counting.reporting.surface_certainty import Sure

SERIES = ("run", *MODEL_CONDITION)
_LONGEST_NAME = 28  # characters of a model's name in figures
AUDIT = ("literal_recall", "literal_correct", "ceiling_correct", "chance_f1", "skill_f1", "ledger_consistent")


@dataclass(frozen=True)
class Series:
    """One run, model and condition.

    Attributes
    ----------
    key : values of `SERIES`, in that order.
    slug : a file name for it, unique among the results.
    scores : its trials.
    cells : its surface, one row per domain, frequency_hz and count; see `lft.counting.cells`.
    frontiers : domain -> frontier.
    source : origin of numbers that are not from trials, such as "as published"; else empty.
    """

    key: tuple[str, ...]
    slug: str
    scores: DataFrame
    cells: DataFrame
    frontiers: Mapping[str, Frontier]
    source: str = ""

    def totals(self, domain: str | None = None) -> Entries:
        """`lft.counting.summary.totals` of one domain or of all, cached."""
        from lft.counting.summary import totals

        if domain not in self._totals:
            part = self.scores if domain is None else self.scores[self.scores["domain"] == domain]
            self._totals[domain] = totals(part, counting_errors=False)
        return self._totals[domain]

    @cached_property
    def _totals(self) -> dict[str | None, Entries]:
        return {}

    @property
    def model(self) -> str:
        """The model's name in tables."""
        return self.key[1]

    @property
    def condition(self) -> dict[str, str]:
        """sampling, labels and prompt."""
        return dict(zip(CONDITION, self.key[2:], strict=True))

    @property
    def words(self) -> str:
        """The condition in words."""
        return " · ".join(condition_words(axis, value) for axis, value in self.condition.items() if value)


@dataclass(frozen=True)
class Results:
    """All series of some runs; `scores` has every trial with a column `run`."""

    scores: DataFrame
    series: tuple[Series, ...]
    runs: Mapping[str, Run] = field(default_factory=dict)
    tau: float = TAU

    @property
    def domains(self) -> list[str]:
        """Every domain, in the order of the domain table."""
        from lft.counting.reporting.figures.surfaces import domain_order

        return domain_order([str(d) for one in self.series for d in one.cells["domain"].unique()])

    @cached_property
    def grids(self) -> list[str]:
        """The domains whose clips are on a grid of count and frequency; imported videos are not."""
        return [domain for domain in self.domains if self._is_grid(domain)]

    def _is_grid(self, domain: str) -> bool:
        from lft.counting.domains import DOMAINS

        if domain in DOMAINS:
            return True
        # A domain of a package that is not installed here: every count at every frequency, and windows of one
        # width. Imported videos have any count, and are filed under the power of two nearest to their pace.
        if self.scores.loc[self.scores["domain"] == domain, "tolerance_s"].isna().any():
            return False
        cells = [one.cells[(one.cells["domain"] == domain) & (one.cells["count"] > 0)] for one in self.series]
        found = {
            (float(f), int(n)) for c in cells for f, n in zip(c["frequency_hz"], c["count"], strict=True)
        }
        rates, counts = {f for f, _ in found}, {n for _, n in found}
        return min(len(rates), len(counts)) > 1 and len(found) == len(rates) * len(counts)

    @cached_property
    def sure(self) -> dict[tuple[str, str], Sure]:
        """(slug, domain) -> certainty of the surface, for the domains on a grid; see `Sure`."""
        from lft.counting.reporting.surface_certainty import sure_of

        return {
            (one.slug, domain): sure_of(one.cells[one.cells["domain"] == domain], self.tau)
            for one in self.series
            for domain in self.grids
            if ((one.cells["domain"] == domain) & (one.cells["n"] > 0) & (one.cells["count"] > 0)).any()
        }

    def name(self, series: Series) -> str:
        """A short name: the model, and the parts of run and condition that distinguish the series."""
        return short_names([one.key for one in self.series])[
            [one.key for one in self.series].index(series.key)
        ]


def load(folders: Sequence[Path | str], *, tau: float = TAU) -> Results:
    """Reads scored runs. Raises `InputError` for a folder that is not a run, or a run without scores."""
    import pandas as pd

    if not folders:
        raise InputError("no run given", expected="one or more folders that `lft sweep` wrote")
    runs: dict[str, Run] = {}
    tables = []
    for folder in folders:
        run = Run.open(folder)
        name = run.folder.resolve().name
        if name in runs:
            raise InputError(
                f"two runs are called {shown(name)}", where=folder, expected="folders with different names"
            )
        runs[name] = run
        tables.append(_read(run.folder).assign(run=name))
    return of_scores(pd.concat(tables, ignore_index=True), runs=runs, tau=tau)


def of_scores(scores: DataFrame, *, runs: Mapping[str, Run] | None = None, tau: float = TAU) -> Results:
    """Results from a scores table with a column `run`."""
    from lft.counting.cells import Surface, reaching
    from lft.counting.frontier import frontier

    series, slugs = [], set[str]()
    more = tuple(c for c in AUDIT if c in scores.columns)
    for values, rows in scores.groupby(list(SERIES), sort=False, dropna=False):
        key = tuple(str(part) for part in values)
        cells = Surface.of_scores(rows, more=more).table
        frontiers = {
            str(domain): frontier(reaching(of_domain, tau))
            for domain, of_domain in cells.groupby("domain", sort=False)
        }
        slug = unique(slug_of(key), slugs)
        series.append(Series(key, slug, rows, cells, frontiers))
    return Results(scores, tuple(series), runs or {}, tau)


def _read(folder: Path) -> DataFrame:
    from lft.counting.scores import read_scores

    path = folder / "scores.csv"
    if not path.is_file():
        raise InputError("has no scores.csv", where=folder, remedy=f"`lft score {folder}` first")
    return read_scores(path)


def slug_of(key: Sequence[str]) -> str:
    """A key as a file name: letters, digits, `.`, `-` and `_`; never empty, never hidden, bounded.

    >>> slug_of(("demo", "gemini:flash/3", "fps:4", "none", "direct"))
    'demo-gemini-flash-3-fps4-none-direct'
    """
    parts = [re.sub(r"[^A-Za-z0-9._]+", "-", re.sub(r"(?<=[a-z]):(?=\d)", "", part)) for part in key]
    parts = [part.strip("-.")[:40].strip("-.") for part in parts]
    return "-".join(part for part in parts if part)[:160] or "series"


def unique(slug: str, taken: set[str]) -> str:
    """`slug`, with a number if another has it already; `taken` is added to."""
    wanted, number = slug, 1
    while slug.lower() in taken:  # some file systems do not tell case apart
        number += 1
        slug = f"{wanted}-{number}"
    taken.add(slug.lower())
    return slug


def short_names(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """The shortest distinct name of each series: model, then the axes that vary.

    >>> short_names([("r", "flash", "native", "none", "direct"), ("r", "flash", "fps:1", "none", "direct")])
    ['flash, native', 'flash, 1 fps']
    """
    varying = [i for i in (2, 3, 4) if len({key[i] for key in keys}) > 1]
    models = short_models([key[1] for key in keys])
    names = [
        ", ".join([models[key[1]], *(condition_words(SERIES[i], key[i]) for i in varying)]) for key in keys
    ]
    return [
        f"{name} ({key[0]})" if names.count(name) > 1 else name for name, key in zip(names, keys, strict=True)
    ]


def short_models(models: Sequence[str]) -> dict[str, str]:
    """Model -> a name that fits beside a bar: long parameters are left out if the name remains unique.

    >>> short_models(["observer", "simulated:miss=0.1,false=0.05,jitter_s=0.1"])
    {'observer': 'observer', 'simulated:miss=0.1,false=0.05,jitter_s=0.1': 'simulated'}
    """
    known = list(dict.fromkeys(models))
    heads = {m: m if len(m) <= _LONGEST_NAME else re.split(r"[:?@]", m)[0] for m in known}
    found: dict[str, str] = {}
    for model in known:
        head = heads[model]
        if list(heads.values()).count(head) > 1 or not head or len(head) > _LONGEST_NAME:
            head = model if len(model) <= _LONGEST_NAME else f"{model[: _LONGEST_NAME - 8]}…{model[-7:]}"
        if head in found.values():
            head = f"{head} #{len(found) + 1}"
        found[model] = head
    return found
