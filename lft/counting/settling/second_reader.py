"""A second reader: a model that is asked only about doubtful answers.

Its requests and replies are stored like those of a sweep, in RUN/readers/NAME/, so that the same command resumes
and the cost is known. A reply settles an answer only if it can be checked: every time in it
is a number or a cited frame of the text, used no more often than in the text, and it lists as many events as its
final answer, which agrees with the program's unless that is in doubt. The rest is left to
people: the agreement of a model with itself is no evidence.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lft.core.ask import Limits, Seen, ask
from lft.core.errors import InputError
from lft.core.files import read_text
from lft.core.manifest import provenance
from lft.core.models import Model
from lft.core.prompts import Template, folder
from lft.core.records import Entries, JsonObject, Key
from lft.core.requests import Request, Response, user
from lft.core.run_names import slug
from lft.core.runs import ANSWERED, Recorder, Run
from lft.core.trials import Done, Foreseen
from lft.counting.metrics import METRICS_VERSION
from lft.counting.reader import Reader
from lft.counting.reported import Context, Reported, ReportedEvent, Unparsed
from lft.counting.settling import settled
from lft.counting.settling.apply import answered, doubtful
from lft.counting.settling.settled import MODEL, Settled

PROMPT = "settle"
FOLDER = "readers"
LONGEST_TEXT = 20_000  # characters; a longer answer is left to people
_MOST_EVENTS = 1000
_TIME = re.compile(
    r"(?<![\d.:])(?:(\d{1,2}):)?(?:(\d{1,4}):([0-5]\d(?:\.\d{1,6})?)|(\d{1,6}(?:\.\d{1,6})?))(?![\d:]|\.\d)"
)
_FRAME = re.compile(r"\b(?:frame|image)s?\s*(?:#|no\.?\s*|number\s*)?(\d{1,5})\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Question:
    """One answer to be read, as a trial of the second reader."""

    id: str
    key: Key
    template: Template
    values: Mapping[str, str]
    foreseen = Foreseen()

    def next(self, answers: Sequence[Response]) -> Request | Done:
        if answers:
            return Done("read")
        words = self.template.render(self.values)
        return Request((user(words.turns[0]),), words.system, self.key, {"suite": "readings"})


def settle_by_model(
    run: Run,
    reader: Reader,
    model: Model,
    limits: Limits,
    *,
    model_spec: str = "",
    prompts: Path | None = None,
    seen: Seen | None = None,
) -> JsonObject:
    """Asks a model about the doubtful answers, and stores the checked replies.

    Returns {run, reader, doubtful, asked, settled, left, too_long, missing, why_left, cost_usd, stopped}: counts of
    answers; `why_left` counts the reasons for rejected replies.
    """
    entries, drawn = doubtful(run, reader)
    lines = answered(run)
    path = (prompts or folder()) / FOLDER / f"{PROMPT}.txt"
    template = Template.parse(PROMPT, read_text(path), where=path)
    asked = [one for one in entries if len(one.text) <= LONGEST_TEXT]
    questions = {
        one.trial: _question(one.trial, one.text, reader.context(lines[one.trial]), model, template)
        for one in asked
    }
    target = run.folder / FOLDER / slug(model.name)
    with Recorder(target, _manifest(run, model, model_spec, template, questions.values())) as recorder:
        tally = ask(recorder, model, list(questions.values()), limits, seen=seen)
        replies = recorder.run.answers()
    decisions: list[Settled] = []
    why_left: Counter[str] = Counter()
    missing = 0
    for one in asked:
        reply = replies.get(questions[one.trial].id)
        if reply is None or reply.get("status") != ANSWERED:
            missing += 1
            continue
        found = checked(str(reply.get("text") or ""), one.text, one.report, reader.context(lines[one.trial]))
        if isinstance(found, str):
            why_left[found] += 1
            continue
        events, answer = found
        sha256, why = settled.sha256_of_text(one.text), "every time is in the text, and the count agrees"
        decisions.append(Settled(one.trial, sha256, MODEL, model.name, events, answer, True, why, drawn))
    settled.append(run.folder, decisions)
    return {
        "run": str(run.folder),
        "reader": model.name,
        "doubtful": len(entries),
        "asked": tally.answered,
        "settled": len(decisions),
        "left": len(entries) - len(decisions),
        "too_long": len(entries) - len(asked),
        "missing": missing,
        "why_left": dict(why_left.most_common()),
        "cost_usd": round(tally.cost_usd, 6) if tally.cost_known else None,
        "stopped": tally.stopped,
    }


def checked(
    reply: str, text: str, report: Reported | Unparsed, context: Context
) -> tuple[tuple[ReportedEvent, ...], int] | str:
    """Events and final answer of a reply about `text`, or why they are not taken.

    >>> said = '{"events": [{"time_s": 1.1}, {"time_s": 2.1}], "final_answer": 2}'
    >>> unread = Unparsed("no event and no final answer")
    >>> events, answer = checked(said, "It blinks at 1.1 and 2.1 s, so twice.", unread, Context())
    >>> [event.time_s for event in events], answer
    ([1.1, 2.1], 2)
    >>> checked(said, "It blinks at 1.1 s.", unread, Context())
    'a time that is not in the text'
    """
    try:
        document = json.loads(reply[reply.index("{") : reply.rindex("}") + 1])
        items, answer = document["events"], document["final_answer"]
        if answer is None:
            return "no final answer to agree with"
        answer = settled.count(answer)
        if not isinstance(items, list) or len(items) > _MOST_EVENTS:
            raise TypeError
        events = tuple(_event(item) for item in items)
    except (ValueError, KeyError, TypeError, RecursionError, InputError):
        return "a reply that is not of the form"
    left = times_in(text, context)
    for one in events:
        for time_s in _said_s(one):
            if not left[time_s]:
                return "a time that is not in the text"
            left[time_s] -= 1
    if len(events) != answer:
        return "as many events as another count"
    read = report.final_answer if isinstance(report, Reported) and not report.answer_doubted else None
    if read not in (None, answer):
        return "another final answer than is read without doubt"
    return events, answer


def times_in(text: str, context: Context) -> Counter[float]:
    """The number of occurrences of each time in a text, seconds to the millisecond: every number, m:ss, and cited
    frame.

    >>> sorted(times_in("0:07.5, 12 and frame 2", Context(frame_times_s=(0.0, 0.5))).items())
    [(0.5, 1), (2.0, 1), (7.5, 1), (12.0, 1)]
    """
    found: Counter[float] = Counter()
    for hours, minutes, seconds, plain in _TIME.findall(text):
        found[round(3600 * int(hours or 0) + 60 * int(minutes or 0) + float(seconds or plain), 3)] += 1
    frames_s = context.frame_times_s or ()
    for number in map(int, _FRAME.findall(text)):
        if 1 <= number <= len(frames_s):
            found[round(frames_s[number - 1], 3)] += 1
    return found


def _event(item: Entries) -> ReportedEvent:
    start_s, end_s = item["time_s"], item.get("end_s")
    if end_s is None:
        return settled.event(start_s)
    return settled.event((start_s + end_s) / 2, end_s)


def _said_s(one: ReportedEvent) -> Iterator[float]:
    """The times of an event that have to stand in the text."""
    if one.end_s is None:
        yield round(one.time_s, 3)
        return
    yield round(2 * one.time_s - one.end_s, 3)
    yield round(one.end_s, 3)


def _question(trial: str, text: str, context: Context, model: Model, template: Template) -> _Question:
    sha256 = settled.sha256_of_text(text)
    values = {
        "event": context.noun or "whatever the answer says that it counts",
        "length": f" of {context.duration_s:.1f} seconds" if context.duration_s else "",
        "text": text,
        "mark": f"<<<{sha256[:12]}>>>",  # the text cannot hold what its own hash decides
    }
    key = {"trial": trial, "text_sha256": sha256, "model": model.name, "prompt": PROMPT}
    return _Question(f"{trial} {sha256[:16]}", key, template, values)


def _manifest(
    run: Run, model: Model, spec: str, template: Template, questions: Iterable[_Question]
) -> JsonObject:
    return {
        "suite": "readings",
        "of": run.folder.name,
        "model": {"spec": spec, "name": model.name, **model.describe()},
        "prompts": {
            PROMPT: {
                "sha256": template.sha256,
                "turns": 1,
                "words": {"system": template.system, "turns": list(template.turns)},
            }
        },
        "trials": {one.id: dict(one.key) for one in questions},
        "metrics_version": METRICS_VERSION,
        **provenance(),
    }
