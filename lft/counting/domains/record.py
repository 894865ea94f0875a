"""`Domain`: everything specific to one kind of clip; `named` loads an object that it names."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True)
class Domain:
    """The record of a domain. Code is named as "module:object" and imported when it is first needed.

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
    change : the kind of change in a clip, see `lft.counting.observer.kinds`: "moves", "flashes" or "switches". The
        observer refuses clips that certainly show another kind; empty to accept all clips.
    literal : function (`lft.counting.trace.Trace`, frame indices) -> for each event whether these frames prove it,
        if frames prove more than `evidence`; empty for the bound that follows from `evidence`.
    ideal : the evidence rule of the ideal observer, see `lft.counting.audit.ideal.evidence`: "pulse", "contact" or
        "walk"; empty for no ideal bound.
    phrase : a simulated reporter's words for one event, with {before} and {after} for the states.
    contradicts : function (label, `lft.counting.trace.Event`) -> whether the words of a response give a wrong
        attribute of the event; empty if nothing is compared, so that no event is misidentified.
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


@cache
def named(reference: str) -> Any:
    """The object that "module:object" names.

    >>> named("lft.counting.domains:domain")("blinking").event_type
    'blink'
    """
    module, _, attribute = reference.partition(":")
    return getattr(importlib.import_module(module), attribute)
