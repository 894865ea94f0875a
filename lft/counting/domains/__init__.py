"""The domains: one folder each, and one line in `BUILT_IN`. No module outside its folder knows a domain by its name.

`DOMAINS` has those of LFT, then those of other installed packages (entry points `lft.domains`). It is filled on
first use. A folder's `__init__` is its `Domain` record; objects that it names are imported on use.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

from lft.core import plugins
from lft.core.errors import shown, unknown_name
from lft.counting.domains.record import Domain, named

__all__ = ["BUILT_IN", "DOMAINS", "Domain", "domain", "domain_of_event", "named", "registered"]

BUILT_IN = {
    "bounce_ball": "lft.counting.domains.bounce_ball:DOMAIN",
    "blinking": "lft.counting.domains.blinking:DOMAIN",
    "state_machine": "lft.counting.domains.state_machine:DOMAIN",
}


class _Domains(Mapping[str, Domain]):
    """Name -> domain. Filled on first use, so that a package with a domain may import any module of LFT."""

    @cached_property
    def _known(self) -> dict[str, Domain]:
        ours = {name: _loaded(name, reference) for name, reference in BUILT_IN.items()}
        return ours | _of_other_packages()

    def __getitem__(self, name: str) -> Domain:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


DOMAINS = _Domains()


@contextmanager
def registered(one: Domain) -> Iterator[None]:
    """A context in which `one` is a registered domain of this process; it may replace one with the same name."""
    known = DOMAINS._known
    before = dict(known)
    known[one.name] = one
    try:
        yield
    finally:
        known.clear()
        known.update(before)


def domain(name: str) -> Domain:
    """The domain called `name`; raises `InputError` with the nearest known name."""
    if name not in DOMAINS:
        raise unknown_name("domain", name, DOMAINS)
    return DOMAINS[name]


def domain_of_event(event_type: str) -> Domain | None:
    """The first domain whose events are of this type; None for the events of imported videos.

    >>> getattr(domain_of_event("blink"), "name", None), domain_of_event("clap")
    ('blinking', None)
    """
    return next((one for one in DOMAINS.values() if one.event_type == event_type), None)


def _loaded(name: str, reference: str) -> Domain:
    value = named(reference)
    if not isinstance(value, Domain) or value.name != name:
        raise TypeError(f"not a Domain called {name}")
    return value


def _of_other_packages() -> dict[str, Domain]:
    """Domains of other packages; unusable ones are left out with a warning."""
    found = {}
    for name, reference in plugins.plugged("lft.domains", taken=BUILT_IN).items():
        try:
            found[name] = _loaded(name, reference)
        except Exception as error:  # whatever a module of someone else raises when it is imported
            warnings.warn(f"the domain {shown(name)} of {reference} is left out ({error})", stacklevel=2)
    return found
