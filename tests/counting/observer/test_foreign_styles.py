"""Clips in styles that are not LFT's: whatever is drawn here, no scene of the project looks like it.

Each is drawn with OpenCV, compressed strongly, and read as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from lft.counting.observer import observe
from tests.counting.drawn import (
    HEIGHT,
    WIDTH,
    Colour,
    Picture,
    bounces,
    bouncing,
    compressed,
    disc,
    frames,
    ground,
    polygon,
)

TOUCHES = [10, 24, 38, 52]
BOUNCE = bounces(TOUCHES, 62, 14)


def written(picture: Picture, words: str, colour: Colour = (230, 230, 230)) -> None:
    """Words at the top right."""
    import cv2

    cv2.putText(picture, words, (WIDTH - 48, 14), cv2.FONT_HERSHEY_SIMPLEX, 0.3, colour, 1, cv2.LINE_AA)


def with_clock(pictures: list[Picture]) -> list[Picture]:
    for i, picture in enumerate(pictures):
        written(picture, f"{i / 30:05.2f}")
    return pictures


def from_edge_to_edge() -> list[Picture]:
    """No walls but the edges of the picture."""
    pictures = []
    for position in BOUNCE:
        picture = ground((235, 235, 240))
        disc(picture, (12 + position * (WIDTH - 24), 90.0), 12.0, (40, 60, 200))
        pictures.append(picture)
    return pictures


def inset() -> list[Picture]:
    """The scene fills 60 % of the width; the rest is white."""
    import cv2

    pictures = []
    for small in bouncing(BOUNCE):
        picture = ground((240, 240, 240))
        size = (WIDTH * 6 // 10, HEIGHT * 6 // 10)
        picture[30 : 30 + size[1], 90 : 90 + size[0]] = cv2.resize(small, size, interpolation=cv2.INTER_AREA)
        pictures.append(picture)
    return pictures


def in_a_leaning_box() -> list[Picture]:
    """A square on edge in a box that leans by 12 degrees; the box flashes when it is hit."""
    turn = math.radians(12)
    way, across = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])

    def corners(wide: float, high: float) -> list[tuple[float, float]]:
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        points = [np.array([160.0, 90.0]) + a * wide * way + b * high * across for a, b in signs]
        return [(float(x), float(y)) for x, y in points]

    pictures = []
    for i, position in enumerate(BOUNCE):
        picture = ground((20, 30, 50), slope=60)
        light = min(abs(i - t) for t in TOUCHES) <= 1
        polygon(picture, corners(98, 58), (250, 250, 250) if light else (200, 120, 60))
        inner = ground((20, 30, 50), slope=60)
        mask = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        polygon(mask, corners(90, 50), (255, 255, 255))
        picture = np.where(mask > 127, inner, picture)
        x, y = np.array([160.0, 90.0]) + (position - 0.5) * 2 * 80 * way
        square = [(float(x + a), float(y + b)) for a, b in ((-10, 0), (0, -10), (10, 0), (0, 10))]
        disc(picture, (float(x), float(y)), 10.0, (90, 230, 120))
        polygon(picture, square, (30, 90, 40))
        pictures.append(picture)
    return pictures


def beside_a_progress_bar() -> list[Picture]:
    pictures = bouncing(BOUNCE)
    for i, picture in enumerate(pictures):
        polygon(picture, [(0, 170), (0, 180), (WIDTH * i / 62, 180), (WIDTH * i / 62, 170)], (220, 50, 50))
    return pictures


BLINKS = [12, 30, 48]


def growing() -> list[Picture]:
    """A blink is a disc that swells for six frames, before a rough ground."""
    rough = np.clip(np.random.default_rng(0).normal(70, 9, (HEIGHT, WIDTH, 1)), 0, 255)
    pictures = []
    for i in range(66):
        picture = np.repeat(rough, 3, axis=2).astype(np.uint8)
        swollen = any(b <= i < b + 6 for b in BLINKS)
        disc(picture, (230.0, 70.0), 17.0 if swollen else 11.0, (230, 190, 60))
        pictures.append(picture)
    return pictures


def tiny() -> list[Picture]:
    """A lamp of five pixels that is not there while it is off; a clock runs."""
    pictures = []
    for i in range(66):
        picture = ground((245, 245, 240))
        if any(b <= i < b + 4 for b in BLINKS):
            disc(picture, (60.0, 130.0), 5.0, (200, 30, 30))
        written(picture, f"{i / 30:05.2f}", (60, 60, 60))
        pictures.append(picture)
    return pictures


def circling(starts: list[int]) -> list[Picture]:
    """A lamp that goes round while it blinks, fading in and out."""
    shape = [0.4, 0.8, 1.0, 1.0, 0.8, 0.4]
    pictures = []
    for i in range(66):
        picture = ground((15, 20, 45))
        level = max([shape[i - b] for b in starts if 0 <= i - b < len(shape)], default=0.0)
        colour = [round(a + (b - a) * level) for a, b in zip((70, 60, 40), (250, 210, 90), strict=True)]
        place = (160 + 60 * math.cos(i / 20), 90 + 50 * math.sin(i / 20))
        disc(picture, place, 13.0, (colour[0], colour[1], colour[2]))
        pictures.append(picture)
    return pictures


def circling_and_blinking() -> list[Picture]:
    return circling(BLINKS)


def circling_only() -> list[Picture]:
    return circling([])


ARRIVALS = [20, 45, 70]


def a_token_that_travels() -> list[Picture]:
    """Four rings at the corners, and a token that takes eight frames from one to the next."""
    rings = [(80.0, 50.0), (240.0, 50.0), (240.0, 130.0), (80.0, 130.0)]
    path = [0, 2, 1, 3]
    pictures = []
    for i in range(90):
        picture = ground((15, 25, 20))
        for ring in rings:
            disc(picture, ring, 20.0, (90, 90, 100))
            disc(picture, ring, 17.0, (15, 25, 20))
        k = sum(a <= i for a in ARRIVALS)
        place = np.array(rings[path[k]])
        if k < 3 and ARRIVALS[k] - i < 8:
            part = (1 - math.cos(math.pi * (1 - (ARRIVALS[k] - i) / 8))) / 2
            place = place + part * (np.array(rings[path[k + 1]]) - place)
        disc(picture, (float(place[0]), float(place[1])), 11.0, (250, 200, 40))
        pictures.append(picture)
    return pictures


def outlined() -> list[Picture]:
    """Boxes whose outline fades over within four frames, on white; a clock runs."""
    pictures = []
    path = [1, 0, 3, 2]
    for i in range(90):
        picture = ground((250, 250, 250))
        k = sum(a <= i for a in ARRIVALS)
        level = np.zeros(4)
        level[path[k]] = 1.0
        if k < 3 and ARRIVALS[k] - i < 4:
            level[path[k]] = (ARRIVALS[k] - i) / 4
            level[path[k + 1]] = 1 - level[path[k]]
        for box in range(4):
            x, colour = 45.0 + 76 * box, round(190 - 190 * level[box])
            polygon(
                picture, [(x - 24, 70), (x + 24, 70), (x + 24, 110), (x - 24, 110)], (190, colour, colour)
            )
            polygon(picture, [(x - 20, 74), (x + 20, 74), (x + 20, 106), (x - 20, 106)], (235, 235, 235))
        written(picture, f"{i / 30:05.2f}", (60, 60, 60))
        pictures.append(picture)
    return pictures


def with_edges(*, lit_from: int, lit_to: int, caption_late: int = 0) -> list[Picture]:
    """Nodes and their edges. The edge taken is bright from `lit_from` to `lit_to` frames after the arrival."""
    import cv2

    nodes = [(60.0, 40.0), (260.0, 40.0), (160.0, 130.0)]
    path = [0, 2, 0, 1]
    pictures = []
    for i in range(90):
        picture = ground((20, 20, 30))
        taken = next((k for k, a in enumerate(ARRIVALS) if a + lit_from <= i < a + lit_to), None)
        for a, b in ((0, 1), (1, 2), (0, 2)):
            bright = taken is not None and {a, b} == {path[taken], path[taken + 1]}
            ends = [tuple(round(v) for v in nodes[k]) for k in (a, b)]
            cv2.line(picture, ends[0], ends[1], (250, 220, 90) if bright else (80, 80, 90), 3, cv2.LINE_AA)
        for k, node in enumerate(nodes):
            on = path[sum(a <= i for a in ARRIVALS)] == k
            disc(picture, node, 16.0, (250, 220, 90) if on else (80, 80, 90))
        state = path[sum(a + caption_late <= i for a in ARRIVALS)]
        cv2.putText(
            picture,
            f"State {state}",
            (10, 172),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.6,
            (230, 230, 230),
            2,
            cv2.LINE_AA,
        )
        pictures.append(picture)
    return pictures


def an_edge_that_flashes_on_arrival() -> list[Picture]:
    return with_edges(lit_from=0, lit_to=5)


def an_edge_that_flashes_beforehand() -> list[Picture]:
    return with_edges(lit_from=-6, lit_to=0)


def a_caption_that_lags() -> list[Picture]:
    return with_edges(lit_from=0, lit_to=0, caption_late=3)


@pytest.mark.parametrize(
    ("drawn", "domain", "expected"),
    [
        (from_edge_to_edge, "bounce_ball", TOUCHES),
        (inset, "bounce_ball", TOUCHES),
        (in_a_leaning_box, "bounce_ball", TOUCHES),
        (beside_a_progress_bar, "bounce_ball", TOUCHES),
        (growing, "blinking", BLINKS),
        (tiny, "blinking", BLINKS),
        (circling_and_blinking, "blinking", [b + 2 for b in BLINKS]),
        (circling_only, "blinking", []),
        (a_token_that_travels, "state_machine", ARRIVALS),
        (outlined, "state_machine", ARRIVALS),
        (an_edge_that_flashes_on_arrival, "state_machine", ARRIVALS),
        (an_edge_that_flashes_beforehand, "state_machine", ARRIVALS),
        (a_caption_that_lags, "state_machine", ARRIVALS),
    ],
)
def test_events_are_found(drawn: Callable[[], list[Picture]], domain: str, expected: list[int]) -> None:
    seen = observe(frames(compressed(drawn(), crf=33)), domain)
    assert seen.final_answer == len(expected)
    assert seen.event_times_s == pytest.approx([e / 30 for e in expected], abs=0.07)


@pytest.mark.parametrize("domain", ["bounce_ball", "blinking", "state_machine"])
def test_a_running_clock_alone_is_no_event(domain: str) -> None:
    still = [picture.copy() for picture in bouncing([0.5]) * 90]
    assert observe(frames(compressed(with_clock(still), crf=28)), domain).final_answer == 0
