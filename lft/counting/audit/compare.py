"""Paired comparisons of conditions and models, and pooled rates with cluster intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from lft.core.conditions import CONDITION
from lft.core.errors import InputError, shown
from lft.core.records import JsonObject
from lft.core.stats import Estimate, Paired, cluster_bootstrap, holm, paired
from lft.core.stats_clusters import share
from lft.counting.audit.clusters import clusters_of
from lft.counting.cells import condition_order

if TYPE_CHECKING:
    import pandas as pd

_RATIOS = ("vor", "vor_pooled")
POOLED = ("em", "precision", "recall", "f1", "vor", "vor_pooled", "acr", "rfr")


def comparisons(scores: pd.DataFrame, *, against: Sequence[str] | None = None) -> list[JsonObject]:
    """Compares every condition of a model with one of them, for each domain and all together.

    Pairs are answers to the same clip and replicate; `n_unpaired` counts answers without a pair. `against` is
    (sampling, labels, prompt); by default the model's first condition in the table. With a column `run`, the same
    condition in two runs is two conditions. p-values are corrected by Holm within each model and domain. Fields:
    model, domain, the condition, `against`, and those of `lft.core.stats.Paired`.
    """
    rows: list[JsonObject] = []
    names_of = [*CONDITION, "run"] if "run" in scores.columns else list(CONDITION)
    for model, of_model in scores.groupby("model", sort=False):
        parts = {tuple(map(str, key)): part for key, part in of_model.groupby(names_of, sort=False)}
        base = _base(parts, against, str(model))
        ordered = sorted(parts, key=lambda values: condition_order(dict(zip(names_of, values, strict=True))))
        parts = {condition: parts[condition] for condition in ordered}
        for domain, names in _domains(of_model):
            tests: dict[str, Paired] = {}
            unpaired: dict[str, int] = {}
            for condition, part in parts.items():
                if condition == base:
                    continue
                label = " ".join(condition)
                found = _paired(parts[base], part, names)
                if found is not None:
                    tests[label], unpaired[label] = found
            for condition in parts:
                label = " ".join(condition)
                if label in tests:
                    row = {"model": model, "domain": domain, **dict(zip(names_of, condition, strict=True))}
                    rows.append(row | {"against": " ".join(base), "n_unpaired": unpaired[label]})
            for row, test in zip(rows[len(rows) - len(tests) :], holm(tests).values(), strict=True):
                row |= vars(test)
    return rows


def models_compared(scores: pd.DataFrame) -> list[JsonObject]:
    """Compares each pair of models under the same condition, for each domain and all together.

    Pairs are answers to the same clip and replicate, as in `comparisons`; p-values are corrected by Holm within each
    condition and domain. A model with several runs appears once for each (`model run`). Fields: the condition,
    domain, `model`, `against`, `n_unpaired`, and those of `lft.core.stats.Paired`; a difference above 0 is for `model`.
    """
    rows: list[JsonObject] = []
    named = scores.assign(_name=_model_names(scores))
    conditions = sorted(
        (
            (dict(zip(CONDITION, map(str, key), strict=True)), part)
            for key, part in named.groupby(list(CONDITION))
        ),
        key=lambda one: condition_order(one[0]),
    )
    for condition, rows_of in conditions:
        parts = {str(name): part for name, part in rows_of.groupby("_name", sort=False)}
        for domain, names in _domains(rows_of):
            tests: dict[str, Paired] = {}
            heads: list[JsonObject] = []
            for first, second in combinations(parts, 2):
                found = _paired(parts[first], parts[second], names)
                if found is not None:
                    tests[f"{second}\0{first}"], unpaired = found
                    head = {**condition, "domain": domain, "model": second, "against": first}
                    heads.append(head | {"n_unpaired": unpaired})
            rows += [head | vars(test) for head, test in zip(heads, holm(tests).values(), strict=True)]
    return rows


def pooled(scores: pd.DataFrame, *, draws: int = 2000, seed: int = 0) -> dict[str, Estimate]:
    """The rates of `POOLED` over the answered rows, each with a 95 % interval.

    Answers about one clip, or about clips that share a look, are one cluster. Shares and means in [0, 1] have the
    score interval of `lft.core.stats_clusters.share`: Wilson's, where each clip is answered once and no look is shared.
    Volume ratios resample clusters. EM is over all clips, the rest over clips with events; `vor_pooled` is sum M /
    sum N. Rates without data are left out.
    """
    answered = scores[scores["status"] == "answered"]
    positive = answered[answered["count"] > 0]
    found: dict[str, Estimate] = {}
    for name in POOLED:
        rows = answered if name == "em" else positive
        values = rows[{"em": "correct", "vor_pooled": "reported"}.get(name, name)].to_numpy(float)
        if name in _RATIOS:
            weights = rows["count"].to_numpy(float) if name == "vor_pooled" else None
            estimate = cluster_bootstrap(values, clusters_of(rows), weights=weights, draws=draws, seed=seed)
        else:
            estimate = share(values, clusters_of(rows))
        if estimate is not None:
            found[name] = estimate
    return found


def _model_names(scores: pd.DataFrame) -> pd.Series[str]:
    """The model of each row, with its run where a model has several."""
    names = scores["model"].astype(str)
    if "run" not in scores.columns:
        return names
    several = scores.groupby("model")["run"].transform("nunique") > 1
    return names.where(~several, names + " " + scores["run"].astype(str))


def _base(
    parts: Mapping[tuple[str, ...], object], against: Sequence[str] | None, model: str
) -> tuple[str, ...]:
    if against is None:
        return next(iter(parts))
    wanted = tuple(against)
    found = next((part for part in parts if part[: len(CONDITION)] == wanted), None)
    if found is None:
        raise InputError(
            f"{shown(model)} has no condition {shown(' '.join(wanted))}",
            expected="one of " + "; ".join(" ".join(part) for part in list(parts)[:6]),
        )
    return found


def _domains(scores: pd.DataFrame) -> Iterator[tuple[str, list[str]]]:
    names = [str(d) for d in dict.fromkeys(scores["domain"])]
    for name in names:
        yield name, [name]
    if len(names) > 1:
        yield "all", names


def _paired(before: pd.DataFrame, after: pd.DataFrame, domains: Sequence[str]) -> tuple[Paired, int] | None:
    keys = ["clip", "replicate"]
    answered = [
        part[(part["status"] == "answered") & part["domain"].isin(domains)] for part in (before, after)
    ]
    sides = [
        answered[0][[*keys, "correct"]].assign(_cluster=clusters_of(answered[0])),
        answered[1][[*keys, "correct"]],
    ]
    both = sides[0].merge(sides[1], on=keys, suffixes=("_before", "_after"))
    if both.empty:
        return None
    test = paired(
        both["correct_before"] == 1, both["correct_after"] == 1, clusters=both["_cluster"].to_numpy(object)
    )
    return test, len(sides[0]) + len(sides[1]) - 2 * len(both)
