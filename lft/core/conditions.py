"""The axes of a condition, in the order of keys, tables and names. They are defined only here."""

from __future__ import annotations

from dataclasses import dataclass

from lft.core.errors import unknown_name
from lft.core.records import Key
from lft.core.video.frames import LABELS, Sampling

CONDITION = ("sampling", "labels", "prompt")
MODEL_CONDITION = ("model", *CONDITION)
ModelCondition = tuple[str, ...]  # values of `MODEL_CONDITION`, in that order


@dataclass(frozen=True)
class Condition:
    """How a model is asked about an item: sampling policy, frame labels, name of the prompt.

    Raises `InputError` for unknown labels or sampling. A native video has no labels.

    >>> Condition("native", "time", "direct")
    Condition(sampling='native', labels='none', prompt='direct')
    """

    sampling: str
    labels: str
    prompt: str

    def __post_init__(self) -> None:
        if self.labels not in LABELS:
            raise unknown_name("labels", self.labels, LABELS)
        policy = Sampling.parse(self.sampling)
        object.__setattr__(self, "sampling", str(policy))
        if policy.kind == "native":
            object.__setattr__(self, "labels", "none")


def condition_of(key: Key) -> ModelCondition:
    """Model and condition of a trial's key, or of a row of a table; "" for a missing entry.

    >>> condition_of({"model": "m", "sampling": "fps:1", "labels": "time", "prompt": "direct"})
    ('m', 'fps:1', 'time', 'direct')
    """
    return tuple(str(key.get(axis, "")) for axis in MODEL_CONDITION)


def item_of(key: Key) -> str | None:
    """The entry of a trial's key that names its item: the first that is no model, axis, replicate or turn; else None.

    >>> item_of({"house": "3b", "model": "m", "sampling": "fps:1", "replicate": 0})
    'house'
    """
    return next((name for name in key if name not in (*MODEL_CONDITION, "replicate", "turn")), None)


def condition_words(axis: str, value: str) -> str:
    """One part of a condition in words.

    >>> condition_words("sampling", "fps:4"), condition_words("labels", "none")
    ('4 fps', 'no labels')
    """
    kind, _, number = value.partition(":")
    if axis == "sampling":
        forms = {"fps": f"{number} fps", "frames": f"{number} frames", "keyframes": f"keyframes ±{number} s"}
        return forms.get(kind, value)
    if axis == "labels":
        return "no labels" if value == "none" else f"{value} labels"
    return value.replace("_", " ")
