"""What a sweep would ask for and cost, before it is asked.

Trials, calls and frames follow from the sweep and its grid alone. Tokens and money are means over the calls
that an earlier run, or a small sample, made under the same condition: where there is none they are unknown,
not guessed, since providers count the tokens of images and videos each in their own way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lft.core.conditions import CONDITION, Condition
from lft.core.cost import Prices, Spent, billed
from lft.core.runs import Run
from lft.core.video.frames import Sampling
from lft.counting.spec import ClipSpec
from lft.counting.sweep import ClipTrial, images_of


@dataclass(frozen=True)
class PlannedClip:
    """A clip that need not be rendered yet."""

    clip_id: str
    spec: ClipSpec
    video: Path = Path()
    trace_path: Path = Path()


@dataclass(frozen=True)
class PlannedClips:
    """The clips of a grid, as `lft.counting.sweep.trials` takes them."""

    folder: Path
    clips: tuple[PlannedClip, ...]

    @classmethod
    def of_grid(cls, name: str) -> PlannedClips:
        """The clips that rendering the grid would give."""
        from lft.counting.grid import Grid, expand

        specs = expand(Grid.load(name))
        return cls(Path("results/clips") / name, tuple(PlannedClip(spec.clip_id, spec) for spec in specs))

    def __iter__(self) -> Iterator[PlannedClip]:
        return iter(self.clips)


@dataclass(frozen=True)
class Row:
    """One condition of a plan. `images` 0 with sampling `native` means that the video itself is sent.

    Attributes
    ----------
    trials, not_applicable, remaining : all of them, those over a limit of the model, and of the others those
        without an answer yet.
    schema_refused : whether they are not applicable since the model takes no schema.
    calls, images : requests and images for the remaining trials (a second turn shows the images again).
    measured : trials that the estimate rests on.
    input_tokens, output_tokens, usd : estimates for the remaining trials; None is unknown. Output counts
        hidden reasoning.
    """

    sampling: str
    labels: str
    prompt: str
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


@dataclass(frozen=True)
class Plan:
    """The conditions of a sweep, in its order."""

    rows: tuple[Row, ...]

    def total(self, name: str) -> Any:
        """The sum of a column over all conditions; None if any of them is unknown."""
        values = [getattr(row, name) for row in self.rows]
        return None if None in values else sum(values)

    def to_json(self) -> dict[str, Any]:
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
        return {
            "conditions": [asdict(row) for row in self.rows],
            "total": {name: self.total(name) for name in names},
        }


def plan(
    trials: Sequence[ClipTrial],
    specs: Mapping[str, ClipSpec],
    *,
    measured: Mapping[Condition, Spent],
    settled: Iterable[str] = (),
    takes: Callable[[int, bool], bool] = lambda images, video: True,
    takes_schema: bool = True,
) -> Plan:
    """What asking `trials` takes; `settled` are the trials that need not be asked any more.

    `takes(images, video)` says whether the model takes a request with so many images, and with a video; a prompt that
    holds its answer to a schema asks for `takes_schema`.
    """
    done = set(settled)
    by_condition: dict[Condition, list[ClipTrial]] = defaultdict(list)
    for trial in trials:
        by_condition[trial.condition].append(trial)
    rows = []
    for condition, members in by_condition.items():
        policy = Sampling.parse(condition.sampling)
        native = policy.kind == "native"
        count = {t.id: images_of(specs[str(t.key["clip"])], policy) for t in members}
        refused = not takes_schema and members[0].prompt.schema is not None
        possible = [] if refused else [t for t in members if takes(count[t.id], native)]
        remaining = [t for t in possible if t.id not in done]
        spent = measured.get(condition)
        images = sum(t.turns * count[t.id] for t in remaining)
        rows.append(
            Row(
                condition.sampling,
                condition.labels,
                condition.prompt,
                len(members),
                len(members) - len(possible),
                refused,
                len(remaining),
                sum(t.turns for t in remaining),
                images,
                spent.trials if spent else 0,
                _scaled("input", spent, len(remaining)),
                _scaled("output", spent, len(remaining)),
                _money(spent, len(remaining)),
            )
        )
    return Plan(tuple(rows))


def measure(runs: Iterable[Run], model_name: str, prices: Prices | None = None) -> dict[Condition, Spent]:
    """What trials of each condition took in earlier runs of the same model; only whole trials count.

    With `prices`, stored tokens cost what they cost by these.
    """
    found: dict[Condition, Spent] = defaultdict(Spent)
    for run in runs:
        whole = {trial for trial, line in run.answers().items() if line["status"] == "answered"}
        counted = set()
        for line in billed(run.lines(), run.manifest.get("model"), prices):
            key = line["key"]
            if line["trial"] not in whole or key.get("model") != model_name:
                continue
            condition = Condition(*(str(key.get(name)) for name in CONDITION))
            spent = found[condition]
            spent.add(line)
            spent.trials += line["trial"] not in counted
            counted.add(line["trial"])
    return dict(found)


def sample_of(trials: Sequence[ClipTrial], each: int) -> list[ClipTrial]:
    """`each` trials of every condition, spread evenly over its trials in order of count and frequency.

    The middle of each of `each` equal parts is taken, so that small and large counts are both in it.
    """
    by_condition: dict[Condition, list[ClipTrial]] = defaultdict(list)
    for trial in sorted(trials, key=lambda t: str(t.key["clip"]).partition("/")[2]):
        by_condition[trial.condition].append(trial)
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
