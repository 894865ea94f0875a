"""Planning: how many seeds a frontier needs, and how many clips a difference between two conditions.

All probabilities are exact sums over binomial distributions, none is simulated.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lft.core.errors import InputError
from lft.core.records import JsonObject
from lft.counting.frontier import TAU, checked_tau, needed

MOST_SEEDS = 2000
MOST_CLIPS = 20_000


def decided_rightly(accuracy: float, tau: float, seeds: int) -> float:
    """Probability that a cell with this true accuracy lands on its own side of tau with `seeds` clips.

    >>> round(decided_rightly(0.9, 0.8, 10), 3)  # P(X >= 8), X ~ Bin(10, 0.9)
    0.93
    """
    from scipy.stats import binom

    passes = float(binom.sf(needed(tau, seeds) - 1, seeds, accuracy))
    return passes if accuracy >= tau else 1 - passes


def seeds_needed(accuracy: float, *, tau: float = TAU, certainty: float = 0.95, cells: int = 1) -> int | None:
    """The fewest seeds a cell from which on its side of tau is right with the wanted certainty.

    `accuracy` is the true accuracy to be told from tau, such as 0.9 above it or 0.6 below. A frontier runs
    through several `cells`; all of them are to be right at once, each at certainty^(1 / cells). None if more
    than 2,000 would be needed, or if accuracy is tau itself.

    >>> seeds_needed(0.95, certainty=0.95), seeds_needed(0.95, certainty=0.95, cells=9)
    (10, 25)
    """
    checked_tau(tau)
    _checked(certainty, "certainty")
    _checked(accuracy, "accuracy", ends=True)
    if cells < 1:
        raise InputError(f"cells is {cells}", expected="a whole number from 1 on")
    if accuracy == tau:
        return None
    from scipy.stats import binom

    wanted = certainty ** (1 / cells)
    seeds = np.arange(1, MOST_SEEDS + 1)
    passes = binom.sf(np.array([needed(tau, int(n)) for n in seeds]) - 1, seeds, accuracy)
    right = passes if accuracy >= tau else 1 - passes
    short = np.flatnonzero(right < wanted)  # whole numbers make it jump: from where does it stay
    first = int(short[-1]) + 2 if len(short) else 1
    return first if first <= MOST_SEEDS else None


def paired_power(difference: float, discordant: float, clips: int, *, alpha: float = 0.05) -> float:
    """Probability that the exact McNemar test finds a difference between two conditions on the same clips.

    `difference` in accuracy; `discordant` is the share of clips that change at all, at least |difference|.
    Sum over the number of changed clips, Bin(clips, discordant), of the chance that the two-sided binomial
    test among these rejects at `alpha`.
    """
    from scipy.stats import binom

    _checked_pair(difference, discordant)
    up = (discordant + abs(difference)) / 2 / discordant
    changed = np.arange(clips + 1)
    weight = binom.pmf(changed, clips, discordant)
    kept = weight > 1e-12
    edge = _rejects_from(clips, alpha)[changed[kept]]
    reject = binom.sf(edge - 1, changed[kept], up) + binom.cdf(changed[kept] - edge, changed[kept], up)
    possible = edge <= changed[kept]
    return float(np.sum(weight[kept] * np.where(possible, reject, 0.0)))


def clips_needed(
    difference: float, *, discordant: float | None = None, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """The fewest clips with at least the wanted power; None if more than 20,000.

    `discordant` defaults to |difference| + 0.1: besides the gain, one clip in ten changes by chance, evenly.
    """
    share = min(1.0, abs(difference) + 0.1) if discordant is None else discordant
    _checked_pair(difference, share)
    _checked(power, "power")
    _checked(alpha, "alpha")
    low, high = 1, 16
    while paired_power(difference, share, high, alpha=alpha) < power:
        low, high = high, high * 2
        if high > 2 * MOST_CLIPS:
            return None
    while low < high:
        middle = (low + high) // 2
        if paired_power(difference, share, middle, alpha=alpha) >= power:
            high = middle
        else:
            low = middle + 1
    return low if low <= MOST_CLIPS else None


def with_replicates(clips: int | None, replicates: int, correlation: float) -> int | None:
    """How many clips to ask `replicates` times each, instead of so many once.

    `correlation` is that of answers (or of differences between conditions) within a clip. By it, r answers about a clip
    are worth r / (1 + (r - 1) c) answers about as many clips, as in the intervals and tests of `lft audit`.

    >>> with_replicates(100, 3, 0.5), with_replicates(100, 3, 0.0), with_replicates(100, 3, 1.0)
    (67, 34, 100)
    """
    if replicates < 1:
        raise InputError(f"replicates is {replicates}", expected="a whole number from 1 on")
    _checked(correlation, "correlation", ends=True)
    if clips is None:
        return None
    return math.ceil(clips * (1 + (replicates - 1) * correlation) / replicates - 1e-9)


def of_study(clips: int, seeds: int) -> JsonObject:
    """What a study of so many clips, `seeds` of them a cell, can show.

    The power of the paired test for some differences (each with one clip in ten changing by chance besides),
    and for some true accuracies the probability that a cell lands on its own side of 0.8.
    """
    differences = [d for d in (0.01, 0.02, 0.05, 0.1, 0.2) if clips]
    accuracies = [a for a in (0.5, 0.6, 0.7, 0.9, 0.95) if seeds]
    return {
        "clips": clips,
        "seeds": seeds,
        "differences": [{"difference": d, "power": paired_power(d, d + 0.1, clips)} for d in differences],
        "cells": [{"accuracy": a, "certainty": decided_rightly(a, TAU, seeds)} for a in accuracies],
    }


@lru_cache(maxsize=256)
def _rejects_from(clips: int, alpha: float) -> npt.NDArray[np.intp]:
    """For each number of changed clips, from how many in one direction on the two-sided exact test
    rejects.
    """
    from scipy.stats import binom

    changed = np.arange(clips + 1)
    edge = np.asarray(binom.isf(alpha / 2, changed, 0.5), dtype=np.intp) + 1
    edge = np.where(2 * binom.sf(edge - 2, changed, 0.5) <= alpha, edge - 1, edge)
    return np.where(2 * binom.sf(edge - 1, changed, 0.5) <= alpha, edge, changed + 1)


def _checked(value: float, name: str, *, ends: bool = False) -> None:
    if not (0 <= value <= 1 if ends else 0 < value < 1):
        raise InputError(f"{name} is {value:g}", expected="a number between 0 and 1")


def _checked_pair(difference: float, discordant: float) -> None:
    if not (0 < abs(difference) <= 1 and abs(difference) <= discordant <= 1):
        raise InputError(
            f"a difference of {difference:g} with {discordant:g} of the clips changing",
            expected="0 < |difference| <= share that changes <= 1",
        )
