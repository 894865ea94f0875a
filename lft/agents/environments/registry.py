"""The environments by name. No package of theirs is loaded before an environment is made."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from lft.agents.environments.base import Environment, EnvironmentSpec, NotInstalled
from lft.core.errors import unknown_name

FAMILIES = ("toy_text", "classic_control", "minigrid", "highway", "flappy_bird", "atari", "procgen")
INSTALL = "pip install 'lft-bench[agents]', or make demo-agents"


@cache
def available() -> Mapping[str, EnvironmentSpec]:
    """Name -> what it is, for every environment of the suite, installed or not.

    >>> available()["taxi"].actions
    ('DOWN', 'UP', 'RIGHT', 'LEFT', 'PICKUP', 'DROPOFF')
    """
    families = [importlib.import_module(f"lft.agents.environments.{family}") for family in FAMILIES]
    return MappingProxyType({spec.name: spec for family in families for spec in family.SPECS})


def get(name: str) -> EnvironmentSpec:
    """The environment of a name; raises `InputError` for one that is not there."""
    if name not in available():
        raise unknown_name("environment", name, available())
    return available()[name]


def make(spec: EnvironmentSpec | str) -> Environment:
    """A live environment, not yet reset. Raises `NotInstalled` if a package is missing.

    >>> game = make("cliff_walking")
    >>> game.reset(0)
    >>> game.words().split(". ")[0]
    'The figure is in row 4 of 4 from the top, column 1 of 12 from the left'
    """
    if isinstance(spec, str):
        spec = get(spec)
    module, _, name = spec.place.partition(":")
    try:
        made: Environment = getattr(importlib.import_module(module), name)(spec)
    except ModuleNotFoundError as error:
        raise NotInstalled(f"{spec.title} needs the package {error.name}; try {INSTALL}") from error
    return made
