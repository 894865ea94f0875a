"""What a saved state of Procgen holds, read from its bytes.

Procgen writes its games as a row of 32-bit numbers and texts, in the order of `Game::serialize` and
`BasicAbstractGame::serialize` of its source. Positions are in squares of the level, y upwards.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_ENTITY = struct.Struct("<6f 6i 3f 6i f 3i 6f")
PICTURE = 512  # pixels of the shown picture, each way


@dataclass(frozen=True)
class Thing:
    """An entity: its centre, its half sizes, its kind and its look, as numbers of the game's source."""

    x: float
    y: float
    half_width: float
    half_height: float
    kind: int
    theme: int
    on_screen: bool  # whether x and y are shares of the picture instead of squares


@dataclass(frozen=True)
class Level:
    """One moment of a game.

    Attributes
    ----------
    things : the entities; the first is the player's.
    grid : kinds of squares, shape (rows, columns), row 0 at the bottom.
    """

    things: tuple[Thing, ...]
    grid: NDArray[np.int32]
    centre: tuple[float, float]
    visible: float  # squares across the picture
    rest: bytes  # what the game itself adds

    def pixel(self, x: float, y: float) -> tuple[int, int]:
        """Where a point of the level is in the picture: x from the left, y from the top."""
        unit = PICTURE / self.visible
        return (
            round((x - self.centre[0]) * unit + PICTURE / 2),
            round((self.centre[1] - y) * unit + PICTURE / 2),
        )

    @property
    def player(self) -> Thing:
        return self.things[0]


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def whole(self, count: int = 1) -> int:
        """The last of so many whole numbers."""
        self.at += 4 * count
        return int(struct.unpack_from("<i", self.data, self.at - 4)[0])

    def real(self, count: int = 1) -> float:
        """The last of so many real numbers."""
        self.at += 4 * count
        return float(struct.unpack_from("<f", self.data, self.at - 4)[0])

    def text(self) -> None:
        length = self.whole()
        self.at += length

    def chance(self) -> None:
        """A generator of random numbers."""
        self.whole()
        self.text()


def read_level(state: bytes) -> Level:
    """The level of a saved state, as `get_state` of Procgen gives it."""
    data = _Bytes(state)
    data.whole()  # version
    data.text()  # name
    data.whole(12 + 5)  # options; level seeds, type
    data.chance()
    data.chance()
    data.whole(
        3 + 2 + 4 + 6
    )  # the last step; action, time-out; seeds and episodes; the last reward up to the waiting
    data.whole()  # size of the grid
    count = data.whole()
    things = []
    for x, y, _, _, rx, ry, kind, _, theme, *more in _ENTITY.iter_unpack(
        state[data.at : data.at + count * _ENTITY.size]
    ):
        things.append(Thing(x, y, rx, ry, kind, theme, bool(more[11])))
    data.at += count * _ENTITY.size
    data.whole(4)  # background
    data.whole(7)  # sizes, actions, speeds
    data.whole(3)  # the action's velocity
    centre = data.real(), data.real()
    data.whole(3)
    data.chance()
    data.whole(3)
    data.real(4)
    visible = data.real()
    data.real()
    width, height, size = data.whole(), data.whole(), data.whole()
    grid = np.frombuffer(state, np.int32, size, data.at).reshape(height, width)
    data.at += 4 * size
    return Level(tuple(things), grid, centre, visible, state[data.at :])
