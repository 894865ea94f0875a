"""`Domain`: all that sets one kind of clip apart, and `named`, which loads what it names."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Domain:
    """What sets one domain apart. Code is named as "module:object" and imported when it is first needed.

    Attributes
    ----------
    name : as in clip ids; its question is the file prompts/questions/NAME.txt.
    event_type : the word for one event in traces.
    evidence : which frames show an event. "instant": its own frame; "pulse": while it lasts
        (`lft.counting.rendering.schedule.Schedule.on_frames`); "state": until the next event.
    scene : the Manim scene, an `lft.renderers.base.EventScene`.
    look : function (`lft.counting.rendering.look.Choices`) -> look: what the seed decides about colours and geometry.
    sequence : function (look, seed, count) -> the N + 1 states, as text: before the first event, after each.
    frames : function (`lft.counting.rendering.schedule.Schedule`) -> one visual state per frame.
    reader : function (`lft.core.video.frames.Frames`) -> the events that the pixels show, a list of
        `lft.counting.observer.observe.Sighting`. The observer and `lft verify` use it; it may know nothing of the
        scene's code.
    question : the text of its question as "module:object", for a domain without a file in prompts/questions.
    change : what changes in a clip, as `lft.counting.observer.kinds` tells it: "moves", "flashes" or "switches". The
        observer then refuses clips that certainly show something else; empty for a domain that is never contradicted.
    literal : function (`lft.counting.trace.Trace`, frame indices) -> for each event whether these frames prove it,
        where frames prove more than `evidence` says; empty for the bound that follows from `evidence`.
    ideal : what the ideal observer goes by, as `lft.counting.audit.ideal.evidence` lists it: "pulse", "contact" or
        "walk"; empty where none is stated, and then there is no ideal bound.
    phrase : how a simulated reporter says one event, with {before} and {after} for the states.
    contradicts : function (label, `lft.counting.trace.Event`) -> whether what a response says of an event names an
        attribute of it wrongly; empty where nothing is compared, and then no event is misidentified.
    """

    name: str
    event_type: str
    evidence: str
    scene: str
    look: str
    sequence: str
    frames: str
    reader: str
    question: str = ""
    change: str = ""
    literal: str = ""
    ideal: str = ""
    phrase: str = "{before} -> {after}"
    contradicts: str = ""


def named(reference: str) -> Any:
    """The object that "module:object" names.

    >>> named("lft.counting.domains:domain")("blinking").event_type
    'blink'
    """
    module, _, attribute = reference.partition(":")
    return getattr(importlib.import_module(module), attribute)
