"""What every environment owes the suite: see `lft.agents.environments.base`."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lft.agents.environments import registry
from lft.agents.environments.base import Environment, EnvironmentSpec, NotInstalled
from lft.agents.play import decide
from tests.agents.live import live

FRAMES = 24
NAMES = sorted(registry.available())


@pytest.fixture(params=NAMES)
def spec(request: pytest.FixtureRequest) -> EnvironmentSpec:
    return registry.get(request.param)


@pytest.fixture
def game(spec: EnvironmentSpec) -> Iterator[Environment]:
    made = live(spec)
    made.reset(0)
    yield made
    made.close()


def _hash(game: Environment) -> str:
    picture = game.picture()
    return hashlib.sha256(repr(picture.shape).encode() + picture.tobytes()).hexdigest()


def _seen(game: Environment) -> list[object]:
    return [_hash(game), dict(game.state()), game.words(), dict(game.measures), game.end]


def _actions(spec: EnvironmentSpec, frames: int = FRAMES, seed: int = 0) -> list[str]:
    chosen = random.Random(f"{spec.name} {seed}")
    return [chosen.choice(spec.actions) for _ in range(frames)]


def _played(game: Environment, seed: int, actions: list[str]) -> list[list[object]]:
    game.reset(seed)
    seen = [_seen(game)]
    for action in actions:
        game.step(action)
        seen.append(_seen(game))
    return seen


def test_is_described_in_full(spec: EnvironmentSpec) -> None:
    assert registry.get(spec.name) is spec
    assert set(spec.rules) == {"basic", "detailed"}
    assert all(spec.rules.values())
    assert len(set(spec.actions)) == len(spec.actions) >= 2
    assert all(action == action.upper() and action.isidentifier() for action in spec.actions)
    assert spec.noop is None or spec.noop in spec.actions
    assert 1 <= spec.hold <= spec.frame_skip
    assert 1 <= spec.decisions <= 100
    assert spec.noop is not None or spec.hold == spec.frame_skip
    assert spec.title
    assert spec.why
    assert spec.measures


def test_goes_the_same_way_twice_and_after_another_seed(spec: EnvironmentSpec, game: Environment) -> None:
    first = _played(game, 3, _actions(spec))
    _played(game, 4, _actions(spec, seed=1))
    assert _played(game, 3, _actions(spec)) == first
    other = live(spec)
    assert _played(other, 3, _actions(spec)) == first
    other.close()


@functools.cache
def _in_another_process() -> dict[str, list[list[object]]]:
    code = (
        "import json, sys\n"
        "from tests.agents.environments import test_contract as t\n"
        "print(json.dumps({n: t._played(t.registry.make(n), 5, t._actions(t.registry.get(n))) for n in t.NAMES}))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "123"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    return json.loads(done.stdout)


def test_goes_the_same_way_in_another_process(spec: EnvironmentSpec, game: Environment) -> None:
    here = json.loads(json.dumps(_played(game, 5, _actions(spec))))
    assert _in_another_process()[spec.name] == here


def test_instances_leave_each_other_alone(spec: EnvironmentSpec, game: Environment) -> None:
    alone = _played(game, 6, _actions(spec))
    other = live(spec)
    game.reset(6)
    other.reset(7)
    together = [_seen(game)]
    for mine, others in zip(_actions(spec), _actions(spec, seed=2), strict=True):
        other.step(others)
        other.picture()
        game.step(mine)
        together.append(_seen(game))
    other.close()
    assert together == alone


def test_several_threads_see_what_one_sees(spec: EnvironmentSpec, game: Environment) -> None:
    """A sweep plays several episodes at once, each in a thread. Four threads with two seeds find races of drawing
    in most of 40 pictures, if there are any.
    """
    game.close()
    actions = _actions(spec, 40)

    def way(seed: int) -> list[str]:
        mine = live(spec)
        mine.reset(seed)
        seen = [_hash(mine)]
        for action in actions:
            mine.step(action)
            seen.append(_hash(mine))
        mine.close()
        return seen

    alone = [way(8), way(9)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(way, [8, 9, 8, 9]))
    assert together == alone * 2


def test_a_snapshot_brings_everything_back(spec: EnvironmentSpec, game: Environment) -> None:
    actions = _actions(spec, 2 * FRAMES, seed=3)
    _played(game, 8, actions[:FRAMES])
    kept = game.snapshot()

    def rest(on: Environment) -> list[list[object]]:
        seen = [_seen(on)]
        for action in actions[FRAMES:]:
            on.step(action)
            seen.append(_seen(on))
        return seen

    first = rest(game)
    game.restore(kept)
    assert rest(game) == first, "restored once"
    game.restore(kept)
    assert rest(game) == first, "a snapshot can be restored again"
    other = live(spec)
    other.reset(9)
    other.restore(kept)
    assert rest(other) == first, "on another instance"
    other.close()


def test_looking_changes_nothing(spec: EnvironmentSpec, game: Environment) -> None:
    looked = _played(game, 10, _actions(spec))
    game.reset(10)
    for action in _actions(spec):
        game.step(action)
    assert _seen(game) == looked[-1]


def test_the_expert_takes_a_legal_action_and_leaves_the_state_alone(
    spec: EnvironmentSpec, game: Environment
) -> None:
    game.reset(11)
    for _ in range(3):
        before = _seen(game)
        action = game.expert()
        assert action in spec.actions
        assert _seen(game) == before
        assert game.expert() == action
        game.step(action)


def test_the_expert_remembers_nothing_of_another_seed(spec: EnvironmentSpec, game: Environment) -> None:
    def played(on: Environment, seed: int) -> list[str]:
        on.reset(seed)
        actions = []
        for _ in range(2 if spec.family in ("atari", "procgen", "highway") else 12):
            actions.append(on.expert())
            decide(on, spec, actions[-1])
        return actions

    played(game, 13)
    after, fresh = played(game, 14), live(spec)
    assert after == played(fresh, 14)
    fresh.close()


def test_the_picture_is_a_copy_and_shows_something(game: Environment) -> None:
    picture = game.picture()
    assert picture.dtype == np.uint8
    assert picture.ndim == 3
    assert picture.shape[2] == 3
    assert picture.std() > 5
    before = _hash(game)
    picture[:] = 0
    assert _hash(game) == before


def test_state_is_small_data_and_words_are_sentences(spec: EnvironmentSpec, game: Environment) -> None:
    assert len(json.dumps(dict(game.state()))) < 4000
    assert game.words().endswith(".")
    assert game.measures.keys() == spec.measures.keys()
    assert all(type(value) is float for value in game.measures.values())


def test_pictures_tell_states_apart(spec: EnvironmentSpec, game: Environment) -> None:
    """Where the data of two states are equal, so are the words."""
    words: dict[str, str] = {}
    for _, state, said, _, _ in _played(game, 12, _actions(spec)):
        assert words.setdefault(json.dumps(state, sort_keys=True), str(said)) == said


def test_an_unknown_action_is_refused(game: Environment) -> None:
    with pytest.raises(ValueError, match="not in"):
        game.step("SOMERSAULT")


def test_waiting_changes_the_picture_exactly_where_it_is_said_to(
    spec: EnvironmentSpec, game: Environment
) -> None:
    if spec.noop is None:
        pytest.skip("no action waits")
    seen = set()
    for _ in range(max(60, 10 * spec.frame_skip)):
        seen.add(_hash(game))
        game.step(spec.noop)
    assert (len(seen) > 1) == (spec.dynamics == "dynamic")


def test_nothing_happens_after_the_end(spec: EnvironmentSpec, game: Environment) -> None:
    for by_chance in _actions(spec, spec.decisions):
        searches = spec.family in ("atari", "procgen")  # an expert that takes its time
        decide(game, spec, by_chance if searches else game.expert())
    if not game.end:
        pytest.skip("no end was met")
    before = _seen(game)
    for action in spec.actions:
        game.step(action)
    assert _seen(game) == before


def test_without_the_package_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium.envs.toy_text.taxi", None)
    with pytest.raises(NotInstalled, match=r"Taxi needs .*; try pip install 'lft-bench\[agents\]'"):
        registry.make("taxi")
