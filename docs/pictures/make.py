"""Remakes the pictures of the docs with LFT itself: `python docs/pictures/make.py [NAME...]`, about 30 s.

Nothing is drawn by hand: frames come from rendered clips, times from their traces, numbers from
results/published. The same code gives the same pictures.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lft.core.reporting import style
from lft.core.video.frames import Sampling, sample
from lft.counting.audit.ceiling import ceiling, supplied_frames
from lft.counting.cells import reaching
from lft.counting.frontier import frontier
from lft.counting.grid import Grid, expand
from lft.counting.match import match
from lft.counting.parse import parse
from lft.counting.rendering.scene import render
from lft.counting.rendering.schedule import draw
from lft.counting.reporting import gallery
from lft.counting.reporting.cause_colours import CAUSE
from lft.counting.reporting.figures import certainty as sureness
from lft.counting.reporting.figures import surfaces
from lft.counting.spec import ClipSpec

HERE = Path(__file__).resolve().parent
PUBLISHED = HERE.parent.parent / "results" / "published" / "surfaces.csv"
BAD, INVENTED = CAUSE["missed"][0], CAUSE["hallucinated"][0]

# The worked example of docs/metrics.md, for events at 5.6, 6.6, 7.6, 8.6 and 9.6 s.
RESPONSE = """\
1. 5.7 s - right wall - count 1
2. 7.3 s - left wall - count 2
3. 8.0 s - right wall - count 3
4. 9.8 s - left wall - count 4
\\boxed{4}
"""


def domains() -> None:
    """A film strip of each domain: four frames around two events of a clip."""
    import cv2

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for domain, seed in (("bounce_ball", 2), ("blinking", 7), ("state_machine", 4)):
            spec = ClipSpec(domain, 5, 1.0, seed, width=640, height=360)
            media, trace = render(draw(spec), Path(folder) / f"{domain}.mp4")
            first = trace.events[1].time_s
            times_s = [first - 0.5, first, first + 0.5, first + 1.0, first + 1.5]
            shown = sample(media, Sampling("native"))
            indices = [media.frame_at(t) for t in times_s]
            pictures = dict(shown.source.pictures(indices))
            cells = []
            for i in indices:
                cell = np.ascontiguousarray(cv2.resize(pictures[i], (320, 180), interpolation=cv2.INTER_AREA))
                is_event = any(e.evidence_frames[0] <= i <= e.evidence_frames[1] for e in trace.events)
                is_first = any(e.frame_index == i for e in trace.events)
                words = f"{i / 30:.2f} s" + ("  event" if is_first else "")
                cv2.putText(
                    cell, words, (9, 30), cv2.FONT_HERSHEY_SIMPLEX, 0.85, (235, 235, 235), 1, cv2.LINE_AA
                )
                if is_event and is_first:
                    cv2.rectangle(cell, (1, 1), (318, 178), (230, 159, 0), 2)
                cells.append(np.pad(cell, ((0, 0), (0, 4), (0, 0)), constant_values=255))
            rows.append(np.pad(np.hstack(cells), ((0, 4), (0, 0), (0, 0)), constant_values=255))
    strip = np.vstack(rows)[:-4, :-4]
    cv2.imwrite(str(HERE / "domains.png"), strip[..., ::-1], [cv2.IMWRITE_PNG_COMPRESSION, 9])


def trace() -> None:
    """One trace on a time axis: active span, events, and the window in which a report pairs."""
    spec = ClipSpec("bounce_ball", 6, 2.0, 3)
    schedule = draw(spec)
    made = schedule.trace()
    with style.look():
        figure = style.figure(style.PAGE_IN, 1.35)
        axes = _axes(figure, (0.0, spec.duration_s))
        start, span = float(schedule.start_s), float(spec.active_span_s)
        axes.axvspan(start, start + span, color="#e8eef6", linewidth=0)
        axes.text(
            start + span / 2, 1.02, f"active span N/F = {span:g} s", ha="center", va="bottom", fontsize=7
        )
        for event in made.events:
            axes.vlines(event.time_s, 0, 0.72, color=style.ACCENT, linewidth=1.4)
            axes.text(event.time_s, 0.76, event.state_after[0].upper(), ha="center", fontsize=6.5)
        axes.set_xticks(range(0, 25, 3))
        axes.set_xlabel("seconds from the start of the clip")
        axes.set_title(f"{spec.clip_id}: what happens, and when (L, R: left and right wall)", pad=12)
        _save(figure, "trace")


def sampling() -> None:
    """Which events of one clip have evidence in the frames that four policies supply."""
    made = draw(ClipSpec("blinking", 6, 3.0, 3)).trace()
    policies = ("native", "fps:4", "fps:1", "keyframes:0.1")
    low, high = made.times_s[0] - 1.2, made.times_s[-1] + 1.2
    with style.look():
        figure = style.figure(style.PAGE_IN, 1.95)
        axes = _axes(figure, (low, high), bottom=0.24, height=0.58, left=0.2, right=0.86)
        for event in made.events:
            first, last = (f / made.fps for f in event.evidence_frames)
            axes.axvspan(first, last + 1 / made.fps, color="#fbe7c2", linewidth=0)
        for row, policy in enumerate(policies):
            y = len(policies) - row - 0.5
            found = ceiling(made, Sampling.parse(policy))
            times_s = supplied_frames(made, Sampling.parse(policy)) / made.fps
            inside = times_s[(times_s >= low) & (times_s <= high)]
            axes.vlines(inside, y - 0.26, y + 0.26, color=style.INK, linewidth=0.7)
            axes.text(low - 0.1, y, policy, ha="right", va="center", fontsize=7.5)
            axes.text(high + 0.1, y, f"{found.count} of {len(made.events)} events", va="center", fontsize=7)
        axes.set_ylim(0, len(policies))
        axes.set_xlabel("seconds; shaded: a frame here shows the blink")
        axes.set_title(f"{made.clip_id}: frames supplied, and events they hold evidence of", pad=6, x=-0.24)
        _save(figure, "sampling")


def pairs() -> None:
    """A report beside the truth: pairs, a missed event, an invented one."""
    window_s, true_s, reported_s = 0.5, [5.6, 6.6, 7.6, 8.6, 9.6], parse(RESPONSE).times_s
    found = match(true_s, reported_s, window_s)
    paired = {p.true_index for p in found.pairs}, {p.reported_index for p in found.pairs}
    with style.look():
        figure = style.figure(style.PAGE_IN, 1.75)
        axes = _axes(
            figure, (true_s[0] - 1.0, true_s[-1] + 1.2), bottom=0.24, height=0.55, left=0.11, right=0.98
        )
        axes.set_ylim(-0.35, 1.4)
        for t in true_s:
            axes.fill_between(
                [t - window_s + 0.02, t + window_s - 0.02], 0.88, 1.12, color="#e8eef6", linewidth=0
            )
        for i, t in enumerate(true_s):
            axes.plot(t, 1, "o", color=style.ACCENT if i in paired[0] else BAD, markersize=6)
            if i not in paired[0]:
                axes.text(t, 1.19, "missed", ha="center", fontsize=7)
        for i, t in enumerate(reported_s):
            axes.plot(t, 0, "s", color=style.ACCENT if i in paired[1] else INVENTED, markersize=5.5)
            if i not in paired[1]:
                axes.text(t, -0.3, "invented", ha="center", fontsize=7)
        for p in found.pairs:
            axes.plot(
                [true_s[p.true_index], reported_s[p.reported_index]], [1, 0], color=style.QUIET, linewidth=0.9
            )
        axes.text(axes.get_xlim()[0], 1, "truth ", ha="right", va="center")
        axes.text(axes.get_xlim()[0], 0, "report ", ha="right", va="center")
        axes.set_xlabel("seconds; band: the tolerance 1/(2F) = 0.5 s on either side of an event")
        axes.set_title(f"N = {len(true_s)}, M = {len(reported_s)}, K = {len(found)} pairs", pad=4)
        _save(figure, "pairs")


def surface() -> None:
    """A published surface with its frontier, drawn as `lft report` draws one's own."""
    series = gallery.published_series(PUBLISHED, 0.8)[0]
    panels = [
        surfaces.Panel(domain, series.cells[series.cells["domain"] == domain], found.count)
        for domain, found in series.frontiers.items()
    ]
    with style.look():
        made = surfaces.surface(panels, title=series.model, subtitle="published surfaces, native video")
        _save(made, "surface")


