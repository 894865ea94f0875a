"""`check_suite`: what the common commands rely on in a suite.

Checked are: its attributes; its study of a sweep (JSON, the same trials again from the manifest); its trials (unique
ids, keys with every axis); how a trial is played (the next request depends on the answers alone, so that a run which
was killed goes on; what is asked is foreseen; it ends and says how); and, with a model that gives the same replies, a
run that is scored, shown and reported.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from lft.core.ask import Limits
from lft.core.errors import InputError
from lft.core.records import MOST_TURNS, Entries, JsonObject
from lft.core.requests import Images, NotApplicable, Request, Response
from lft.core.run_sweep import conduct
from lft.core.runs import Run
from lft.core.suite import Command, Study, Suite, Told
from lft.core.trials import Done, Foreseen, Trial
from lft.testing.must import must

Reply = Callable[[Request], str]
_PARTS = ("name", "axes", "groups", "options", "commands", "providers")
_METHODS = (
    "study",
    "preview",
    "plan_notes",
    "score",
    "show",
    "report",
    "audit",
    "power",
    "group",
    "needs",
    "final_answer",
)
_MODEL = "checked"


def check_suite(
    suite: Suite,
    sweep: Entries,
    reply: Reply = lambda request: "1",
    options: Entries | None = None,
) -> None:
    """Checks a suite, which need not be installed, on a small sweep.

    `sweep` is the mapping of a sweep file, without `suite`. `reply` answers each request; give one that gets through a
    trial, or call the check once for each course that a trial may take. `options` are those of `lft sweep` that are not
    left at their defaults. Writes to a temporary folder only.

    Raises `AssertionError` that begins with the suite's name.
    """
    try:
        _attributes(suite)
        study = _study(suite, sweep, options or {})
        trials = _trials(suite, study)
        for number, trial in enumerate(trials):

            def fresh(number: int = number) -> Trial:
                return _study(suite, sweep, options or {}).trials(_MODEL)[number]

            _played(suite, trial, fresh, reply)
        with tempfile.TemporaryDirectory() as folder:
            _run(suite, _study(suite, sweep, options or {}), Path(folder), reply)
    except AssertionError as error:
        raise AssertionError(f"{getattr(suite, 'name', type(suite).__name__)}: {error}") from error


def _attributes(suite: Suite) -> None:
    lacking = [part for part in (*_PARTS, *_METHODS) if not hasattr(suite, part)]
    must(not lacking, f"{type(suite).__name__} lacks {', '.join(lacking)}")
    must(
        isinstance(suite.name, str) and re.fullmatch(r"[a-z][a-z0-9_]*", suite.name),
        f"name is {suite.name!r}; expected small letters, digits and _",
    )
    for field in ("axes", "groups"):
        words = getattr(suite, field)
        must(
            isinstance(words, tuple) and all(isinstance(word, str) for word in words),
            f"{field} is {words!r}; expected a tuple of texts",
        )
    for name, command in suite.commands.items():
        must(isinstance(command, Command), f"command {name} is {command!r}; expected lft.core.suite.Command")


def _study(suite: Suite, sweep: Entries, options: Entries) -> Study:
    options = {**_defaults(suite, "sweep"), **options}
    study = suite.study("check", dict(sweep), options)
    try:
        text = json.dumps(study.to_json(), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"the study cannot be written as JSON ({error})") from None
    entries = json.loads(text)
    must(isinstance(entries, dict), "to_json() of the study is no mapping")
    again = suite.study(str(entries.pop("name", "")), entries, options)
    must(
        [(t.id, dict(t.key)) for t in again.trials(_MODEL)]
        == [(t.id, dict(t.key)) for t in study.trials(_MODEL)],
        "the study that is made again from the manifest has other trials",
    )
    return study


def _defaults(suite: Suite, command: str) -> Entries:
    """The suite's own options of a command, as the command line gives them where none is named."""
    own = click.Command(command, params=list(suite.options.get(command, ())))
    return own.make_context(command, []).params


def _trials(suite: Suite, study: Study) -> Sequence[Trial]:
    trials = study.trials(_MODEL)
    must(trials, "the sweep has no trials")
    ids = [trial.id for trial in trials]
    must(
        len(set(ids)) == len(ids), f"two trials have one id: {sorted(i for i in ids if ids.count(i) > 1)[:2]}"
    )
    must([t.id for t in study.trials(_MODEL, to_ask=False)] == ids, "to_ask=False gives other trials")
    for trial in trials:
        must(
            isinstance(trial.id, str) and trial.id and trial.id.isprintable(),
            f"the id of a trial is {trial.id!r}; expected printable text",
        )
        lacking = [axis for axis in suite.axes if axis not in trial.key]
        must(not lacking, f"the key of {trial.id} lacks the axis {', '.join(lacking)}")
        json.dumps(dict(trial.key), allow_nan=False)
        must(
            isinstance(trial.foreseen, Foreseen) and 1 <= trial.foreseen.calls <= MOST_TURNS,
            f"foreseen of {trial.id} is {trial.foreseen!r}; expected a Foreseen of 1 to {MOST_TURNS} calls",
        )
        for word in (*suite.axes, *suite.groups):
            must(isinstance(suite.group(word, trial.key), str), f"group({word!r}) of {trial.id} is no text")
    return trials


