"""A plain error model read off the scores: how often events are missed, invented, shifted, added up wrongly.

The parameters are those of the simulated reporter (`lft.counting.simulated`), so that what is estimated of a
model can be put back into `simulated:` and compared. They describe the reports as matched: where windows are
narrow beside the errors of time, a shifted report counts as one miss and one invention.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lft.core.stats import Estimate, cluster_bootstrap

if TYPE_CHECKING:
    import pandas as pd


def error_model(scores: pd.DataFrame, *, draws: int = 2000, seed: int = 0) -> dict[str, Estimate]:
    """Estimates from the answered rows of a scores table, each with a 95 % interval by resampling clips.

    miss      missed / true events
    false     invented reports a clip, clips without events included
    misadd    share of answers that differ from their ledger's length, among those with a ledger
    jitter_s  root mean square of reported minus true times; of times written in steps of r the variance
              r^2 / 12 that rounding adds is taken off (Sheppard)

    What the table has no data on is left out.
    """
    answered = scores[scores["status"] == "answered"]
    positive = answered[answered["count"] > 0]
    timed = answered[answered["matched"] > 0]
    # The step is the reporter's: a single response of few times can look coarser than it is.
    weight = timed.groupby("resolution_s")["matched"].sum()
    step_s = float(weight.index.to_numpy(float)[weight.to_numpy().argmax()]) if len(weight) else 0.0
    asked = {
        "miss": (positive, positive["missed"], positive["count"]),
        "false": (answered, answered["hallucinated"], None),
        "misadd": (answered, 1 - answered["ledger_consistent"], None),
        "jitter_s": (timed, timed["matched"] * (timed["rms_s"] ** 2 - step_s**2 / 12), timed["matched"]),
    }
    found: dict[str, Estimate] = {}
    for name, (rows, values, weights) in asked.items():
        estimate = cluster_bootstrap(
            values.to_numpy(float),
            rows["clip"].to_numpy(),
            weights=None if weights is None else weights.to_numpy(float),
            draws=draws,
            seed=seed,
        )
        if estimate is not None:
            found[name] = _rooted(estimate) if name == "jitter_s" else estimate
    return found


def _rooted(variance: Estimate) -> Estimate:
    value, low, high = (float(np.sqrt(max(x, 0.0))) for x in (variance.value, variance.lower, variance.upper))
    return Estimate(value, low, high, variance.n, variance.clusters)