def _published() -> tuple[Any, Any]:
    """The published surfaces of one model as a series with its results, each cell on ten clips."""
    from lft.counting.reporting.results import Results

    (series,) = gallery.published_series(PUBLISHED, 0.8)[:1]
    cells = series.cells.assign(correct=(series.cells["accuracy"] * 10).round(), n=10, n_missing=0)
    series = replace(series, cells=cells[cells["count"] > 0])
    return series, Results(series.scores.assign(tolerance_s=[]), (series,))


def certainty() -> None:
    """How sure each published cell of one model is to reach tau."""
    series, results = _published()
    with style.look():
        _save(sureness.certainty(series, results).figure, "certainty")


def frontier_() -> None:
    """The published frontier of one model with its interval, and the fitted contours."""
    series, results = _published()
    with style.look():
        _save(sureness.contours(series, results).figure, "frontier")


def access() -> None:
    """The published state machine surface beside what one frame a second allows."""
    rows = []
    for spec in expand(Grid.load("paper").filmed(domains=["state_machine"])):
        found = ceiling(draw(spec).trace(), Sampling.parse("fps:1"))
        rows.append((spec.frequency_hz, spec.count, found.correct))
    own = pd.DataFrame(rows, columns=["frequency_hz", "count", "correct"])
    own = own.groupby(["frequency_hz", "count"])["correct"].agg(["mean", "sum", "size"]).reset_index()
    own = own.set_axis(["frequency_hz", "count", "accuracy", "correct", "n"], axis=1).assign(n_missing=0)
    series = gallery.published_series(PUBLISHED, 0.8)[0]
    published = series.cells[series.cells["domain"] == "state_machine"]
    panels = [
        surfaces.Panel(
            "reported", published.assign(domain="reported"), series.frontiers["state_machine"].count
        ),
        surfaces.Panel("allowed", own.assign(domain="allowed"), frontier(reaching(own, 0.8)).count),
    ]
    with style.look():
        made = surfaces.surface(
            panels,
            title="State machine: what was reported, and what one frame a second allows",
            subtitle="left: Gemini 3.6 Flash, published; right: access ceiling at fps:1, paper grid",
        )
        _save(made, "access")


