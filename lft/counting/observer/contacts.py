"""Wall contacts: a moving object touches something that stands still.

A contact is an instant. It is seen in a frame in which the object touches; of neighbouring frames that all
show a touch, the one that goes farthest is the contact. It is proven between frames where the motion on
either side, at its own speed, meets at a touch. Where frames are too few to tell where the object turned, it
is taken to have turned at a wall if it is known to do so elsewhere in the clip. An object that turns round in
free air touches nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lft.core.frames import Frames
from lft.counting.observer.silhouettes import Scene, scene

_TOUCH_PX = 3.0  # free pixels, in the scene's scale, that edges and compression may hide
_TOUCH_RADII = 0.1
_SAME_TOUCH_S = (
    0.2  # touches further apart, with nothing supplied in between, are two: a contact is an instant
)
_LEFT = 2.0  # times as far away as a touch may seem: it has let go
_LEVEL_PX = 0.2  # places this near are one place
_SPEED_ERROR = 0.05  # of the way between two frames: how wrong the meeting point may be
_SLACK = 0.1  # of the time between two frames: a turn may seem as much outside it
_APART_PX = 3.0  # places further apart than this are two
_SPEEDS_AGREE = 0.6  # a bounce keeps the speed: ratio of the speeds before and after

Places = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Contact:
    """One contact.

    Attributes
    ----------
    time_s : seconds; of the frame that shows the touch, or between two frames if it is proven only.
    position : the supplied frame that shows it, or the nearest.
    toward : the direction in which the object came, (x, y) with y downwards, length 1.
    """

    time_s: float
    position: int
    toward: tuple[float, float]


def find_contacts(frames: Frames) -> list[Contact]:
    """The contacts that the frames show, in time order."""
    seen = scene(frames)
    if seen is None:
        return []
    times_s = frames.times_s
    touch_px = max(_TOUCH_PX, _TOUCH_RADII * seen.radius_px)
    touching = (seen.gap_px <= touch_px) & ~np.isnan(seen.centre_px[:, 0])
    contacts: list[Contact] = []
    shown = np.zeros(len(times_s), dtype=bool)
    for first, last in _groups(touching, times_s, seen, touch_px):
        shown[first : last + 1] = True
        contact = _shown(seen, times_s, first, last)
        if contact is not None:
            contacts.append(contact)
    proven, free = _proven(seen, times_s, shown, touch_px)
    contacts = sorted(contacts + proven, key=lambda contact: contact.time_s)
    if contacts:
        contacts += _implied(seen, times_s, shown, contacts, free, touch_px)
    return sorted(contacts, key=lambda contact: contact.time_s)


def _groups(
    touching: npt.NDArray[np.bool_], times_s: Places, seen: Scene, touch_px: float
) -> list[tuple[int, int]]:
    """Runs of touching frames that belong to one contact each: first and last position.

    It is still the same touch if the object only seemed to let go: it was never far off, and stayed where it
    was.
    """
    groups: list[tuple[int, int]] = []
    for i in np.flatnonzero(touching):
        if groups:
            last = groups[-1][1]
            between = slice(last, i + 1)
            moved = float(np.hypot(*(seen.centre_px[i] - seen.centre_px[last])))
            if (
                float(np.diff(times_s[between]).max()) <= _SAME_TOUCH_S
                and float(seen.gap_px[between].max()) <= _LEFT * touch_px
                and moved <= 2 * seen.radius_px  # else it has gone to the other wall
            ):
                groups[-1] = (groups[-1][0], int(i))
                continue
        groups.append((int(i), int(i)))
    return groups


def _shown(seen: Scene, times_s: Places, first: int, last: int) -> Contact | None:
    """The contact of a run of touching frames, where the object goes farthest; None if it never came."""
    places = seen.centre_px[first : last + 1]
    before = _neighbour(seen, first, -1)
    after = _neighbour(seen, last, 1)
    rests = times_s[last] - times_s[first] > _SAME_TOUCH_S
    if before is None and (after is None or rests):
        return None
    outside = np.mean([place for place in (before, after) if place is not None], axis=0)
    reach = np.hypot(*(places - outside).T)
    level = np.flatnonzero(reach >= reach.max() - _LEVEL_PX)
    middle = (
        level[0]
        if times_s[first + level[-1]] - times_s[first + level[0]] > _SAME_TOUCH_S
        else level[(len(level) - 1) // 2]
    )
    position = first + int(middle)
    return Contact(float(times_s[position]), position, _direction(seen.centre_px[position] - outside))


def _neighbour(seen: Scene, position: int, step: int) -> Places | None:
    """The next place in that direction in time at which the object is seen, if any."""
    i = position + step
    while 0 <= i < len(seen.centre_px):
        if not np.isnan(seen.centre_px[i, 0]):
            return np.asarray(seen.centre_px[i])
        i += step
    return None


def _direction(way: Places) -> tuple[float, float]:
    length = float(np.hypot(*way)) or 1.0
    return float(way[0]) / length, float(way[1]) / length


def _proven(
    seen: Scene, times_s: Places, shown: npt.NDArray[np.bool_], touch_px: float
) -> tuple[list[Contact], list[float]]:
    """Turns between frames that the ways around them settle: contacts, and times of turns in free air."""
    places = seen.centre_px
    contacts: list[Contact] = []
    free: list[float] = []
    for i in range(1, len(places) - 2):
        quad = places[i - 1 : i + 3]
        # The turn lies between frames i and i + 1; if either shows a touch, that is the contact.
        if np.isnan(quad).any() or shown[i : i + 2].any():
            continue
        way_in, way_out = quad[1] - quad[0], quad[3] - quad[2]
        speed_in = float(np.hypot(*way_in)) / (times_s[i] - times_s[i - 1])
        speed_out = float(np.hypot(*way_out)) / (times_s[i + 2] - times_s[i + 1])
        if min(speed_in, speed_out) <= 0 or min(speed_in, speed_out) < _SPEEDS_AGREE * max(
            speed_in, speed_out
        ):
            continue
        ahead = way_in / np.hypot(*way_in)
        if float(ahead @ way_out) > -0.5 * float(np.hypot(*way_out)):  # no turn
            continue
        # It goes on at its speed for a time, then comes back to where frame i + 1 shows it.
        gone = float((quad[2] - quad[1]) @ ahead)
        span_s = float(times_s[i + 1] - times_s[i])
        until_s = (gone + speed_out * span_s) / (speed_in + speed_out)
        if not -_SLACK * span_s <= until_s <= (1 + _SLACK) * span_s:
            continue
        time_s = float(times_s[i] + until_s)
        turn = quad[1] + ahead * speed_in * until_s
        if seen.clearance_px(turn) > touch_px + _SPEED_ERROR * speed_in * span_s:
            free.append(time_s)
        elif not contacts or time_s - contacts[-1].time_s >= span_s / 2:
            # (A turn on a frame is found from either side of it: once is enough.)
            contacts.append(Contact(time_s, i if until_s <= span_s / 2 else i + 1, _direction(way_in)))
    return contacts, free


def _implied(
    seen: Scene,
    times_s: Places,
    shown: npt.NDArray[np.bool_],
    contacts: list[Contact],
    free: list[float],
    touch_px: float,
) -> list[Contact]:
    """Turns that the frames leave open, in a clip whose object is known to turn at walls: contacts as well.

    A turn is an extreme place on the line along which the object moves. It is left open if no contact and no
    turn in free air is known between the frames around it, and if it may have gone on to the wall, given its
    greatest speed.
    """
    known = np.flatnonzero(~np.isnan(seen.centre_px[:, 0]))
    places, at_s = seen.centre_px[known], times_s[known]
    along, line = _along(places)
    runs = _runs(along)
    steps_s = np.diff(at_s)
    speeds = np.abs(np.diff(along))[steps_s > 0] / steps_s[steps_s > 0]
    settled = np.array(sorted([c.time_s for c in contacts] + free))
    implied: list[Contact] = []
    for (_, end), (first, last), (start, _) in zip(runs, runs[1:], runs[2:], strict=False):
        if (along[first] > along[end]) != (along[first] > along[start]):
            continue
        if shown[known[first : last + 1]].any() or np.any((settled > at_s[end]) & (settled < at_s[start])):
            continue
        before_s, after_s = float(at_s[first] - at_s[end]), float(at_s[start] - at_s[last])
        beyond = float(speeds.max()) * max(before_s, after_s) / 2
        gap = seen.clearance_px(places[first])
        if gap > touch_px + beyond:
            continue
        side = 1.0 if along[first] > along[end] else -1.0
        rise, fall = abs(along[first] - along[end]), abs(along[last] - along[start])
        time_s = at_s[first] + _later_s(before_s, after_s, rise, fall, gap)
        implied.append(Contact(float(time_s), int(known[first]), _direction(side * line)))
    return implied


def _along(places: Places) -> tuple[Places, Places]:
    """Position on the line along which the places lie, float64 (n,), and its direction (x, y)."""
    centred = places - places.mean(axis=0)
    line = np.linalg.svd(centred, full_matrices=False)[2][0]
    return centred @ line, line


def _runs(along: Places) -> list[tuple[int, int]]:
    """(first, last) of each run of equal places."""
    runs = [(0, 0)]
    for i in range(1, len(along)):
        if abs(along[i] - along[runs[-1][0]]) <= _APART_PX:
            runs[-1] = (runs[-1][0], i)
        else:
            runs.append((i, i))
    return runs


def _later_s(before_s: float, after_s: float, rise: float, fall: float, gap: float) -> float:
    """How much later than the extreme place the turn was, or earlier: whichever keeps the speed better."""
    # Turning before: the way there is longer by twice the gap. Turning after: the way back is.
    earlier = (rise + 2 * gap) / before_s, fall / after_s
    later = rise / before_s, (fall + 2 * gap) / after_s
    if abs(np.log(earlier[0] / earlier[1])) < abs(np.log(later[0] / later[1])):
        return -min(gap / earlier[0], before_s)
    return min(gap / later[1], after_s)
