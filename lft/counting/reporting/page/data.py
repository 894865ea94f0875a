"""The data of the page: an index, and a small file for each cell, as scripts.

A page opened from a folder may not fetch files, but may load scripts: each data file is a single call,
`LFT.index({...})` or `LFT.cell(key, [...])`. Its text is JSON in ASCII with `<`, `>`
and `&` escaped, so that no response, model name or clip name can end the script or start another.

A cell's key is `series|domain|N|F`, its file `data/<series>/<domain>-n03-f1.5.js`.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lft.core.records import Entries, Json, JsonObject, LinePart
from lft.core.stats import wilson_pair
from lft.counting.audit.clusters import share_of
from lft.counting.reported import DOUBTS, Reported, Unparsed
from lft.counting.reporting import cause_colours
from lft.counting.reporting.page import surface_index
from lft.counting.reporting.page.overview import overview
from lft.counting.reporting.results import Results, Series
from lft.counting.reporting.trial_views import View

if TYPE_CHECKING:
    from pandas import DataFrame

    from lft.counting.trace import Event, Trace

LONGEST_TEXT = (
    20_000  # characters of a response that the page shows; the rest is counted and stays in the run
)
MOST_EVENTS = 500  # events of one response that the page draws
MOST_TIMES = 5000  # of single frames, that the page steps through
MOST_DOUBTS = 50  # of one reading that the page marks

# One letter a trial in the index, so that the page can list and filter without loading any cell.
CODES = {
    "correct": "c", "no-evidence": "n", "missed": "m", "merged": "g", "hallucinated": "h", "mis-added": "a",
    "unsupported": "s", "undercounted": "l", "overcounted": "t", "unclear-reading": "d", "unparsed": "u", "wrong": "w",
    "missing": "-", "not_applicable": "x", "not_asked": "o",
}  # fmt: skip
_SCORES = (
    "precision",
    "recall",
    "f1",
    "vor",
    "literal_recall",
    "ceiling_correct",
    "chance_f1",
    "skill_f1",
    "ledger_consistent",
)


def script(function: str, *arguments: object) -> str:
    """A call of `LFT.<function>` with JSON arguments, safe in a script element and in any encoding.

    >>> script("cell", "</script>")
    'LFT.cell("\\\\u003c/script\\\\u003e");\\n'
    """
    texts = (json.dumps(a, ensure_ascii=True, allow_nan=False, separators=(",", ":")) for a in arguments)
    text = ",".join(texts).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f"LFT.{function}({text});\n"


def cell_file(series: Series, domain: str, count: int, frequency_hz: float) -> str:
    """Path of a cell's data file inside the page's folder."""
    safe = re.sub(r"[^A-Za-z0-9_]+", "-", domain)[:60]
    return f"data/{series.slug}/{safe}-n{count:02d}-f{frequency_hz:g}.js"


def index(
    results: Results,
    codes: Mapping[tuple[int, str, int, float], list[list[Json]]],
    sources: Mapping[str, str] | None = None,
    published: Sequence[Series] = (),
) -> JsonObject:
    """The index document; `codes` has (seed, replicate, code) of every trial by series, domain, N and F,
    `sources` the file names of imported videos by domain|N|F|seed, `published` the published surfaces.
    """
    series = []
    for number, one in enumerate(results.series):
        surfaces: dict[str, JsonObject] = {}
        for domain in results.domains:
            cells = one.cells[one.cells["domain"] == domain]
            if len(cells):
                n, right = int(cells["n"].sum()), int(cells["correct"].sum())
                surfaces[domain] = {
                    "total": {
                        "n": n,
                        "k": right,
                        "missing": int(cells["n_missing"].sum()),
                        "ci": _interval(one, domain) or wilson_pair(right, n),
                    },
                    "cells": [_cell(one, number, row, codes) for row in _records(cells)],
                    **(
                        surface_index.on_grid(results, one, domain)
                        if domain in results.grids
                        else surface_index.in_bins(one, domain)
                    ),
                }
                surface_index.add_certainty(surfaces[domain]["cells"], results.sure.get((one.slug, domain)))
        n, missing = int(one.cells["n"].sum()), int(one.cells["n_missing"].sum())
        series.append(
            {
                "slug": one.slug, "run": one.key[0], "model": one.model, **one.condition,
                "name": results.name(one),
                "words": one.words, "n": n, "missing": missing, "surfaces": surfaces,
            }
        )  # fmt: skip
    return {
        "version": 1,
        "tau": results.tau,
        "domains": results.domains,
        "causes": [
            [
                code,
                key,
                key if key in cause_colours.CAUSE else key.replace("_", " "),
                cause_colours.MEANINGS.get(key, ""),
                cause_colours.CAUSE[key][0] if key in cause_colours.CAUSE else "",
            ]
            for key, code in CODES.items()
        ],
        "overview": overview(results),
        "series": series,
        "sources": dict(sources or {}),
        "published": [_printed(results, one) for one in published],
        "runs": {name: _run(run.manifest) for name, run in results.runs.items()},
    }


def _interval(series: Series, domain: str) -> tuple[float, float] | None:
    """The interval of EM over the trials of a domain; None for a published series, which has only cells."""
    answered = series.scores[(series.scores["status"] == "answered") & (series.scores["domain"] == domain)]
    return share_of(answered["correct"] == 1, answered)


def _printed(results: Results, series: Series) -> JsonObject:
    """A published series: cells without trials, whose accuracy need not be a whole number of right answers."""
    surfaces: dict[str, JsonObject] = {}
    for domain in dict.fromkeys(str(d) for d in series.cells["domain"]):
        cells = series.cells[(series.cells["domain"] == domain) & (series.cells["n"] > 0)]
        n, right = int(cells["n"].sum()), float((cells["accuracy"] * cells["n"]).sum())
        surfaces[domain] = {
            "total": {"n": n, "k": right, "missing": 0, "ci": None},
            "cells": [
                {"N": int(row["count"]), "F": float(row["frequency_hz"]), "n": int(row["n"]), "t": "",
                 "k": round(row["accuracy"] * row["n"], 4)}
                for row in _records(cells)
            ],
            **surface_index.on_grid(results, series, domain),
        }  # fmt: skip
    return {"model": series.model, "surfaces": surfaces}


def _run(manifest: Entries) -> JsonObject:
    """Words and versions in a manifest, of bounded length, as manifests are untrusted."""
    model = manifest.get("model")
    document = {
        "model": str(model.get("spec", model.get("name", "")))
        if isinstance(model, dict)
        else str(model or ""),
        "prompts": {
            str(k): _bounded(v.get("words", v) if isinstance(v, dict) else v)
            for k, v in _items(manifest.get("prompts"))
        },
        "questions": {str(k): _bounded(v) for k, v in _items(manifest.get("questions"))},
        "revision": str(manifest.get("git_revision") or ""),
        "version": str(dict(_items(manifest.get("versions"))).get("lft", "")),
    }
    return document


def _items(value: object) -> Iterable[tuple[Any, Any]]:
    return list(value.items())[:100] if isinstance(value, dict) else []


def _bounded(value: object) -> str:
    if isinstance(value, dict):
        parts = [v for v in value.values() if v]
        flat = [x for v in parts for x in (v if isinstance(v, list | tuple) else [v])]
        value = "\n\n".join(str(x) for x in flat)
    return str(value)[:LONGEST_TEXT]


def _records(cells: DataFrame) -> list[JsonObject]:
    ordered = cells.sort_values(["count", "frequency_hz"]).astype(object)
    return [
        {str(k): v for k, v in row.items()} for row in ordered.where(ordered.notna(), None).to_dict("records")
    ]


def _cell(
    series: Series,
    number: int,
    row: Entries,
    codes: Mapping[tuple[int, str, int, float], list[list[Json]]],
) -> JsonObject:
    count, frequency_hz = int(row["count"]), float(row["frequency_hz"])
    trials = sorted(codes.get((number, str(row["domain"]), count, frequency_hz), []))
    cell: JsonObject = {
        "N": count,
        "F": frequency_hz,
        "n": int(row["n"]),
        "k": int(row["correct"]),
        "t": _packed(trials),
    }
    for name, key in (("n_missing", "miss"), ("n_not_applicable", "na"), ("n_not_asked", "unasked")):
        if row.get(name):
            cell[key] = int(row[name])
    if cell["n"]:
        cell["ci"] = [_short(row["lower"]), _short(row["upper"])]
    for name, key in (("ceiling_correct", "ceil"), ("f1", "f1"), ("chance_f1", "chance")):
        if row.get(name) is not None:
            cell[key] = _short(row[name])
    return cell


def _packed(trials: Sequence[Sequence[Json]]) -> Json:
    """Codes as a string when the seeds are 0, 1, 2, ... with one replicate each, else the list of triples."""
    if all(t[0] == i and t[1] == 0 for i, t in enumerate(trials)):
        return "".join(t[2] for t in trials)
    return [list(t) for t in trials]


def trial(view: View, video: str | None, *, absent: bool = False) -> JsonObject:
    """One trial for the page. `video` is the address of the clip relative to the page, `absent` whether the
    file was missing when the page was written.
    """
    row = view.row
    document: JsonObject = {
        "id": str(row["trial"]), "clip": str(row["clip"]), "seed": int(row["seed"]),
        "replicate": int(row.get("replicate") or 0),
        "code": CODES.get(view.outcome, "-" if row["status"] != "answered" else "w"),
        "answer": _whole(row.get("final_answer")),
        "reason": str(row.get("reason") or "")[:300],
        "rule": str(row.get("rule") or ""),
        "tolerance": _short(row.get("tolerance_s")),
        "scores": {name: _short(row[name]) for name in _SCORES if row.get(name) is not None},
        "video": video, **({"absent": True} if absent else {}),
        "text": view.text[:LONGEST_TEXT], "cut": max(0, len(view.text) - LONGEST_TEXT),
        "frames": _frames(view.frame_times_s, _rate(view.trace)) if view.line else [],
    }  # fmt: skip
    true, said = view.fates
    if view.trace is not None:
        document["duration"] = _short(view.trace.duration_s)
        own = row.get("tolerance_s") is None  # each event has its own window
        document["timed"] = bool(view.trace.spec.timed)
        document["size"] = [view.trace.width, view.trace.height]
        document["fps"] = _rate(view.trace)
        if view.trace.frame_times_s:
            document["step"] = _step(view.trace.frame_times_s)
        start_s = getattr(view.trace.spec, "start_s", 0.0)
        if start_s:
            document["start"] = _short(start_s)
        if view.line and view.frame_times_s is not None:
            document["evidence"] = [_shown_s(view.trace, event) for event in view.trace.events]
            if any(view.proofs_s):
                document["proofs"] = [
                    [_short(t) for t in proof] if proof else None for proof in view.proofs_s
                ]
        document["truth"] = [
            [
                _short(e.time_s),
                e.state_before,
                e.state_after,
                true[i],
                *([_short(e.tolerance_s)] if own else []),
            ]
            for i, e in enumerate(view.trace.events)
        ]
        if view.source:
            document["source"] = view.source[:300]
        document["type"] = view.trace.events[0].type if view.trace.events else ""
    if isinstance(view.reported, Reported):
        document["reported"] = [
            [_short(e.time_s), _short(e.end_s), e.covers, e.label, *e.span, said[i] if said else ""]
            for i, e in enumerate(view.events[:MOST_EVENTS])
        ]
        document["more"] = max(0, len(view.events) - MOST_EVENTS)
        document["pairs"] = [
            [p.reported_index, p.true_index, _short(p.deviation_s)]
            for p in view.pairs
            if p.reported_index < MOST_EVENTS
        ]
    if view.reported is not None:
        document["reading"] = view.reading
        document["doubts"] = [
            [d.code, *d.span, (d.detail or DOUBTS.get(d.code, ""))[:300]]
            for d in view.reported.doubts[:MOST_DOUBTS]
        ]
    if isinstance(view.reported, Unparsed):
        document["reason"] = view.reported.reason[:300]
    line: LinePart = view.line or {}
    if error := line.get("error"):
        document["error"] = f"{error['kind']}: {error.get('message', '')}"[:300]
    extra = {k: line.get(k) for k in ("latency_s", "cost_usd", "finish_reason", "model_version")}
    document["call"] = {
        k: v if isinstance(v, int | float) else str(v)[:120] for k, v in extra.items() if v is not None
    }
    if usage := line.get("usage"):
        document["call"] |= {k: v for k, v in usage.items() if isinstance(v, int | float)}
    return document


def _rate(trace: Trace | None) -> float | None:
    """Frames per second, where they come at a rate."""
    return None if trace is None or trace.frame_times_s else round(float(trace.fps), 6)


def _step(times_s: Sequence[float]) -> float | list[float | None] | None:
    """Steps of single frames: their rate in Hz, if each frame is within a quarter of a frame of it, else their
    times; for very many frames the mean rate. None for a single frame.
    """
    if len(times_s) < 2:
        return None
    rate = (len(times_s) - 1) / times_s[-1]
    even = all(abs(t * rate - k) < 0.25 for k, t in enumerate(times_s))
    return round(rate, 6) if even or len(times_s) > MOST_TIMES else [_short(t) for t in times_s]


def _shown_s(trace: Trace, event: Event) -> list[float | None]:
    """The interval in which frames show the event, seconds."""
    first, last = event.evidence_frames
    times_s = trace.frame_times_s
    if times_s:
        return [
            _short(times_s[first]),
            _short(times_s[last + 1] if last + 1 < len(times_s) else trace.duration_s),
        ]
    return [_short(first / trace.fps), _short((last + 1) / trace.fps)]


def _frames(times_s: Sequence[float] | None, fps: float | None = None) -> Json:
    """Supplied frames, exactly: "all" for the file itself, a regular grid in a few numbers, else the times.

    {"first", "step", "n"}: times that lie evenly. {"rate", "n"}: of a clip of `fps` the frames on screen at j / rate.
    """
    if times_s is None:
        return "all"
    if len(times_s) > 3:
        step = (times_s[-1] - times_s[0]) / (len(times_s) - 1)
        if step > 0 and all(abs(times_s[0] + i * step - t) < 1e-4 for i, t in enumerate(times_s)):
            return {"first": _short(times_s[0]), "step": round(step, 6), "n": len(times_s)}
        rate = round(1 / step) if step > 0 else 0
        if (
            fps
            and rate
            and all(abs(math.floor(j / rate * fps + 1e-3) / fps - t) < 1e-4 for j, t in enumerate(times_s))
        ):
            return {"rate": rate, "n": len(times_s)}
    return [_short(t) for t in times_s[:2000]]


def address(video: Path, folder: Path) -> str | None:
    """A video's address from the page in `folder`, percent-encoded; None where there is none.

    Relative, so that a results folder can be moved as a whole. Browsers resolve an address by names, the system by
    symbolic links: if the results differ and no relative address works for both, it is the absolute address.
    """
    named, real = Path(os.path.abspath(folder)), folder.resolve()
    try:
        ways = [os.path.relpath(os.path.abspath(video), named), os.path.relpath(video.resolve(), real)]
    except ValueError:  # another drive
        return None
    there = [way for way in ways if _same_file(named, way, video) and _same_file(real, way, video)]
    if video.exists() and not there:
        return video.resolve().as_uri()
    return quote((there or ways)[0].replace(os.sep, "/"), safe="/.-_~")


def _same_file(folder: Path, way: str, video: Path) -> bool:
    """Whether the path `way` leads from `folder` to the video, name by name."""
    target = Path(os.path.normpath(folder / way))
    return target.exists() and target.samefile(video)


def _short(value: float | None) -> float | None:
    return None if value is None or value != value else round(float(value), 4)


def _whole(value: float | None) -> int | None:
    return None if value is None or value != value else int(value)
