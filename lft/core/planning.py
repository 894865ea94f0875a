"""Trials, calls, tokens and cost of a sweep, before it is run.

Trials, calls and images are upper bounds from each trial's `foreseen`. Tokens and cost are means over trials that an
earlier run, or a small sample, answered under the same condition; otherwise they are unknown, since providers count the
tokens of images and videos differently.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from lft.core.cost import Prices, Spent, billed
from lft.core.records import JsonObject, Key
from lft.core.runs import ANSWERED, Run
from lft.core.trials import Trial

Condition = tuple[str, ...]  # a value for each axis of the suite


@dataclass(frozen=True)
class Row:
    """One condition of a plan.

    Attributes
    ----------
    condition : axis of the suite -> value.
    trials, not_applicable, remaining : all trials; those beyond a limit of the model; of the others those without an
        answer.
    schema_refused : whether they are not applicable because the model takes no schema.
    calls, images : upper bounds for the remaining trials (each turn sends the images again).
    measured : trials behind the estimates.
    input_tokens, output_tokens, usd : estimates for the remaining trials; None is unknown. Output includes hidden
        reasoning.
    video : whether the video file is sent.
    """

    condition: Mapping[str, str]
    trials: int
    not_applicable: int
    schema_refused: bool
    remaining: int
    calls: int
    images: int
    measured: int
    input_tokens: int | None
    output_tokens: int | None
    usd: float | None
    video: bool


@dataclass(frozen=True)
class Plan:
    """The conditions of a sweep, in order."""

    rows: tuple[Row, ...]

    def total(self, name: str) -> float | None:
        """The sum of a column over all conditions; None if any value is unknown."""
        values = [getattr(row, name) for row in self.rows]
        return None if None in values else sum(values)

    def to_json(self) -> JsonObject:
        """Rows and totals."""
        names = (
            "trials",
            "not_applicable",
            "remaining",
            "calls",
            "images",
            "input_tokens",
            "output_tokens",
            "usd",
        )
        rows = [{**row.condition, **asdict(row)} for row in self.rows]
        hidden = ("condition", "video")
        return {
            "conditions": [{k: v for k, v in row.items() if k not in hidden} for row in rows],
            "total": {name: self.total(name) for name in names},
        }


def condition_of(key: Key, axes: Sequence[str]) -> Condition:
    """The values of a trial's key on the axes of its suite."""
    return tuple(str(key.get(axis)) for axis in axes)


def plan(
    trials: Sequence[Trial],
    axes: Sequence[str],
    *,
    measured: Mapping[Condition, Spent],
    settled: Iterable[str] = (),
    takes: Callable[[int, bool], bool] = lambda images, video: True,
    takes_schema: bool = True,
) -> Plan:
    """The plan for `trials`; `settled` need not be asked.

    `takes(images, video)` says whether the model takes a request with so many images, and with a video; `takes_schema`
    whether it takes a response schema.
    """
    done = set(settled)
    by_condition: dict[Condition, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_condition[condition_of(trial.key, axes)].append(trial)
    rows = []
    for condition, members in by_condition.items():
        foreseen = {t.id: t.foreseen for t in members}
        first = foreseen[members[0].id]
        refused = first.schema and not takes_schema
        possible = [t for t in members if takes(foreseen[t.id].most_images, foreseen[t.id].video)]
        possible = [] if refused else possible
        remaining = [t for t in possible if t.id not in done]
        spent = measured.get(condition)
        rows.append(
            Row(
                dict(zip(axes, condition, strict=True)),
                len(members),
                len(members) - len(possible),
                refused,
                len(remaining),
                sum(foreseen[t.id].calls for t in remaining),
                sum(foreseen[t.id].images for t in remaining),
                spent.trials if spent else 0,
                _scaled("input", spent, len(remaining)),
                _scaled("output", spent, len(remaining)),
                _money(spent, len(remaining)),
                first.video,
            )
        )
    return Plan(tuple(rows))


def measure(
    runs: Iterable[Run], model_name: str, axes: Sequence[str], prices: Prices | None = None
) -> dict[Condition, Spent]:
    """Tokens and cost of complete trials in earlier runs of the same model, by condition; cost by `prices` if given."""
    found: dict[Condition, Spent] = defaultdict(Spent)
    for run in runs:
        whole = {trial for trial, one in run.episodes().items() if one.status == ANSWERED}
        counted = set()
        for line in billed(run.lines(), run.manifest.get("model"), prices):
            key = line["key"]
            if line["trial"] not in whole or key.get("model") != model_name:
                continue
            spent = found[condition_of(key, axes)]
            spent.add(line)
            spent.trials += line["trial"] not in counted
            counted.add(line["trial"])
    return dict(found)


def sample_of(trials: Sequence[Trial], each: int, axes: Sequence[str]) -> list[Trial]:
    """`each` trials of every condition: the midpoints of `each` equal parts of its trials in order of size."""
    by_condition: dict[Condition, list[Trial]] = defaultdict(list)
    for trial in sorted(trials, key=lambda t: t.id.partition("/")[2]):
        by_condition[condition_of(trial.key, axes)].append(trial)
    chosen = []
    for members in by_condition.values():
        count = min(each, len(members))
        chosen += [members[(2 * k + 1) * len(members) // (2 * count)] for k in range(count)]
    return chosen


def _scaled(which: str, spent: Spent | None, remaining: int) -> int | None:
    if remaining == 0:
        return 0
    if not spent or spent.uncounted:
        return None
    total = spent.input_tokens if which == "input" else spent.output_tokens + spent.thought_tokens
    return round(total / spent.trials * remaining)


def _money(spent: Spent | None, remaining: int) -> float | None:
    if remaining == 0:
        return 0.0
    return None if not spent or spent.unpriced else spent.usd / spent.trials * remaining
