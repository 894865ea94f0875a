"""Wall contacts: a moving object touches something that stands still.

A contact is an instant. It is seen in a frame in which the object touches. An object is near a wall for as long
as its speed takes it through the pixels that edges and compression hide: frames within that time of each other
show one contact, be they a thirtieth of a second apart or a quarter. The contact is the frame on which the way in
and the way out are each other's mirror image. It is proven between frames where the motion on either side, at its
own speed, meets at a touch. Where frames are too few for that, the object is taken to turn at walls only as long
as one speed then explains the whole clip. An object that turns round in free air touches nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lft.core.video.frames import Frames
from lft.counting.observer.paths import turns
from lft.counting.observer.silhouettes import RIM_PX, Scene, scene
from lft.counting.observer.swings import turns_at_walls

_TOUCH_PX = 3.0  # free pixels, in the scene's scale, that edges and compression may hide,
_TOUCH_RADII = 0.1  # or free radii
_CLOSE_PX = 0.75  # that may seem free of a touch where the way there is known
_APPROACH = 8  # frames that tell the way to a wall
_HELD_S = 0.2  # an object may stay at the wall for so long, if it is watched all the while
_LEFT = 2.0  # times as far away as a touch may seem: it has let go
_LONGER = (
    1.5  # times the time that the speed around it allows for: near the wall for longer, it was gone between
)
_FASTER = 5.0  # times as fast as it was ever seen, it could have gone to the other wall and come back
_LEVEL_PX = 0.2  # places this near are one place
_SWIFT_PX = 2.0  # a frame: the frame that goes farthest stands out
_LEVELS = 24  # places at which the ways in and out are compared,
_WAY_PX, _FROM_APEX = (
    4.0,
    0.15,
)  # from so far off the farthest, in pixels and as a share of the ways, outwards
_SPEED_ERROR = 0.05  # of the way between two frames: how wrong the meeting point may be
_SLACK = 0.1  # of the time between two frames: a turn may seem as much outside it
_TOUCHES_PX = 1.0  # where the object is put against a wall, so much is left free
_OFF_LINE_PX = 6.0  # so far off the line along which it moves: it does not move along one
_EDGE_PX = (
    0.5,
    1.5,
    2.5,
    3.5,
)  # by so much further off than it seems the edge of a wall may be; touched, by the first
_RESTS = 3  # frames at one place: the object rests there
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
    contacts: list[Contact] = []
    shown = np.zeros(len(times_s), dtype=bool)
    for first, last in _groups(seen, times_s, touch_px):
        shown[first : last + 1] = True
        contact = _shown(seen, times_s, first, last)
        if contact is not None:
            contacts.append(contact)
    between = _implied(seen, times_s, shown, contacts) or _proven(seen, times_s, shown, touch_px)
    return sorted(contacts + between, key=lambda contact: contact.time_s)


def places_between(frames: Frames) -> Places | None:
    """The way from one wall to the other, 0 to 1, that the object has gone in each frame; NaN where it is not seen.

    float64 (k, n). Where it rests is 1/2. The edge of a wall is seen to a few pixels: each row puts walls that were not
    seen touched elsewhere. None if nothing moves, or not along a line between two things that stand still.
    """
    seen = scene(frames)
    if seen is None:
        return None
    known = np.flatnonzero(~np.isnan(seen.centre_px[:, 0]))
    along, line, off = _along(seen.centre_px[known])
    walls = _wall_places(seen, seen.centre_px[known], along, line)
    if walls is None or off > _OFF_LINE_PX or walls[1] - walls[0] < 2 * _OFF_LINE_PX:
        return None
    ends = along.min(), along.max()
    touched = [abs(wall - end) < _TOUCHES_PX for wall, end in zip(walls, ends, strict=True)]
    rest = float(np.median(along[np.abs(along - np.median(along)) <= _LEVEL_PX]))
    rests = int((np.abs(along - rest) <= _LEVEL_PX).sum()) >= _RESTS
    places = []
    for further_px in _EDGE_PX[:1] if all(touched) else _EDGE_PX:
        low = walls[0] - (_EDGE_PX[0] if touched[0] else further_px)
        high = walls[1] + (_EDGE_PX[0] if touched[1] else further_px)
        row = np.full(len(frames), np.nan)
        row[known] = 0.5 + (along - (rest if rests else (low + high) / 2)) / (high - low)
        places.append(row)
    return np.array(places)


def _groups(seen: Scene, times_s: Places, touch_px: float) -> list[tuple[int, int]]:
    """Runs of touching frames that belong to one contact each: first and last position.

    It is still the same touch if the object only seemed to let go: it was never seen far off, and stayed where it
    was. Unless, at its speed, it must have been gone in between.
    """
    touching = (seen.gap_px <= touch_px) & ~np.isnan(seen.centre_px[:, 0])
    groups: list[list[int]] = []
    for i in np.flatnonzero(touching).tolist():
        if groups:
            last = groups[-1][-1]
            moved = float(np.hypot(*(seen.centre_px[i] - seen.centre_px[last])))
            if float(seen.gap_px[last : i + 1].max()) <= _LEFT * touch_px and moved <= 2 * seen.radius_px:
                groups[-1].append(i)
                continue
        groups.append([i])
    return [part for group in groups for part in _instants(seen, times_s, group, touch_px)]


def _instants(seen: Scene, times_s: Places, group: list[int], touch_px: float) -> list[tuple[int, int]]:
    """A group of frames near one place of a wall, cut where the object must have been gone in between."""
    first, last = group[0], group[-1]
    steps_s = np.diff(times_s[group])
    near_s = _near_s(seen, times_s, first, last, touch_px)
    if not len(steps_s) or steps_s.max() <= _HELD_S or times_s[last] - times_s[first] <= _LONGER * near_s:
        return [(first, last)]
    known = np.flatnonzero(~np.isnan(seen.centre_px[:, 0]))
    ways_px = np.hypot(*np.diff(seen.centre_px[known], axis=0).T)
    fastest = float((ways_px / np.diff(times_s[known])).max())
    extent_px = float(np.hypot(*np.ptp(seen.centre_px[known], axis=0)))
    cuts = (steps_s > _HELD_S) & (_FASTER * fastest * steps_s >= 2 * extent_px)
    parts = np.split(np.array(group), np.flatnonzero(cuts) + 1)
    return [(int(part[0]), int(part[-1])) for part in parts]


def _near_s(seen: Scene, times_s: Places, first: int, last: int, touch_px: float) -> float:
    """For how long one contact may keep the object near: it comes and goes at the speeds seen on either side."""
    reach_px = touch_px + RIM_PX
    spans_s = []
    for inner, step in ((first, -1), (last, 1)):
        outer = _neighbour(seen, inner, step)
        if outer is not None:
            way_px = float(np.hypot(*(seen.centre_px[outer] - seen.centre_px[inner])))
            spans_s.append(reach_px * abs(float(times_s[outer] - times_s[inner])) / max(way_px, _LEVEL_PX))
    return 2 * float(np.mean(spans_s)) if spans_s else np.inf


def _shown(seen: Scene, times_s: Places, first: int, last: int) -> Contact | None:
    """The contact of a run of touching frames, where the object goes farthest; None if it never came."""
    places = seen.centre_px[first : last + 1]
    before = _neighbour(seen, first, -1)
    after = _neighbour(seen, last, 1)
    rests = times_s[last] - times_s[first] > _HELD_S
    if before is None and (after is None or rests):
        return None
    if after is None and not _arrives(seen, times_s, last, first, -1):
        return None
    if before is None and not _arrives(seen, times_s, first, last, 1):
        return None
    outside = np.mean([seen.centre_px[i] for i in (before, after) if i is not None], axis=0)
    reach = np.hypot(*(places - outside).T)
    level = np.flatnonzero(reach >= reach.max() - _LEVEL_PX)
    at_once = times_s[first + level[-1]] - times_s[first + level[0]] > _HELD_S
    position = first + int(level[0] if at_once else level[(len(level) - 1) // 2])
    toward = _direction(seen.centre_px[position] - outside)
    if before is not None and after is not None:
        position = _mirror(seen, times_s, first, last, toward, position)
    return Contact(float(times_s[position]), position, toward)


def _arrives(seen: Scene, times_s: Places, end: int, inner: int, step: int) -> bool:
    """Whether an object that is near a wall as the clip ends, or begins, has come to it, by the way it goes there.

    `inner` is the near frame that is farthest from the `end`; `step` leads on from there.
    """
    way: list[int] = []
    outer = _neighbour(seen, inner, step)
    while outer is not None and len(way) < _APPROACH:
        if way and seen.gap_px[outer] <= seen.gap_px[way[-1]]:
            break
        way.append(outer)
        outer = _neighbour(seen, outer, step)
    if len(way) < 2:
        return False  # too few frames to tell the way
    fit = np.polyfit(times_s[way], seen.centre_px[way], 1)
    return seen.clearance_px(fit[0] * times_s[end] + fit[1]) <= _CLOSE_PX


def _mirror(
    seen: Scene, times_s: Places, first: int, last: int, toward: tuple[float, float], farthest: int
) -> int:
    """The frame around which the ways in and out mirror each other, where the object is too slow to tell it.

    At each of some places on the way, the middle between the times at which the object comes by and goes by. At
    equal speeds it is the time of the contact; at others it moves off evenly with the distance from the wall.
    """
    along = seen.centre_px @ np.array(toward)
    start, end = first, last
    while start > 0 and along[start - 1] <= along[start] + _LEVEL_PX:
        start -= 1
    while end + 1 < len(along) and along[end + 1] <= along[end] + _LEVEL_PX:
        end += 1
    ways = along[[start, end]]
    top = float(along[farthest])
    depth = top - float(ways.max())
    swift = depth / max(1, min(farthest - start, end - farthest)) > _SWIFT_PX
    if swift or depth < 2 * _WAY_PX or farthest - start < 3 or end - farthest < 3:
        return farthest
    levels = top - np.linspace(max(_WAY_PX / 2, _FROM_APEX * depth), 0.9 * depth, _LEVELS)
    way_in = np.maximum.accumulate(along[start : farthest + 1])
    way_out = np.maximum.accumulate(along[farthest : end + 1][::-1])
    came = np.interp(levels, way_in, times_s[start : farthest + 1])
    went = np.interp(levels, way_out, times_s[farthest : end + 1][::-1])
    time_s = float(np.polyfit(top - levels, (came + went) / 2, 1)[1])
    mirror = int(np.clip(np.argmin(np.abs(times_s - time_s)), first, last))
    # A codec that leaves small changes out shows slow motion a fraction of a pixel late, on both ways: by that the
    # mirror comes late, but not the first frame that goes farthest.
    return mirror - 1 if along[mirror - 1] >= along[first : last + 1].max() - _LEVEL_PX else mirror


def _neighbour(seen: Scene, position: int, step: int) -> int | None:
    """The next position in that direction in time at which the object is seen, if any."""
    i = position + step
    while 0 <= i < len(seen.centre_px):
        if not np.isnan(seen.centre_px[i, 0]):
            return i
        i += step
    return None


def _direction(way: Places) -> tuple[float, float]:
    length = float(np.hypot(*way)) or 1.0
    return float(way[0]) / length, float(way[1]) / length


def _proven(seen: Scene, times_s: Places, shown: npt.NDArray[np.bool_], touch_px: float) -> list[Contact]:
    """Turns between frames that the ways around them settle to be at a wall."""
    places = seen.centre_px
    contacts: list[Contact] = []
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
            continue  # it turned in free air
        if not contacts or time_s - contacts[-1].time_s >= span_s / 2:
            # (A turn on a frame is found from either side of it: once is enough.)
            contacts.append(Contact(time_s, i if until_s <= span_s / 2 else i + 1, _direction(way_in)))
    return contacts


def _implied(
    seen: Scene, times_s: Places, shown: npt.NDArray[np.bool_], contacts: list[Contact]
) -> list[Contact]:
    """Turns between frames if the object keeps its speed and turns at walls only; none if that explains
    nothing.
    """
    known = np.flatnonzero(~np.isnan(seen.centre_px[:, 0]))
    places = seen.centre_px[known]
    along, line, off = _along(places)
    walls = _wall_places(seen, places, along, line)
    if walls is None or off > _OFF_LINE_PX:
        return []
    touching = np.isin(known, [contact.position for contact in contacts])
    found = turns(along, times_s[known], walls, touching)
    if found and not turns_at_walls(along, times_s[known], walls, touching):
        return []
    implied = []
    for turn in found:
        before, after = int(known[turn.step]), int(known[turn.step + 1])
        if not shown[[before, after]].any():
            nearer = before if turn.time_s - times_s[before] <= times_s[after] - turn.time_s else after
            implied.append(Contact(turn.time_s, nearer, _direction(line if turn.up else -line)))
    return implied


def _along(places: Places) -> tuple[Places, Places, float]:
    """Position on the line along which the places lie, float64 (n,), its direction (x, y), and the greatest
    distance from it.
    """
    centred = places - places.mean(axis=0)
    line = np.linalg.svd(centred, full_matrices=False)[2][0]
    along = centred @ line
    return along, line, float(np.hypot(*(centred - along[:, None] * line).T).max())


def _wall_places(seen: Scene, places: Places, along: Places, line: Places) -> tuple[float, float] | None:
    """Where on the line the object touches what stands still below and above; None if there is nothing."""
    height, width = seen.distance_px.shape
    found = []
    for end, step in ((int(np.argmin(along)), -1.0), (int(np.argmax(along)), 1.0)):
        gone = 0.0
        while seen.clearance_px(place := places[end] + step * gone * line) > _TOUCHES_PX:
            gone += 1.0
            if not (0 <= place[0] < width and 0 <= place[1] < height):
                return None
        found.append(float(along[end] + step * gone))
    return found[0], found[1]
