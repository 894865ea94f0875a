"""Demonstrations as Minari datasets, one for each environment, with exact pictures.

An episode is a demonstration. Observations are its pictures, uint8 (height, width, 3), without the strip of words, kept
without loss. An action is the place of its name in the environment's list, which is in the dataset's description. A
reward is what the environment's first measure gained; `infos` has every measure at every picture. The last step is a
termination if the environment ended, else a truncation.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from lft.agents.clips import played
from lft.agents.environments.base import Environment, EnvironmentSpec
from lft.agents.tasks import Demonstration, unrolled
from lft.core.errors import InputError

Make = Callable[[EnvironmentSpec], Environment]


def export(
    demonstrations: Iterable[Demonstration], spec_of: Callable[[str], EnvironmentSpec], make: Make, out: Path
) -> list[str]:
    """Writes the datasets into `out` and gives their names; `MINARI_DATASETS_PATH=out` makes Minari find them. Raises
    `InputError` where Minari is not installed, or has such a dataset there.
    """
    try:
        import minari
    except ImportError as error:
        raise InputError("minari is not installed", remedy="pip install 'minari[hdf5]'") from error
    by_environment: dict[str, list[Demonstration]] = {}
    for one in demonstrations:
        by_environment.setdefault(one.environment, []).append(one)
    before = os.environ.get("MINARI_DATASETS_PATH")
    os.environ["MINARI_DATASETS_PATH"] = str(out.resolve())  # it joins a relative one twice
    names = []
    try:
        for environment, several in by_environment.items():
            spec, name = spec_of(environment), f"lft/{environment}-v0"
            if (out / name).exists():
                raise InputError("is there already", where=out / name, remedy="another --out, or removing it")
            out.mkdir(parents=True, exist_ok=True)
            buffers = [_buffer(one, k, spec, make) for k, one in enumerate(several)]
            _write(minari, name, spec, several, buffers)
            names.append(name)
    finally:
        if before is None:
            del os.environ["MINARI_DATASETS_PATH"]
        else:
            os.environ["MINARI_DATASETS_PATH"] = before
    return names


def _write(
    minari: Any, name: str, spec: EnvironmentSpec, several: list[Demonstration], buffers: list[Any]
) -> None:
    from gymnasium.spaces import Box, Discrete

    actions = ", ".join(f"{k} {action}" for k, action in enumerate(spec.actions))
    shape = buffers[0].observations[0].shape
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that no mail address is given, and no gymnasium environment
        minari.create_dataset_from_buffers(
            name,
            buffers,
            observation_space=Box(0, 255, shape, np.uint8),
            action_space=Discrete(len(spec.actions)),
            algorithm_name="expert",
            author="LFT",
            description=(
                f"{spec.title}: {spec.rules['detailed']} Actions: {actions}. Rewards: {next(iter(spec.measures))}. "
                f"Episodes: {', '.join(one.id for one in several)}."
            ),
            jpeg_encoding=False,
        )


def _buffer(one: Demonstration, number: int, spec: EnvironmentSpec, make: Make) -> Any:
    from minari.data_collector import EpisodeBuffer

    *shown, end = played(one, spec, make)
    actions = [spec.actions.index(action) for action in unrolled(one.actions)]
    gained = [shown_measure(step.measures, spec) for step in shown]
    over = [False] * (len(actions) - 1)
    ended = end.end in ("Victory", "Terminated", "Draw")
    return EpisodeBuffer(
        id=number,
        seed=one.seed,
        observations=[step.picture for step in shown],
        actions=actions,
        rewards=[after - before for before, after in pairwise(gained)],
        terminations=[*over, ended],
        truncations=[*over, not ended],
        infos={name: np.array([step.measures[name] for step in shown]) for name in spec.measures},
    )


def shown_measure(measures: Any, spec: EnvironmentSpec) -> float:
    """The measure whose gains are rewards: the first that the environment names."""
    return float(measures[next(iter(spec.measures))])
