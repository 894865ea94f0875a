"""The style of all figures, and saving them so that the same data give the same bytes.

Colours suit colour-blind readers and grey print: accuracy has one hue of evenly falling lightness; any two colours of
`SERIES`, and `THRESHOLD`, are at least 0.1 apart in OKLab, with full colour
vision and with each of the three deficiencies. Text on a colour is black or white, whichever contrasts more. Sizes are
in inches and points of the printed page, for a width of one column (3.35 in) or two (7.0 in).
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from lft.core.files import replacing

if TYPE_CHECKING:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

COLUMN_IN = 3.35  # width of one column of a two-column page, inches
PAGE_IN = 7.0  # width of both

INK = "#1c2430"
QUIET = "#5d6876"
RULE = "#c9d0d9"
MISSING = "#eceff3"
ACCENT = "#1f5fa8"
THRESHOLD = "#c4470a"  # lines and marks of what is to be reached
# Lines of models and conditions, in the order in which they are taken.
SERIES = ("#2f39ab", "#c658f3", "#177d92", "#d6c518", "#672855", "#6cd1e9", "#87a97b", "#341315")

# Light to dark in OKLab lightness 0.97, 0.86, 0.71, 0.53, 0.36: even steps, one hue.
_ACCURACY = ("#f4f7fb", "#c6d8ed", "#86aedb", "#3f78b8", "#17437c")

_CERTAINTY = ("#f7f4fb", "#d9cdec", "#b39ad6", "#8560b4", "#4f2d80")

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def line(index: int) -> Look:
    """Colour, marker and stroke of the series with this index: eight are distinct, with and without colour."""
    stroke = ("-", "--", ":")[min(index // 4, 2)]
    return {
        "color": SERIES[index % len(SERIES)],
        "marker": MARKERS[index % len(MARKERS)],
        "linestyle": stroke,
    }


Look: TypeAlias = dict[str, Any]  # keyword arguments of Matplotlib
_RC: Look = {
    "font.family": "DejaVu Sans",  # ships with matplotlib: the same everywhere
    "font.size": 7.5,
    "text.parse_math": False,  # names of models and runs are text, whatever they hold
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 7.5,
    "axes.labelcolor": INK,
    "axes.edgecolor": RULE,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "hatch.linewidth": 0.5,
    "hatch.color": "#98a2ae",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "lft",
    "pdf.fonttype": 42,  # as publishers ask: letters that can be searched and copied
    "path.simplify": True,
}


_COLUMN: ContextVar[bool] = ContextVar("lft-column", default=False)


@contextlib.contextmanager
def look(*, column: bool = False) -> Iterator[None]:
    """A context with the style; figures are created and saved inside it. `column`: figures are one column wide, with
    panels below each other.
    """
    import matplotlib

    token = _COLUMN.set(column)
    try:
        with matplotlib.rc_context(_RC):  # type: ignore[arg-type]
            yield
    finally:
        _COLUMN.reset(token)


def in_column() -> bool:
    """Whether figures are made one column wide."""
    return _COLUMN.get()


def figure(width_in: float, height_in: float) -> Figure:
    """An empty figure on the Agg canvas; nothing is registered with pyplot."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(width_in, height_in), dpi=100)
    FigureCanvasAgg(made)
    return made


def title(made: Figure, words: str, left_in: float) -> None:
    """Writes the title of a figure, in smaller type if it is too wide."""
    width, height = made.get_size_inches()
    at = (left_in / width, 1 - 0.06 / height)
    room = 72 * (width - left_in - 0.08)
    size = 9.5 * min(1.0, room / max(text_width_pt(words, 9.5, bold=True), 1.0))
    words = shortened(words, room, max(size, 7.0), bold=True)
    made.text(*at, words, ha="left", va="top", fontsize=max(size, 7.0), weight="bold")


def subtitle(made: Figure, words: str, left_in: float) -> None:
    """Writes the line below a figure's title."""
    width, height = made.get_size_inches()
    words = shortened(words, 72 * (width - left_in - 0.08), 7.5)
    made.text(left_in / width, 1 - 0.23 / height, words, ha="left", va="top", fontsize=7.5, color=QUIET)


def text_width_pt(words: str, size_pt: float, *, bold: bool = False) -> float:
    """The width of text in the figures' font, in points: the advances of its letters, without kerning."""
    return size_pt * sum(_advance(letter, bold) for letter in words)


