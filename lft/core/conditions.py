"""Under which condition something is asked: the axes, in the order in which keys, tables and names have them.

Every table that compares conditions groups by these names; they are written down here and nowhere else.
"""

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
    """How an item is put to a model: sampling policy, frame labels, name of the prompt.

    Raises `InputError` for labels or a sampling that do not exist. A native video has no labels.

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
    """Model and condition of a trial's key, or of a row of a table; "" where it does not say.

    >>> condition_of({"model": "m", "sampling": "fps:1", "labels": "time", "prompt": "direct"})
    ('m', 'fps:1', 'time', 'direct')
    """
    return tuple(str(key.get(axis, "")) for axis in MODEL_CONDITION)


def item_of(key: Key) -> str | None:
    """The entry of a trial's key that names the item asked about; its name is the suite's word for an item.

    It is the first that is neither the model, nor an axis, nor a number of the trial. None where there is none.

    >>> item_of({"house": "3b", "model": "m", "sampling": "fps:1", "replicate": 0})
    'house'
    """
    return next((name for name in key if name not in (*MODEL_CONDITION, "replicate", "turn")), None)


def condition_words(axis: str, value: str) -> str:
    """One part of a condition as people read it.

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
