"""What hangs together: answers about one clip, and about clips that look the same.

Intervals and tests treat whole clusters as the independent pieces. A look (colours, places, state sequence) that
several clips share is one cluster, since a model may read one look better than another; without shared looks a clip is
one, with all its replicates and conditions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd


def clusters_of(scores: pd.DataFrame) -> npt.NDArray[np.object_]:
    """The cluster of each row of a scores table, as text: its `look` within the domain where the table says one, else
    its clip.
    """
    clips = scores["clip"].astype(str)
    if "look" not in scores.columns:
        return clips.to_numpy(object)
    looks = scores["domain"].astype(str) + "/look " + scores["look"].map(_plain)
    return looks.where(scores["look"].notna() & (scores["look"].astype(str) != ""), clips).to_numpy(object)


def _plain(value: Any) -> str:
    """A number as a whole one: a column with gaps reads 3 as 3.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
