"""Clusters of correlated answers: those about one clip, and about clips that share a look.

Intervals and tests treat clusters as independent units. A look (colours, places, state sequence) that
several clips share is one cluster, since a model may read one look better than another; without shared looks a cluster
is a clip, with all its replicates and conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

    from lft.core.stats import Clusters


def clusters_of(scores: pd.DataFrame) -> npt.NDArray[np.object_]:
    """The cluster of each row of a scores table, as text: its `look` within the domain where the table says one, else
    its clip.
    """
    clips = scores["clip"].astype(str)
    if "look" not in scores.columns:
        return clips.to_numpy(object)
    looks = scores["domain"].astype(str) + "/look " + scores["look"].map(_plain)
    return looks.where(scores["look"].notna() & (scores["look"].astype(str) != ""), clips).to_numpy(object)


def share_of(values: pd.Series[bool], scores: pd.DataFrame) -> tuple[float, float] | None:
    """The 95 % interval of the share of rows of `scores` for which `values` holds; None without rows."""
    from lft.core.stats_clusters import share

    found = share(values.to_numpy(float), clusters_of(scores))
    return (found.lower, found.upper) if found else None


def ratio_of(tops: npt.ArrayLike, bottoms: npt.ArrayLike, clusters: Clusters) -> tuple[float, float] | None:
    """The 95 % interval of sum(tops) / sum(bottoms) over answers in clusters (`clusters_of`); None without any."""
    from lft.core.stats_clusters import ratio

    found = ratio(tops, bottoms, clusters)
    return (found.lower, found.upper) if found else None


def effective_sizes(scores: pd.DataFrame, cells: Sequence[str]) -> npt.NDArray[np.float64]:
    """The number of independent answers that each row of a table of answered trials counts for, at most 1.

    r replicates of a clip count for r / (1 + (r - 1) c), where c is the correlation of answers within clips. c is
    estimated from all cells of the table (analysis of variance within cells), and is 1 if it cannot be estimated.
    `cells` names the columns of a cell.
    """
    replicates = scores.groupby([*cells, "clip"], dropna=False)["correct"].transform("size").to_numpy(float)
    if not (replicates > 1).any():
        return np.ones(len(scores))
    c = _within_clips(scores, cells)
    return np.asarray(1 / (1 + (replicates - 1) * c), dtype=np.float64)


def _within_clips(scores: pd.DataFrame, cells: Sequence[str]) -> float:
    right = (scores["correct"] == 1).astype(float)
    clip = right.groupby([scores[name] for name in (*cells, "clip")], dropna=False)
    cell = right.groupby([scores[name] for name in cells], dropna=False)
    within = float(((right - clip.transform("mean")) ** 2).sum())
    between = float(((clip.transform("mean") - cell.transform("mean")) ** 2).sum())
    n, clips, many = len(right), clip.ngroups, cell.ngroups
    if n == clips or clips == many or within + between == 0:
        return 1.0
    least, most = within / (n - clips), between / (clips - many)
    r = n / clips
    return float(np.clip((most - least) / (most + (r - 1) * least), 0.0, 1.0))


def _plain(value: object) -> str:
    """A number as a whole one: a column with gaps reads 3 as 3.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
