"""What an episode is worth: passed or not, and 0 to 100.

An `Outcome` is all that scoring needs of an episode: the measures of the environment at the start state, at the end,
and the highest of each in between. Replayed actions come before the start and do not count. Progress that was made
before a death, a timeout, an invalid action or an overflow is kept.

    reference     100 min(max(v, 0) / u, 1); v is what the measure gained since the start, u the reference
    milestones    the points of the milestones that were reached after the start, as a share of those that it left open
    efficiency    100 min(u / n, 1) for n decisions of an episode that passed, u those of the reference; 0 if it did not
    survival      100 times the share of the task's decisions that were survived; all of them for a victory

Tasks are averaged within an environment, then environments equally. Skill puts a score between random and expert.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lft.core.config import checked_keys
from lft.core.errors import InputError, shown, unknown_name
from lft.core.records import Entries, JsonObject

VICTORY, TERMINATED, DRAW = "victory", "terminated", "draw"  # ends of the environment's own


@dataclass(frozen=True)
class Outcome:
    """What an episode came to.

    Attributes
    ----------
    start, last : the measures in the start state and in the last one.
    most : the highest value of each measure in any state after the start.
    decisions : that were made.
    end : the environment's own end, or another word.
    """

    start: Mapping[str, float]
    last: Mapping[str, float]
    most: Mapping[str, float]
    decisions: int
    end: str


@dataclass(frozen=True)
class Goal:
    """An episode passes if a measure of its last state is at least so much.

    >>> Goal("reached", 1).is_met(Outcome({"reached": 0}, {"reached": 1}, {"reached": 1}, 9, "victory"))
    True
    """

    measure: str
    at_least: float

    def is_met(self, outcome: Outcome) -> bool:
        """Whether the last state has it."""
        return outcome.last[self.measure] >= self.at_least


@dataclass(frozen=True)
class Reference:
    """Points by what a measure gained since the start.

    >>> from_12_to_30 = Outcome({"score": 12.0}, {"score": 30.0}, {"score": 30.0}, 40, "timeout")
    >>> Reference("score", 24.0).points(from_12_to_30, passed=False, limit=40)
    75.0
    """

    measure: str
    reference: float

    def points(self, outcome: Outcome, *, passed: bool, limit: int) -> float:
        """0 to 100."""
        gained = outcome.last[self.measure] - outcome.start[self.measure]
        return 100.0 * min(max(gained, 0.0) / self.reference, 1.0)


@dataclass(frozen=True)
class Milestones:
    """Points for each of several values that a measure reached in any state after the start; a milestone that the start
    state has already does not count.

    >>> two = Milestones((("has_key", 1, 40), ("reached", 1, 60)))
    >>> none = {"has_key": 0, "reached": 0}
    >>> two.points(Outcome(none, none, {"has_key": 1, "reached": 0}, 9, "timeout"), passed=False, limit=20)
    40.0
    """

    milestones: tuple[tuple[str, float, float], ...]

    def points(self, outcome: Outcome, *, passed: bool, limit: int) -> float:
        """0 to 100."""
        left = [one for one in self.milestones if outcome.start[one[0]] < one[1]]
        of = sum(points for _, _, points in left)
        reached = sum(points for measure, value, points in left if outcome.most[measure] >= value)
        return 100.0 * reached / of if of else 0.0


@dataclass(frozen=True)
class Efficiency:
    """Points by how few decisions a passed episode took; `decisions` gives 100.

    >>> outcome = Outcome({}, {}, {}, 20, "victory")
    >>> Efficiency(15).points(outcome, passed=True, limit=40), Efficiency(15).points(outcome, passed=False, limit=40)
    (75.0, 0.0)
    """

    decisions: int

    def points(self, outcome: Outcome, *, passed: bool, limit: int) -> float:
        """0 to 100."""
        return 100.0 * min(self.decisions / max(outcome.decisions, 1), 1.0) if passed else 0.0


@dataclass(frozen=True)
class Survival:
    """Points by the share of decisions after which the episode still went on.

    >>> Survival().points(Outcome({}, {}, {}, 10, "terminated"), passed=False, limit=20)
    45.0
    """

    def points(self, outcome: Outcome, *, passed: bool, limit: int) -> float:
        """0 to 100."""
        if outcome.end == VICTORY:
            return 100.0
        survived = outcome.decisions - (outcome.end in (TERMINATED, DRAW))
        return 100.0 * min(max(survived, 0) / limit, 1.0)


Score = Reference | Milestones | Efficiency | Survival
_ENTRIES: dict[str, tuple[str, ...]] = {
    "reference": ("measure", "reference"),
    "milestones": ("milestones",),
    "efficiency": ("decisions",),
    "survival": (),
}


def read_goal(entry: object, *, where: object) -> Goal:
    """The entry `pass` of a task's row."""
    row = checked_keys(entry, ("measure", "at_least"), where=where)
    return Goal(_text(row, "measure", where), _number(row.get("at_least"), "at_least", where))


