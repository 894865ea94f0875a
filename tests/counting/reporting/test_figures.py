"""Figures: the same bytes for the same data, legible, and true to the cells they show."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lft.core.reporting import style
from lft.core.reporting.figure_layout import names_of_bars
from lft.counting.reporting import gallery
from lft.counting.reporting.cause_colours import CAUSE
from lft.counting.reporting.figures.surfaces import Panel, domain_order, surface
from lft.counting.reporting.gallery import draw_surface, published_series
from lft.counting.reporting.results import of_scores


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
    found = [t.get_text() for axes in figure.axes for t in axes.texts] + [t.get_text() for t in figure.texts]
    return [text.replace("\n", " ") for text in found]  # notes are set in lines


def test_accuracy_is_printed_in_each_cell():
    shown = [t for t in texts(drawn(cells("blinking", GRID))) if re.fullmatch(r"\d+", t)]
    assert sorted(shown) == sorted(f"{100 * a:.0f}" for a in GRID.values())  # in percent, as on the page


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


def test_fonts_are_legible_at_their_own_size():
    # In a two-column paper at 100 % nothing is under 7 points; a cell that carries its n has room for both lines.
    table = cells("blinking", GRID)
    table.loc[0, ["n", "n_missing"]] = [7, 3]
    for figure in (drawn(cells("blinking", GRID)), drawn(table)):
        assert figure.get_size_inches()[0] <= style.PAGE_IN
        axes_texts = [[*a.texts, *a.get_xticklabels(), *a.get_yticklabels()] for a in figure.axes]
        printed = [t for some in axes_texts for t in [*some, *figure.texts] if t.get_text()]
        assert min(t.get_fontsize() for t in printed) >= 7
        inside(figure)
    assert "n 7" in texts(drawn(table))


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


def test_one_published_value_for_n_0_stands_once_however_often_it_is_printed(tmp_path: Path):
    path = tmp_path / "surfaces.csv"
    rows = ["model,domain,frequency_hz,count,accuracy"]
    rows += [
        f"m,{d},{f},{n},{a}"
        for d, a in (("blinking", 0.5), ("state_machine", 0.5))
        for f in (1, 2)
        for n in (0, 1)
    ]
    path.write_text("\n".join(rows) + "\n")
    (series,) = published_series(path, 0.8)
    assert len(series.cells) == 2 * (1 + 2)
    assert series.cells["n"].sum() == 60


NAMES = [
    "m",
    "simulated:miss=0.1,false=0.05,jitter_s=0.1,round_s=0.1,misadd=0.05",
    "a-model-of-an-organisation/with-a-very-long-name-that-never-ends-235B-A22B-Instruct-2507-FP8-dynamic@v1",
    "$x_1$ 日本語 <b>",
]


def inside(figure) -> None:
    """Every word and line of the figure lies within its edges, at the resolution of the PNG."""
    figure.set_dpi(220)
    figure.draw_without_rendering()
    parts = [*figure.texts, *figure.legends, *(t for legend in figure.legends for t in legend.get_texts())]
    for axes in figure.axes:
        parts += [*axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels(), axes.title, axes._left_title]
        parts += [axes.xaxis.label, axes.yaxis.label]
    for part in parts:
        if not part.get_visible() or (hasattr(part, "get_text") and not part.get_text().strip()):
            continue
        box = part.get_window_extent()
        said = part.get_text() if hasattr(part, "get_text") else part
        assert box.x0 >= -1, said
        assert box.y0 >= -1, said
        assert box.x1 <= figure.bbox.x1 + 1, said
        assert box.y1 <= figure.bbox.y1 + 1, said


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("column", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_long_names_stay_inside_the_figure(name: str, column: bool):
    table = cells("blinking", {(1.0, 1): 1.0, (2.0, 1): 0.5})
    with style.look(column=column):
        inside(surface([Panel("blinking", table, {})], title=name, subtitle=f"{name} · native"))


def scores_of(models: list[str], domains: dict[str, list[tuple[int, float]]]) -> pd.DataFrame:
    """Scores of models by turns right and wrong; `domains` names the cells (N, F) of each, two clips each."""
    from tests.counting.reporting.test_tables import line

    rows = []
    for i, model in enumerate(models):
        for domain, places in domains.items():
            for count, rate in places:
                for seed in range(2):
                    right = (count + i + seed) % 3 > 0
                    more = {"model": model, "ceiling_correct": 1.0, "cause": "" if right else "missed"}
                    if domain not in ("blinking", "bounce_ball", "state_machine"):
                        more["tolerance_s"] = None
                    rows.append(line(domain, count, rate, seed, int(right), **more))
    return pd.DataFrame(rows)


EIGHT = [f"{name}-{i}" for i, name in enumerate([NAMES[1], NAMES[2], "Qwen3-VL-235B", "flash"] * 2)]
GRID_CELLS = [(n, f) for n in (1, 2, 4) for f in (0.5, 1.0, 2.0)]
SEVERAL = {
    "eight models": (EIGHT, {"blinking": GRID_CELLS, "bounce_ball": GRID_CELLS, "state_machine": GRID_CELLS}),
    "one cell": (["m"], {"blinking": [(1, 1.0)]}),
    "natural videos": (EIGHT, {"natural": [(n, 0.5) for n in (0, 1, 3, 5, 8, 12, 18, 25, 40)]}),
    "a grid and natural videos": (["m", "k"], {"blinking": GRID_CELLS, "natural": [(3, 0.5), (7, 1.0)]}),
}


def _sizes_pt(made) -> list[float]:
    """The sizes of all letters that are to be seen."""
    legend = [t for box in made.legends for t in box.get_texts()]
    axes = [t for a in made.axes for t in [*a.texts, *a.get_xticklabels(), *a.get_yticklabels(), a.title]]
    return [t.get_fontsize() for t in [*made.texts, *legend, *axes] if t.get_text() and t.get_visible()]


@pytest.mark.parametrize("column", [False, True])
@pytest.mark.parametrize("several", SEVERAL)
def test_every_figure_stays_inside_its_edges(several: str, column: bool):
    found = of_scores(scores_of(*SEVERAL[several]))
    names = set()
    with style.look(column=column):
        for _, _, make in gallery._jobs(found, []):
            drawn = make()
            if drawn is not None:
                names.add(drawn.name.split("-")[0])
                width = drawn.figure.get_size_inches()[0]
                assert width <= (style.COLUMN_IN if column else style.PAGE_IN)
                assert {"n", "n_missing"} <= set(drawn.data.columns)
                inside(drawn.figure)
                assert min(_sizes_pt(drawn.figure)) >= 7
    grid = {"surface", "ceiling", "certainty", "frontier"} if several != "natural videos" else set()
    bins = {"bins"} if "natural" in several else set()
    assert names == grid | bins | {"causes"} | (
        {"by_model"} if len(SEVERAL[several][0]) > 1 and grid else set()
    )


def test_letters_are_as_large_in_one_column_as_over_the_page():
    found = of_scores(scores_of(["m", "k"], SEVERAL["eight models"][1]))
    smallest = {}
    for column in (False, True):
        with style.look(column=column):
            for _, _, make in gallery._jobs(found, []):
                drawn = make()
                if drawn is None:
                    continue
                made = drawn.figure
                legend = [t for box in made.legends for t in box.get_texts()]
                shown = [
                    t
                    for t in [*made.texts, *legend, *(t for a in made.axes for t in a.texts)]
                    if t.get_text()
                ]
                kind = drawn.name.split("-")[0]
                smallest.setdefault(kind, []).append(min(t.get_fontsize() for t in shown))
    assert all(min(sizes) >= 5 for sizes in smallest.values())


# Colours as the colour-blind see them: Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
BLIND = {
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}


def oklab(rgb: np.ndarray) -> np.ndarray:
    """OKLab (Ottosson 2020) of linear RGB."""
    lms = np.cbrt(
        np.clip(rgb, 0, 1)
        @ np.array(
            [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
             [0.0883024619, 0.2817188376, 0.6299787005]]
        ).T
    )  # fmt: skip
    return lms @ np.array(
        [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
         [0.0259040371, 0.7827717662, -0.8086757660]]
    ).T  # fmt: skip


def linear(hexadecimal: str) -> np.ndarray:
    c = np.array([int(hexadecimal[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("kind", BLIND)
def test_colours_are_told_apart_by_the_colour_blind_or_have_another_sign(kind: str):
    seen = {c: oklab(np.array(BLIND[kind]) @ linear(c)) for c in style.SERIES}
    # Series: neighbours differ in colour alone, and all of them in their markers.
    for one, two in itertools.pairwise(style.SERIES):
        assert np.linalg.norm(seen[one] - seen[two]) > 0.1
    assert len(set(style.MARKERS)) == len(style.SERIES)
    # Causes: two that look alike differ in their hatch.
    looks = {
        k: (oklab(np.array(BLIND[kind]) @ linear(colour)), hatch) for k, (colour, hatch) in CAUSE.items()
    }
    for one, (colour, hatch) in looks.items():
        for two, (other, other_hatch) in looks.items():
            assert one == two or hatch != other_hatch or np.linalg.norm(colour - other) > 0.1, (one, two)
    # The frontier stands out on every colour of both scales.
    frontier = oklab(np.array(BLIND[kind]) @ linear(style.THRESHOLD))
    for scale in (style.accuracy_map(), style.certainty_map()):
        for x in np.linspace(0, 1, 21):
            c = np.array(scale(x)[:3])
            c = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
            assert np.linalg.norm(oklab(np.array(BLIND[kind]) @ c) - frontier) > 0.1, x


def test_a_name_with_dollars_is_text_and_no_formula(tmp_path: Path):
    # `\up` is no command of mathtext: read as a formula, the name would end the report.
    with style.look():
        made = style.figure(3.3, 1.0)
        made.text(0.1, 0.5, r"cost$\up$5")
        style.save(made, tmp_path / "name")
    assert list(tmp_path.glob("name*"))


def test_names_of_bars_in_one_column_still_tell_conditions_apart() -> None:
    names = [
        f"Qwen3-VL-8B, {rate} fps, {labels} labels" for rate in (1, 4) for labels in ("time", "index", "no")
    ]
    with style.look(column=True):
        shown, room_in = names_of_bars(names)
    assert [" ".join(name.split("\n")) for name in shown] == names  # nothing is left out
    assert room_in <= 1.5
