"""Experts for games that can be copied: one tries plans and takes the first move of the best, one searches the shortest
way.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

import numpy as np

Plan = list[str]
State = TypeVar("State")


def best_plan(
    moves: Sequence[str],
    worth: Callable[[Plan], float],
    state: bytes,
    *,
    tries: int,
    depth: int,
    linger: int,
) -> Plan:
    """The best plan of `depth` moves.

    Tried are: each move all the time; half of `tries` plans that begin with each move in turn and go on by chance, up
    to `linger` times the same; half of `tries` changes of the best plan so far, another way from somewhere on. Chance
    follows from `state` alone, so that the same state always has the same answer. The first of equal plans wins.

    >>> best_plan(["UP", "DOWN"], lambda plan: plan.count("DOWN"), b"", tries=4, depth=3, linger=2)
    ['DOWN', 'DOWN', 'DOWN']
    """
    rng = np.random.default_rng(zlib.crc32(state))
    best, most = [moves[0]] * depth, -np.inf
    for plan in _plans(moves, tries // 2, depth, linger, rng):
        value = worth(plan)
        if value > most:
            best, most = plan, value
    for _ in range(tries // 2):
        kept = int(rng.integers(depth))
        plan = best[:kept] + _by_chance(moves, depth - kept, linger, rng)
        value = worth(plan)
        if value > most:
            best, most = plan, value
    return best


def _plans(
    moves: Sequence[str], tries: int, depth: int, linger: int, rng: np.random.Generator
) -> Iterator[Plan]:
    yield from ([move] * depth for move in moves)
    for i in range(tries):
        yield [moves[i % len(moves)], *_by_chance(moves, depth - 1, linger, rng)]


def _by_chance(moves: Sequence[str], length: int, linger: int, rng: np.random.Generator) -> Plan:
    plan: Plan = []
    while len(plan) < length:
        plan += [moves[int(rng.integers(len(moves)))]] * int(rng.integers(1, linger + 1))
    return plan[:length]


def shortest_way(
    moves: Sequence[str],
    after: Callable[[State, str], tuple[State, Hashable, float]],
    state: State,
    left: float,
    *,
    most: int,
) -> Plan:
    """The moves of the shortest way to a state with less left than `left`, where nothing moves by itself.

    `after` gives the state after a move, what it is known by, and what is left in it. If `most` states hold none with
    less, the way leads to the first of those with the least.

    >>> shortest_way(["+", "-"], lambda n, move: (m := n + (1 if move == "+" else -1), m, abs(m - 3)), 0, 2, most=99)
    ['+', '+']
    """
    best, least = [moves[0]], np.inf
    seen: set[Hashable] = set()
    queue: deque[tuple[State, Plan]] = deque([(state, [])])
    while queue and len(seen) < most:
        here, way = queue.popleft()
        for move in moves:
            there, known, rest = after(here, move)
            if known in seen:
                continue
            seen.add(known)
            if rest < left:
                return [*way, move]
            if rest < least:
                best, least = [*way, move], rest
            queue.append((there, [*way, move]))
    return best
