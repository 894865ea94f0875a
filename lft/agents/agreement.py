"""Agreement of two raters on one label: exact, Cohen's kappa, and bootstrap intervals that draw whole environments.

    exact = share of pairs that agree
    kappa = (exact - chance) / (1 - chance),   chance = sum over labels of the product of the two raters' shares

kappa is 1 for full agreement, 0 for that of two raters who draw from their own shares, and has no value where chance is
1 (both raters only ever give one label). Source: Cohen 1960.

Intervals are percentiles of resamples: as many environments as there are, drawn with replacement, each with all its
pairs. Resamples without a kappa are left out of its interval and counted. One environment gives no interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Pair = tuple[str, str, str]  # cluster (environment), the label of one rater, that of the other
DRAWS = 10_000


@dataclass(frozen=True)
class Agreement:
    """How far two raters agree.

    Attributes
    ----------
    n, clusters : pairs, and environments that they come from.
    exact : 0 to 1.
    kappa : -1 to 1; None where it has no value.
    exact_interval, kappa_interval : 95 %; None for one environment, and where no resample has a value.
    undefined : resamples without a kappa.
    """

    n: int
    clusters: int
    exact: float
    kappa: float | None
    exact_interval: tuple[float, float] | None
    kappa_interval: tuple[float, float] | None
    undefined: int

    def to_json(self) -> dict[str, object]:
        """Its entries."""
        return dict(vars(self))


def agreement(pairs: Sequence[Pair], *, draws: int = DRAWS, seed: int = 0) -> Agreement | None:
    """Agreement on pairs of labels; None without pairs.

    >>> found = agreement([("a", "x", "x"), ("a", "y", "y"), ("b", "x", "y"), ("b", "y", "y")])
    >>> found.exact, found.kappa, found.clusters
    (0.75, 0.5, 2)
    """
    if not pairs:
        return None
    tables = _tables(pairs)
    count = len(tables)
    exact, kappa = (float(values[0]) for values in _measured(tables.sum(axis=0)[None]))
    exact_interval = kappa_interval = None
    undefined = 0
    if count > 1:
        times = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=draws)
        exacts, kappas = _measured(np.einsum("dc,cij->dij", times, tables))
        known = kappas[~np.isnan(kappas)]
        undefined = draws - len(known)
        exact_interval = _percentiles(exacts)
        kappa_interval = _percentiles(known) if len(known) else None
    return Agreement(
        len(pairs),
        count,
        exact,
        None if np.isnan(kappa) else kappa,
        exact_interval,
        kappa_interval,
        undefined,
    )


def _tables(pairs: Sequence[Pair]) -> Floats:
    """How often each two labels met in each cluster: (clusters, labels, labels)."""
    clusters = {name: k for k, name in enumerate(dict.fromkeys(cluster for cluster, _, _ in pairs))}
    labels = {name: k for k, name in enumerate(sorted({label for _, *both in pairs for label in both}))}
    tables = np.zeros((len(clusters), len(labels), len(labels)))
    for cluster, one, other in pairs:
        tables[clusters[cluster], labels[one], labels[other]] += 1
    return tables


def _measured(tables: Floats) -> tuple[Floats, Floats]:
    """(exact, kappa) of each table (n, labels, labels); kappa is NaN where it has no value."""
    shares = tables / tables.sum(axis=(1, 2), keepdims=True)
    exact = np.trace(shares, axis1=1, axis2=2)
    chance = (shares.sum(axis=1) * shares.sum(axis=2)).sum(axis=1)
    beyond = 1 - chance
    has = beyond > 1e-12
    kappa = np.divide(exact - chance, beyond, out=np.full_like(exact, np.nan), where=has)
    return exact, kappa


def _percentiles(values: Floats) -> tuple[float, float]:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)
