"""Which environments a command is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from lft.core.errors import InputError


class OfEnvironment(Protocol):
    """A task or a demonstration."""

    @property
    def environment(self) -> str: ...


One = TypeVar("One", bound=OfEnvironment)


def of_environments(rows: Iterable[One], names: Sequence[str]) -> list[One]:
    """The rows of some environments, all for no names; raises `InputError` for a name that is not there, and where
    nothing is left.
    """
    from lft.agents.environments import registry

    for name in names:
        registry.get(name)
    chosen = [row for row in rows if not names or row.environment in names]
    if not chosen:
        raise InputError(f"nothing for {', '.join(names) or 'any environment'}")
    return chosen
