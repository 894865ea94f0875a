"""Procgen: what is read from the saved bytes of a game, against its pictures and moves."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gym3")

from lft.agents.environments.procgen import GAMES, Procgen
from lft.agents.play import decide
from tests.agents.live import live


def _game(name: str, seed: int) -> Procgen:
    game = live(name)
    game.reset(seed)
    assert isinstance(game, Procgen)
    return game


@pytest.mark.parametrize("name", sorted(GAMES))
def test_places_are_where_something_is_drawn(name: str) -> None:
    """There is no background: the pictures are black where nothing is."""
    game = _game(name, 3)
    picture, told = game.picture().astype(int), game.state()
    places = [
        place
        for thing, all_of_it in told.items()
        if thing not in ("map", "keys in hand")
        for place in all_of_it
    ]
    assert places
    for x, y in places:
        near = picture[max(y - 12, 0) : y + 13, max(x - 12, 0) : x + 13]
        assert near.max() > 60, (name, x, y)


def test_a_move_in_the_maze_is_one_square_unless_there_is_a_wall() -> None:
    game = _game("maze", 3)
    rows = game.state()["map"]
    side = 512 / 15  # squares across the picture
    for action, right, down in (("UP", 0, -1), ("RIGHT", 1, 0), ("DOWN", 0, 1), ("LEFT", -1, 0)):
        game.reset(3)
        x, y = game.state()["mouse"][0]
        column, row = int(x / side), int(y / side)
        free = rows[row + down][column + right] != "#"
        game.step(action)
        to_x, to_y = game.state()["mouse"][0]
        assert (round((to_x - x) / side), round((to_y - y) / side)) == ((right, down) if free else (0, 0))


def test_walls_of_the_map_are_light_and_ways_are_black() -> None:
    game = _game("heist", 3)
    picture, side = game.picture().astype(int), 512 / 9
    told = game.state()
    taken = {(int(x / side), int(y / side)) for name, all_of_it in told.items() if name not in ("map", "keys in hand")
             for x, y in all_of_it}  # fmt: skip
    for row, text in enumerate(told["map"]):
        for column, letter in enumerate(text):
            if (column, row) not in taken and row < 8:  # keys in hand are drawn over the lowest row
                middle = picture[int((row + 0.5) * side), int((column + 0.5) * side)]
                assert (middle.mean() > 60) == (letter == "#"), (row, column)


def test_a_key_that_is_taken_is_in_hand_and_opens_its_lock() -> None:
    game = _game("heist", 3)
    spec, before = game.spec, game.state()
    assert before["keys in hand"] == []
    assert {"blue key", "blue lock"} <= before.keys()
    while "blue key" in game.state():
        decide(game, spec, game.expert())
    assert game.state()["keys in hand"] == ["blue"]
    while "blue lock" in game.state() and not game.end:
        decide(game, spec, game.expert())
    assert game.measures["progress"] >= 0.66  # key and lock of key, lock and gem


def test_the_end_keeps_the_last_picture_of_the_level() -> None:
    game = _game("maze", 3)
    for _ in range(40):
        before = game.picture()
        game.step(game.expert())
        if game.end:
            break
    assert game.end == "victory"
    assert game.measures == {"score": 10.0, "reached": 1.0, "progress": 1.0}
    assert np.array_equal(game.picture(), before)  # not the new level that Procgen has begun
