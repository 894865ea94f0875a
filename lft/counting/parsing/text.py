"""Views of a response that keep every character at its offset.

A view has exactly the length of the response, so an offset found in a view is an offset in the response.
What a view leaves out is replaced by spaces. All later steps match lower-case text with ASCII digits and
punctuation.

* `plain(text)`: lower case; digits of any script as 0-9; dashes as "-", arrows as "→", and so on.
* `visible(view)`: without thinking and without struck-out text.
* `unmarked(view)`: without Markdown emphasis, LaTeX commands and HTML tags; HTML and LaTeX rows become
  Markdown rows.

Thinking is what stands inside <think>, <thinking>, <thought>, <reasoning>, <reflection>, <scratchpad>,
<analysis>, [THINK], ◁think▷ or an `analysis` channel. It runs from the opening tag to the closing tag that
balances it; without one, to the last closing tag; without any, to an <answer> tag or the end of the
response. A closing tag with no opening tag before it makes everything before it thinking.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable

_SAME = {
    "-": "‐‑‒–—―−﹣－⁃•●▪◦‣",
    "·": "∙",
    "→": "⇒➔➜⟶➝⟹►▶➡⮕↦",
    "~": "〜～∼≈≃≅∽",
    ":": "：∶﹕︰ː",
    ".": "．٫",
    ",": "，、،﹐",
    ";": "；؛",
    "|": "｜│┃¦",
    "(": "（【〔［｛「",
    ")": "）】〕］｝」",
    "=": "＝",
    "#": "＃№",
    "%": "％",
    "/": "／",
    '"': "“”„«»″＂",
    "'": "‘’′＇",
    "x": "×✕",
    "\n": "\r\u2028\u2029\x85\x0b\x0c",
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u202f\u205f\u3000\u200b\u200c"
    "\u200d\u200e\u200f\u2060\ufeff\ufe0f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x00",
}
_CONTROLS = re.compile(r"[\r\x0b\x0c\x00]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_ASCII_ONLY_FIXES = str.maketrans(dict.fromkeys("\r\x0b\x0c", "\n") | {"\x00": " "})


def _folded_characters() -> dict[int, int]:
    table = {ord(c): ord(to) for to, variants in _SAME.items() for c in variants}
    for code in range(
        0x660, sys.maxunicode
    ):  # decimal digits of all other scripts; the last is below U+1FBFA
        if code > 0x1FBFF:
            break
        value = unicodedata.decimal(chr(code), None)
        if value is not None:
            table[code] = ord("0") + value
    for code in range(0xFF21, 0xFF5B):  # full-width letters
        table.setdefault(code, code - 0xFEE0)
    return table


class _Folding(dict[int, int]):
    """A translation table that learns what it leaves alone: `str.translate` is slow on missing keys."""

    def __missing__(self, code: int) -> int:
        self[code] = code
        return code


_FOLDED = _Folding()


_DOT_BULLET = re.compile(r"^([ \t>]{0,40})·", re.MULTILINE)
_BOX_TOKEN = re.compile(r"<\|begin_of_box\|>([^<\n]{0,200})<\|end_of_box\|>")


def plain(text: str) -> str:
    """The response in lower case with ASCII digits and punctuation, character by character.

    >>> plain("Ｔ＝１٫５ – LEFT")
    't=1.5 - left'
    """
    if "<|begin_of_box|>" in text:  # of GLM
        text = _BOX_TOKEN.sub(lambda found: r"\boxed{".rjust(16) + found[1] + "}".ljust(14), text)
    if text.isascii():
        low = text.lower()
        return low.translate(_ASCII_ONLY_FIXES) if _CONTROLS.search(low) else low
    if not _FOLDED:
        _FOLDED.update(_folded_characters())
    others = set(_NOT_ASCII.findall(text))
    if len(others) < 20 and not _CONTROLS.search(text):  # a few dashes or arrows: several times faster
        folded = text
        for character in others:
            folded = folded.replace(character, chr(_FOLDED[ord(character)]))
    else:
        folded = text.translate(_FOLDED)
    if "·" in folded:  # a bullet at the head of a line, else what stands between cells
        folded = _DOT_BULLET.sub(r"\1-", folded).replace("·", "|")
    low = folded.lower()
    if len(low) != len(folded):  # a few capitals have a lower case of two characters
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in folded)
    return low


_THINKING = re.compile(
    r"(?:<|&lt;)(?P<a>/?)(?:[a-z]{1,12}:)?"
    r"(?:think|thinking|thoughts?|thought_process|reasoning|reflection|scratchpad|analysis|cot|"
    r"inner_monologue)"
    r"\b[^<>\n&]{0,80}(?:>|&gt;)"
    r"|◁(?P<b>/?)think▷|\[(?P<c>/?)think(?:ing)?\]|<\|(?P<d>begin|end)_of_thought\|>"
    r"|<\|channel\|>(?P<e>analysis|commentary|final)"
)
_ANSWER_TAG = re.compile(r"(?:<|&lt;)answer(?:>|&gt;)")
_STRUCK = re.compile(
    r"~~[^~\n]{1,400}~~|<del>[^<\n]{0,400}</del>|<s>[^<\n]{0,400}</s>|<strike>[^<\n]{0,400}</strike>"
    r"|\\(?:sout|cancel|xcancel)\{[^{}\n]{0,200}\}"
)


def visible(view: str) -> str:
    """The view with thinking and struck-out text blanked.

    >>> visible("<think>at 0:05</think>0:07")
    '\\n                    \\n0:07'
    """
    if "<" in view or "&lt;" in view or "◁" in view or "[" in view:
        view = _blanked(view, _thinking_spans(view))
    if (
        "~~" in view
        or "<del>" in view
        or "<s>" in view
        or "<strike>" in view
        or "out{" in view
        or "cancel{" in view
    ):
        view = _STRUCK.sub(lambda found: " " * len(found[0]), view)
    return view


def _thinking_spans(view: str) -> list[tuple[int, int]]:
    tags = []
    for found in _THINKING.finditer(view):
        closing = found["a"] or found["b"] or found["c"] or found["d"] == "end" or found["e"] == "final"
        tags.append((found.start(), found.end(), bool(closing)))
    if not tags:
        return []
    last_closing_end = max((end for _, end, closing in tags if closing), default=-1)
    spans: list[tuple[int, int]] = []
    depth, opened, any_opened = 0, 0, False
    for start, end, closing in tags:
        if not closing:
            if depth == 0:
                opened = start
            depth, any_opened = depth + 1, True
        elif depth:
            depth -= 1
            if depth == 0:
                spans.append((opened, end))
        elif not any_opened:
            spans = [(0, end)]
    if depth:
        if last_closing_end > opened:
            spans.append((opened, last_closing_end))
        else:
            answer = _ANSWER_TAG.search(view, opened)
            spans.append((opened, answer.start() if answer else len(view)))
    return spans


def _blanked(view: str, spans: Iterable[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts.append(view[at:start])
        parts.append("\n" + " " * (end - start - 2) + "\n" if end - start > 1 else " " * (end - start))
        at = end
    parts.append(view[at:])
    return "".join(parts)


_HTML = re.compile(
    r"<(/?)(br|p|div|li|ul|ol|tr|td|th|table|thead|tbody|h[1-6]|b|i|u|em|strong|span|code|pre|sub|sup|answer|"
    r"font|small|details|summary|hr)\b[^<>]{0,200}>"
)
_ENTITY = re.compile(r"&(nbsp|ensp|emsp|thinsp|ndash|mdash|rarr|asymp|gt|lt|amp|quot|#\d{1,6});")
_ENTITY_IS = {
    "ndash": "-",
    "mdash": "-",
    "rarr": "→",
    "asymp": "~",
    "gt": ">",
    "lt": "<",
    "amp": "&",
    "quot": '"',
}
_LATEX = re.compile(
    r"\\(?:(?P<arrow>to|rightarrow|longrightarrow|mapsto|implies)(?![a-z])|(?P<near>approx|sim|"
    r"simeq)(?![a-z])"
    r"|(?P<item>item)(?![a-z])|(?P<row>\\)|(?P<dash>textendash|textemdash)(?![a-z])"
    r"|(?:begin|end)\{[a-z*]{1,20}\}(?:\{[^{}\n]{0,40}\})?"
    r"|(?:text|mathrm|mathbf|mathit|mathsf|textbf|textit|texttt|emph|underline|operatorname) ?\{"
    r"|(?:quad|qquad|hline|left|right|displaystyle|newline)(?![a-z])|[,;:! .()\[\]_*#+\-~&%])"
)
_EMPHASIS = re.compile(r"[*`$]+|__")
_BULLET = re.compile(r"^([ \t>]{0,40})[*+](?=\s)", re.MULTILINE)


def unmarked(view: str) -> str:
    """The view without emphasis, LaTeX commands and HTML tags.

    >>> unmarked("* **0:05** hit")
    '-   0:05   hit'
    """
    if "<" in view:
        view = _HTML.sub(_html, _rows_on_one_line(view))
    if "&" in view:
        view = _ENTITY.sub(lambda found: _ENTITY_IS.get(found[1], " ").ljust(len(found[0])), view)
    if "\\" in view:
        if "{tabular" in view or "{array" in view:
            view = view.replace("&", "|")
        if "~\\" in view:
            view = view.replace("~\\", " \\")
        view = _LATEX.sub(_latex, view)
    if "*" in view or "+" in view:
        view = _BULLET.sub(r"\1-", view)
    return _EMPHASIS.sub(lambda found: " " * len(found[0]), view)


def _html(found: re.Match[str]) -> str:
    closing, name = found[1], found[2]
    if name in ("td", "th"):
        mark = "" if closing else "|"
    elif name == "li":
        mark = "\n" if closing else "\n-"
    elif name in ("br", "p", "div", "tr", "ul", "ol", "table", "hr") or name[0] == "h":
        mark = "\n"
    else:
        mark = ""
    return mark.ljust(len(found[0]))


_ROW_TAG = re.compile(r"<(/?)tr\b[^<>]{0,200}>")


def _rows_on_one_line(view: str) -> str:
    if "<tr" not in view:
        return view
    parts, at, opened = [], 0, -1
    for found in _ROW_TAG.finditer(view):
        if not found[1]:
            opened = found.end()
        elif opened >= 0:
            parts += [view[at:opened], view[opened : found.start()].replace("\n", " ")]
            at, opened = found.start(), -1
    parts.append(view[at:])
    return "".join(parts)


def _latex(found: re.Match[str]) -> str:
    if found["arrow"]:
        mark = "→"
    elif found["near"]:
        mark = "~"
    elif found["item"] or found["dash"]:
        mark = "-"
    elif found["row"]:
        mark = "\n"
    else:
        last = found[0][-1]
        mark = " " + last if last in "._#+-~&%*" else ""
    return mark.ljust(len(found[0]))


_NUMBERED_TIME = re.compile(
    r"^(?P<head>[ \t]{0,8}(?:[-*+] )?(?P<n>\d{1,3}))(?P<mark>[ \t]{0,4}[-→=][ \t]{0,4}|\.(?=\d{1,5}[.:]))"
    r"(?=(?P<time>\d{1,5}(?:[.:]\d{1,6}|(?=\s?s(?:ec\w*)?\b))))",
    re.MULTILINE,
)


def enumerated(view: str) -> tuple[str, list[tuple[int, int]]]:
    """A text in which "1 - 3.1 s", "1 → 3.1 s", "1.3.1 s" at the heads of lines are "1)  3.1 s", "1)3.1 s", where the
    numbers go 1, 2, ..., k and the lines are no intervals, as they would overlap; and the places where they may be
    either.

    >>> enumerated("1 - 3.1 s - on\\n2 - 6.4 s - on")[0]
    '1)  3.1 s - on\\n2)  6.4 s - on'
    >>> enumerated("- 1 → 3 s\\n- 2 → 6 s")[0]
    '- 1)  3 s\\n- 2)  6 s'
    >>> enumerated("1 - 2 s: on\\n2 - 3 s: off")  # intervals that meet, or numbers
    ('1 - 2 s: on\\n2 - 3 s: off', [(0, 5)])
    """
    runs: list[list[re.Match[str]]] = []
    for found in _NUMBERED_TIME.finditer(view):
        if int(found["n"]) == 1:
            runs.append([found])
        elif runs and int(found["n"]) == len(runs[-1]) + 1:
            runs[-1].append(found)
        elif runs:
            runs.pop()
    pieces, at, unsure = [], 0, []
    for run in runs:
        dashed = run[0]["mark"] != "."
        if not dashed and len(run) == 1:
            continue
        if dashed and not any(float(a["time"].replace(":", ".")) > k for k, a in enumerate(run[:-1], 2)):
            unsure.append((run[0].start(), run[0].end("time")))
            continue
        for found in run:
            pieces += [view[at : found.end("head")], ")", " " * (len(found["mark"]) - 1)]
            at = found.end()
    return "".join([*pieces, view[at:]]), unsure
