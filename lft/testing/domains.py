"""`check_domain`: everything that LFT relies on in a domain, from its record to its pixels.

Checked are, in this order: the record and what it names; the question; look, sequence and frames (pure functions, one
visual state per frame); the scene (a picture depends on the state alone, also under plain Manim); the reader (every
event on its own frame, on every clip; never more events than the supplied frames prove; no code shared with the scene);
the literal bound; and the words (what is said of an event is read as that event, and is not called wrong).
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lft.core.errors import InputError
from lft.core.records import JsonObject
from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from lft.counting.audit.ceiling import ceiling, ceiling_of_frames
from lft.counting.audit.taxonomy import misidentifies
from lft.counting.domains import DOMAINS, Domain, domain, named, registered
from lft.counting.observer.model import answer
from lft.counting.observer.observe import Sighting, read
from lft.counting.parse import parse
from lft.counting.reader import context_of
from lft.counting.rendering.schedule import Schedule, draw
from lft.counting.reported import Reported
from lft.counting.simulated import Faults, account, written
from lft.counting.spec import ClipSpec
from lft.counting.sweep import question
from lft.counting.trace import Trace
from lft.counting.verify import verify_clip
from lft.testing.must import must

_EVIDENCE = ("instant", "pulse", "state")
_CHANGES = ("", "moves", "flashes", "switches")
_IDEALS = ("", "pulse", "contact", "walk")
_CODE = ("scene", "look", "sequence", "frames", "reader")
_SPARSE = ("fps:4", "fps:2", "frames:1")
_FILM: JsonObject = {"width": 320, "height": 180, "duration_s": 6}


def check_domain(one: Domain | str) -> None:
    """Checks a domain, by its name or as a record that need not be installed.

    Renders five clips of six seconds; takes some ten seconds. Writes to a temporary folder only.

    Raises `AssertionError` that begins with the domain's name; `InputError` for an unknown name.

    >>> check_domain(replace(DOMAINS["blinking"], evidence="flash"))
    Traceback (most recent call last):
    AssertionError: blinking: evidence is 'flash'; expected instant, pulse or state
    """
    if isinstance(one, str):
        one = domain(one)
    try:
        with registered(one):
            _record(one)
            _question(one)
            specs = list(_specs(one.name))
            for spec in specs:
                _schedule(one, spec)
            _looks(one)
            _scene(specs[-1])
            with tempfile.TemporaryDirectory() as folder:
                _plain_manim(one, Path(folder))
                for spec in specs:
                    _clip(one, draw(spec), Path(folder) / "clip.mp4")
    except AssertionError as error:
        raise AssertionError(f"{one.name}: {error}") from error


def _specs(name: str) -> Iterator[ClipSpec]:
    for count, frequency_hz, seed in ((0, 1.0, 0), (1, 1.0, 1), (4, 1.0, 2), (4, 2.0, 3)):
        yield ClipSpec(name, count, frequency_hz, seed, **_FILM)
    yield ClipSpec(name, 4, 2.0, 4, **_FILM, schedule="irregular")


def _record(one: Domain) -> None:
    must(re.fullmatch(r"[a-z][a-z0-9_]*", one.name), "the name is expected in small letters, digits and _")
    must(
        re.fullmatch(r"[a-z][a-z0-9_]*", one.event_type), f"event_type is {one.event_type!r}; expected a word"
    )
    for field, known in (("evidence", _EVIDENCE), ("change", _CHANGES), ("ideal", _IDEALS)):
        value = getattr(one, field)
        words = " or ".join(filter(None, (", ".join(filter(None, known[:-1])), known[-1])))
        must(value in known, f"{field} is {value!r}; expected {words}")
    for field in (*_CODE, "literal", "contradicts"):
        reference = getattr(one, field)
        if reference or field in _CODE:
            must(callable(_loaded(field, reference)), f"{field} names {reference}, which cannot be called")
    scene = named(one.scene)
    must(
        getattr(scene, "domain", None) == one.name,
        f"the scene says domain = {getattr(scene, 'domain', None)!r}; expected {one.name!r}",
    )
    try:
        said = one.phrase.format(before="A", after="B")
    except (KeyError, IndexError, ValueError) as error:
        raise AssertionError(
            f"phrase {one.phrase!r} names {error}; expected {{before}} and {{after}} only"
        ) from None
    must(said.strip(), "phrase is empty")


def _loaded(field: str, reference: str) -> Any:
    must(re.fullmatch(r"[\w.]+:\w+", reference), f"{field} is {reference!r}; expected module:object")
    try:
        return named(reference)
    except (ImportError, AttributeError) as error:
        raise AssertionError(f"{field} names {reference}, which cannot be imported ({error})") from error


def _question(one: Domain) -> None:
    try:
        question(one.name)
    except (InputError, ImportError, AttributeError, TypeError) as error:
        raise AssertionError(f"the question cannot be read ({error})") from error


def _schedule(one: Domain, spec: ClipSpec) -> None:
    schedule, again = draw(spec), draw(spec)
    look = schedule.look
    background = getattr(look, "background", None)
    must(
        isinstance(background, str) and re.fullmatch(r"#[0-9A-Fa-f]{6}", background),
        f"the look's background is {background!r}; expected #RRGGBB",
    )
    must(look == again.look, "two looks of one clip differ; expected a pure function of `Choices`")
    hash(look)
    sequence = named(one.sequence)(look, spec.clip_id, spec.count)
    must(
        len(sequence) == spec.count + 1 and all(isinstance(state, str) for state in sequence),
        f"the sequence of {spec.count} events is {sequence!r}; expected {spec.count + 1} texts",
    )
    try:
        schedule.trace().execute()
    except InputError as error:
        raise AssertionError(f"the trace of {spec.clip_id} contradicts itself ({error})") from error
    shown = named(one.frames)(schedule)
    must(
        len(shown) == spec.frame_count,
        f"frames gives {len(shown)} visual states; expected one for each of {spec.frame_count} frames",
    )
    must(tuple(shown) == tuple(named(one.frames)(again)), "frames gives other states for the same schedule")
    for state in shown:
        hash(state)
    for frame in schedule.event_frames:
        must(
            frame == 0 or shown[frame] != shown[frame - 1],
            f"nothing changes on frame {frame} of {spec.clip_id}, on which an event falls",
        )


def _looks(one: Domain) -> None:
    looks = {draw(ClipSpec(one.name, 1, 1.0, seed, **_FILM)).look for seed in range(10)}
    must(len(looks) > 1, "ten seeds give one look; expected looks drawn from `Choices`")


def _states(schedule: Schedule) -> Sequence[Any]:
    states: Sequence[Any] = named(DOMAINS[schedule.spec.domain].frames)(schedule)
    return states


def _scene(spec: ClipSpec) -> None:
    from lft.counting.rendering.manim_stage import Stage

    schedule = draw(replace(spec, width=160, height=90))
    distinct = list(dict.fromkeys(_states(schedule)))[:40]
    stage = Stage(schedule)
    first = [stage.picture(state).copy() for state in distinct]
    for state, picture in zip(reversed(distinct), reversed(first), strict=True):
        must(
            np.array_equal(stage.picture(state), picture),
            f"state {state!r} is drawn differently after other states; expected a picture of the state alone",
        )


def _plain_manim(one: Domain, folder: Path) -> None:
    from lft.counting.rendering.manim_stage import Stage, render_stock

    schedule = draw(ClipSpec(one.name, 2, 2.0, 1, fps=10, width=160, height=90, duration_s=2))
    stock: list[Any] = []
    render_stock(schedule, folder, lambda picture, n: stock.extend([picture.copy()] * n))
    stage = Stage(schedule)
    own = [stage.picture(state).copy() for state in _states(schedule)]
    must(len(stock) == len(own), f"plain Manim renders {len(stock)} frames; expected {len(own)}")
    wrong = [i for i, (a, b) in enumerate(zip(stock, own, strict=True)) if not np.array_equal(a, b)]
    must(not wrong, f"plain Manim draws frames {wrong[:5]} differently; expected no clock but the state")


def _clip(one: Domain, schedule: Schedule, path: Path) -> None:
    from lft.counting.rendering.scene import render

    media, trace = render(schedule, path)
    problems = verify_clip(media, trace)
    must(not problems, f"{trace.clip_id} ({schedule.spec.schedule}): {'; '.join(problems[:3])}")
    _independent(one)
    for policy in _SPARSE:
        _sparse(one, media, trace, Sampling.parse(policy))
    _literal(trace)
    _words(media, trace)


def _independent(one: Domain) -> None:
    """The reader shares no code with what it checks."""
    reader = one.reader.partition(":")[0]
    drawing = {getattr(one, field).partition(":")[0] for field in ("scene", "look", "sequence", "frames")}
    must(reader not in drawing, f"the reader is in {reader}, with what draws; expected a module of its own")
    for name in _imports(reader):
        must(
            name not in drawing
            and not re.match(r"manim\b|lft\.renderers\b|lft\.counting\.rendering\b", name),
            f"the reader imports {name}; expected no code of what draws the clips",
        )


def _imports(module: str) -> Iterator[str]:
    loaded = importlib.import_module(module)
    for node in ast.walk(ast.parse(inspect.getsource(loaded))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = (loaded.__package__ or "").split(".")
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _sparse(one: Domain, media: Media, trace: Trace, policy: Sampling) -> None:
    frames = sample(media, policy)
    seen = sorted(named(one.reader)(frames))
    where = f"the reader on {trace.clip_id} at {policy}"
    for sighting in seen:
        must(isinstance(sighting, Sighting), f"{where} returned {sighting!r}; expected a Sighting")
        first, last = sighting.evidence
        must(
            0 <= first <= last < len(frames) and 0 <= sighting.position < len(frames),
            f"{where} names frames {sighting.evidence} and {sighting.position}; expected 0..{len(frames) - 1}",
        )
    proved = ceiling(trace, policy).count
    must(len(seen) <= proved, f"{where} found {len(seen)} events; the frames prove {proved} (literal bound)")


def _literal(trace: Trace) -> None:
    every = np.arange(trace.frame_count)
    for frames, expected in ((every, len(trace.events)), (every[:0], 0)):
        evident = ceiling_of_frames(trace, frames).evident
        must(
            len(evident) == len(trace.events) and sum(evident) == expected,
            f"the literal bound of {trace.clip_id} with {len(frames)} frames is {sum(evident)} of {len(evident)};"
            f" expected {expected} of {len(trace.events)}",
        )


def _words(media: Media, trace: Trace) -> None:
    told = account(trace, Faults(), np.random.default_rng(0))
    seen, _ = read(sample(media, Sampling("native")), trace.spec.domain)
    must(seen.unfit is None, f"the observer says of {trace.clip_id}: {seen.unfit}")
    for who, text in (
        ("simulated reporter", written(told, "structured_trace", 0.0)),
        ("observer", answer(seen, trace.spec.domain, 3)),
    ):
        report = parse(text, context=context_of(trace))
        said = (
            (len(report.events), report.final_answer)
            if isinstance(report, Reported)
            else (0, str(report.reason))
        )
        n = len(trace.events)
        must(
            said == (n, n),
            f"what the {who} says of {n} events is read as {said}: {text!r}; expected event_type, phrase and labels"
            " in words that say that something happened (`lft parse`)",
        )
        events = report.events if isinstance(report, Reported) else ()
        for event, reported in zip(trace.events, events, strict=True):
            must(
                abs(reported.time_s - event.time_s) < 0.002,
                f"the {who}'s event at {event.time_s:g} s is read at {reported.time_s:g} s: {text!r}",
            )
            must(
                not misidentifies(reported.label, event),
                f"contradicts calls {reported.label!r} wrong, which the {who} says of"
                f" {event.state_before} to {event.state_after}",
            )
