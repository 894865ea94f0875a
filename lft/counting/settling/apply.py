"""Writes sheets of a run, and applies filled sheets; a sheet is applied only if all of it is valid."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lft.core.errors import InputError, shown
from lft.core.files import replacing
from lft.core.records import Entries, JsonObject, Line
from lft.core.runs import ANSWERED, Run
from lft.counting.reader import Reader
from lft.counting.settling import form, settled
from lft.counting.settling.form import Entry, Filled, Sheet
from lft.counting.settling.settled import PERSON, Settled


def answered(run: Run) -> dict[str, Line]:
    """trial -> line, of every answer of a run, in the order of the plan."""
    answers = run.answers()
    order = dict.fromkeys([*run.trials(), *answers])
    held = {trial: answers[trial] for trial in order if trial in answers}
    return {trial: line for trial, line in held.items() if line.get("status") == ANSWERED}


def doubtful(run: Run, reader: Reader) -> tuple[list[Entry], JsonObject]:
    """The doubtful answers, and how they were drawn."""
    entries = [_entry(trial, line, reader) for trial, line in answered(run).items()]
    return [one for one in entries if one.report.doubts], {"kind": "doubtful"}


def sample(run: Run, reader: Reader, size: int, seed: int) -> tuple[list[Entry], JsonObject]:
    """A simple random sample of `size` answers, settled or not, and how they were drawn.

    It depends only on the run's answers, `size` and `seed`.
    """
    lines = answered(run)
    drawn = _draw(lines, size, seed)
    design = {"kind": "sample", "size": len(drawn), "seed": seed, "of": len(lines)}
    return [_entry(trial, lines[trial], reader) for trial in drawn], design


def _draw(trials: Iterable[str], size: int, seed: int) -> list[str]:
    names = sorted(trials)
    return random.Random(seed).sample(names, min(size, len(names)))


def _entry(trial: str, line: Line, reader: Reader) -> Entry:
    return Entry(trial, str(line.get("text") or ""), reader.read(line).report)


def write_sheet(run: Run, entries: Sequence[Entry], drawn: Entries, path: Path) -> None:
    """Writes a sheet; raises `InputError` for an existing file, which may be filled in."""
    if not entries:
        what = "no answer is read in doubt" if drawn["kind"] == "doubtful" else "the run has no answers"
        raise InputError(what, where=run.folder, remedy="--sample N, which draws from all answers")
    if path.exists():
        remedy = "--out with another file, or applying this one and removing it"
        raise InputError("exists already, and may be filled in", where=path, remedy=remedy)
    with replacing(path) as temporary:
        temporary.write_text(
            form.text_of(run, entries, drawn, path), encoding="utf-8", errors="backslashreplace"
        )


@dataclass(frozen=True)
class Applied:
    """The result of a sheet: settled entries, of them changed ones, and open ones."""

    settled: int
    changed: int
    open: int


def apply(run: Run, path: Path) -> Applied:
    """Stores the decisions in a sheet; raises `InputError` with the line of a fault, and then stores nothing."""
    sheet = form.read_sheet(path)
    decisions, changed = decisions_of(run, sheet)
    known = settled.latest(settled.read(run.folder))
    settled.append(run.folder, [one for one in decisions if not _stands(one, known)])
    return Applied(len(decisions), changed, len(sheet.entries) - len(decisions))


def _stands(one: Settled, known: Mapping[str, Settled]) -> bool:
    before = known.get(one.trial)
    return before is not None and before.to_json() == one.to_json()


def decisions_of(run: Run, sheet: Sheet) -> tuple[list[Settled], int]:
    """The decisions in a sheet, and how many of them change the reading."""
    own = f"{run.folder.name} {form.identity(run)}"
    if sheet.run.rpartition(" ")[2] != form.identity(run):
        what = f"is a sheet of the run {shown(sheet.run.rpartition(' ')[0])}, not of {shown(own.rpartition(' ')[0])}"
        raise InputError(what, where=sheet.path, remedy="the run that it was written from")
    lines = answered(run)
    drawn = set(lines)
    if sheet.drawn.get("of") == len(lines):  # a run that went on would draw others now
        drawn = set(_draw(lines, sheet.drawn["size"], sheet.drawn["seed"]))
    seen: set[str] = set()
    decisions, changed = [], 0
    for entry in sheet.entries:
        where = f"{sheet.path}:{entry.line}"
        if entry.trial not in lines:
            what = f"unknown trial {shown(entry.trial)}: {run.folder.name} has no answer to it"
            raise InputError(what, where=where, expected="the entry as it was written")
        if entry.trial in seen:
            raise InputError(f"a second entry for the trial {shown(entry.trial)}", where=where)
        seen.add(entry.trial)
        if entry.trial not in drawn:
            what = f"the random sample of this sheet does not hold {shown(entry.trial)}"
            raise InputError(what, where=where, expected="the entries that were drawn, and no other")
        text = str(lines[entry.trial].get("text") or "")
        if form.key_of_text(text) != entry.keys["text"]:
            what = f"the answer to {shown(entry.trial)} has changed since the sheet was written"
            raise InputError(what, where=where, remedy="a new sheet")
        decision = _decision(entry, sheet, text)
        if decision:
            decisions.append(decision)
            changed += entry.changed
    return decisions, changed


def _decision(entry: Filled, sheet: Sheet, text: str) -> Settled | None:
    """The decision of an entry; None for an open one."""
    if not entry.who:
        if entry.changed or entry.why:
            where = f"{sheet.path}:{entry.at.get('who', entry.line)}"
            raise InputError(
                "half filled in: who: is empty", where=where, expected="a name, or the entry as it was"
            )
        return None
    events, answer = form.events_of(entry, sheet.path), form.answer_of(entry, sheet.path)
    if entry.changed and not entry.why:
        where = f"{sheet.path}:{entry.at.get('why', entry.line)}"
        raise InputError("half filled in: why: is empty", where=where, expected="why the reading was changed")
    return Settled(
        entry.trial,
        settled.sha256_of_text(text),
        PERSON,
        entry.who,
        events,
        answer,
        True,
        entry.why,
        sheet.drawn,
    )
