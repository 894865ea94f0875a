"""Flappy Bird, of flappy-bird-gymnasium."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from lft.agents.environments.base import EnvironmentSpec, Picture
from lft.agents.environments.game import PYGAME, Game
from lft.agents.play import decide
from lft.core.records import Entries, JsonObject

FLAPPY_BIRD = EnvironmentSpec(
    name="flappy_bird",
    title="Flappy Bird",
    family="flappy bird",
    place="lft.agents.environments.flappy_bird:FlappyBird",
    actions=("NOOP", "FLAP"),  # in the game's order
    noop="NOOP",
    rules={
        "basic": "Each action lasts for 4 frames of a game at 30 frames per second; FLAP flaps in the first "
        "of them.",
        "detailed": "The bird flies to the right by itself, past pairs of pipes. Each action lasts for 4 "
        "frames. FLAP lets the bird jump: it rises by 45 pixels in 9 frames and is back where it was after "
        "18, then falls faster and faster, up to 10 pixels per frame; a jump starts anew with each FLAP. NOOP "
        "does nothing. Fly through the gaps, which are 100 pixels high; a pair of pipes comes every 36 "
        "frames. Whoever touches a pipe or the ground has lost. Each pair that is passed counts one point.",
    },
    measures={"pipes": "pairs of pipes that were passed"},
    frame_skip=4,
    hold=1,
    decisions=80,
    memory="single",  # the bird's tilt shows how fast it falls
    dynamics="dynamic",
    why="Plain to see and soon over; when to flap depends on how fast the bird falls.",
)

SPECS = (FLAPPY_BIRD,)

_WING = (0, 1, 2, 1)  # pictures of the bird, one after another
_CHANGES = (
    "_player_y", "_player_vel_y", "_player_rot", "_player_idx", "_player_flapped", "_loop_iter", "_score",
    "_upper_pipes", "_lower_pipes", "_ground",
)  # fmt: skip
_PIPE_WIDTH, _PIPE_HEIGHT, _BIRD_HEIGHT = 52, 320, 24
_OPENING = 38  # frames before the player has the bird: two pairs of pipes are then in the picture
_FLAPS = (18, 36)  # of the opening: they keep the bird at its height
_LOOK_AHEAD = 14  # decisions: one and a half pairs of pipes


class _Wings:
    """The order of the bird's pictures; the game's own cannot be set back."""

    def __init__(self) -> None:
        self.at = 0

    def __next__(self) -> int:
        self.at += 1
        return _WING[(self.at - 1) % len(_WING)]


class FlappyBird(Game[tuple[JsonObject, int, JsonObject]]):
    """The seed places the gaps.

    >>> game = FlappyBird(FLAPPY_BIRD)
    >>> game.reset(0)
    >>> game.picture().shape
    (512, 288, 3)
    >>> for _ in range(40):
    ...     decide(game, FLAPPY_BIRD, game.expert())
    >>> game.end, dict(game.measures)
    (None, {'pipes': 4.0})
    """

    def __init__(self, spec: EnvironmentSpec) -> None:
        from flappy_bird_gymnasium import FlappyBirdEnv

        super().__init__(spec)
        # Lidar takes nearly all of the game's time.
        self._game: Any = FlappyBirdEnv(render_mode="rgb_array", use_lidar=False)

    def _start(self, seed: int) -> None:
        # What the game forgets to set back when it starts anew:
        self._game._player_idx_gen = _Wings()
        self._game._ground["x"] = 0
        self._game._player_flapped = False
        self._game.reset(seed=seed)
        for frame in range(_OPENING):
            self._game.step(frame in _FLAPS)

    def _play(self, action: str) -> None:
        _, _, over, _, _ = self._game.step(self.spec.actions.index(action))
        self._measures["pipes"] = float(self._game._score)
        if over:
            self._end = "terminated"

    def picture(self) -> Picture:
        with PYGAME:
            return np.array(self._game.render(), np.uint8)

    def _gap(self) -> tuple[int, int, int]:
        """The next gap: its top and bottom, and how far its right edge is ahead of the bird's tail, in pixels."""
        game = self._game
        pairs = zip(game._upper_pipes, game._lower_pipes, strict=True)
        ahead = [
            (int(upper["x"]) + _PIPE_WIDTH - game._player_x, int(upper["y"]) + _PIPE_HEIGHT, int(lower["y"]))
            for upper, lower in pairs
        ]
        distance, top, bottom = min(one for one in ahead if one[0] > 0)
        return top, bottom, distance

    def state(self) -> Entries:
        top, bottom, distance = self._gap()
        return {
            "bird_y": int(self._game._player_y),
            "falls_px_per_frame": int(self._game._player_vel_y),
            "gap_top_y": top,
            "gap_bottom_y": bottom,
            "gap_ends_in_px": distance,
            "pipes": int(self._game._score),
        }

    def words(self) -> str:
        top, bottom, distance = self._gap()
        y, speed = int(self._game._player_y), int(self._game._player_vel_y)
        moves = f"falls by {speed}" if speed > 0 else f"rises by {-speed}"
        near = distance - _PIPE_WIDTH - 34
        where = (
            f"begins {near} pixels ahead of the bird" if near > 0 else "is around or above or below the bird"
        )
        return (
            f"Heights are pixels from the top. The bird is from {y} to {y + _BIRD_HEIGHT} and {moves} pixels "
            f"per frame. The next pair of pipes {where} and ends {distance} pixels ahead of the bird's tail; "
            f"its gap is from {top} to {bottom}. The ground is at {int(self._game._ground['y'])}. Pairs "
            f"passed: {int(self._game._score)}."
        )

    def expert(self) -> str:
        """The first decision of a way that survives for a while; those towards the gap are tried first."""
        now = self.snapshot()
        try:
            for decisions in (_LOOK_AHEAD, 6, 3, 1):
                way = self._surviving(decisions, set())
                self.restore(now)
                if way:
                    return way
            return self._tried()[0]
        finally:
            self.restore(now)

    def _surviving(self, decisions: int, dead: set[tuple[int, float, float]]) -> str | None:
        """The first of so many decisions that can be survived from here; leaves the game in another state."""
        state = (decisions, float(self._game._player_y), float(self._game._player_vel_y))
        if state in dead:
            return None
        here = self.snapshot()
        for action in self._tried():
            decide(self, self.spec, action)
            if not self.end and (decisions == 1 or self._surviving(decisions - 1, dead)):
                return action
            self.restore(here)
        dead.add(state)
        return None

    def _tried(self) -> tuple[str, str]:
        top, bottom, _ = self._gap()
        low = self._game._player_y + _BIRD_HEIGHT > (top + bottom) / 2 + 20
        return ("FLAP", "NOOP") if low else ("NOOP", "FLAP")

    def _kept(self) -> tuple[JsonObject, int, JsonObject]:
        game = self._game
        kept = {name: copy.deepcopy(getattr(game, name)) for name in _CHANGES}
        return kept, game._player_idx_gen.at, game.np_random.bit_generator.state

    def _take_back(self, kept: tuple[JsonObject, int, JsonObject]) -> None:
        values, wing, chance = kept
        for name, value in values.items():
            setattr(self._game, name, copy.deepcopy(value))
        self._game._player_x = int(self._game._screen_width * 0.2)
        self._game._player_idx_gen = _Wings()
        self._game._player_idx_gen.at = wing
        self._game.np_random.bit_generator.state = chance
