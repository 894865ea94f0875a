"""Transitions: one appearance gives way to another and stays.

Between two supplied frames something moves or nothing does. Moves that follow each other without a rest are
told apart where the motion nearly stops, since what morphs from state to state slows down at each of them. A
move counts if it ends in another appearance than it began with; its time is the first frame of the new
appearance: the frame after a jump, the end of a morph.

Where frames are far apart, each differing frame shows a state of its own, unless the clip's other moves, seen
from rest to rest, pass through pictures that are never seen again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lft.core.video.media import Picture
from lft.counting.observer.entrances import while_it_stands
from lft.counting.observer.flashes import without_flashes
from lft.counting.observer.pictures import Strip, distance, excess, noise_levels

_SEEN_LEVELS = 18  # a smaller difference between two pictures may be compression
_LEAST = 300.0  # levels summed over pixels: a change of a few pixels
_PIECE_PX = 40  # no change of a clip has a larger piece: it is noise, or the digits of a clock
_SMALL = 0.08  # of the largest change in the clip: too little to be a state,
_IN_PLACE = 0.025  # or, where the larger changes are
_OVERLAP = 0.8  # of what changes is where the larger changes are: it is in place
_MOVING = 0.03  # of the largest step: less is rest
_STILL_S = 0.15  # what does not change for so long stands still
_VALLEY = 0.3  # of the steps around it: the motion nearly stops
_JUMP = 0.7  # of a move in one step: it jumps
_ARRIVED = 0.1  # of a move is left: the new appearance is there
_PASSING_S = 0.12  # a picture seen for less is passed through, not stayed in
_MANY_PASSAGES = 5  # pictures seen once
_APART_S = 0.05  # frames this far apart may each show a state of its own


Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Transition:
    """One transition: position of the first frame of the new state, numbers of the states before and after.

    States are numbered from 1 in the order in which they are first seen.
    """

    position: int
    before: int
    after: int


@dataclass(frozen=True)
class _Move:
    first: int  # position of the first frame that differs
    last: int  # position of the last frame that still differs from the one before


def find_transitions(strip: Strip) -> list[Transition]:
    """The transitions that the pictures show, in time order."""
    strip, start = while_it_stands(strip)
    if len(strip.pictures) < 2:
        return []
    visible = max(_SEEN_LEVELS, 6 * noise_levels(strip.pictures))
    steps = np.zeros(len(strip))
    for i in range(1, len(strip)):
        if strip.index[i] != strip.index[i - 1]:
            steps[i] = excess(strip.at(i), strip.at(i - 1), visible)
    moves = _moves(strip, steps, visible)
    moves = sorted(moves + _slow_moves(strip, moves, visible), key=lambda move: move.first)
    sizes = [excess(strip.at(m.first - 1), strip.at(m.last), visible) for m in moves]
    least = max(_LEAST, _SMALL * max(sizes, default=0.0))
    large = [move for move, size in zip(moves, sizes, strict=True) if size >= least]
    if not large or max(_largest_piece_px(_changed(strip, move, visible)) for move in large) < _PIECE_PX:
        return []
    # Where states are shown, less is a change of state than elsewhere, where a clock may tick.
    stage = np.logical_or.reduce([_changed(strip, move, visible) for move in large])
    in_place = max(_LEAST, _IN_PLACE * max(sizes))
    real = [
        move
        for move, size in zip(moves, sizes, strict=True)
        if size >= least or (size >= in_place and _is_on(stage, _changed(strip, move, visible)))
    ]
    states = _States(visible, in_place, stage)
    found = []
    before = states.number(strip.at(real[0].first - 1))
    moved = [(move.first - 1, _arrival(strip, move, visible), move.last) for move in real]
    for arrival, rest in without_flashes(strip, moved, visible):
        after = states.number(strip.at(rest))
        if after != before:
            found.append(Transition(start + arrival, before, after))
        before = after
    return found


def _moves(strip: Strip, steps: npt.NDArray[np.float64], visible: float) -> list[_Move]:
    moving = steps > max(_LEAST / 4, _MOVING * float(steps.max()))
    runs = _runs(moving)
    apart = [run for run in runs if np.diff(strip.times_s[run[0] - 1 : run[1] + 1]).min() >= _APART_S]
    if not _each_step_is_a_state(strip, apart, visible):
        apart = []
    passed = _passed_through(strip, apart, visible)
    moves: list[_Move] = []
    for run in _from_rest_to_rest(strip, runs, apart, visible):
        if run not in apart:
            moves += _split(np.where(moving, steps, 0.0), *run)
            continue
        start = run[0]
        for position in range(run[0], run[1] + 1):
            if position == run[1] or position not in passed:
                moves.append(_Move(start, position))
                start = position + 1
    return moves


def _runs(moving: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], moving.astype(np.int8), [0]))))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _from_rest_to_rest(
    strip: Strip, runs: Sequence[tuple[int, int]], apart: Sequence[tuple[int, int]], visible: float
) -> list[tuple[int, int]]:
    """The runs, begun earlier and ended later where the picture had not yet, or not still, stood still."""
    times_s = strip.times_s
    earlier = np.maximum(np.searchsorted(times_s, times_s - _STILL_S, side="right") - 1, 0)
    later = np.minimum(np.searchsorted(times_s, times_s + _STILL_S, side="left"), len(strip) - 1)
    wide: list[tuple[int, int]] = []
    for k, (first, last) in enumerate(runs):
        least = wide[-1][1] + 1 if wide else 1
        most = runs[k + 1][0] - 1 if k + 1 < len(runs) else len(strip) - 1
        if (first, last) not in apart:
            while (
                first > least
                and excess(strip.at(first - 1), strip.at(int(earlier[first - 1])), visible) >= _LEAST
            ):
                first -= 1
            while last < most and excess(strip.at(last), strip.at(int(later[last])), visible) >= _LEAST:
                last += 1
        wide.append((first, last))
    return wide


def _each_step_is_a_state(strip: Strip, runs: Sequence[tuple[int, int]], visible: float) -> bool:
    """False if moves from rest to rest mostly pass through pictures that are seen only once."""
    passing = 0
    for first, last in runs:
        inner = range(first, last)
        if first != last and not any(_seen_again(strip, i, visible) for i in inner):
            passing += 1
    return passing < 2 or 2 * passing <= len(runs)


def _passed_through(strip: Strip, runs: Sequence[tuple[int, int]], visible: float) -> set[int]:
    """Positions inside the runs that show no state of their own.

    A machine comes back to its states. Where some pictures are returned to, and those seen in a single frame
    outnumber them, and are many, the latter are passages.
    """
    states = _States(visible, _LEAST)
    visits: dict[int, list[int]] = {}
    before = 0
    for position in sorted({i for first, last in runs for i in range(first - 1, last + 1)}):
        number = states.number(strip.at(position))
        if number != before:
            visits.setdefault(number, []).append(position)
        before = number
    inner = {i for first, last in runs for i in range(first, last)}
    once = {places[0] for places in visits.values() if len(places) == 1 and places[0] in inner}
    returned = sum(len(places) > 1 for places in visits.values())
    return once if len(once) >= _MANY_PASSAGES and len(once) > returned >= 2 else set()


def _seen_again(strip: Strip, position: int, visible: float) -> bool:
    picture = strip.at(position)
    own = strip.index[position]
    limit = _SMALL * max(excess(picture, strip.at(position - 1), visible), _LEAST)
    return bool((strip.index == own).sum() > 1) or any(
        excess(picture, other, visible) <= limit for i, other in enumerate(strip.pictures) if i != own
    )


def _split(steps: npt.NDArray[np.float64], first: int, last: int) -> list[_Move]:
    """One move for each peak of motion; between two it falls below `_VALLEY` of the lesser one."""
    moves: list[_Move] = []
    start, peak, valley = first, steps[first], -1
    for i in range(first + 1, last + 1):
        step = steps[i]
        if valley < 0:
            if step > peak:
                peak = step
            elif step < _VALLEY * peak:
                valley = i
        elif step < steps[valley]:
            valley = i
        elif steps[valley] < _VALLEY * step:
            # The stillest step ends the old move, or begins the new one if the step before it is small as
            # well.
            moves.append(_Move(start, valley - 1 if steps[valley - 1] < steps[valley + 1] else valley))
            start, peak, valley = moves[-1].last + 1, step, -1
    moves.append(_Move(start, last))
    return moves


def _slow_moves(strip: Strip, moves: Sequence[_Move], visible: float) -> list[_Move]:
    """Moves too slow for one step to be visible: the appearance drifts to another and stays."""
    starts = [0, *(move.last for move in moves)]
    ends = [*(move.first - 1 for move in moves), len(strip) - 1]
    found: list[_Move] = []

    def differ(a: int, b: int) -> float:
        return excess(strip.at(a), strip.at(b), visible)

    for start, end in zip(starts, ends, strict=True):
        rest = start
        while True:
            gone = next((i for i in range(rest + 1, end + 1) if differ(rest, i) >= _LEAST), None)
            if gone is None:
                break
            # As slow as it began, so long must it stand still to have arrived.
            still = next((i for i in range(gone - 1, rest, -1) if differ(i, gone) >= _LEAST), rest)
            wait_s = _PASSING_S + 1.5 * float(strip.times_s[gone] - strip.times_s[still])
            later = np.searchsorted(strip.times_s, strip.times_s + wait_s, side="right") - 1
            arrived = (i for i in range(gone, end) if differ(i, min(int(later[i]), end)) < _LEAST / 4)
            found.append(_Move(rest + 1, next(arrived, end)))
            rest = found[-1].last
    return found


def _arrival(strip: Strip, move: _Move, visible: float) -> int:
    """The first frame of a move that shows the new appearance."""
    end = strip.at(move.last)
    left = [excess(strip.at(i), end, visible) for i in range(move.first - 1, move.last + 1)]
    whole = left[0]
    for i in range(move.first, move.last + 1):
        k = i - move.first + 1
        if left[k] <= _ARRIVED * whole or left[k - 1] - left[k] >= _JUMP * whole:
            return i
    return move.last


def _changed(strip: Strip, move: _Move, visible: float) -> Mask:
    """Where a move changes the picture, bool (h, w)."""
    return np.asarray(distance(strip.at(move.first - 1), strip.at(move.last)) > visible)


def _largest_piece_px(changed: Mask) -> int:
    import cv2

    _, _, stats, _ = cv2.connectedComponentsWithStats(changed.astype(np.uint8), connectivity=8)
    return int(stats[1:, cv2.CC_STAT_AREA].max(initial=0))


def _is_on(stage: Mask, changed: Mask) -> bool:
    return int((changed & stage).sum()) >= _OVERLAP * int(changed.sum())


class _States:
    """Appearances met so far, numbered from 1; only what is on the `stage` tells them apart."""

    def __init__(self, visible: float, least: float, stage: Mask | None = None) -> None:
        self._visible, self._least, self._stage = visible, least, stage
        self._known: list[Picture] = []

    def number(self, picture: Picture) -> int:
        if self._stage is not None:
            picture = np.where(self._stage[..., None], picture, np.uint8(0))
        apart = [excess(picture, known, self._visible) for known in self._known]
        if apart and min(apart) < self._least:
            return int(np.argmin(apart)) + 1
        self._known.append(picture)
        return len(self._known)
