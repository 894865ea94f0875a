"""What changes beside a transition, such as the edge that is taken or a caption, is none of its own.

What flashes looks before the flash as it does after it, while more than the flash has changed for good. What lags
follows at once and changes other places only; the next transition takes back some of what the last one changed,
since it leaves the state that was just reached, however soon.
"""

from __future__ import annotations

from collections.abc import Sequence

from lft.core.video.media import Picture
from lft.counting.observer.pictures import Strip, distance

_FLASH_S = 0.5  # a flash is not seen for longer
_LEFT = 0.22  # of a flash, where it lies over what changes for good
_LAG_S = 0.14  # a caption does not lag by more
_ELSEWHERE = 0.1  # of the lesser of two changes lies where the other one was: they are in two places


def without_flashes(
    strip: Strip, moves: Sequence[tuple[int, int, int]], visible: float
) -> list[tuple[int, int]]:
    """Where the picture arrives and where it then rests, without the moves that only begin or end a flash.

    `moves` are positions in time order: the last frame before the move, the frame that arrives, and the last
    one that moves. Differences up to `visible` levels may be noise.
    """
    kept: list[tuple[int, int]] = []
    for start, arrival, rest in moves:
        if kept:
            since = strip.at(kept[-2][1] if len(kept) > 1 else moves[0][0])
            until, now = strip.at(kept[-1][1]), strip.at(rest)
            brief = strip.times_s[start] - strip.times_s[kept[-1][1]] <= _FLASH_S
            soon = strip.times_s[arrival] - strip.times_s[kept[-1][0]] <= _LAG_S
            lags = soon and _elsewhere(since, until, now, visible)
            if lags or (brief and _undone(until, now, since, now, visible)):
                kept[-1] = (kept[-1][0], rest)
                continue
            if brief and _undone(since, until, since, now, visible):
                kept.pop()
        kept.append((arrival, rest))
    return kept


def _elsewhere(since: Picture, until: Picture, now: Picture, visible: float) -> bool:
    """Whether the second of two changes is in other places than the first."""
    first, second = distance(since, until) > visible, distance(until, now) > visible
    both = int((first & second).sum())
    return both <= _ELSEWHERE * min(int(first.sum()), int(second.sum()))


def _undone(a: Picture, b: Picture, since: Picture, now: Picture, visible: float) -> bool:
    """Whether what differs between `a` and `b` is now as it was, while more than that is not."""
    flashed, lasting = distance(a, b).astype(float), distance(since, now).astype(float)
    where = flashed > visible
    lasting[lasting <= visible] = 0
    flash = float(flashed[where].sum())
    return float(lasting[where].sum()) <= _LEFT * flash <= _LEFT * float(lasting.sum())
