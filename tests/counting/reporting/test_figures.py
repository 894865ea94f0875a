"""Figures: the same bytes for the same data, legible, and true to the cells they show."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lft.counting.reporting import style
from lft.counting.reporting.figures import Panel, domain_order, surface
from lft.counting.reporting.gallery import draw_surface, published_series


def cells(domain: str, accuracies: dict[tuple[float, int], float], **columns: object) -> pd.DataFrame:
    rows = [
        {"domain": domain, "frequency_hz": f, "count": n, "accuracy": a, "n": 10, "n_missing": 0, **columns}
        for (f, n), a in accuracies.items()
    ]
    return pd.DataFrame(rows)


GRID = {
    (0.5, 1): 1.0,
    (0.5, 2): 0.8,
    (0.5, 3): 0.3,
    (1.0, 1): 0.5,
    (1.0, 2): 0.0,
    (1.0, 3): 0.0,
    (1.0, 0): 0.9,
}


def drawn(table: pd.DataFrame, frontier: dict[float, int | str] | None = None):
    with style.look():
        return surface(
            [Panel("blinking", table, frontier or {0.5: 2, 1.0: "below"})], title="m", subtitle="c"
        )


def texts(figure) -> list[str]:
    return [t.get_text() for axes in figure.axes for t in axes.texts] + [t.get_text() for t in figure.texts]


def test_accuracy_is_printed_in_each_cell():
    shown = [t for t in texts(drawn(cells("blinking", GRID))) if re.fullmatch(r"[01]\.\d\d", t)]
    assert sorted(shown) == sorted(f"{a:.2f}" for a in GRID.values())


def test_frontier_steps_along_the_last_reliable_cells():
    # Counts 1, 2, 3 are rows 0, 1, 2: reliable up to N = 2 ends at height 2, "below" runs along the bottom.
    (line,) = drawn(cells("blinking", GRID)).axes[0].lines
    assert line.get_xydata().tolist() == [[0, 2], [1, 2], [1, 0], [2, 0]]


def test_undetermined_frontier_is_a_gap_with_a_question_mark():
    figure = drawn(cells("blinking", GRID), {0.5: "undetermined", 1.0: 1})
    (line,) = figure.axes[0].lines
    assert np.isnan(line.get_ydata()[:2]).all()
    assert line.get_ydata()[2:].tolist() == [1, 1]
    assert "?" in texts(figure)


def test_zero_is_one_strip_apart_below_the_first_count():
    figure = drawn(cells("blinking", GRID))
    strip = [p for p in figure.axes[0].patches if p.get_y() < 0]
    assert [(p.get_x(), p.get_width()) for p in strip] == [(0, 2)]
    assert strip[0].get_y() + strip[0].get_height() < 0  # a gap to N = 1


def test_zero_given_at_every_frequency_keeps_its_cells():
    table = cells("blinking", {**GRID, (0.5, 0): 0.7})
    strip = [p for p in drawn(table).axes[0].patches if p.get_y() < 0]
    assert [p.get_width() for p in strip] == [1, 1]


def test_missing_trials_are_marked_and_counted():
    table = cells("blinking", GRID)
    table.loc[0, ["n", "n_missing"]] = [7, 3]
    table.loc[1, ["n", "n_missing", "accuracy"]] = [0, 10, math.nan]
    figure = drawn(table)
    assert "n 7" in texts(figure)
    assert sum(p.get_hatch() is not None for p in figure.axes[0].patches) == 1
    note = " ".join(texts(figure))
    # 7 + 5 cells of 10 = 57 answered, 3 + 10 = 13 missing
    assert "57 trials, 13 missing" in note
    assert "hatched: all missing" in note
    assert "corner: trials missing" in note


def test_a_cell_that_was_not_asked_is_no_missing_cell():
    table = cells("blinking", GRID, n_not_asked=0)
    table.loc[5, ["n", "accuracy", "n_not_asked"]] = [0, math.nan, 10]
    figure = drawn(table)
    assert not any(p.get_hatch() for p in figure.axes[0].patches)
    assert "dot: not asked" in " ".join(texts(figure))


def test_same_data_same_bytes(tmp_path: Path):
    for name in ("a", "b"):
        with style.look():
            figure = surface([Panel("blinking", cells("blinking", GRID), {0.5: 2, 1.0: 1})], title="m")
            style.save(figure, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert b"<dc:date>" not in (tmp_path / "a.svg").read_bytes()


def test_style_leaves_no_global_state():
    import matplotlib

    before = dict(matplotlib.rcParams)
    drawn(cells("blinking", GRID))
    assert dict(matplotlib.rcParams) == before


def test_text_on_every_colour_of_the_scale_is_readable():
    scale = style.accuracy_map()
    for share in np.linspace(0, 1, 101):
        colour = scale(share)
        ink = (0, 0, 0) if style.text_on(colour) == "#000000" else (1, 1, 1)
        assert style.contrast(colour, ink) >= 4.5


def test_scale_is_ordered_by_luminance():
    scale = style.accuracy_map()
    steps = np.diff([style.luminance(scale(x)) for x in np.linspace(0, 1, 51)])
    assert (steps < 0).all()


def test_zeros_are_quiet_but_readable():
    quiet = tuple(int(style.QUIET[i : i + 2], 16) / 255 for i in (1, 3, 5))
    assert style.contrast(style.accuracy_map()(0.05), quiet) >= 4.5


def test_fonts_are_legible_at_column_width():
    # Placed at its own size, nothing that must be read is under 5 points; numbers in cells are at least 6.
    figure = drawn(cells("blinking", GRID))
    assert figure.get_size_inches()[0] <= style.PAGE_IN
    printed = [
        t for axes in figure.axes for t in [*axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels()]
    ]
    sizes = {t.get_text(): t.get_fontsize() for t in [*printed, *figure.texts] if t.get_text()}
    assert min(sizes.values()) >= 5
    assert sizes["0.50"] >= 6


def test_domains_come_in_the_order_of_the_table_then_by_name():
    assert domain_order(["zebra", "state_machine", "apple", "bounce_ball"]) == [
        "bounce_ball",
        "state_machine",
        "apple",
        "zebra",
    ]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    path = tmp_path / "surfaces.csv"
    rows = [
        "model,domain,frequency_hz,count,accuracy",
        "M <b>,blinking,0.5,1,0.90",
        "M <b>,blinking,0.5,2,0.79",
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_published_surfaces_are_drawn_by_their_printed_accuracies(published: Path):
    # 0.79 of an assumed n = 10 is no whole number of right answers; the frontier stays at N = 1.
    (series,) = published_series(published, 0.8)
    assert dict(series.frontiers["blinking"].count) == {0.5: 1}
    with style.look():
        found = draw_surface(series, 0.8)
    assert "as published" in found.title
    assert found.data["n"].tolist() == [10, 10]


def test_a_long_name_stays_inside_the_figure():
    name = "simulated:miss=0.1,false=0.05,jitter_s=0.1,round_s=0.1,misadd=0.05"
    table = cells("blinking", {(1.0, 1): 1.0, (2.0, 1): 0.5})
    with style.look():
        made = surface([Panel("blinking", table, {})], title=name)
        (heading,) = (text for text in made.texts if text.get_text() == name)
        assert heading.get_fontsize() < 9.5
        for dpi in (100, 220):  # as measured, and as saved
            made.set_dpi(dpi)
            made.draw_without_rendering()
            assert heading.get_window_extent().x1 <= made.bbox.x1
