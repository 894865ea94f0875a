"""Small videos for tests of the observer, drawn with OpenCV; the project's own scenes are not used."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from lft.core.video.frames import Frames

Picture = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]
WIDTH, HEIGHT = 320, 180
_SUBPIXEL = 16  # OpenCV draws in sixteenths of a pixel at shift 4


def ground(colour: Colour = (0, 0, 0), *, slope: float = 0.0) -> Picture:
    """A picture of one colour, or of one that grows lighter by `slope` levels from left to right."""
    ramp = np.linspace(0, slope, WIDTH)[None, :, None]
    return np.clip(np.broadcast_to(np.array(colour), (HEIGHT, WIDTH, 3)) + ramp, 0, 255).astype(np.uint8)


def polygon(picture: Picture, corners: Sequence[tuple[float, float]], colour: Colour) -> None:
    """Fills a polygon, edges smoothed."""
    import cv2

    points = np.rint(np.array(corners) * _SUBPIXEL).astype(np.int32)
    cv2.fillPoly(picture, [points], colour, cv2.LINE_AA, 4)


def disc(picture: Picture, centre: tuple[float, float], radius: float, colour: Colour) -> None:
    """Fills a disc, edge smoothed."""
    import cv2

    x, y = (round(v * _SUBPIXEL) for v in centre)
    cv2.circle(picture, (x, y), round(radius * _SUBPIXEL), colour, -1, cv2.LINE_AA, 4)


def bouncing(
    positions: Sequence[float],
    *,
    angle_deg: float = 0.0,
    lean_deg: float = 0.0,
    ball: Colour = (60, 180, 240),
    wall: Colour = (240, 200, 80),
    background: Picture | None = None,
    radius: float = 11.0,
    travel: float = 96.0,
) -> list[Picture]:
    """A ball between two walls, one picture for each position: 0 touches the first wall, 1 the second."""
    scene = ground() if background is None else background.copy()
    way = np.array([np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))])
    lean = np.radians(angle_deg + lean_deg)
    normal = np.array([np.cos(lean), np.sin(lean)])
    face = np.array([-normal[1], normal[0]])
    middle = np.array([WIDTH / 2, HEIGHT / 2])
    for side in (-1, 1):
        touch = middle + side * travel / 2 * way + side * radius * normal
        back = touch + side * 5 * normal
        corners = [touch - 34 * face, touch + 34 * face, back + 34 * face, back - 34 * face]
        polygon(scene, [(float(x), float(y)) for x, y in corners], wall)
    pictures: list[Picture] = []
    for position in positions:
        picture = scene.copy()
        x, y = middle + (position - 0.5) * travel * way
        disc(picture, (float(x), float(y)), radius, ball)
        pictures.append(picture)
    return pictures


def bounces(
    contacts: Sequence[int], count: int, leg: int, ease: Callable[[float], float] = float
) -> list[float]:
    """Positions that touch wall 0, 1, 0, ... on the given frames, at rest mid-way before and after."""
    positions = []
    for frame in range(count):
        after = sum(c <= frame for c in contacts)
        if after == 0:
            away = min(0.5, (contacts[0] - frame) / leg)
            wall = 0
        elif after == len(contacts):
            away = min(0.5, (frame - contacts[-1]) / leg)
            wall = (after - 1) % 2
        else:
            away = ease((frame - contacts[after - 1]) / (contacts[after] - contacts[after - 1]))
            wall = (after - 1) % 2
        positions.append(away if wall == 0 else 1 - away)
    return positions


def lamp(
    levels: Sequence[float], *, off: Colour, on: Colour, background: Colour = (0, 0, 0)
) -> list[Picture]:
    """A disc between its colours off (0) and on (1), one picture for each level."""
    pictures = []
    for level in levels:
        picture = ground(background)
        mixed = tuple(round(a + (b - a) * level) for a, b in zip(off, on, strict=True))
        disc(picture, (150.0, 80.0), 24.0, (mixed[0], mixed[1], mixed[2]))
        pictures.append(picture)
    return pictures


def nodes(states: Sequence[float], *, background: Colour = (0, 0, 0)) -> list[Picture]:
    """Four discs in a row, one of them bright; 1.25 is a quarter of the way of a fade from 1 to 2."""
    pictures = []
    for state in states:
        picture = ground(background)
        for k in range(4):
            lit = max(0.0, 1 - abs(state - k))
            disc(picture, (55.0 + 70 * k, 90.0), 20.0, (70 + round(170 * lit), 70 + round(120 * lit), 90))
        pictures.append(picture)
    return pictures


def frames(pictures: Sequence[Picture], fps: float = 30.0) -> Frames:
    """Frames at times 0, 1 / fps, ..."""
    return Frames.of_pixels(np.stack(list(pictures)), [i / fps for i in range(len(pictures))])


def chosen(all_frames: Frames, positions: Sequence[int]) -> Frames:
    """Only some of the frames, with their own times."""
    indices = np.asarray(positions)
    return Frames(all_frames.source, all_frames.frame_indices[indices], all_frames.times_s[indices])


def compressed(pictures: Sequence[Picture], *, crf: int, fps: int = 30) -> list[Picture]:
    """The pictures after H.264 at a constant rate factor."""
    import av

    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=fps, options={"crf": str(crf), "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    file.seek(0)
    with av.open(file) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def noisy(pictures: Sequence[Picture], levels: float) -> list[Picture]:
    """The pictures with independent Gaussian noise on every channel, of that standard deviation."""
    generator = np.random.default_rng(0)
    return [
        np.clip(picture + generator.normal(0, levels, picture.shape), 0, 255).astype(np.uint8)
        for picture in pictures
    ]
