"""Where the points are lost: by the ladder of assistance, which is measured, and by judges, who are asked.

Each rung tells one thing more, and what it adds was lost for want of it. A judge names the stage at which an episode
failed (`lft judge`); a row has its label in the column `stage_by_JUDGE`. Both look at the episodes of the lowest rung.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from lft.agents.agreement import agreement
from lft.agents.condition import AXES
from lft.agents.scores import Row, difference, estimate, grouped
from lft.agents.table_parts import answered_of, beside, heads_without, interval
from lft.core.records import Entries, JsonObject
from lft.core.reporting.tables import Rows, Table

STAGE_BY = "stage_by_"  # column of a judge's labels, before its name
# (rules, assistance) of each rung, and the stage whose lack it makes up for
LADDER = (
    (("basic", "none"), ""),
    (("detailed", "none"), "rules"),
    (("detailed", "state"), "reading"),
    (("detailed", "plan"), "planning"),
)
STAGES = ("rules", "reading", "planning", "acting")
LABELS = dict(
    zip(("knowledge_induction", "state_grounding", "planning", "action_commitment"), STAGES, strict=True)
)
_HEADS = ("model", *(axis for axis in AXES if axis not in ("rules", "assistance")))


def ladder(name: str, rows: Sequence[Row]) -> Table:
    found: Rows = []
    for key, members in grouped(answered_of(rows), beside("rules", "assistance")).items():
        rungs = [[row for row in members if (row["rules"], row["assistance"]) == rung] for rung, _ in LADDER]
        tasks = set.intersection(*({str(row["task"]) for row in rung} for rung in rungs))
        rungs = [[row for row in rung if row["task"] in tasks] for rung in rungs]
        start, end = estimate(rungs[0], "score"), estimate(rungs[-1], "score")
        if start is None or end is None:
            continue
        row = {**heads_without(key, "rules", "assistance"), "tasks": len(tasks), **interval("score", start)}
        for stage, below, above in zip(STAGES, rungs, rungs[1:], strict=False):
            row |= interval(stage, difference(below, above, "score"))
        lost = [{**one, "lost": 100.0 - float(one["score"])} for one in rungs[-1]]
        row |= interval("acting", estimate(lost, "lost"))
        found.append(row)
    note = (
        "Points that each stage costs: what is gained when the rules are told in full, then the state in words,\n"
        "then the expert's action; acting is what is lost even so. With the score they add up to 100."
    )
    return Table(name, "Where the points are lost", note, found, _HEADS)


def judged(name: str, rows: Sequence[Row]) -> Table:
    """Of each judge: how many of the failed episodes it puts at each stage, beside the ladder's share of lost points,
    and how often both name the same stage of an episode.
    """
    found: Rows = []
    judges = sorted({column for row in rows for column in row if column.startswith(STAGE_BY)})
    measured = {tuple(row[head] for head in _HEADS): row for row in ladder(name, rows).rows}
    for key, members in grouped(answered_of(rows), beside("rules", "assistance")).items():
        heads = heads_without(key, "rules", "assistance")
        lowest = [row for row in members if (row["rules"], row["assistance"]) == LADDER[0][0]]
        costliest = dict(_costliest(members))
        for judge in judges:
            labelled = [row for row in lowest if row.get(judge)]
            if not labelled:
                continue
            both = [
                (str(row["environment"]), LABELS.get(str(row[judge]), "none"), costliest[str(row["task"])])
                for row in labelled
                if str(row["task"]) in costliest
            ]
            agreed = agreement(both)
            found.append(
                {
                    "judge": judge.removeprefix(STAGE_BY), **heads, "episodes": len(labelled),
                    **_shares(labelled, judge, measured.get(key)), "compared": len(both),
                    "exact_%": 100 * agreed.exact if agreed else None,
                    **_between("exact_%", agreed.exact_interval if agreed else None, 100),
                    "kappa": agreed.kappa if agreed else None,
                    **_between("kappa", agreed.kappa_interval if agreed else None, 1),
                }
            )  # fmt: skip
    note = (
        "Of failed episodes with basic rules and no assistance: where the judge puts them, and the ladder's share of\n"
        "the lost points (- without the other rungs). Exact and kappa: the judge's stage against the one that cost\n"
        "the task most by the ladder. A judge's label is an opinion."
    )
    return Table(name, "Judges beside the ladder", note, found, ("judge", *_HEADS))


def _shares(labelled: Sequence[Row], judge: str, measured: Entries | None) -> JsonObject:
    """Percent of episodes by the judge, and of lost points by the ladder, for each stage."""
    named = [LABELS.get(str(row[judge]), "none") for row in labelled]
    lost = sum(measured[stage] for stage in STAGES) if measured else 0.0
    shares: JsonObject = {}
    for stage in (*STAGES, "none"):
        shares[f"{stage}_judge_%"] = 100 * named.count(stage) / len(named)
        if stage != "none":
            shares[f"{stage}_ladder_%"] = 100 * measured[stage] / lost if measured and lost else None
    return shares


def _costliest(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """(task, stage that cost it most) of tasks that have all rungs and lost points; of equal ones the first."""
    for (task,), members in grouped(rows, lambda row: (str(row["task"]),)).items():
        scores = [
            [float(row["score"]) for row in members if (row["rules"], row["assistance"]) == rung]
            for rung, _ in LADDER
        ]
        if all(scores):
            means = [*map(fmean, scores), 100.0]
            cost = {
                stage: after - before for stage, before, after in zip(STAGES, means, means[1:], strict=False)
            }
            if means[0] < 100:
                yield task, max(STAGES, key=lambda stage: cost[stage])


def _between(name: str, ends: tuple[float, float] | None, times: float) -> dict[str, float | None]:
    lower, upper = (times * end for end in ends) if ends else (None, None)
    return {f"{name}_lower": lower, f"{name}_upper": upper}
