"""Colour, hatch and words for each cause, for figures and page.

Every two colours are at least 0.1 apart in OKLab, seen with full colour vision and with each of the three
deficiencies at full severity. A test simulates the deficiencies. Each cause has a hatch as well, for grey print.
"""

from __future__ import annotations

from lft.core.reporting.style import css_fill

# Cause, as commands take it -> colour and hatch (as matplotlib writes it), from right to unusable.
CAUSE: dict[str, tuple[str, str]] = {
    "correct": ("#3f78b8", ""),
    "no-evidence": ("#bdc7d3", "////"),
    "missed": ("#edc202", ""),
    "merged": ("#fff491", "...."),
    "unsupported": ("#6334a0", "\\\\\\\\"),
    "hallucinated": ("#c88bde", "\\\\\\\\"),
    "mis-added": ("#3dae84", "xxxx"),
    "undercounted": ("#cd7200", ""),
    "overcounted": ("#7d1d5a", "////"),
    "unclear-reading": ("#a5ffff", "...."),
    "unparsed": ("#262f17", ""),
    "wrong": ("#c11b21", ""),
}

# Short explanations; `lft.counting.audit.causes` has the definitions.
MEANINGS: dict[str, str] = {
    "no-evidence": "no evidence supplied; exactly what the supplied frames show was counted",
    "missed": "evidence missed; the supplied frames show more events than were counted",
    "merged": "several events were counted as one",
    "unsupported": "reported without evidence; more was counted than the supplied frames show, and less than happened",
    "hallucinated": "events invented; more were counted than happened",
    "mis-added": "the answer is not what the response's own list adds up to",
    "undercounted": "too few, and no list says which",
    "overcounted": "too many, and no list says which",
    "unclear-reading": "the reading is in doubt; no fault is concluded from it",
    "unparsed": "no usable answer; no final answer could be read",
    "wrong": "wrong, cause not audited; the scores do not say why",
}


def css() -> str:
    """A style sheet that fills `.cause-NAME` as the figures fill the bars of that cause.

    >>> css().splitlines()[1]
    '.cause-correct { background: #3f78b8; }'
    """
    rules = [f".cause-{name} {{ background: {css_fill(*look)}; }}" for name, look in CAUSE.items()]
    return "\n".join(["/* The colours of the causes, as in the figures. */", *rules, ""])
