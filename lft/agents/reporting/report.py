"""A report of scored runs: tables as CSV, and a page on which every episode can be looked through.

The page is one file that opens without a server; its pictures lie beside it, each once, named by their content.
Episodes are played again for it: a picture that is not the recorded one is marked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np

from lft.agents.clips import captioned, played
from lft.agents.condition import AXES
from lft.agents.environments import registry
from lft.agents.environments.base import Picture
from lft.agents.retrace import Step, retraced
from lft.agents.scores import Row, task_of
from lft.agents.tables import printed, tables, text_of
from lft.agents.tasks import Task, demonstrations
from lft.core.files import write_text
from lft.core.means import Measured, columns_of, rows_of
from lft.core.progress import Progress
from lft.core.records import Entries, JsonObject
from lft.core.reporting.folder import building, move_in
from lft.core.reporting.tables import Table, to_csv
from lft.core.runs import ANSWERED, Episode, Run
from lft.core.scoring import csv_text
from lft.core.suite import Told

STRIPS = 200  # episodes whose pictures are on the page, unless the user says
_WIDEST = 480  # pixels of a picture on the page
_QUALITY = 82  # of WebP
_LONGEST_ANSWER = 4000  # characters of an answer on the page


def reported(suite: Measured, runs: Sequence[Run], folder: Path, *, strips: int = STRIPS) -> Told:
    """Writes index.html, pictures/ and tables/ into `folder`, whole or not at all."""
    rows: list[JsonObject] = []
    episodes: dict[tuple[str, str], tuple[Run, Episode]] = {}
    for run in runs:
        held = run.episodes()
        for row in rows_of(suite, run):
            rows.append({**row, "run": run.folder.name})
            if row["trial"] in held:
                episodes[run.folder.name, str(row["trial"])] = run, held[str(row["trial"])]
    made = tables(rows)
    title = next((str(run.manifest.get("sweep", {}).get("title", "")) for run in runs), "") or suite.name
    with building(folder) as built:
        pictures = _Pictures(built)
        document = _document(rows, episodes, pictures, _chosen(rows, strips))
        named = {
            "index.html": _page(title, runs, made, document),
            "tables/episodes.csv": csv_text(rows, columns_of(rows)),
        }
        named |= {f"tables/{one.name}.csv": to_csv(one) for one in made}
        for name, text in named.items():
            write_text(built / name, text)
        move_in(built, folder, [*(built / name for name in named), *pictures.paths])
    index = folder / "index.html"
    missing = sum(row["status"] == "missing" for row in rows)
    told = {
        "index": str(index), "figures": [], "tables": [str(folder / name) for name in named if name.endswith(".csv")],
        "episodes": len(rows), "missing": missing, "pictures": len(pictures.paths),
    }  # fmt: skip
    text = f"page     {index}\ntables   {folder / 'tables'}\nnext: open {index} in a browser (no server is needed)"
    shown = text_of(made[0]) + "\n\n" if made else ""
    return Told(told, shown + text)


class _Pictures:
    """Pictures as files, each once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "pictures"
        self._folder.mkdir()
        self._names: dict[str, str] = {}
        self.paths: list[Path] = []

    def add(self, picture: Picture) -> str:
        """The file's name, relative to the page."""
        found = hashlib.sha256(repr(picture.shape).encode() + picture.tobytes()).hexdigest()[:20]
        if found not in self._names:
            height, width = picture.shape[:2]
            if width > _WIDEST:
                size = (_WIDEST, max(1, round(height * _WIDEST / width)))
                picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
            path = self._folder / f"{found}.webp"
            blue_first = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
            cv2.imwrite(str(path), blue_first, [cv2.IMWRITE_WEBP_QUALITY, _QUALITY])
            self._names[found] = f"pictures/{path.name}"
            self.paths.append(path)
        return self._names[found]


def _chosen(rows: Sequence[Row], most: int) -> set[tuple[str, str]]:
    """(run, trial) of the episodes whose pictures are shown: environments in turn, all models of a task."""
    by_task: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for row in rows:
        if row["status"] == ANSWERED:
            own = by_task.setdefault(str(row["environment"]), {}).setdefault(str(row["task"]), [])
            own.append((str(row["run"]), str(row["trial"])))
    turns = [list(several.values()) for several in by_task.values()]
    order = [
        several[k] for k in range(max(map(len, turns), default=0)) for several in turns if k < len(several)
    ]
    return set([one for several in order for one in several][:most])