def page() -> None:
    """The page that `make demo` writes, at one clip of the observer at 1 frame a second. Needs Chromium."""
    import json
    import shutil

    from playwright.sync_api import sync_playwright

    report = _demo("report")
    index = (report / "data" / "index.js").read_text(encoding="utf-8")
    series = json.loads(index[index.index("(") + 1 : index.rindex(")")])["series"]
    slug = next(s["slug"] for s in series if "observer" in s["slug"] and "fps1" in s["slug"])
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1200, "height": 2020}, color_scheme="light")
        tab = context.new_page()
        tab.goto((report / "index.html").as_uri() + f"#s={slug}&d=state_machine&n=10&f=2&k=0")
        tab.get_by_role("button", name="11.90").or_(tab.get_by_text("11.90", exact=True)).first.click()
        tab.wait_for_timeout(1500)
        tab.evaluate("scrollTo(0, 0)")
        tab.screenshot(path=str(HERE / "page.png"))
        browser.close()


def case() -> None:
    """A case card of the demo's simulated model: events that it missed."""
    import shutil

    from lft.cli import app

    with tempfile.TemporaryDirectory() as folder:
        asked = [
            "cases",
            str(_demo("runs/demo-simulated")),
            "--cause",
            "missed",
            "--n",
            "1",
            "--seed",
            "2",
            "--out",
            folder,
        ]
        app.main(asked, standalone_mode=False)
        shutil.copy(sorted(Path(folder).glob("missed-01-*.png"))[0], HERE / "case.png")


def causes() -> None:
    """The causes of the demo's wrong answers."""
    import shutil

    shutil.copy(_demo("report") / "figures" / "causes.png", HERE / "causes.png")


def _demo(name: str) -> Path:
    path = HERE.parent.parent / "results" / name
    if not path.exists():
        raise SystemExit(f"{path} is not there: run `make demo` first")
    return path


def _save(figure: Any, name: str) -> None:
    png, _ = style.save(figure, HERE / name)
    png.unlink()  # the pages show the SVG


def _axes(
    figure: Any, limits: tuple[float, float], *, bottom=0.32, height=0.42, left=0.05, right=0.98
) -> Any:
    axes = figure.add_axes((left, bottom, right - left, height))
    axes.set_xlim(*limits)
    axes.set_ylim(0, 1)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    return axes


if __name__ == "__main__":
    made = (domains, trace, sampling, pairs, surface, certainty, frontier_, access, page, case, causes)
    every = {f.__name__.strip("_"): f for f in made}
    for name in sys.argv[1:] or every:
        every[name]()
