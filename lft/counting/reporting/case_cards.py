"""Case cards: one trial as a picture, with frames at its events, the true events and the reported ones.

The strip shows a frame for each event and some for context. It is a supplied frame if one shows the event; any other
is pale grey and has the nearest supplied frame below it. Events without evidence are marked `not supplied`; events
that the frames around them prove are marked `exact frame not supplied`, with the times of these frames. The timeline
shows true events with their windows, reported events, and pairs, with a legend; the text below gives the verdict.
Cards are selected from the trials of a cause, in an order shuffled by a seed, one per cell first.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from lft.core.conditions import CONDITION, condition_words
from lft.core.reporting import style
from lft.core.reporting.figure_layout import legend_of, lines_of
from lft.counting.audit.ceiling import UNKNOWN
from lft.counting.metrics import row_window_s
from lft.counting.reporting import cause_colours
from lft.counting.reporting.figures.surfaces import domain_name
from lft.counting.reporting.trial_views import View

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Kinds of event that can be selected like causes, in any trial, right or wrong.
EVENT_KINDS = ("displaced", "misidentified")
# A right answer without a faithful trace, and the reverse.
TRACE_KINDS = ("acr", "rfr")
MOST_FRAMES = 8
_SAME_S = 0.05  # two frames closer than this look the same
_LEFT_IN, _RIGHT_IN = 0.95, 0.12
Picture = npt.NDArray[np.uint8]


def choose(views: Iterable[View], cause: str, n: int, seed: int) -> list[View]:
    """At most `n` trials of a cause (or with an event of that kind), the same ones for the same seed.

    Trials are shuffled by `seed` and taken one per cell (domain, N, F) first, then a second per cell, and so
    on. There may be fewer than `n`.
    """
    found = sorted((v for v in views if shows(v, cause)), key=lambda v: str(v.row["trial"]))
    random.Random(seed).shuffle(found)
    seen: dict[tuple[object, ...], int] = {}
    ranked = []
    for place, view in enumerate(found):
        cell = tuple(view.row[name] for name in ("domain", "count", "frequency_hz"))
        seen[cell] = seen.get(cell, 0) + 1
        ranked.append((seen[cell], place, view))
    return [view for _, _, view in sorted(ranked, key=lambda item: item[:2])[:n]]


def shows(view: View, cause: str) -> bool:
    """Whether a trial has that cause, or such an event (displaced, misidentified), or such scores (acr, rfr)."""
    if cause in TRACE_KINDS:
        return view.row.get(cause) == 1
    if cause in EVENT_KINDS:
        return view.trace is not None and any(cause in fates for fates in view.fates)
    return view.outcome == cause


def strip_times_s(view: View, most: int = MOST_FRAMES) -> list[tuple[float, str]]:
    """Times of the film strip with their content, increasing, at most `most`.

    Content: a true event's fate (`matched`, `missed`, ...), `reported` (an invented or displaced report) or
    `context`. Unmatched events have precedence over matched ones. At most two
    reports are shown. Context is a time before the first event and one between the first two, or without
    events the midpoints of the longest gaps. An event is shown by the nearest supplied frame of its evidence,
    context by the nearest supplied frame; without one, by the frame of that time.
    """
    duration_s = view.trace.duration_s if view.trace else 24.0
    true, said = view.fates
    events = list(zip(_seen_s(view), true, strict=True))
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
    for t in (_nearest_s(view.frame_times_s, t) for t in context):
        if all(abs(t - other) > _SAME_S for other, _ in chosen):
            chosen.append((t, "context"))
    while len(chosen) < min(most, 5):
        marks = sorted([0.0, duration_s, *(t for t, _ in chosen)])
        low, high = max(pairwise(marks), key=lambda pair: pair[1] - pair[0])
        chosen.append(((low + high) / 2, "context"))
    return sorted(dict(reversed(chosen)).items())


def _seen_s(view: View) -> list[float]:
    """For each true event the time of the frame that shows it: a supplied one if any lies in its evidence."""
    if view.trace is None:
        return []
    supplied_s = view.frame_times_s or []
    indices = view.trace.frames_at(supplied_s)
    found = []
    for event in view.trace.events:
        first, last = event.evidence_frames
        inside = [t for t, i in zip(supplied_s, indices, strict=True) if first <= i <= last]
        found.append(_nearest_s(inside, event.time_s))
    return found


def _nearest_s(times_s: Sequence[float] | None, to_s: float) -> float:
    return min(times_s, key=lambda t: abs(t - to_s)) if times_s else to_s


def was_supplied(view: View, times_s: Sequence[float]) -> list[bool]:
    """Whether the frame on screen at each time was supplied; all True if the file was sent, or the frames are
    unknown.
    """
    supplied_s = view.frame_times_s
    if not supplied_s:
        return [True] * len(times_s)
    if view.trace is None:
        return [any(abs(t - other) < _SAME_S / 2 for other in supplied_s) for t in times_s]
    given = set(view.trace.frames_at(supplied_s).tolist())
    return [int(i) in given for i in view.trace.frames_at(times_s)]


T = TypeVar("T")


def _thinned(items: Sequence[T], most: int) -> list[T]:
    """At most `most` items, evenly over the sequence."""
    if len(items) <= most:
        return list(items)
    return [items[round(i * (len(items) - 1) / max(1, most - 1))] for i in range(max(0, most))]


def shown_s(view: View, times: Sequence[tuple[float, str]]) -> list[float]:
    """The times of all frames of a card: those of the strip, and the nearest supplied ones for frames not supplied."""
    strip_s = [t for t, _ in times]
    given = was_supplied(view, strip_s)
    return [
        *strip_s,
        *(_nearest_s(view.frame_times_s, t) for t, g in zip(strip_s, given, strict=True) if not g),
    ]


def pictures(video: Path, times_s: Sequence[float]) -> dict[float, Picture]:
    """The frame on screen at each time, by time, uint8 (h, w, 3); raises `InputError` if the video cannot be read."""
    from lft.core.video.media import Media

    media = Media.open(video)
    indices = [media.frame_at(t) for t in times_s]
    by_index = {index: picture[::2, ::2].copy() for index, picture in media.pictures(indices)}
    return {time_s: by_index[index] for time_s, index in zip(times_s, indices, strict=True)}


def card(view: View, frames: Mapping[float, Picture], times: Sequence[tuple[float, str]]) -> Figure:
    """Draws one card; call it inside `style.look()`. `frames`: by time, those of `shown_s`; without any the strip
    is left out.
    """
    width = style.PAGE_IN
    strip_h = 0.0
    if frames:
        each_w = (width - 0.24 - 0.05 * (len(times) - 1)) / len(times)
        high, wide = next(iter(frames.values())).shape[:2]
        strip_h = each_w * high / wide
    words = _verdict(view)
    supplied = was_supplied(view, [t for t, _ in times])
    proofs = dict(zip(view.trace.times_s if view.trace else (), view.proofs_s, strict=True))
    captions = [
        _caption(t, what, given, proofs.get(t)) for (t, what), given in zip(times, supplied, strict=True)
    ]
    below = 0.14 * max((c.count("\n") + 1 for c in captions), default=1)
    second_h = 0.0 if all(supplied) else strip_h + 0.3
    signs = _signs(view, list(zip((what for _, what in times), supplied, strict=True)) if frames else [])
    legend_h = 0.16 * lines_of([name for name, _ in signs], width - 0.12)
    low = 0.5 + 0.14 * len(words) + legend_h
    height = 0.52 + (strip_h + below + second_h if frames else 0.0) + 0.98 + low
    made = style.figure(width, height)
    row = view.row
    condition = " · ".join(condition_words(a, str(row[a])) for a in CONDITION)
    style.title(made, _title(view), 0.12)
    style.subtitle(made, f"{row['model']} · {condition}", 0.12)
    if frames:
        at = (each_w, strip_h)
        for i, ((time_s, what), said, given) in enumerate(zip(times, captions, supplied, strict=True)):
            place = (0.12 + i * (each_w + 0.05), 0.46)
            _frame(made, frames[time_s], said, _EDGES.get(what, _MISSED), place, at, pale=not given)
            if not given:
                nearest_s = _nearest_s(view.frame_times_s, time_s)
                place = (place[0], 0.46 + strip_h + below + 0.02)
                _frame(made, frames[nearest_s], f"{nearest_s:.2f} s", style.RULE, place, at)
    box = (_LEFT_IN / width, low / height, (width - _LEFT_IN - _RIGHT_IN) / width, 0.92 / height)
    _timeline(made.add_axes(box), view)
    names, handles = [name for name, _ in signs], [handle for _, handle in signs]
    if signs:
        legend_of(made, handles, names, text_in=0.12, top_in=height - 0.12 - 0.14 * len(words) - legend_h)
    look: style.Look = {"va": "bottom", "fontsize": 7, "linespacing": 1.35}
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


def _caption(time_s: float, what: str, supplied: bool, proof_s: Sequence[float] | None) -> str:
    lines = [f"{time_s:.2f} s", *([what] if what not in ("matched", "context") else [])]
    if proof_s is not None:
        at = "\nand ".join(f"{t:.2f}" for t in proof_s)
        lines += ["exact frame not", "supplied; proved", f"by those at {at} s"]
    elif not supplied and what != "not supplied":
        lines.append("frame not supplied")
    return "\n".join(lines)


def _frame(
    made: Figure,
    picture: Picture,
    words: str,
    edge: str,
    place_in: tuple[float, float],
    size_in: tuple[float, float],
    *,
    pale: bool = False,
) -> None:
    """One frame, `place_in` from the left and the top."""
    width, height = made.get_size_inches()
    low_in = height - place_in[1] - size_in[1]
    axes = made.add_axes((place_in[0] / width, low_in / height, size_in[0] / width, size_in[1] / height))
    axes.imshow(picture, interpolation="antialiased", alpha=_PALE if pale else 1.0)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_color(style.QUIET if pale else edge)
        spine.set_linewidth(0.8 if edge == style.RULE else 1.6)
        spine.set_linestyle(_BROKEN if pale else "-")
    colour = style.QUIET if pale or edge == style.RULE else style.INK
    axes.set_xlabel(words, labelpad=2, fontsize=6.5, color=colour, linespacing=1.25)


_PALE, _BROKEN = 0.4, (0, (2, 1.5))  # of a frame that the model was not given
_INVENTED, _MISSED = "#a3357c", "#b45309"
_EVENT_EDGES = {
    "matched": style.ACCENT, "merged": style.ACCENT, "not supplied": style.QUIET, "unreported": style.QUIET,
}  # fmt: skip
_EDGES = {
    "not supplied": style.QUIET, "unreported": style.QUIET, "matched": style.ACCENT, "reported": _INVENTED,
    "context": style.RULE,
}  # fmt: skip


def _signs(view: View, strip: Sequence[tuple[str, bool]]) -> list[tuple[str, Artist]]:
    """Texts and handles for the legend of the signs that occur."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def mark(shape: str, face: str, edge: str) -> Artist:
        look: style.Look = {"markersize": 4.8, "markeredgewidth": 1.2, "linestyle": "none"}
        return Line2D([], [], marker=shape, markerfacecolor=face, markeredgecolor=edge, **look)

    def box(edge: str, line: Literal["-"] | tuple[float, tuple[float, ...]] = "-") -> Artist:
        return Patch(facecolor="white", edgecolor=edge, linewidth=1.4, linestyle=line)

    true, said = (set(fates) for fates in view.fates)
    given = {what for what, supplied in strip if supplied}
    signs = [
        ("matched" in true, "event, paired", mark("o", style.ACCENT, style.ACCENT)),
        (bool(true & {"missed", "displaced"}), "event, not paired", mark("o", "white", _MISSED)),
        (
            "not supplied" in true,
            "event, not supplied (no evidence)",
            mark("o", "white", style.QUIET),
        ),
        ("unreported" in true, "event, not paired; not known whether shown", mark("o", "white", style.QUIET)),
        ("merged" in true, "event, counted with another", mark("o", "white", style.ACCENT)),
        (bool(true), "window that counts", Patch(facecolor=style.ACCENT, alpha=0.2, linewidth=0)),
        ("paired" in said, "report, paired", mark("D", style.ACCENT, style.ACCENT)),
        ("misidentified" in said, "report, paired, wrong label", mark("D", "white", style.ACCENT)),
        (bool(said & {"invented", "displaced"}), "report, not paired", mark("x", _INVENTED, _INVENTED)),
        ("matched" in given, "frame of a paired event", box(style.ACCENT)),
        (
            bool(given - {"matched", "reported", "context", "not supplied", "unreported"}),
            "of an event not paired",
            box(_MISSED),
        ),
        ("reported" in given, "at a report not paired", box(_INVENTED)),
        (
            any(not supplied for _, supplied in strip),
            "frame not supplied; below, the nearest that was",
            box(style.QUIET, _BROKEN),
        ),
    ]
    return [(words, handle) for occurs, words, handle in signs if occurs]


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
        shade: style.Look = {"color": style.ACCENT, "alpha": 0.12 + 0.1 * (i % 2), "linewidth": 0}
        axes.axvspan(*window, 0.7, 0.97, **shade)
        face = style.ACCENT if true[i] == "matched" else "white"
        edge = _EVENT_EDGES.get(true[i], _MISSED)
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
    """The whole clip, or its part with events if that is under half of it."""
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
    words = view.outcome.replace("_", " ")
    if meaning := cause_colours.MEANINGS.get(view.outcome, "").partition(";")[0]:
        words += f" ({meaning})"
    true, said = view.fates
    parts = [f"Outcome: {words}. {answer.capitalize()}, true count {row['count']}."]
    if true:
        kinds = [
            (k, true.count(k))
            for k in ("matched", "missed", "not supplied", "unreported", "merged", "displaced")
            if true.count(k)
        ]
        wrong = (("invented", "hallucinated"), ("misidentified", "misidentified"))
        kinds += [(word, said.count(k)) for k, word in wrong if said.count(k)]
        parts.append(", ".join(f"{number} {kind}" for kind, number in kinds) + ".")
    if row.get("f1") is not None:
        parts.append(
            f"P {row['precision']:.2f}, R {row['recall']:.2f}, F1 {row['f1']:.2f}; "
            + (
                f"windows ±{row['tolerance_s']:.3g} s."
                if row.get("tolerance_s")
                else "windows of half the event's length, or half the gap."
            )
        )
    if row.get("evident") is not None:
        proved = sum(proof is not None for proof in view.proofs_s)
        exact = f" ({proved} of them proved by the frames around them)" if proved else ""
        parts.append(
            f"The supplied frames give evidence of {int(row['evident'])} of {row['count']} events{exact}."
        )
    elif row.get("evident_unknown"):
        parts.append(f"{UNKNOWN[str(row['evident_unknown'])].capitalize()}.")
    if row.get("acr") == 1:
        parts.append(
            "Answer without its trace (ACR): the count is right and its trace is not (F1 below 0.80)."
        )
    if row.get("rfr") == 1:
        parts.append(
            "Trace without its answer (RFR): the trace is faithful (F1 at least 0.80) and the count is wrong."
        )
    return textwrap.wrap(" ".join(parts), 128)
