"""A run on disk: the planned trials, and one line for every attempt that ended.

    manifest.json      sweep, model and its parameters, hashes of prompts and items, versions
    responses.jsonl    append-only; a line has trial, key, turn, status, text, frame times, usage, latency, error;
                       the last line of an episode (status `done`) records its end
    started.jsonl      append-only; a line per call that may cost money, before it is made

Each line reaches the operating system before the next, so a killed process loses only answers in flight. An incomplete
last line, as a killed writer leaves it, is dropped when the run is resumed. Only one process writes to a run at a time.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import cast

from lft.core.errors import InputError, shown
from lft.core.failure_kinds import is_answer
from lft.core.files import json_in, numbered_json_lines, read_json, write_json
from lft.core.records import ANSWERED as ANSWERED
from lft.core.records import DONE as DONE
from lft.core.records import ERROR as ERROR
from lft.core.records import NOT_APPLICABLE as NOT_APPLICABLE
from lft.core.records import RECORDED, Entries, JsonObject, Key, Line, Manifest
from lft.core.run_lines import check_line, check_manifest, check_place, encoded, hashes_in

SCHEMA = "lft.run/1"
MANIFEST, RESPONSES, STARTED = "manifest.json", "responses.jsonl", "started.jsonl"
RUNS = Path("results/runs")  # in the working directory: runs that are given by name
MISSING = "missing"  # status of a trial that is not complete
_SYNC_EVERY_S = 1.0  # shortest time between two fsyncs


@dataclass(frozen=True)
class Episode:
    """The lines of one trial.

    Attributes
    ----------
    key : of the trial, without the turn.
    answers : the answered lines of turns 0, 1, ... up to the first missing turn; the first answer of a turn stands.
    end : the suite's word for its end; `not_applicable` if the model could not take a request; None if the manifest
        fixes the number of turns, or the trial is not complete.
    kept : the suite's entries of the end.
    last : the line of the last answer, or of the refusal; without an answer the line of the end.
    is_complete : whether nothing more is asked.
    """

    key: Key
    answers: tuple[Line, ...]
    end: str | None
    kept: Entries
    last: Line
    is_complete: bool

    @property
    def status(self) -> str:
        """`answered`, `not_applicable` or `missing`."""
        if not self.is_complete:
            return MISSING
        return NOT_APPLICABLE if self.end == NOT_APPLICABLE else ANSWERED


@dataclass(frozen=True)
class Run:
    """A run folder that was read."""

    folder: Path
    manifest: Manifest = field(repr=False)  # lists every trial: too long to print
    _written: list[Line] | None = field(
        default=None, repr=False, compare=False
    )  # lines of the current writer
    _read: dict[tuple[int, int], list[Line]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def own(self) -> Entries:
        """The manifest, with the entries of its suite."""
        return cast(Entries, self.manifest)

    @classmethod
    def open(cls, folder: Path | str) -> Run:
        """Reads the manifest; raises `InputError` if the folder is not a run. A bare name may be one in `RUNS`."""
        folder = Path(folder)
        bare = folder.name == str(folder)
        if bare and not (folder / MANIFEST).exists() and (RUNS / folder / MANIFEST).exists():
            folder = RUNS / folder
        if not folder.is_dir():
            what = "is a file, not a run" if folder.exists() else "no such run"
            raise InputError(what, where=folder, expected="a folder that `lft sweep` wrote")
        if not (folder / MANIFEST).exists():
            raise InputError(f"holds no {MANIFEST}", where=folder, expected="a folder that `lft sweep` wrote")
        manifest = read_json(folder / MANIFEST)
        if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
            raise InputError(
                f"is not a {SCHEMA} document", where=folder / MANIFEST, expected="a run of `lft sweep`"
            )
        check_manifest(manifest, where=folder / MANIFEST)
        return cls(folder, cast(Manifest, manifest))

    def folder_of(self, entry: str) -> Path:
        """The folder in an entry of the manifest, relative to the run; symbolic links to the run are resolved if
        needed.
        """
        way = str(self.own.get(entry, ""))
        named = Path(os.path.normpath(self.folder / way))
        real = Path(os.path.normpath(self.folder.resolve() / way))
        return real if real.is_dir() and not named.is_dir() else named

    def lines(self) -> Iterator[Line]:
        """Every attempt that ended, in order of time. The file is read again only if it has changed."""
        if self._written is not None:
            return iter(list(self._written))
        path = self.folder / RESPONSES
        if not path.exists():
            return iter(())
        now = os.stat(path)
        version = now.st_size, now.st_mtime_ns
        if version not in self._read:
            self._read.clear()
            self._read[version] = list(_lines_in(path, self.manifest))
        return iter(self._read[version])

    def turns(self) -> dict[str, dict[int, Line]]:
        """The settled line (answered or not applicable) of each trial and turn.

        The first answer stands; a turn that was not applicable and was asked again has its later line.
        """
        return self._settled()[0]

    def turns_of(self, key: Key) -> int | None:
        """The number of turns of a trial by its prompt (manifest `prompts.NAME.turns`, default 1); None if ends are
        recorded.
        """
        if self.manifest.get("ends") == RECORDED:
            return None
        prompt = self.manifest.get("prompts", {}).get(str(key.get("prompt")))
        return prompt.get("turns", 1) if prompt else 1

    def episodes(self) -> dict[str, Episode]:
        """trial -> its episode, for every trial with an answer, an end or a refusal."""
        settled, ends = self._settled()
        return {
            trial: self._episode(settled.get(trial, {}), ends.get(trial))
            for trial in dict.fromkeys([*settled, *ends])
        }

    def _settled(self) -> tuple[dict[str, dict[int, Line]], dict[str, Line]]:
        """(trial -> turn -> settled line, trial -> line of its end)."""
        settled: dict[str, dict[int, Line]] = {}
        ends: dict[str, Line] = {}
        for line in self.lines():
            if line.get("status") == DONE:
                ends.setdefault(line["trial"], line)
                continue
            turns, turn = settled.setdefault(line["trial"], {}), int(line["key"].get("turn", 0))
            if turn in turns and turns[turn]["status"] == ANSWERED:
                continue
            turns.pop(turn, None)
            if is_answer(line) or line.get("status") == NOT_APPLICABLE:
                turns[turn] = line
        return {trial: turns for trial, turns in settled.items() if turns}, ends

    def _episode(self, turns: Mapping[int, Line], end: Line | None) -> Episode:
        answers: list[Line] = []
        while (line := turns.get(len(answers))) is not None and line["status"] == ANSWERED:
            answers.append(line)
        if end is not None:
            answered = [turn for turn, line in turns.items() if line["status"] == ANSWERED]
            last = turns[max(answered)] if answered else end
            how: str | None = str(end.get("end"))
            kept, is_complete = end.get("kept") or {}, True
        else:
            last = turns[max(turns)]
            refused, most = last["status"] == NOT_APPLICABLE, self.turns_of(last["key"])
            how, kept = NOT_APPLICABLE if refused else None, {}
            is_complete = refused or (most is not None and max(turns) + 1 >= most)
        key = {name: value for name, value in last["key"].items() if name != "turn"}
        return Episode(key, tuple(answers), how, kept, last, is_complete)

    def faults(self) -> dict[str, Line]:
        """trial -> its last failed line, for every trial without an answer."""
        complete, last = self.answers(), {}
        for line in self.lines():
            if (
                line["trial"] not in complete
                and line.get("status") in (ERROR, ANSWERED)
                and not is_answer(line)
            ):
                last[line["trial"]] = line
        return last

    def answers(self) -> dict[str, Line]:
        """trial -> `Episode.last`, for every complete trial; others are missing.

        A trial is complete if a line records its end, if the last turn of its prompt (`turns_of`) is settled, or if its
        last turn was not applicable.
        """
        return {trial: one.last for trial, one in self.episodes().items() if one.is_complete}

    def lost(self) -> list[JsonObject]:
        """Calls without a line: in flight now, or lost with their process."""
        path = self.folder / STARTED
        ended = {line.get("call") for line in self.lines()} if path.exists() else set()
        begun = numbered_json_lines(path, torn_tail_allowed=True) if path.exists() else ()
        return [line for _, line in begun if line.get("call") not in ended]

    def trials(self) -> dict[str, JsonObject]:
        """trial -> key, for every planned trial."""
        return dict(self.manifest.get("trials", {}))


# Entries that must not change within a run. Items and conditions may be added.
_IGNORED = ("spec", "options", "settings", "native_frames")  # of the model; `options` are compared one by one
READER_OF = "reader of "  # of the model: fingerprint of the code that reads one kind of frames
_FIXED_ENTRIES = {"prompts": "prompt", "questions": "question"}  # also the hashes of the items


class Recorder:
    """The only writer of a run folder; a context manager. Creates the run, or resumes it if its inputs are
    unchanged.
    """

    def __init__(self, folder: Path, manifest: Entries) -> None:
        self.folder = Path(folder)
        self._manifest = {"schema": SCHEMA, **manifest}
        self._synced_s = 0.0
        self._run: Run | None = None
        self._lines: list[Line] = []  # of `_run`
        self._session, self._numbers = secrets.token_hex(4), itertools.count(1)

    def __enter__(self) -> Recorder:
        from filelock import FileLock, Timeout

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(str(self.folder / ".lock"))
            self._lock.acquire(timeout=0)
        except Timeout:
            raise InputError(
                "another sweep is writing to this run",
                where=self.folder,
                remedy="waiting for it, or another --run NAME",
            ) from None
        except OSError as error:
            raise InputError(
                f"cannot write: {error.strerror}", where=self.folder, expected="a writable folder"
            ) from error
        try:
            self._take_up()
            for name in (RESPONSES, STARTED):
                _drop_torn_line(self.folder / name)
            self._file = open(self.folder / RESPONSES, "ab", buffering=0)
            self._started = open(self.folder / STARTED, "ab", buffering=0)
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):  # `append` has reported lines that were not written
            os.fsync(self._file.fileno())
        self._file.close()
        self._started.close()
        self._lock.release()

    @property
    def run(self) -> Run:
        """The run, read once: there is no other writer."""
        if self._run is None:
            opened = Run.open(self.folder)
            self._lines = list(opened.lines())
            self._run = Run(self.folder, opened.manifest, self._lines)
        return self._run

    def starting(self, trial: str, turn: int) -> str:
        """Records the start of a billed call and returns its name for the call's line; thread-safe.

        A call without a line was lost (a kill, a power cut) and may have been billed.
        """
        name = f"{self._session}-{next(self._numbers)}"
        data = (json.dumps({"call": name, "trial": trial, "turn": turn}) + "\n").encode()
        with contextlib.suppress(OSError):  # `append` reports a full disk
            self._started.write(data)
        return name

    def append(self, line: Line) -> None:
        """Adds one line; a full disk raises `InputError` and leaves the file unchanged."""
        data = encoded(line, where=f"not written to {self.folder / RESPONSES}")
        size = os.fstat(self._file.fileno()).st_size
        try:
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
            if self._run:
                self._lines.append(json_in(data))
            if time.monotonic() - self._synced_s > _SYNC_EVERY_S:
                os.fsync(self._file.fileno())
                self._synced_s = time.monotonic()
        except BaseException as error:
            if os.fstat(self._file.fileno()).st_size != size + len(data):
                os.ftruncate(self._file.fileno(), size)  # remove a partial line
            if not isinstance(error, OSError):
                raise
            raise InputError(
                f"cannot write: {error.strerror}; every earlier answer is kept",
                where=self.folder / RESPONSES,
                remedy="the same command after freeing space",
            ) from error

    def _take_up(self) -> None:
        path = self.folder / MANIFEST
        if not path.exists():
            if (self.folder / RESPONSES).exists():
                raise InputError(
                    "has responses but no manifest", where=self.folder, remedy="another --run NAME"
                )
            write_json(path, self._manifest)
            return
        before = Run.open(self.folder).own
        changed = ["the suite"] if before.get("suite") != self._manifest.get("suite") else []
        changed += _changed_in_model(before.get("model", {}), self._manifest.get("model", {}))
        fixed = _FIXED_ENTRIES | hashes_in(before) | hashes_in(self._manifest)
        for key, words in fixed.items():
            now = self._manifest.get(key, {})
            entries = before.get(key, {})
            changed += [f"{words} {name}" for name in entries if name in now and now[name] != entries[name]]
        if changed:
            more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
            raise InputError(
                f"changed since this run began: {', '.join(changed[:3])}{more}",
                where=self.folder,
                remedy="undoing the change, or another --run NAME",
            )
        merged = {**before, **self._manifest}
        for key in (*fixed, "trials"):
            if key in merged:
                merged[key] = {**before.get(key, {}), **self._manifest.get(key, {})}
        merged["begun"] = before.get("begun")
        if before.get("adapter") and before["adapter"] != self._manifest.get("adapter"):
            merged["adapters_before"] = [*before.get("adapters_before", []), before["adapter"]]
        if merged != before:
            write_json(path, merged)


def _changed_in_model(before: Entries, now: Entries) -> list[str]:
    """The differences of two model entries, option by option."""

    def flat(model: Entries) -> JsonObject:
        entries = {k: v for k, v in model.items() if k not in _IGNORED}
        return {**entries, **dict(model.get("options", {}))}

    # Settings affect only whether an answer comes: they may change, and each line has its own.
    free = {**dict(before.get("settings") or {}), **dict(now.get("settings") or {})}
    old, new = flat(before), flat(now)
    names = [name for name in {**old, **new} if name not in free and old.get(name) != new.get(name)]
    # Old runs have no fingerprints, and readers of other packages may be added or removed: no change of code.
    names = [n for n in names if not (n == "code" or n.startswith(READER_OF)) or (n in old and n in new)]
    return [
        f"the model's {name} ({shown(old.get(name))} before, {shown(new.get(name))} now)" for name in names
    ]


def _lines_in(path: Path, manifest: Manifest) -> Iterator[Line]:
    for number, line in numbered_json_lines(path, torn_tail_allowed=True):
        where = f"{path}:{number}"
        yield check_place(check_line(line, where=where), manifest, where=where)


def _drop_torn_line(path: Path) -> None:
    if not path.exists():
        return
    with open(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        kept = size
        while kept:
            start = max(0, kept - 65536)
            file.seek(start)
            newline = file.read(kept - start).rfind(b"\n")
            if newline >= 0:
                kept = start + newline + 1
                break
            kept = start
        if kept < size:
            file.seek(kept)
            try:
                json.loads(file.read())
                file.seek(0, os.SEEK_END)
                file.write(b"\n")  # complete except for its newline
            except ValueError:
                file.truncate(kept)


@dataclass
class Tally:
    """Counts of a sweep so far, for its progress line and result."""

    planned: int = 0
    kept: int = 0
    answered: int = 0
    not_applicable: int = 0
    retried: int = 0
    cost_usd: float = 0.0
    cost_known: bool = True
    errors: dict[str, int] = field(default_factory=dict)
    stopped: str | None = None
    waiting: str | None = None  # text of the progress line while the provider is down

    def add_cost(self, lines: Iterable[Line]) -> None:
        """Adds the cost of billed lines."""
        for line in lines:
            usd = line.get("cost_usd")
            self.cost_known &= usd is not None
            self.cost_usd += usd or 0.0

    @property
    def missing(self) -> int:
        """Trials without an answer."""
        return self.planned - self.kept - self.answered - self.not_applicable
