"""The conditions of an episode: what a model is told and shown beside the picture."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from lft.core.config import as_list, checked_keys
from lft.core.errors import InputError, shown, unknown_name

# axis -> its values; the first is what holds where a sweep says nothing
VALUES: dict[str, dict[str, str]] = {
    "rules": {
        "basic": "what cannot be seen",
        "detailed": "all that a player needs",
    },
    "demonstrations": {
        "shown": "the task's own",
        "none": "none",
        "other": "as many, of another environment",
        "shuffled": "the task's own, their pictures in random order",
        "reversed": "the task's own, backwards",
        "uncaptioned": "pictures without words",
        "captions": "words without pictures",
    },
    "assistance": {
        "none": "nothing",
        "state": "the state in words with each picture",
        "plan": "the state in words, and the expert's action",
    },
    "history": {"all": "all earlier steps", "last:K": "the demonstrations and the last K steps"},
    "given": {"frames": "demonstrations as images", "video": "demonstrations as video files"},
}
AXES = tuple(VALUES)
_LAST = re.compile(r"last:([1-9]\d{0,2})")


@dataclass(frozen=True)
class Condition:
    """A value for each of `AXES`.

    >>> Condition.of({"rules": "detailed"}, where="sweep")
    Condition(rules='detailed', demonstrations='shown', assistance='none', history='all', given='frames')
    >>> Condition.of({"history": "last:8"}, where="sweep").window
    8
    """

    rules: str
    demonstrations: str
    assistance: str
    history: str
    given: str

    @classmethod
    def of(cls, entries: Mapping[str, object], *, where: object) -> Condition:
        """Raises `InputError` for an axis or a value that there is not."""
        checked_keys(entries, AXES, where=where)
        values = {axis: str(entries.get(axis, next(iter(known)))) for axis, known in VALUES.items()}
        for axis, value in values.items():
            if value not in VALUES[axis] and not (axis == "history" and _LAST.fullmatch(value)):
                raise unknown_name(axis, value, VALUES[axis], where=where)
            if value == "last:K":
                raise InputError(
                    "history is 'last:K'", where=where, expected="a number for K, such as last:8"
                )
        return cls(**values)

    @property
    def window(self) -> int | None:
        """How many earlier steps are shown; None for all."""
        found = _LAST.fullmatch(self.history)
        return int(found[1]) if found else None

    @property
    def id(self) -> str:
        """Its values, in the order of `AXES`."""
        return ",".join(vars(self).values())


def conditions_of(entries: Mapping[str, object], *, where: object) -> tuple[Condition, ...]:
    """The conditions that a sweep asks for: every combination of the values of its axes or, with `conditions`, those in
    its list, each with what the axes say beside it.

    >>> [c.id for c in conditions_of({"rules": ["basic", "detailed"], "demonstrations": "none"}, where="sweep")]
    ['basic,none,none,all,frames', 'detailed,none,none,all,frames']
    """
    axes = {axis: as_list(entries[axis]) for axis in AXES if axis in entries}
    several = entries.get("conditions", [{}])
    if not isinstance(several, list) or not several or not all(isinstance(one, Mapping) for one in several):
        raise InputError(f"conditions is {shown(several)}", where=where, expected="a list of mappings")
    found: dict[Condition, None] = {}
    for one in several:
        for values in itertools.product(*axes.values()):
            found[Condition.of({**dict(zip(axes, values, strict=True)), **one}, where=where)] = None
    return tuple(found)
