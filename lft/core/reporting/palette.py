"""The colours of categories, for figures and page alike: told apart by people who see no red, no green or no blue.

Every two colours of `CAUSE` are at least 0.1 apart in OKLab, seen with full colour vision and with each of the
three deficiencies at full severity; so are every two of `SERIES` with the line of the frontier. A test simulates the
deficiencies. Each cause has a hatch as well, for grey print.
"""

from __future__ import annotations

FRONTIER = "#c4470a"

# What became of an answer, or of an event in it: colour and hatch (as matplotlib writes it).
CAUSE: dict[str, tuple[str, str]] = {
    "correct": ("#3f78b8", ""),
    "no-evidence": ("#bdc7d3", "////"),
    "unsupported": ("#6334a0", "\\\\\\\\"),
    "missed": ("#edc202", ""),
    "undercounted": ("#cd7200", ""),
    "merged": ("#fff491", "...."),
    "hallucinated": ("#c88bde", "\\\\\\\\"),
    "overcounted": ("#7d1d5a", "////"),
    "mis-added": ("#3dae84", "xxxx"),
    "unclear-reading": ("#a5ffff", "...."),
    "unparsed": ("#262f17", ""),
    "wrong": ("#c11b21", ""),
}

# Lines of models and conditions, in the order in which they are taken.
SERIES = ("#2f39ab", "#c658f3", "#177d92", "#d6c518", "#672855", "#6cd1e9", "#87a97b", "#341315")

_STRIPE = "rgb(0 0 0 / .28)"
_LIGHT_STRIPE = "rgb(255 255 255 / .45)"


def css() -> str:
    """A style sheet that fills `.cause-NAME` as the figures fill the bars of that cause.

    >>> css().splitlines()[1]
    '.cause-correct { background: #3f78b8; }'
    """
    rules = [f".cause-{name} {{ background: {_fill(*look)}; }}" for name, look in CAUSE.items()]
    return "\n".join(["/* The colours of the causes, as in the figures. */", *rules, ""])


def _fill(colour: str, hatch: str) -> str:
    stripe = _STRIPE if _bright(colour) else _LIGHT_STRIPE
    angles = {"/": ("135deg",), "\\": ("45deg",), "x": ("45deg", "135deg")}.get(hatch[:1], ())
    layers = [f"repeating-linear-gradient({a}, {stripe} 0 1px, transparent 1px 4px)" for a in angles]
    if hatch[:1] == ".":
        layers = [f"radial-gradient({stripe} 1px, transparent 1.2px) 0 0 / 4px 4px"]
    return ", ".join([*layers, colour])


def _bright(colour: str) -> bool:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return 0.3 * red + 0.6 * green + 0.1 * blue > 110