def _document(
    rows: Sequence[Row],
    episodes: Mapping[tuple[str, str], tuple[Run, Episode]],
    pictures: _Pictures,
    chosen: set[tuple[str, str]],
) -> JsonObject:
    """What the page shows, as data."""
    varied = [axis for axis in AXES if len({row.get(axis) for row in rows}) > 1]
    known: dict[str, Task] = {}
    listed = []
    with Progress("pictures", total=len(chosen)) as progress:
        for row in rows:
            name = (str(row["run"]), str(row["trial"]))
            held = episodes.get(name)
            one: JsonObject = {
                "label": " · ".join(str(row.get(axis, "")) for axis in ("model", *varied)),
                "task": row["task"], "status": row["status"], "end": row.get("end") or row["status"],
                "reason": row.get("reason"), "replicate": row.get("replicate", 0), "run": row["run"],
                **{k: row.get(k) for k in ("pass", "score", "skill", "decisions", "retries")}, "trial": row["trial"],
                "steps": None,
            }  # fmt: skip
            if held:
                known.setdefault(str(row["task"]), task_of(held[0], row["task"]))
                if name in chosen:
                    one["steps"] = [_step(step, pictures) for step in retraced(*held, with_expert=True)]
                    progress.advance()
            listed.append(one)
    shown = {clip for one in listed if one["steps"] for clip in known[str(one["task"])].clips}
    return {
        "episodes": listed,
        "tasks": {name: _task(task) for name, task in known.items()},
        "environments": {task.environment: _environment(task.environment) for task in known.values()},
        "clips": {clip: _clip(clip, pictures) for clip in sorted(shown) if clip in demonstrations()},
    }


def _step(step: Step, pictures: _Pictures) -> JsonObject:
    return {
        "picture": pictures.add(step.picture), "action": step.action, "expert": step.expert, "words": step.words,
        "said": [[one.text[:_LONGEST_ANSWER], one.fault] for one in step.said], "agrees": step.agrees,
        "measures": dict(step.measures),
    }  # fmt: skip


def _task(task: Task) -> JsonObject:
    return {
        "environment": task.environment, "kind": task.kind, "why": task.why, "clips": list(task.clips),
        "decisions": task.decisions, "random_score": task.random_score, "expert_score": task.expert_score,
        "goal": f"{task.goal.measure} at least {task.goal.at_least:g}",
    }  # fmt: skip


def _environment(name: str) -> JsonObject:
    spec = registry.get(name)
    about = {k: getattr(spec, k) for k in ("title", "family", "memory", "dynamics")}
    return {**about, "rules": dict(spec.rules), "actions": list(spec.actions)}


def _clip(name: str, pictures: _Pictures) -> list[list[str]]:
    """[picture with its words, the words] of each picture of a demonstration."""
    one = demonstrations()[name]
    shown = played(one, registry.get(one.environment), registry.make)
    return [
        [pictures.add(captioned(s.picture, s.words(step))), " ".join(s.words(step))]
        for step, s in enumerate(shown)
    ]


def _page(title: str, runs: Sequence[Run], made: Sequence[Table], document: Entries) -> str:
    import jinja2

    own, common = files("lft.agents.reporting"), files("lft.core.reporting") / "page"
    page = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        (own / "page.html").read_text(encoding="utf-8")
    )
    data = json.dumps(document, ensure_ascii=False, allow_nan=False)
    for mark, escape in (
        ("<", "\\u003c"),
        (">", "\\u003e"),
        ("&", "\\u0026"),
        ("\u2028", "\\u2028"),
        ("\u2029", "\\u2029"),
    ):
        data = data.replace(mark, escape)  # what a model said cannot end the script
    return page.render(
        title=title,
        runs=[run.folder.name for run in runs],
        tables=[(one.title, one.note, *printed(one)) for one in made],
        data=data,
        style=(common / "base.css").read_text("utf-8") + (own / "page.css").read_text("utf-8"),
        theme=(common / "theme.js").read_text("utf-8"),
        script=(own / "page.js").read_text(encoding="utf-8"),
    )