@functools.cache
def _advance(letter: str, bold: bool) -> float:
    """The advance of one letter in the figures' font, in units of the font's size."""
    font = _font(bold)
    if not font.get_char_index(ord(letter)):
        return 0.6  # the box that stands for a letter which the font lacks
    # Letters fitted to pixels are up to 4 % wider at the resolution of the PNG.
    return 1.04 * float(font.load_char(ord(letter)).linearHoriAdvance) / 65536 / 100


@functools.cache
def _font(bold: bool) -> Any:
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.ft2font import FT2Font

    font = FT2Font(findfont(FontProperties(family=_RC["font.family"], weight="bold" if bold else "normal")))
    font.set_size(100, 72)
    return font


def shortened(words: str, room_pt: float, size_pt: float, *, bold: bool = False) -> str:
    """Text that fits into `room_pt`; longer text loses its middle."""
    if text_width_pt(words, size_pt, bold=bold) <= room_pt:
        return words
    low, high = 1, len(words)
    while low < high:  # the most letters that fit
        kept = (low + high + 1) // 2
        if text_width_pt(_without_middle(words, kept), size_pt, bold=bold) <= room_pt:
            low = kept
        else:
            high = kept - 1
    return _without_middle(words, low)


def _without_middle(words: str, kept: int) -> str:
    head = (2 * kept + 2) // 3
    tail = kept - head
    return f"{words[:head].rstrip()}…{words[len(words) - tail :].lstrip() if tail else ''}"


def wrapped(words: str, room_pt: float, size_pt: float) -> list[str]:
    """Text wrapped into lines that fit into `room_pt`."""
    lines: list[str] = []
    for word in words.split():
        if lines and text_width_pt(f"{lines[-1]} {word}", size_pt) <= room_pt:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def save(made: Figure, stem: Path, *, dpi: int = 220) -> tuple[Path, Path]:
    """Writes `stem`.png and `stem`.svg; the same figure gives the same bytes: no date, no random ids."""
    png, svg = (stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "svg"))
    with replacing(png) as temporary:
        made.savefig(temporary, format="png", dpi=dpi, metadata={"Software": None})
    with replacing(svg) as temporary:
        made.savefig(temporary, format="svg", metadata={"Date": None, "Creator": None})
    return png, svg


def save_pdf(made: Figure, stem: Path) -> Path:
    """Writes `stem`.pdf, with letters as letters; the same figure gives the same bytes."""
    pdf = stem.with_name(stem.name + ".pdf")
    with replacing(pdf) as temporary:
        made.savefig(
            temporary, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None}
        )
    return pdf


@functools.cache
def accuracy_map() -> LinearSegmentedColormap:
    """Colours of accuracy 0 to 1, light to dark."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("lft-accuracy", list(_ACCURACY))


@functools.cache
def certainty_map() -> LinearSegmentedColormap:
    """Colours of a probability 0 to 1, light to dark, of another hue than accuracy."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("lft-certainty", list(_CERTAINTY))


def luminance(rgb: Sequence[float]) -> float:
    """Relative luminance of an sRGB colour with parts in [0, 1], as WCAG 2 defines it.

    >>> luminance((1, 1, 1)), luminance((0, 0, 0))
    (1.0, 0.0)
    """
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: Sequence[float], second: Sequence[float]) -> float:
    """WCAG 2 contrast ratio of two sRGB colours, 1 to 21.

    >>> round(contrast((0, 0, 0), (1, 1, 1)), 3)
    21.0
    """
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def text_on(rgb: Sequence[float]) -> str:
    """Black or white, whichever reads better on a colour: always a contrast of 4.5 or more.

    >>> text_on((1, 1, 1)), text_on((0.1, 0.2, 0.4))
    ('#000000', '#ffffff')
    """
    return "#000000" if contrast(rgb, (0.0, 0.0, 0.0)) >= contrast(rgb, (1.0, 1.0, 1.0)) else "#ffffff"


_STRIPE = "rgb(0 0 0 / .28)"
_LIGHT_STRIPE = "rgb(255 255 255 / .45)"


def css_fill(colour: str, hatch: str) -> str:
    """The CSS background that fills as figures fill a bar of this colour and hatch."""
    stripe = _STRIPE if _bright(colour) else _LIGHT_STRIPE
    angles = {"/": ("135deg",), "\\": ("45deg",), "x": ("45deg", "135deg")}.get(hatch[:1], ())
    layers = [f"repeating-linear-gradient({a}, {stripe} 0 1px, transparent 1px 4px)" for a in angles]
    if hatch[:1] == ".":
        layers = [f"radial-gradient({stripe} 1px, transparent 1.2px) 0 0 / 4px 4px"]
    return ", ".join([*layers, colour])


def _bright(colour: str) -> bool:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return 0.3 * red + 0.6 * green + 0.1 * blue > 110
