"""Numbers that tell of a list as a whole: how far apart its events are, what they span, how often they come, how long
each lasts, how exact the times are.

Such a number takes part in no event. It is known by a word for what it measures and by its worth, which has to fit
the list that was read: "about 2 s apart" is understood where the events are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_APART = re.compile(
    r"\b(?:apart|later|after|interval\w*|every|spac\w*|between|period\w*|each|gaps?|rhythm|per|previous|separat\w*|"
    r"cadence|regular\w*|even(?:ly)?|beat|cycle|step\w*|differ\w*|distance|next|tempo|pace|steady|constant)\b"
)
_SPAN = re.compile(
    r"\b(?:span\w*|range\w*|active|period|over|total|window|duration|last(?:s|ed|ing)?|within|long|stretch\w*|phase|"
    r"elapsed|interval|in all|whole|time)\b"
)
_RATE = re.compile(r"\b(?:per second|rate|frequency|a second|every second|each second)\b")
_EXACT = re.compile(
    r"\b(?:accura\w*|uncertain\w*|precis\w*|errors?|approximat\w*|resolution|tolerance|off|within|round\w*|margin|"
    r"vary|varies|deviat\w*|exact\w*|one frame|confiden\w*|certain\w*|probab\w*|granular\w*|nearest)\b"
)
_LASTS = re.compile(
    r"\b(?:last(?:s|ed|ing)?|for|brief\w*|duration|long|stay\w*|remain\w*|within|returns?|about|after)\b"
)
_SAMPLED = re.compile(
    r"\b(?:frames?|sampl\w*|images?)\b.*\b(?:apart|every|spac\w*|interval\w*)\b|\b(?:every|spac\w*)\b.*\bframes?\b"
)
LONGEST_REMARK_S = 1.0  # an event lasts, and a time is uncertain by, at most this


@dataclass(frozen=True)
class Measures:
    """What a list of times measures, seconds; `gaps_s` is (least, largest), empty below two events."""

    first_s: float
    last_s: float
    gaps_s: tuple[float, ...]

    def explain(self, value: float, sentence: str) -> bool:
        """Whether a sentence says what a value measures of the list, and it does.

        >>> Measures(2.0, 8.0, (2.0, 2.0)).explain(2.0, "they are about  s apart")
        True
        >>> Measures(2.0, 8.0, (2.0, 2.0)).explain(3.0, "they are about  s apart")
        False
        """
        gaps = self.gaps_s
        if _SAMPLED.search(sentence):
            return True
        if gaps and min(gaps) * 0.8 <= value <= max(gaps) * 1.25 and _APART.search(sentence):
            return True
        if gaps and value and min(gaps) * 0.8 <= 1 / value <= max(gaps) * 1.25 and _RATE.search(sentence):
            return True
        span_s = self.last_s - self.first_s
        fits = len(gaps) > 0 and abs(value - span_s) <= max(0.11, 0.02 * span_s)
        return fits and _SPAN.search(sentence) is not None

    def exact(self, value: float, sentence: str) -> bool:
        """Whether a sentence says how exact the times are."""
        return 0 < value <= LONGEST_REMARK_S and _EXACT.search(sentence) is not None

    def lasts(self, value: float, sentence: str) -> bool:
        """Whether a sentence says how long each event lasts."""
        return value <= max(LONGEST_REMARK_S, min(self.gaps_s, default=0.0)) and bool(_LASTS.search(sentence))
