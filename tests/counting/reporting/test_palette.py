"""Colours of categories are told apart by everyone: seen with each deficiency of colour vision, none are alike."""

from __future__ import annotations

import numpy as np
import pytest

from lft.core.reporting import style
from lft.counting.reporting import cause_colours

# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009),
# severity 1.0, on linear RGB. A row gives one channel as it is seen.
SEEN = {
    "all colours": np.eye(3),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def oklab(colours, seen: np.ndarray) -> np.ndarray:
    """OKLab of #rrggbb colours as seen; (n, 3)."""
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ seen.T, 0, 1)
    lms = linear @ np.array(
        [[0.4122214708, 0.2119034982, 0.0883024619], [0.5363325363, 0.6806995451, 0.2817188376],
         [0.0514459929, 0.1073969566, 0.6299787005]]
    )  # fmt: skip
    return np.cbrt(lms) @ np.array(
        [[0.2104542553, 1.9779984951, 0.0259040371], [0.793617785, -2.428592205, 0.7827717662],
         [-0.0040720468, 0.4505937099, -0.808675766]]
    )  # fmt: skip


def nearest(colours, seen: np.ndarray) -> float:
    at = oklab(colours, seen)
    apart = np.linalg.norm(at[:, None] - at[None], axis=-1)
    return float(apart[~np.eye(len(at), dtype=bool)].min())


def test_the_simulation_knows_confusions_that_are_known():
    # Red and green of one lightness are near each other to deuteranopes and far apart to others.
    pair = ["#b35a3c", "#6f7d33"]
    assert nearest(pair, SEEN["no green"]) < 0.6 * nearest(pair, SEEN["all colours"])
    # Greys stay what they are: the rows of each matrix sum to 1.
    for seen in SEEN.values():
        assert np.allclose(oklab(["#808080"], seen), oklab(["#808080"], np.eye(3)), atol=2e-3)


@pytest.mark.parametrize("eyes", SEEN)
def test_no_two_causes_are_alike(eyes):
    assert nearest([colour for colour, _ in cause_colours.CAUSE.values()], SEEN[eyes]) > 0.1


@pytest.mark.parametrize("eyes", SEEN)
def test_no_series_is_like_another_or_like_the_line_of_tau(eyes):
    assert nearest([*style.SERIES, style.THRESHOLD], SEEN[eyes]) > 0.1


def test_page_and_figures_fill_a_cause_alike():
    text = cause_colours.css()
    for name, (colour, hatch) in cause_colours.CAUSE.items():
        (rule,) = [line for line in text.splitlines() if line.startswith(f".cause-{name} ")]
        assert colour in rule
        assert ("gradient" in rule) == bool(hatch)
