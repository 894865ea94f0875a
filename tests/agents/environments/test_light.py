"""What the light environments tell, against their pictures: things are found by their colours, places worked out from
the size of a square or a metre in pixels.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from lft.agents.environments import registry
from lft.agents.environments.base import Environment, EnvironmentSpec
from lft.agents.play import decide
from tests.agents.live import live

Picture = NDArray[np.uint8]


def _states(name: str, decisions: int = 30) -> Iterator[tuple[EnvironmentSpec, Environment]]:
    """States of play with mistakes, from two seeds."""
    spec = registry.get(name)
    game = live(spec)
    for seed in (0, 1):
        chance = random.Random(seed)
        game.reset(seed)
        for _ in range(decisions):
            yield spec, game
            if game.end:
                break
            wrong = chance.random() < 0.3
            decide(game, spec, chance.choice(spec.actions) if wrong else game.expert())
    game.close()


def _centre(mask: NDArray[np.bool_]) -> tuple[float, float]:
    ys, xs = np.nonzero(mask)
    return float(xs.mean()), float(ys.mean())


def _coloured(picture: Picture, *colours: tuple[int, int, int]) -> NDArray[np.bool_]:
    return np.any([np.all(picture == colour, axis=2) for colour in colours], axis=0)


def test_cliff_walking_figure_is_where_it_is_said_to_be() -> None:
    game = registry.make("cliff_walking")
    game.reset(0)
    start = game.picture()
    game.step("UP")
    figure = start[192:256, 0:64], game.picture()[192:256, 0:64]  # squares of 64 pixels, with and without
    drawn = np.any(figure[0] != figure[1], axis=2)
    shape = figure[0][drawn]
    for _, now in _states("cliff_walking"):
        state = now.state()
        row, column = state["row"], state["column"]
        square = now.picture()[64 * row : 64 * row + 64, 64 * column : 64 * column + 64]
        assert np.array_equal(square[drawn], shape)
        assert f"row {row + 1} of 4" in now.words()
        assert f"column {column + 1} of 12" in now.words()


def test_taxi_moves_as_it_is_said_to_and_is_green_when_full() -> None:
    # Squares are 88 by 56 pixels (gymnasium's CELL_SIZE); the taxi is yellow, green once the passenger is in.
    spec = registry.get("taxi")
    for _, game in _states("taxi", 25):
        before, here = game.state(), game.picture()
        kept = game.snapshot()
        for action, (dx, dy) in {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}.items():
            decide(game, spec, action)
            after = game.state()
            moved = (after["column"] - before["column"], after["row"] - before["row"])
            assert moved in ((0, 0), (dx, dy))
            changed = np.any(game.picture() != here, axis=2)
            if moved != (0, 0):
                height, width = changed.nonzero()[0], changed.nonzero()[1]
                assert np.ptp(width) < 88 * (1 + abs(dx))
                assert np.ptp(height) < 56 * (1 + abs(dy))
            game.restore(kept)
        assert ("in the taxi" in game.words()) == (before["passenger"] == "taxi")


def test_cart_and_pole_are_where_they_are_said_to_be() -> None:
    # 600 pixels for 4.8 metres: 125 a metre; the pole of 1 metre turns about the cart's axle.
    for _, game in _states("cart_pole", 60):
        picture, state = game.picture(), game.state()
        cart = _centre(_coloured(picture, (0, 0, 0)) & (np.arange(400)[:, None] > 302))
        assert cart[0] == pytest.approx(300 + 125 * state["cart_m"], abs=1.5)
        ys, xs = np.nonzero(_coloured(picture, (202, 152, 101)))
        top = float(xs[ys < ys.min() + 4].mean())
        # the pole's upper end is 125 - 5 pixels above the axle
        lean = math.degrees(math.asin((top - cart[0]) / 120))
        assert lean == pytest.approx(state["pole_degrees"], abs=1.5)


def test_acrobat_hangs_as_it_is_said_to() -> None:
    # 500 pixels for 4.4 link lengths, the fixed joint in the middle, the other yellow one at the upper link's end.
    for _, game in _states("acrobot", 40):
        picture, state = game.picture(), game.state()
        yellow = _coloured(picture, (204, 204, 0))
        y, x = np.mgrid[0:500, 0:500]
        joint = yellow & (np.hypot(x - 250, y - 250) > 20)
        across, down = _centre(joint)
        angle = math.radians(state["upper_degrees"])
        scale = 500 / 4.4
        assert across == pytest.approx(250 + scale * math.sin(angle), abs=4)
        assert down == pytest.approx(250 + scale * math.cos(angle), abs=4)


def test_mountain_car_is_where_it_is_said_to_be() -> None:
    # 600 pixels for positions from -1.2 to 0.6; wheels are grey.
    for _, game in _states("mountain_car", 40):
        if game.state()["position"] < -1.1:
            continue  # at the edge a wheel is cut off
        across, _ = _centre(_coloured(game.picture(), (128, 128, 128)))
        assert across == pytest.approx((game.state()["position"] + 1.2) * 600 / 1.8, abs=8)


@pytest.mark.parametrize("name", ["lava_crossing", "unlock_pickup"])
def test_the_triangle_is_in_its_square_and_points_ahead(name: str) -> None:
    ahead = {"right": (1, 0), "left": (-1, 0), "down": (0, 1), "up": (0, -1)}
    for _, game in _states(name):
        picture, state = game.picture(), game.state()
        red = (picture[..., 0] > 200) & (picture[..., 1] < 60) & (picture[..., 2] < 60)
        x, y = state["column"], state["row"]
        square = np.zeros_like(red)
        square[32 * y : 32 * y + 32, 32 * x : 32 * x + 32] = True
        assert red[square].sum() > 100
        across, down = _centre(red & square)
        dx, dy = ahead[state["facing"]]
        # A triangle's centre is a third of the way from its base to its tip: behind the square's middle.
        assert (across - (32 * x + 15.5)) * dx + (down - (32 * y + 15.5)) * dy < -1
        for square_x, square_y in state.get("lava", []):
            assert tuple(picture[32 * square_y + 4, 32 * square_x + 4]) == (255, 128, 0)


def test_what_multi_room_tells_is_what_is_drawn() -> None:
    for _, game in _states("multi_room", 30):
        picture = game.picture()
        # The goal is drawn green all over its square; lit squares are brighter, so green stands out by far.
        green = (picture[..., 1].astype(int) - picture[..., 0] > 100) & (
            picture[..., 1].astype(int) - picture[..., 2] > 100
        )
        squares = [
            (x, y)
            for x in range(7)
            for y in range(7)
            if green[32 * y + 2 : 32 * y + 30, 32 * x + 2 : 32 * x + 30].mean() > 0.9
        ]
        told = [part for part in game.words().split(". ") if part.startswith("The green square is")]
        assert len(told) == len(squares)
        if squares:
            (x, y), (sentence,) = squares[0], told
            side = f"{abs(x - 3)} {'right' if x > 3 else 'left'}"
            assert (side in sentence) == (x != 3)
            assert (f"{6 - y} ahead" in sentence) == (y != 6)


def test_cars_are_where_they_are_said_to_be() -> None:
    # 5.5 pixels a metre, the green car at 30 % of 600 pixels; lanes are 4 metres apart.
    for _, game in _states("highway", 8):
        picture, state = game.picture(), game.state()
        if state["crashed"]:
            continue
        own = _centre(_coloured(picture, (50, 200, 0)))
        assert own[0] == pytest.approx(180, abs=5)
        blue = _coloured(picture, (100, 200, 255))
        for car in state["cars"]:
            x = own[0] + 5.5 * car["metres_ahead"]
            y = own[1] + 22 * (car["lane"] - state["lane"])
            near = blue[max(0, round(y) - 14) : round(y) + 14, max(0, round(x) - 12) : round(x) + 12]
            assert near.sum() > 60, car


def test_bird_and_gap_are_where_they_are_said_to_be() -> None:
    for _, game in _states("flappy_bird", 40):
        picture, state = game.picture(), game.state()
        beak = (picture[..., 0] > 220) & (picture[..., 1] < 110) & (picture[..., 2] < 90)
        _, down = _centre(beak[:, 57:100])
        assert down == pytest.approx(state["bird_y"] + 13, abs=12)
        right = 57 + state["gap_ends_in_px"]
        if 130 < right <= 288:  # not where the bird is
            column = picture[:400, right - 26].astype(int)
            pipe = (column[:, 1] > column[:, 2] + 20) | (
                column.sum(axis=1) < 300
            )  # green, or its dark outline
            edges = np.flatnonzero(np.diff(np.pad(~pipe, 1).astype(int)))
            top, bottom = max(zip(edges[::2], edges[1::2], strict=True), key=lambda run: run[1] - run[0])
            assert abs(top - state["gap_top_y"]) <= 3
            assert abs(bottom - state["gap_bottom_y"]) <= 3
