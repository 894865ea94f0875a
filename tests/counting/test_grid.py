"""Grid files: the paper's numbers, and errors that name the nearest known word."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lft.core.errors import InputError
from lft.counting.grid import Grid, expand

SMALL: dict[str, Any] = {"domains": ["blinking"], "counts": [0, 2], "frequencies_hz": [1, 2.0], "seeds": [3]}
STUDY = ("bounce_ball", "blinking", "state_machine")  # whatever other packages add


def test_the_paper_grid_has_730_clips_per_domain() -> None:
    # (1 + 9 counts * 8 frequencies) * 10 seeds = 730, and N = 0 once per seed at the nominal 1.0 Hz.
    specs = expand(Grid.load("paper"))
    assert Counter(s.domain for s in specs) == dict.fromkeys(STUDY, 730)
    assert len({s.clip_id for s in specs}) == 2190
    assert {s.frequency_hz for s in specs if s.count == 0} == {1.0}
    assert sum(s.count == 0 for s in specs) == 30
    assert {(s.fps, s.frame_count) for s in specs} == {(30, 720)}


def test_the_demo_grid_is_small_and_touches_every_domain_of_the_study() -> None:
    specs = expand(Grid.load("demo"))
    assert {s.domain for s in specs} == set(STUDY)
    assert 60 <= len(specs) <= 100


def test_counts_frequencies_and_seeds_are_combined_and_zero_is_taken_once() -> None:
    ids = [s.clip_id for s in expand(Grid.from_document(SMALL, name="small"))]
    assert ids == ["blinking/n00_f1.0_s03", "blinking/n02_f1.0_s03", "blinking/n02_f2.0_s03"]


def test_a_grid_can_be_filmed_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "grid_mine.yaml"
    path.write_text(
        "domains: [blinking, bounce_ball]\ncounts: [1]\nfrequencies_hz: [1.0]\nseeds: 2\nfps: 15\n"
    )
    grid = Grid.load(str(path))
    assert (grid.name, grid.seeds, grid.fps) == ("mine", (0, 1), 15)
    (spec, _) = expand(grid.filmed(fps=60, size="640x360", domains=["bounce_ball"]))
    assert (spec.domain, spec.fps, spec.width, spec.height) == ("bounce_ball", 60, 640, 360)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"frequency_hz": [1.0]}, "unknown key 'frequency_hz'; expected frequencies_hz"),
        ({"domains": ["blinkng"]}, "unknown domain 'blinkng'; expected blinking (did you mean this?)"),
        ({"counts": "many"}, "counts is 'many'"),
        ({"counts": [1, 1]}, "counts repeats a value"),
        ({"counts": [True]}, "counts is [True]"),
        ({"counts": []}, "counts is []"),
        ({"frequencies_hz": [0]}, "the frequency is not positive"),
        ({"frequencies_hz": [float("nan")]}, "the frequency is not positive"),
        ({"counts": [40], "frequencies_hz": [0.5]}, "40 events at 0.5 Hz last 80 s"),
        ({"seeds": 0}, "seeds is 0"),
        ({"seeds": [-1]}, "seed is -1"),
        ({"seeds": [1_000_000]}, "seed is 1000000; expected a whole number from 0 to 999999"),
        ({"seeds": 1_000_000_000}, "seeds is 1000000000; expected a whole number from 1 to 1000000"),
        ({"seeds": False}, "seeds is False"),
        ({"counts": [False]}, "counts is [False]"),
        ({"frequencies_hz": [10**400]}, "frequencies_hz is [1000"),
        ({"duration_s": 1_000_000}, "duration_s is 1000000; expected a whole number from 1 to 3600"),
        ({"title": b"x"}, "title is b'x'"),
        ({"title": None}, "title is None"),
        ({"frequencies_hz": [1.00001]}, "do not fit into a clip id"),
        ({"counts": [0, 1], "frequencies_hz": [1e300]}, "do not fit into a clip id"),
        ({"size": "wide"}, "unusable size 'wide'"),
        ({"size": "853x480"}, "even sizes"),
        ({"fps": 0}, "fps is 0; expected a whole number from 10 to 240"),
        ({"size": "0x720"}, "width is 0; expected a whole number from 64 to 7680"),
        ({"fps": "30"}, "fps is '30'"),
        ({"seeds": 500_000}, "more than 1000000 clips"),
    ],
)
def test_faults_are_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        expand(Grid.from_document({**SMALL, **change}, name="small", where="small.yaml"))
    assert said in str(caught.value)


def test_an_unknown_grid_names_the_nearest() -> None:
    with pytest.raises(
        InputError, match=r"unknown grid 'papr'; expected paper \(did you mean this\?\), bursts, demo"
    ):
        Grid.load("papr")
    with pytest.raises(InputError, match="cannot read"):
        Grid.load("nowhere/grid.yaml")


def test_a_missing_key_is_named() -> None:
    with pytest.raises(InputError, match="the key seeds is missing"):
        Grid.from_document({k: v for k, v in SMALL.items() if k != "seeds"}, name="small")


@pytest.mark.parametrize(("fps", "size"), [(0, None), (-1, None), (None, "")])
def test_a_film_that_cannot_be_is_refused_and_not_ignored(fps: int | None, size: str | None) -> None:
    grid = Grid.from_document(SMALL, name="small")
    with pytest.raises(InputError, match=f"fps is {fps}" if fps is not None else "unusable size ''"):
        expand(grid.filmed(fps=fps, size=size))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seeds: 1\ncounts: [1]\nseeds: 2\n", ":3: duplicate key 'seeds'"),
        ("film:\n  a: 1\n  a: 1\n", ":3: duplicate key 'a'"),
        ("counts: [1]\ntitle: !!binary aGVsbG8=\n", ":2: a !!binary value"),
    ],
)
def test_yaml_that_says_a_thing_twice_or_in_bytes_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        Grid.load(str(tmp_path / "a.yaml"))
    assert str(caught.value).startswith(f"{tmp_path / 'a.yaml'}{said}")