def _played(suite: Suite, trial: Trial, fresh: Callable[[], Trial], reply: Reply) -> None:
    """Plays a trial to its end; before each request, a new object is given the same answers at once."""
    answers: list[Response] = []
    images = 0
    while True:
        following, again = _next(trial, answers), _next(fresh(), answers)
        where = f"{trial.id} after {len(answers)} answers"
        must(
            _print_of(following) == _print_of(again),
            f"{where}: a new trial that is given the same answers goes on otherwise; a run could not be resumed",
        )
        if not isinstance(following, Request):
            break
        must(
            following.messages and following.messages[-1].role == "user",
            f"{where}: the user has not the last word",
        )
        must(
            following.task.get("suite") == suite.name,
            f"{where}: task names the suite {following.task.get('suite')!r}",
        )
        json.dumps(dict(following.kept), allow_nan=False)
        images += following.images
        must(
            following.images <= trial.foreseen.most_images,
            f"{where}: {following.images} images in one request; foreseen are {trial.foreseen.most_images}",
        )
        must(
            images <= trial.foreseen.images,
            f"{where}: {images} images so far; foreseen are {trial.foreseen.images}",
        )
        must(
            len(answers) < trial.foreseen.calls,
            f"{where}: asks once more; foreseen are {trial.foreseen.calls} calls",
        )
        answers.append(Response(reply(following)))
    if isinstance(following, Done):
        must(
            following.how and isinstance(following.how, str),
            f"{where}: how it ended is {following.how!r}; expected a word",
        )
    if answers:
        must(
            _print_of(_next(trial, ())) == _print_of(_next(fresh(), ())),
            f"{trial.id}: given no answers after some, it does not begin again",
        )


def _next(trial: Trial, answers: Sequence[Response]) -> Request | Done | str:
    try:
        found = trial.next(tuple(answers))
    except NotApplicable as error:
        return str(error)
    must(
        isinstance(found, Request | Done), f"next() of {trial.id} gave {found!r}; expected a Request or Done"
    )
    return found


def _print_of(following: Request | Done | str) -> object:
    if isinstance(following, str):
        return following
    if isinstance(following, Done):
        return following.how, json.dumps(dict(following.kept), allow_nan=False, sort_keys=True)
    pixels = [p.frames.pixels.tobytes() for p in following.parts if isinstance(p, Images)]
    said = [(message.role, message.text) for message in following.messages]
    return said, following.system, dict(following.kept), pixels


@dataclass(frozen=True)
class _Model:
    """Answers as `reply` does."""

    reply: Reply
    name = _MODEL

    def generate(self, request: Request) -> Response:
        return Response(self.reply(request))

    def describe(self) -> JsonObject:
        return {"provider": _MODEL}


def _run(suite: Suite, study: Study, folder: Path, reply: Reply) -> None:
    trials = study.trials(_MODEL)
    found = conduct(folder / "run", suite.name, study, _Model(reply), trials, Limits(concurrency=2))
    must(
        found["missing"] == 0,
        f"{found['missing']} of {len(trials)} trials have no answer: {found['missing_kinds']}",
    )
    again = conduct(folder / "run", suite.name, study, _Model(reply), study.trials(_MODEL), Limits())
    must(again["answered"] == 0, f"the same sweep again asks {again['answered']} complete trials once more")
    run = Run.open(folder / "run")
    try:
        told = {
            "score": suite.score(run, _defaults(suite, "score")),
            "show": suite.show(run, trials[0].id, folder / "shown", _defaults(suite, "show")),
            "report": suite.report([run], folder / "report", _defaults(suite, "report")),
        }
    except InputError as error:
        raise AssertionError(f"a finished run is refused ({error})") from error
    for name, one in told.items():
        must(isinstance(one, Told), f"{name}() gave {type(one).__name__}; expected lft.core.suite.Told")
        must(one.text.strip(), f"{name}() says nothing")
        json.dumps(dict(one.document))
    must(
        told["score"].incomplete is None,
        f"score() calls a finished run incomplete ({told['score'].incomplete})",
    )
    for name in ("scores.csv", "summary.json"):
        must((run.folder / name).is_file(), f"score() wrote no {name}")
