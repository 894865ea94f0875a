"""Whether an object swings in free air: to and fro at one speed, between two places that are no walls.

Few frames a second may make such a swing look like one between walls, of another rate. That an object turns at walls
only is borne out if it is seen to touch one, or to rest: what swings in free air does neither. Else both are tried:
an even to and fro x(t) = c + a tri(f t + p), for every rate f and phase p, with the middle c and the reach a that fit
best, and with those that the walls would give. The frames settle it where one fits far better.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_FEWEST = 12  # places; fewer are fitted by any swing
_RATES_PER_TURN = 50.0  # rates that are tried: so finely that the whole clip is off by a fiftieth of a turn
_PHASES = 96  # phases of a turn that are tried
_MOST_RATES = 3000
_EXACT = 0.015  # of the way from wall to wall: so near a swing is to all places,
_MUCH_WORSE = 4.0  # and so many times farther off is the one between the walls,
_INSIDE = 0.04  # and so far inside the walls it turns, as a share of the way between them
_MOVED = 0.01  # of that way: nearer places are one

Places = npt.NDArray[np.float64]


def turns_at_walls(
    along: Places, times_s: Places, walls: tuple[float, float], touching: npt.NDArray[np.bool_]
) -> bool:
    """Whether the places, float64 (n,) on a line, bear out that the object turns at walls only.

    `touching` bool (n,) are the frames that show a contact.
    """
    if touching.any() or _rests(along, _MOVED * (walls[1] - walls[0])):
        return True
    moves = np.abs(np.diff(along)) > _MOVED * (walls[1] - walls[0])
    return int(moves.sum()) > _FEWEST and not swings_free(along, times_s, walls)


def _rests(along: Places, near: float) -> bool:
    """Whether the object is at rest at an end of the clip: three frames there, or two there and at the other end."""

    def stays(places: Places) -> bool:
        return len(places) > 1 and float(np.ptp(places)) <= near

    if len(along) < 5:
        return False
    both = stays(along[:2]) and stays(along[-2:]) and abs(float(along[0] - along[-1])) <= 2 * near
    return both or stays(along[:3]) or stays(along[-3:])


def swings_free(along: Places, times_s: Places, walls: tuple[float, float]) -> bool:
    """Whether the places, float64 (n,) on a line, are those of a swing that reaches neither wall.

    A swing of 1 Hz between 20 and 80, seen twice a second or so, and one between the walls:

    >>> times_s = np.arange(40) * 0.52
    >>> swing = np.abs((2 * times_s) % 2 - 1)
    >>> swings_free(20 + 60 * swing, times_s, (0.0, 100.0)), swings_free(100 * swing, times_s, (0.0, 100.0))
    (True, False)
    """
    way = walls[1] - walls[0]
    moving = np.flatnonzero(np.abs(np.diff(along)) > _MOVED * way)
    if way <= 0 or not len(moving):
        return False
    part = slice(int(moving[0]) + 1, int(moving[-1]) + 1)  # not from rest, nor to it
    x, t = along[part] - along[part].mean(), times_s[part] - times_s[part][0]
    if len(x) < _FEWEST:
        return False
    fastest_hz = 1 / (2 * float(np.diff(t).min()))
    count = min(_MOST_RATES, int(_RATES_PER_TURN * fastest_hz * t[-1]))
    centre = (walls[0] + walls[1]) / 2 - float(along[part].mean())
    best_free, best_walled, turn = np.inf, np.inf, (0.0, 0.0)
    phases = np.arange(_PHASES)[:, None] / _PHASES
    for rate_hz in np.linspace(0, 2 * fastest_hz, 2 * count + 1)[1:]:
        swing = 1 - 4 * np.abs((rate_hz * t[None, :] + phases) % 1 - 0.5)
        level, spread = swing.mean(axis=1), swing.var(axis=1)
        reach = (swing * x).mean(axis=1) / np.maximum(spread, 1e-9)
        errors = np.sqrt(np.maximum((x**2).mean() - reach**2 * spread, 0))
        k = int(np.argmin(errors))
        if errors[k] < best_free:
            best_free, middle = float(errors[k]), -float(reach[k] * level[k])
            turn = (middle - abs(float(reach[k])), middle + abs(float(reach[k])))
        walled = np.sqrt(((x - centre - way / 2 * swing) ** 2).mean(axis=1).min())
        best_walled = min(best_walled, float(walled))
    inside = way / 2 - max(centre - turn[0], turn[1] - centre) > _INSIDE * way
    return bool(inside and best_free < _EXACT * way and best_walled > _MUCH_WORSE * best_free)
