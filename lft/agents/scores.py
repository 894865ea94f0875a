"""Scores of a run: one row an episode, and means by condition with intervals.

Tasks are averaged within an environment, then environments equally; an interval comes from resampling environments.
With one environment alone, tasks are resampled. Missing and not applicable episodes are counted, never scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lft.agents.behaviour import behaviour_of
from lft.agents.condition import AXES
from lft.agents.environments import registry
from lft.agents.scoring import Outcome, skill
from lft.agents.tasks import Task, read_task, unrolled
from lft.agents.words import action_in
from lft.core.errors import InputError, shown
from lft.core.means import counts_of
from lft.core.records import JsonObject
from lft.core.runs import ANSWERED, Episode, Run
from lft.core.stats import Estimate, cluster_bootstrap

MEASURES = {"pass": "pass %", "score": "score", "skill": "skill"}
GROUPS = ("environment", "family", "kind", "memory", "dynamics")  # of a task
Row = Mapping[str, Any]


def task_of(run: Run, name: object) -> Task:
    """The task of a run, from the row that its manifest keeps."""
    if "task_rows" not in run.own:  # such as the answers of a judge, which are a run of their own
        raise InputError(
            "holds no episodes", where=run.folder, expected="a run of `lft sweep` of the suite agents"
        )
    row = (run.own.get("task_rows") or {}).get(str(name))
    if not isinstance(row, Mapping):
        what = f"the manifest has no row of the task {shown(name)}"
        raise InputError(what, where=run.folder, expected="a run of `lft sweep` of the suite agents")
    return read_task(row, where=f"{run.folder}: task {name}")


def row_of(run: Run, episode: Episode) -> JsonObject:
    """What is scored of an episode, and what its task is."""
    task = task_of(run, episode.key.get("task"))
    spec = registry.get(task.environment)
    row: JsonObject = {
        "environment": task.environment,
        "family": spec.family,
        "kind": task.kind,
        "memory": spec.memory,
        "dynamics": spec.dynamics,
    }
    if episode.status != ANSWERED:
        return row
    kept = episode.kept
    outcome = outcome_of(episode, where=run.folder)
    passed = task.goal.is_met(outcome)
    score = task.score.points(outcome, passed=passed, limit=task.decisions)
    usage = (episode.answers[-1].get("usage") or {}) if episode.answers else {}
    return row | {
        "pass": 100.0 * passed,
        "score": round(score, 4),
        "skill": skill(score, task.random_score, task.expert_score),
        "decisions": outcome.decisions,
        "limit": task.decisions,
        "retries": sum(dict(kept.get("faults") or {}).values()),
        "overflow_of": kept.get("limit"),
        "images": episode.answers[-1].get("images") if episode.answers else 0,
        "context_tokens": usage.get("input_tokens"),
        "random_score": task.random_score,
        "expert_score": task.expert_score,
        **_behaviour(episode, spec.actions, passed=passed),
    }


def _behaviour(episode: Episode, actions: tuple[str, ...], *, passed: bool) -> JsonObject:
    texts = [str(line.get("text") or "") for line in episode.answers]
    said = [(text, action_in(text, actions)[0]) for text in texts]
    decisions = unrolled((str(action), int(times)) for action, times in episode.kept.get("actions") or ())
    return behaviour_of(said, decisions, actions, passed=passed)


def outcome_of(episode: Episode, *, where: object) -> Outcome:
    """What an episode came to, as its end is kept."""
    kept = episode.kept
    measures = [kept.get(name) for name in ("start", "last", "most")]
    if not all(isinstance(one, Mapping) for one in measures) or not isinstance(kept.get("decisions"), int):
        raise InputError(
            f"an end without measures: {shown(dict(kept))}", where=where, expected="a run of `lft sweep`"
        )
    start, last, most = ({k: float(v) for k, v in dict(one or {}).items()} for one in measures)
    return Outcome(start, last, most, int(kept["decisions"]), str(episode.end))


def estimate(rows: Iterable[Row], name: str) -> Estimate | None:
    """The mean of a column, environments equally, with its interval; None without values.

    >>> found = estimate([{"environment": e, "task": t, "score": s}
    ...                   for e, t, s in (("a", "a/1", 0.0), ("a", "a/2", 100.0), ("b", "b/1", 80.0))], "score")
    >>> found.value, found.clusters
    (65.0, 2)
    """
    known = [row for row in rows if row.get(name) is not None]
    if not known:
        return None
    sizes = Counter(row["environment"] for row in known)
    weights = [1.0 / sizes[row["environment"]] for row in known]
    values = [float(row[name]) * weight for row, weight in zip(known, weights, strict=True)]
    clusters = [row["environment"] if len(sizes) > 1 else row["task"] for row in known]
    return cluster_bootstrap(values, clusters, weights=weights)


def difference(first: Iterable[Row], second: Iterable[Row], name: str) -> Estimate | None:
    """The mean of second minus first over the tasks that both have, environments equally; None if there are none.

    >>> rows = [{"environment": "a", "task": "a/1", "score": 20.0}], [{"environment": "a", "task": "a/1", "score": 50.0}]
    >>> difference(*rows, "score").value
    30.0
    """  # noqa: E501
    means = [_by_task(rows, name) for rows in (first, second)]
    both = [task for task in means[0] if task in means[1]]
    rows = [
        {"environment": means[0][task][0], "task": task, name: means[1][task][1] - means[0][task][1]}
        for task in both
    ]
    return estimate(rows, name)


def _by_task(rows: Iterable[Row], name: str) -> dict[str, tuple[str, float]]:
    """task -> (environment, mean of the column over replicates)."""
    values: dict[str, list[float]] = {}
    environment: dict[str, str] = {}
    for row in rows:
        if row.get(name) is not None:
            values.setdefault(str(row["task"]), []).append(float(row[name]))
            environment[str(row["task"])] = str(row["environment"])
    return {task: (environment[task], sum(several) / len(several)) for task, several in values.items()}


def grouped(rows: Iterable[Row], of: Callable[[Row], tuple[str, ...]]) -> dict[tuple[str, ...], list[Row]]:
    """Rows by what `of` says of them, in order of appearance."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(of(row), []).append(row)
    return groups


def condition_of(row: Row) -> tuple[str, ...]:
    """Model and condition."""
    return tuple(str(row.get(axis, "")) for axis in ("model", *AXES))


def by_condition(rows: Sequence[Row]) -> list[JsonObject]:
    """For each model and condition: counts, measures with intervals, ends."""
    found = []
    for condition, members in grouped(rows, condition_of).items():
        answered = [row for row in members if row["status"] == ANSWERED]
        found.append(
            {
                **dict(zip(("model", *AXES), condition, strict=True)),
                **counts_of(members),
                "environments": len({row["environment"] for row in answered}),
                "ends": dict(Counter(str(row["end"]) for row in answered).most_common()),
                "measures": {name: as_json(estimate(answered, name)) for name in MEASURES},
            }
        )
    return found


def as_json(found: Estimate | None) -> JsonObject | None:
    """Mean, bounds, n and clusters."""
    if found is None:
        return None
    ends = (
        {"lower": found.lower, "upper": found.upper} if found.clusters > 1 else {"lower": None, "upper": None}
    )
    return {"mean": found.value, **ends, "n": found.n, "clusters": found.clusters}
