"""Case cards: one trial as a picture, with frames at the moments that matter, what happened, what was said.

The strip shows frames at event times and, between them, at times of context; the timeline below shows true
events with their windows, reported ones, and which were paired; the words below give the verdict. Cards are
chosen by a stated rule: among the trials of a cause, in an order shuffled by a seed, one per cell first, so
that five cards do not show five seeds of one cell.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lft.counting.metrics import row_window_s
from lft.counting.reporting import style
from lft.counting.reporting.figures import domain_name
from lft.counting.reporting.results import condition_words
from lft.counting.reporting.views import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Kinds of event, asked for like causes: found in any trial, right or wrong.
EVENT_KINDS = ("displaced", "misidentified")
MOST_FRAMES = 8
_SAME_S = 0.05  # two frames closer than this look the same
_LEFT_IN, _RIGHT_IN = 0.95, 0.12


def choose(views: Iterable[View], cause: str, n: int, seed: int) -> list[View]:
    """At most `n` trials of a cause (or with an event of that kind), the same ones for the same seed.

    Trials are shuffled by `seed` and taken one per cell (domain, N, F) first, then a second per cell, and so
    on; among trials as far on, those with fewer events come first only by the shuffle. Fewer than `n` may
    exist.
    """
    found = sorted((v for v in views if shows(v, cause)), key=lambda v: str(v.row["trial"]))
    random.Random(seed).shuffle(found)
    seen: dict[tuple[Any, ...], int] = {}
    ranked = []
    for place, view in enumerate(found):
        cell = tuple(view.row[name] for name in ("domain", "count", "frequency_hz"))
        seen[cell] = seen.get(cell, 0) + 1
        ranked.append((seen[cell], place, view))
    return [view for _, _, view in sorted(ranked, key=lambda item: item[:2])[:n]]


def shows(view: View, cause: str) -> bool:
    """Whether a trial is wrong for that cause or, of displaced and misidentified, has such an event."""
    if cause in EVENT_KINDS:
        return view.trace is not None and any(cause in fates for fates in view.fates)
    return view.outcome == cause


def strip_times_s(view: View, most: int = MOST_FRAMES) -> list[tuple[float, str]]:
    """Times of the film strip with what each shows, increasing, at most `most`.

    What: a true event's fate (`matched`, `missed`, ...), `reported` (an invented or displaced report) or
    `context`. Events that were not matched come before matched ones where there is no room for all. Two
    reports at most. The context is a moment before the first event and one between the first two, and without
    events the middles of the longest stretches.
    """
    duration_s = view.trace.duration_s if view.trace else 24.0
    true, said = view.fates
    events = list(zip(view.trace.times_s, true, strict=True)) if view.trace else []
    alone = [
        event.time_s
        for event, fate in zip(view.events, said or ["reported"] * len(view.events), strict=True)
        if fate in ("invented", "displaced", "reported") and event.time_s < duration_s
    ]
    reports = [(t, "reported") for t in _thinned(alone, 2)]
    room = most - len(reports) - min(2, len(events))
    unmatched = _thinned([e for e in events if e[1] != "matched"], room)
    chosen = sorted(unmatched + _thinned([e for e in events if e[1] == "matched"], room - len(unmatched)))
    context = [chosen[0][0] / 2] if chosen else []
    context += [(events[0][0] + events[1][0]) / 2] if len(events) > 1 else []
    chosen += reports
    chosen += [(t, "context") for t in context if all(abs(t - other) > _SAME_S for other, _ in chosen)]
    while len(chosen) < min(most, 5):
        marks = sorted([0.0, duration_s, *(t for t, _ in chosen)])
        low, high = max(pairwise(marks), key=lambda pair: pair[1] - pair[0])
        chosen.append(((low + high) / 2, "context"))
    return sorted(chosen)


def _thinned(items: Sequence[Any], most: int) -> list[Any]:
    """At most `most` items, evenly over the sequence."""
    if len(items) <= most:
        return list(items)
    return [items[round(i * (len(items) - 1) / max(1, most - 1))] for i in range(max(0, most))]


def pictures(video: Path, times_s: Sequence[float]) -> list[npt.NDArray[np.uint8]]:
    """The frame on screen at each time, uint8 (h, w, 3); raises `InputError` if the video cannot be read."""
    from lft.core.media import Media

    media = Media.open(video)
    indices = [media.frame_at(t) for t in times_s]
    by_index = {index: picture[::2, ::2].copy() for index, picture in media.pictures(indices)}
    return [by_index[index] for index in indices]


def card(view: View, frames: Sequence[npt.NDArray[np.uint8]], times: Sequence[tuple[float, str]]) -> Figure:
    """Draws one card; call it inside `style.look()`. Without frames the strip is left out."""
    width = style.PAGE_IN
    strip_h = 0.0
    if frames:
        each_w = (width - 0.24 - 0.05 * (len(frames) - 1)) / len(frames)
        strip_h = each_w * frames[0].shape[0] / frames[0].shape[1]
    words = _verdict(view)
    height = 0.52 + (strip_h + 0.3 if frames else 0.0) + 1.32 + 0.14 * len(words)
    made = style.figure(width, height)
    row = view.row
    condition = " · ".join(condition_words(a, str(row[a])) for a in ("sampling", "labels", "prompt"))
    style.title(made, _title(view), 0.12)
    style.subtitle(made, f"{row['model']} · {condition}", 0.12)
    if frames:
        _strip(made, frames, times, top_in=0.46, each=(each_w, strip_h))
    bottom_in = 0.4 + 0.14 * len(words)
    box = (_LEFT_IN / width, bottom_in / height, (width - _LEFT_IN - _RIGHT_IN) / width, 0.92 / height)
    _timeline(made.add_axes(box), view)
    look: dict[str, Any] = {"va": "bottom", "fontsize": 7, "linespacing": 1.35}
    made.text(0.12 / width, 0.06 / height, "\n".join(words), **look)
    return made


def _title(view: View) -> str:
    """The clip in words: a rendered one by its cell, an imported one by the name of its file."""
    row = view.row
    domain, count = domain_name(str(row["domain"])), f"N = {row['count']}"
    if view.source:
        return f"{domain}, {view.source}, {count}"
    return ", ".join(
        [domain, count, *([f"{row['frequency_hz']:g} Hz"] if row["count"] else []), f"seed {row['seed']}"]
    )


def _strip(
    made: Figure,
    frames: Sequence[npt.NDArray[np.uint8]],
    times: Sequence[tuple[float, str]],
    *,
    top_in: float,
    each: tuple[float, float],
) -> None:
    width, height = made.get_size_inches()
    for i, (picture, (time_s, what)) in enumerate(zip(frames, times, strict=True)):
        left = 0.12 + i * (each[0] + 0.05)
        axes = made.add_axes(
            (left / width, 1 - (top_in + each[1]) / height, each[0] / width, each[1] / height)
        )
        axes.imshow(picture, interpolation="antialiased")
        axes.set_xticks([])
        axes.set_yticks([])
        for spine in axes.spines.values():
            spine.set_visible(True)
            spine.set_color(_EDGES.get(what, _MISSED))
            spine.set_linewidth(1.6 if what != "context" else 0.8)
        words = f"{time_s:.2f} s" + ("" if what in ("matched", "context") else f"\n{what}")
        colour = style.QUIET if what == "context" else style.INK
        axes.set_xlabel(words, labelpad=2, fontsize=6.5, color=colour, linespacing=1.25)


_INVENTED, _MISSED = "#a3357c", "#b45309"
_EDGES = {"matched": style.ACCENT, "reported": _INVENTED, "context": style.RULE}


def _timeline(axes: Axes, view: View) -> None:
    trace = view.trace
    duration_s = trace.duration_s if trace else max([24.0, *(e.time_s for e in view.events)])
    low_s, high_s = _range_s(view, duration_s)
    axes.set_xlim(low_s, high_s)
    axes.set_ylim(-0.75, 1.35)
    for side in ("left", "top", "right"):
        axes.spines[side].set_visible(False)
    true, said = view.fates
    width_s = row_window_s(view.row, trace)
    half_s = width_s if isinstance(width_s, tuple) else (width_s,) * len(trace.events if trace else ())
    axes.hlines([0, 1], 0, duration_s, color=style.RULE, linewidth=0.6, zorder=1)
    for i, event in enumerate(trace.events if trace else ()):
        window = (event.time_s - half_s[i], event.time_s + half_s[i])
        shade: dict[str, Any] = {"color": style.ACCENT, "alpha": 0.12 + 0.1 * (i % 2), "linewidth": 0}
        axes.axvspan(*window, 0.7, 0.97, **shade)
        face = style.ACCENT if true[i] == "matched" else "white"
        edge = style.ACCENT if true[i] in ("matched", "merged") else _MISSED
        axes.plot(
            event.time_s,
            1,
            "o",
            markersize=4.6,
            markerfacecolor=face,
            markeredgecolor=edge,
            markeredgewidth=1.2,
            zorder=4,
        )
    for i, report in enumerate(view.events):
        fate = said[i] if said else "paired"
        if report.end_s is not None:
            axes.hlines(
                0,
                2 * report.time_s - report.end_s,
                report.end_s,
                color=style.QUIET,
                linewidth=3,
                alpha=0.4,
                zorder=2,
            )
        if fate in ("paired", "misidentified"):
            face = style.ACCENT if fate == "paired" else "white"
            axes.plot(
                report.time_s,
                0,
                "D",
                markersize=4.2,
                markerfacecolor=face,
                markeredgecolor=style.ACCENT,
                zorder=4,
            )
        else:
            axes.plot(report.time_s, 0, "x", markersize=4.8, color=_INVENTED, markeredgewidth=1.5, zorder=5)
        if report.covers > 1:
            axes.annotate(
                f"×{report.covers}", (report.time_s, 0), (5, 5), textcoords="offset points", fontsize=6.5
            )
    for pair in view.pairs:
        if trace:
            ends = [trace.times_s[pair.true_index], view.events[pair.reported_index].time_s]
            axes.plot(ends, [0.86, 0.14], color=style.ACCENT, linewidth=0.7, alpha=0.6, zorder=2)
    supplied = view.frame_times_s
    if supplied is None:
        axes.hlines(-0.5, 0, duration_s, color=style.QUIET, linewidth=2, alpha=0.35)
    elif supplied:
        axes.vlines(supplied, -0.6, -0.4, color=style.QUIET, linewidth=0.5, alpha=0.7)
    axes.set_yticks(
        [1, 0, -0.5], ["happened", "reported", "file sent" if supplied is None else f"{len(supplied)} frames"]
    )
    axes.tick_params(axis="y", length=0)
    cut = "" if high_s - low_s == duration_s else f" of {duration_s:g} s"
    axes.set_xlabel(f"time (s){cut}", labelpad=1)


def _range_s(view: View, duration_s: float) -> tuple[float, float]:
    """The whole clip, or its busy part where that is under half of it: events at 4 Hz need the room."""
    times_s = [*(view.trace.times_s if view.trace else ()), *(min(e.time_s, duration_s) for e in view.events)]
    if not times_s:
        return 0.0, duration_s
    margin_s = max(1.0, 0.25 * (max(times_s) - min(times_s)))
    low_s, high_s = max(0.0, min(times_s) - margin_s), min(duration_s, max(times_s) + margin_s)
    return (low_s, high_s) if high_s - low_s < duration_s / 2 else (0.0, duration_s)


def _verdict(view: View) -> list[str]:
    import textwrap

    row = view.row
    answer = "no usable answer" if row.get("final_answer") is None else f"answered {int(row['final_answer'])}"
    words = style.CAUSES[view.outcome][0] if view.outcome in style.CAUSES else view.outcome.replace("_", " ")
    true, said = view.fates
    parts = [f"Outcome: {words}. {answer.capitalize()}, true count {row['count']}."]
    if true:
        kinds = [(k, true.count(k)) for k in ("matched", "missed", "merged", "displaced") if true.count(k)]
        kinds += [(k, said.count(k)) for k in ("invented", "misidentified") if said.count(k)]
        parts.append(", ".join(f"{number} {kind}" for kind, number in kinds) + ".")
    if row.get("f1") is not None:
        parts.append(
            f"P {row['precision']:.2f}, R {row['recall']:.2f}, F1 {row['f1']:.2f}; "
            + (
                f"windows ±{row['tolerance_s']:.3g} s."
                if row.get("tolerance_s")
                else "windows of half a gap."
            )
        )
    if row.get("evident") is not None:
        parts.append(f"The supplied frames give evidence of {int(row['evident'])} of {row['count']} events.")
    return textwrap.wrap(" ".join(parts), 128)
