"""Behaviour of models over runs: action bias, fixation, what they write (`lft.agents.behaviour`).

Action bias compares, within an environment and under one condition, a model's shares of actions with the pooled ones of
all models that are in the tables, its own among them; a pool of one model says nothing, and is left out.

    excess             the most by which a share lies above the pooled one of the same action
    total variation    half the sum of |share - pooled share| over actions
    biased             both are 0.20 or more; from 20 actions of the model on
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lft.agents.behaviour import counts_in
from lft.agents.condition import AXES
from lft.agents.scores import Row, condition_of, estimate, grouped
from lft.core.reporting.tables import Rows, Table
from lft.core.runs import ANSWERED

LEAST_ACTIONS = 20
EXCESS, TOTAL_VARIATION = 0.20, 0.20


def bias(name: str, rows: Sequence[Row]) -> Table:
    """Action bias of each model in each environment."""
    found: Rows = []
    answered = [row for row in rows if row["status"] == ANSWERED]
    pools = grouped(answered, lambda row: (str(row["environment"]), *condition_of(row)[1:]))
    for (environment, *condition), pool in sorted(pools.items()):
        by_model = {model: counted(several) for (model,), several in grouped(pool, _model).items()}
        if len(by_model) < 2:
            continue
        pooled: Counter[str] = Counter()
        for counts in by_model.values():
            pooled.update(counts)
        for model, counts in by_model.items():
            if counts.total() >= LEAST_ACTIONS:
                heads = {
                    "environment": environment,
                    "model": model,
                    **dict(zip(AXES, condition, strict=True)),
                }
                found.append({**heads, "n_actions": counts.total(), **compared(counts, pooled)})
    note = (
        f"A model's shares of actions against those of all models here, from {LEAST_ACTIONS} actions on. Biased: "
        f"excess and total variation both {EXCESS:.2f} or more."
    )
    return Table(name, "Action bias", note, found, ("environment", "model", *AXES, "action", "biased"))


def compared(counts: Mapping[str, int], pooled: Mapping[str, int]) -> dict[str, object]:
    """The action whose share is most above the pooled one, by how much, total variation, and whether this is a bias.

    >>> compared({"UP": 15, "LEFT": 5}, {"UP": 20, "LEFT": 20})
    {'action': 'UP', 'biased': 'yes', 'share_%': 75.0, 'pooled_%': 50.0, 'excess_%': 25.0, 'total_variation_%': 25.0}
    """
    own, all_of = sum(counts.values()), sum(pooled.values())
    above = {name: counts.get(name, 0) / own - count / all_of for name, count in pooled.items()}
    action = max(above, key=lambda name: (above[name], name))
    variation = sum(map(abs, above.values())) / 2
    # Shares of counts are compared at the threshold: a hair below 0.20 from rounding is 0.20.
    biased = round(above[action], 9) >= EXCESS and round(variation, 9) >= TOTAL_VARIATION
    return {
        "action": action, "biased": "yes" if biased else "no",
        "share_%": 100.0 * counts.get(action, 0) / own, "pooled_%": 100.0 * pooled[action] / all_of,
        "excess_%": 100.0 * above[action], "total_variation_%": 100.0 * variation,
    }  # fmt: skip


def fixation(name: str, rows: Sequence[Row]) -> Table:
    """How many failed episodes kept to one action."""
    found: Rows = []
    long = [row for row in rows if row["status"] == ANSWERED and row.get("fixated") is not None]
    for key, members in grouped(long, condition_of).items():
        kept = [row for row in members if row["fixated"]]
        most = Counter(counted([row]).most_common(1)[0][0] for row in kept).most_common(1)
        shares = [{**row, "share": 100.0 * bool(row["fixated"])} for row in members]
        share = estimate(shares, "share")
        assert share is not None
        several = share.clusters > 1
        found.append(
            {
                **dict(zip(("model", *AXES), key, strict=True)),
                "action": most[0][0] if most else "-",
                "failed_episodes": len(members),
                "fixated": len(kept),
                "fixated_%": share.value,
                "fixated_%_lower": share.lower if several else None,
                "fixated_%_upper": share.upper if several else None,
            }
        )
    note = (
        "Episodes of 10 decisions or more that did not pass; fixated: one action in 90 % of them or more.\n"
        "The action is the most frequent one of fixated episodes. Environments count equally."
    )
    return Table(name, "Fixation", note, found, ("model", *AXES, "action"))


def reasoning(name: str, rows: Sequence[Row]) -> Table:
    """What stands beside the actions."""
    found: Rows = []
    answered = [row for row in rows if row["status"] == ANSWERED and row.get("answers")]
    for key, members in grouped(answered, condition_of).items():
        sums = {
            column: sum(int(row.get(column) or 0) for row in members)
            for column in (
                "answers",
                "rationales",
                "on_demonstration",
                "on_history",
                "coherent",
                "incoherent",
            )
        }
        told, named = sums["rationales"], sums["coherent"] + sums["incoherent"]
        found.append(
            {
                **dict(zip(("model", *AXES), key, strict=True)),
                "answers": sums["answers"],
                "rationale_%": _share(told, sums["answers"]),
                "on_demonstration_%": _share(sums["on_demonstration"], told),
                "on_history_%": _share(sums["on_history"], told),
                "coherent_%": _share(sums["coherent"], named),
                "names_no_action_%": _share(told - named, told),
            }
        )
    note = (
        "Rationale: four words or more beside the action; of those, what speaks of a demonstration, of the past.\n"
        "Coherent: of those that name an action, which name the one taken. By the form of English words."
    )
    return Table(name, "What is written beside actions", note, found, ("model", *AXES))


def counted(rows: Iterable[Row]) -> Counter[str]:
    """Actions of several episodes."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update(counts_in(str(row.get("actions") or "")))
    return counts


def _model(row: Row) -> tuple[str]:
    return (str(row["model"]),)


def _share(part: int, of: int) -> float | None:
    return 100.0 * part / of if of else None
