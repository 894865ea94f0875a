"""How a model behaved in an episode, from its answers: which actions, and what it wrote beside them.

    rationale        an answer with at least four words, tags of thinking left out, beside the line of the action and
                     the names of actions
    demonstration    a rationale that speaks of a demonstration (demonstration, demo, example, video, clip, recording)
    history          a rationale that speaks of what came before (previous, earlier, so far, already, again, step 3)
    coherent         a rationale that names the action that was taken; one that names others alone is not; one that
                     names none says nothing of it
    fixated          an episode of at least ten decisions that did not pass, with one action in 90 % of them or more

Words are English, and taken by their form: a count of these is a statistic of texts, no proof of thought.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

LEAST_WORDS = 4
FIXATED_FROM, FIXATED_SHARE = 10, 0.9
_LINE = re.compile(r"^\s*\[Action:[^\]\n]*\]\s*$", re.MULTILINE)
_TAG = re.compile(r"</?think(ing)?>")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_DEMONSTRATION = re.compile(r"\b(demonstrat\w+|demos?|examples?|videos?|clips?|recordings?)\b", re.IGNORECASE)
_HISTORY = re.compile(
    r"\b(previous(ly)?|earlier|so far|already|again|history|(last|past) (\w+ )?(steps?|actions?|moves?|turns?|time)|"
    r"(in|at|on|after|since) (the )?(first|second|third|steps? \d+|turns? \d+)|before this|as before)\b",
    re.IGNORECASE,
)


def behaviour_of(
    answers: Iterable[tuple[str, str | None]],
    decisions: Sequence[str],
    actions: Sequence[str],
    *,
    passed: bool,
) -> dict[str, object]:
    """Columns of one episode. `answers`: each text with the action that was taken from it, or None; `decisions`: the
    actions in order; `actions`: those that there are.

    >>> said = [("[Action: UP]\\nThe demo went up first, so UP again.", "UP"), ("[Action: LEFT]", "LEFT")]
    >>> found = behaviour_of(said, ["UP", "LEFT"], ("UP", "LEFT"), passed=False)
    >>> found["rationales"], found["on_demonstration"], found["on_history"], found["coherent"], found["incoherent"]
    (1, 1, 1, 1, 0)
    >>> found["actions"], found["fixated"]
    ('LEFT 1, UP 1', None)
    """
    counts = dict.fromkeys(("rationales", "on_demonstration", "on_history", "coherent", "incoherent"), 0)
    for text, action in answers:
        rationale = rationale_of(text, actions)
        if rationale is None:
            continue
        counts["rationales"] += 1
        counts["on_demonstration"] += bool(_DEMONSTRATION.search(rationale))
        counts["on_history"] += bool(_HISTORY.search(rationale))
        named = {name for name in actions if _names(rationale, name)}
        if action and named:
            counts["coherent" if action in named else "incoherent"] += 1
    return {
        **counts,
        "actions": counts_text(Counter(decisions)),
        "fixated": None if passed else fixated(decisions),
    }


def rationale_of(text: str, actions: Sequence[str]) -> str | None:
    """What an answer says beside its action, if that is a rationale.

    >>> rationale_of("[Action: UP]\\nUP, UP and UP it is then.", ("UP", "DOWN"))
    'UP, UP and UP it is then.'
    >>> rationale_of("[Action: UP]\\nI go UP now.", ("UP", "DOWN")) is None
    True
    """
    words = " ".join(_TAG.sub(" ", _LINE.sub(" ", text)).split())
    names = {part.lower() for name in actions for part in (name, *name.split("_"), *name.split())}
    own = [word for word in _WORD.findall(words) if word.lower() not in names]
    return words if len(own) >= LEAST_WORDS else None


def _names(rationale: str, action: str) -> bool:
    """Whether a text names an action, in any case, with blanks or hyphens for underscores."""
    form = re.escape(action).replace("_", r"[_\s-]").replace(r"\ ", r"[_\s-]")
    return re.search(rf"(?<![\w]){form}(?![\w])", rationale, re.IGNORECASE) is not None


def fixated(decisions: Sequence[str]) -> bool | None:
    """Whether one action makes up 90 % of an episode; None of one too short to say.

    >>> fixated(["UP"] * 9 + ["LEFT"]), fixated(["UP"] * 8 + ["LEFT"] * 2), fixated(["UP"] * 9)
    (True, False, None)
    """
    if len(decisions) < FIXATED_FROM:
        return None
    return max(Counter(decisions).values()) >= FIXATED_SHARE * len(decisions)


def counts_text(counts: Mapping[str, int]) -> str:
    """Counts of actions as they stand in scores.csv; `counts_in` reads them.

    >>> counts_text({"UP": 2, "TURN LEFT": 1}), counts_in("TURN LEFT 1, UP 2")
    ('TURN LEFT 1, UP 2', {'TURN LEFT': 1, 'UP': 2})
    """
    return ", ".join(f"{name} {counts[name]}" for name in sorted(counts))


def counts_in(text: str) -> dict[str, int]:
    """The counts of a text of `counts_text`."""
    parts = (part.rpartition(" ") for part in text.split(", ") if part)
    return {name: int(count) for name, _, count in parts}
