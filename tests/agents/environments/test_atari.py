"""Atari: what is told of a picture, against the console's memory, which nothing but this test and the experts reads."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("ale_py")

from lft.agents.environments import registry
from lft.agents.environments.atari import GAMES, Atari, look
from lft.agents.environments.atari_games import Sight
from lft.agents.play import decide

RED, BLUE = 0xFF0000, 0x0000FF


def _canvas(*boxes: tuple[int, int, int, int, int]) -> np.ndarray:
    packed = np.zeros((210, 160), np.uint32)
    for colour, left, top, width, height in boxes:
        packed[top : top + height, left : left + width] = colour
    return packed


def test_things_are_told_apart_by_colour_size_and_place() -> None:
    packed = _canvas((RED, 10, 20, 8, 8), (RED, 50, 20, 2, 2), (BLUE, 80, 20, 8, 8), (RED, 10, 200, 8, 8))
    sight = Sight("car", (RED,), (0, 0, 160, 195), width=(4, 10))
    assert look(packed, sight) == [
        (10, 20, 8, 8)
    ]  # the second is too small, the third blue, the last outside


def test_parts_that_are_near_are_one_thing() -> None:
    # Rows 20..21 and 24..25: two empty rows lie between, which one pixel of growth on each side closes.
    packed = _canvas((RED, 10, 20, 4, 2), (RED, 10, 24, 4, 2))
    assert look(packed, Sight("figure", (RED,))) == [(10, 20, 4, 2), (10, 24, 4, 2)]
    assert look(packed, Sight("figure", (RED,), join=(0, 1))) == [(10, 20, 4, 6)]


# (game, thing, "x" or "y" or "count", address, sign, spread): what the state tells and sign times the byte at the
# address, published for these games by others, are always as far apart, give or take the spread in pixels (the
# middle of a thing moves as its shape does).
MEMORY = [
    ("breakout", "paddle", "x", 72, 1, 4),
    ("breakout", "ball", "x", 99, 1, 0),
    ("breakout", "ball", "y", 101, 1, 0),
    ("freeway", "your chicken", "y", 14, -1, 1),
    ("ms_pacman", "you", "x", 10, 1, 2),
    ("ms_pacman", "you", "y", 16, 1, 2),
    ("seaquest", "your submarine", "x", 70, 1, 0),
    ("seaquest", "your submarine", "y", 97, 1, 3),
    ("seaquest", "oxygen bar", "count", 102, 1, 1),
    ("boxing", "you", "y", 34, 1, 4),
    ("boxing", "black boxer", "y", 35, 1, 4),
    ("tennis", "you", "x", 26, 1, 4),
    ("tennis", "you", "y", 24, -1, 1),
    ("tennis", "the other player", "x", 27, 1, 4),
    ("tennis", "ball", "x", 16, 1, 1),
    ("space_invaders", "your cannon", "x", 28, 1, 0),
    ("space_invaders", "invader", "count", 17, 1, 1),  # one that bursts is still in the picture
    ("frostbite", "you", "x", 102, 1, 1),
    ("riverraid", "your plane", "x", 51, 1, 2),
    ("qbert", "you", "x", 43, 1, 2),
]


def _played(name: str, decisions: int = 20) -> Iterator[Atari]:
    spec = registry.get(name)
    game = Atari(spec)
    for seed in range(2):
        game.reset(0)
        chance = random.Random(seed)
        for _ in range(decisions):
            decide(game, spec, chance.choice(spec.actions))
            if game.end:
                break
            yield game


@pytest.mark.parametrize("name", sorted({row[0] for row in MEMORY}))
def test_what_is_told_is_what_memory_holds(name: str) -> None:
    rows = [row for row in MEMORY if row[0] == name]
    apart: dict[tuple[str, str], list[int]] = {(row[1], row[2]): [] for row in rows}
    for game in _played(name):
        told, memory = game.state(), game._ale.getRAM()
        for _, thing, what, address, sign, _ in rows:
            fact = told[thing]
            if what == "count":
                value = fact if isinstance(fact, int) else len(fact)
            elif len(fact) == 1:
                value = fact[0]["xy".index(what)]
            else:
                continue  # hidden, or torn into parts
            apart[thing, what].append(value - sign * int(memory[address]))
    for _, thing, what, _, _, spread in rows:
        found = apart[thing, what]
        assert len(found) >= 8, f"{thing} is hardly ever told"
        # Some moments draw a thing in part, such as a figure that dies: the middle nine tenths have to agree.
        low, high = np.percentile(found, [5, 95])
        assert high - low <= spread, f"{thing} {what}: {sorted(set(found))}"


def test_moves_of_qbert_are_those_of_the_rules() -> None:
    """The second cube is at (90, 50): upper right, lower right, lower left, upper left, by the detailed rules."""
    spec = registry.get("qbert")
    game = Atari(spec)
    for action, right, down in (("UP", 1, -1), ("RIGHT", 1, 1), ("DOWN", -1, 1), ("LEFT", -1, -1)):
        game.reset(0)
        for each in ("RIGHT", "NOOP"):
            decide(game, spec, each)
        (x, y), *_ = game.state()["you"]
        for each in (action, "NOOP"):
            decide(game, spec, each)
        (to_x, to_y), *_ = game.state()["you"]
        assert (np.sign(to_x - x), np.sign(to_y - y)) == (right, down)


def test_the_first_lost_life_ends_the_episode() -> None:
    spec = registry.get("breakout")
    game = Atari(spec)
    game.reset(0)
    lives = game.measures["lives"]
    for _ in range(spec.decisions):
        decide(game, spec, "NOOP")  # the ball falls past the paddle
    assert game.end == "terminated"
    assert game.measures["lives"] == lives - 1


def test_the_field_of_tetris_is_told_cell_by_cell() -> None:
    spec = registry.get("tetris")
    game = Atari(spec)
    game.reset(0)
    field = game.state()["field"]
    assert [len(row) for row in field] == [10] * 22
    assert sum(row.count("#") for row in field) == 4  # the first piece
    before = [(x, y) for y, row in enumerate(field) for x, cell in enumerate(row) if cell == "#"]
    for _ in range(4):
        game.step("RIGHT")
    for _ in range(4):
        game.step("NOOP")
    field = game.state()["field"]
    after = [(x, y) for y, row in enumerate(field) for x, cell in enumerate(row) if cell == "#"]
    assert {x for x, _ in after} == {x + 1 for x, _ in before}


def test_a_plan_of_the_expert_gains_what_waiting_does_not() -> None:
    spec = registry.get("qbert")
    game = Atari(spec)
    game.reset(0)
    for action in game.plan():
        decide(game, spec, action)
    assert game.measures["score"] > 0
    assert game.end is None


def test_every_game_has_its_row() -> None:
    assert GAMES.keys() == {spec.name for spec in registry.available().values() if spec.family == "atari"}
    assert len(GAMES) == 20
    for name, game in GAMES.items():
        assert game.sights, name
        assert set(game.moves) <= set(registry.get(name).actions)