def read_score(entry: object, *, where: object) -> Score:
    """The entry `score` of a task's row.

    >>> read_score({"kind": "reference", "measure": "score", "reference": 30}, where="row")
    Reference(measure='score', reference=30.0)
    """
    row = checked_keys(entry, None, where=where)
    kind = row.pop("kind", None)
    if kind not in _ENTRIES:
        raise unknown_name("kind", str(kind), _ENTRIES, where=where)
    checked_keys(row, _ENTRIES[kind], where=where)
    if kind == "reference":
        return Reference(_text(row, "measure", where), _positive(row.get("reference"), "reference", where))
    if kind == "efficiency":
        return Efficiency(int(_positive(row.get("decisions"), "decisions", where)))
    if kind == "survival":
        return Survival()
    entries = row.get("milestones")
    if not isinstance(entries, list) or not entries:
        what = f"milestones is {shown(entries)}"
        raise InputError(what, where=where, expected="a list of [measure, at least, points]")
    return Milestones(tuple(_milestone(one, where) for one in entries))


def score_json(score: Score) -> JsonObject:
    """The entry `score` of a row, which `read_score` reads back.

    >>> score_json(Milestones((("has_key", 1.0, 33.0),)))
    {'kind': 'milestones', 'milestones': [['has_key', 1.0, 33.0]]}
    """
    entries = dict(vars(score))
    if isinstance(score, Milestones):
        entries["milestones"] = [list(one) for one in score.milestones]
    return {"kind": type(score).__name__.lower(), **entries}


def mean_by_environment(values: Iterable[tuple[str, float]]) -> float | None:
    """The mean over environments of the means within them; None of nothing.

    >>> mean_by_environment([("taxi", 100.0), ("taxi", 0.0), ("acrobot", 80.0)])
    65.0
    """
    groups: dict[str, list[float]] = {}
    for environment, value in values:
        groups.setdefault(environment, []).append(value)
    means = [sum(group) / len(group) for group in groups.values()]
    return sum(means) / len(means) if means else None


def skill(score: float, random: float, expert: float) -> float | None:
    """(score - random) / (expert - random): 0 plays like random, 1 like the expert; negative is worse than random. None
    where the two are no bounds (the expert not above random).

    >>> skill(60.0, 20.0, 100.0), skill(60.0, 60.0, 60.0)
    (0.5, None)
    """
    return (score - random) / (expert - random) if expert > random else None


def most_of(several: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The highest value of each measure in several states.

    >>> most_of([{"score": 1.0}, {"score": 3.0}, {"score": 2.0}])
    {'score': 3.0}
    """
    found: dict[str, float] = {}
    for measures in several:
        for name, value in measures.items():
            found[name] = max(value, found.get(name, value))
    return found


def _text(row: Entries, name: str, where: object) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise InputError(f"{name} is {shown(value)}", where=where, expected="text")
    return value


def _number(value: object, name: str, where: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e12:
        raise InputError(f"{name} is {shown(value)}", where=where, expected="a number")
    return float(value)


def _positive(value: object, name: str, where: object) -> float:
    number = _number(value, name, where)
    if number <= 0:
        raise InputError(f"{name} is {shown(value)}", where=where, expected="a number above 0")
    return number


def _milestone(entry: object, where: object) -> tuple[str, float, float]:
    if not isinstance(entry, list) or len(entry) != 3 or not isinstance(entry[0], str):
        raise InputError(
            f"a milestone is {shown(entry)}", where=where, expected="[measure, at least, points]"
        )
    return entry[0], _number(entry[1], "at least", where), _positive(entry[2], "points", where)
