"""Video files as they come out: exact frames and times, seeking, quality, and the same bytes every time."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from lft.core.errors import InputError
from lft.core.video.media import Media
from lft.counting.domains import DOMAINS
from lft.counting.rendering.manim_stage import Stage, render_stock
from lft.counting.rendering.scene import Renderer, render
from lft.counting.rendering.schedule import draw
from lft.counting.rendering.visual import states
from lft.counting.spec import ClipSpec

SPEC = ClipSpec("bounce_ball", 8, 3.5, 2, width=320, height=180)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clip") / "clip.mp4"
    render(draw(SPEC), path)
    return path


@pytest.fixture(scope="module")
def decoded(clip: Path) -> list[np.ndarray]:
    return [picture for _, picture in Media.open(clip).pictures()]


def test_media_and_trace_describe_the_file(clip: Path) -> None:
    media, trace = render(draw(SPEC), clip)
    assert (media.width, media.height, len(media), media.duration_s) == (320, 180, 720, 24.0)
    assert np.array_equal(media.frame_times_s, np.arange(720) / 30)
    assert trace.video_sha256 == hashlib.sha256(clip.read_bytes()).hexdigest()
    assert trace.execute() == 8
    assert [media.frame_at(event.time_s) for event in trace.events] == [e.frame_index for e in trace.events]


@pytest.mark.parametrize("fps", [15, 24, 60])
def test_other_rates_have_exact_times_too(fps: int, tmp_path: Path) -> None:
    spec = ClipSpec("blinking", 2, 1.0, 0, fps=fps, width=160, height=90)
    media, _ = render(draw(spec), tmp_path / "clip.mp4")
    assert len(media) == spec.frame_count
    assert np.allclose(media.frame_times_s, np.arange(spec.frame_count) / fps, atol=1e-9, rtol=0)
    assert media.duration_s == 24.0


def test_a_clip_that_is_no_whole_number_of_gops(tmp_path: Path) -> None:
    spec = ClipSpec("state_machine", 2, 2.0, 1, fps=30, width=160, height=90, duration_s=1)
    media, _ = render(draw(spec), tmp_path / "clip.mp4")
    assert len(media) == 30


def test_key_frames_lie_on_whole_seconds_and_nowhere_else(clip: Path) -> None:
    # Anything else would tell where the events are. No B-frames: packets come in the order of showing.
    import av

    with av.open(str(clip)) as container:
        packets = [p for p in container.demux(video=0) if p.size]
        step = 1 / (30 * packets[0].time_base)
        assert [i for i, p in enumerate(packets) if p.is_keyframe] == list(range(0, 720, 30))
        assert [p.pts for p in packets] == [i * step for i in range(720)] == [p.dts for p in packets]


def test_the_index_comes_first_and_colours_are_tagged(clip: Path) -> None:
    import av

    data = clip.read_bytes()
    assert 0 < data.index(b"moov") < data.index(b"mdat")
    with av.open(str(clip)) as container:
        frame = next(container.decode(video=0))
        assert (int(frame.colorspace), int(frame.color_range)) == (1, 1)  # BT.709, limited range
        assert frame.format.name == "yuv420p"
        assert container.streams.video[0].average_rate == 30


def test_seeks_land_on_their_frame_both_ways_in_pyav(clip: Path, decoded: list[np.ndarray]) -> None:
    import av

    order = [*range(0, 720, 7), *range(719, 0, -7)]
    with av.open(str(clip)) as container:
        stream = container.streams.video[0]
        for index in order:
            target = int(Fraction(index, 30) / stream.time_base)
            container.seek(target, stream=stream)
            frame = next(f for f in container.decode(stream) if f.pts >= target)
            assert frame.pts == target
            assert np.array_equal(frame.to_ndarray(format="rgb24"), decoded[index])


def test_seeks_land_on_their_frame_both_ways_in_opencv(clip: Path, decoded: list[np.ndarray]) -> None:
    import cv2

    reader = cv2.VideoCapture(str(clip))
    assert reader.get(cv2.CAP_PROP_FRAME_COUNT) == 720
    assert reader.get(cv2.CAP_PROP_FPS) == 30
    for index in [*range(0, 720, 11), *range(719, 0, -11)]:
        reader.set(cv2.CAP_PROP_POS_FRAMES, index)
        done, picture = reader.read()
        assert done
        # The two libraries convert to RGB on their own; a neighbouring frame differs by far more.
        assert np.abs(picture[..., ::-1].astype(int) - decoded[index]).max() <= 12


@pytest.mark.parametrize("domain", DOMAINS)
def test_decoded_pictures_are_the_drawn_ones(domain: str, tmp_path: Path) -> None:
    spec = ClipSpec(domain, 4, 2.0, 3, width=320, height=180, duration_s=4)
    schedule = draw(spec)
    media, _ = render(schedule, tmp_path / "clip.mp4")
    stage = Stage(schedule)
    drawn = {state: stage.picture(state)[..., :3].copy() for state in dict.fromkeys(states(schedule))}
    for index, picture in media.pictures():
        error = picture.astype(float) - drawn[states(schedule)[index]]
        assert (
            10 * np.log10(255**2 / np.mean(error**2)) > 33
        )  # chroma is halved: thin coloured edges bound this
        nearest = min(drawn, key=lambda state: float(np.mean((picture.astype(float) - drawn[state]) ** 2)))
        assert nearest == states(schedule)[index]


@pytest.mark.parametrize("domain", DOMAINS)
def test_quality_is_at_least_that_of_stock_manim(domain: str, tmp_path: Path) -> None:
    schedule = draw(ClipSpec(domain, 4, 2.0, 3, width=480, height=270, duration_s=3))
    frames: list[np.ndarray] = []
    stock = render_stock(
        schedule, tmp_path, lambda picture, repeats: frames.extend([picture.copy()] * repeats)
    )
    render(schedule, tmp_path / "fast.mp4")
    assert _plane_psnr(tmp_path / "fast.mp4", frames, matrix=1) >= _plane_psnr(stock, frames, matrix=None)


def _plane_psnr(path: Path, frames: list[np.ndarray], matrix: int | None) -> float:
    """PSNR of the decoded planes against those that went into the encoder, over the whole clip, dB."""
    import av

    errors = []
    with av.open(str(path)) as container:
        for frame, picture in zip(container.decode(video=0), frames, strict=True):
            source = av.VideoFrame.from_ndarray(picture, format="rgba")
            into = source.reformat(format="yuv420p", **({"dst_colorspace": matrix} if matrix else {}))
            errors.append(np.mean((frame.to_ndarray().astype(float) - into.to_ndarray()) ** 2))
    return float(10 * np.log10(255**2 / np.mean(errors)))


def test_bytes_do_not_depend_on_what_was_rendered_before() -> None:
    specs = [ClipSpec(d, n, 2.5, s, width=160, height=90) for d in DOMAINS for n in (0, 3) for s in (1, 2)]
    one = Renderer()
    forwards = {spec: one.file_of(draw(spec)) for spec in specs}
    other = Renderer()
    for spec in reversed(specs):
        assert other.file_of(draw(spec)) == forwards[spec]
    assert Renderer().file_of(draw(specs[5])) == forwards[specs[5]]


def test_caches_are_bounded() -> None:
    from lft.counting.rendering.scene import _Bounded

    cache: _Bounded[bytes] = _Bounded(100, len)
    for i in range(50):
        assert cache.get(i, lambda: bytes(30)) == bytes(30)
    assert len(cache._items) == 3
    assert cache.get("large", lambda: bytes(1000)) == bytes(1000)  # larger than the bound: kept alone
    assert len(cache._items) == 1


def test_a_file_that_cannot_be_written_is_one_clear_line_and_leaves_the_old_one(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "clip.mp4"
    path.write_bytes(b"before")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        with pytest.raises(InputError, match="cannot write"):
            render(draw(ClipSpec("blinking", 1, 1.0, 0, width=160, height=90)), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_rendering_does_not_have_the_logs_of_other_libraries_printed(tmp_path: Path) -> None:
    code = (
        "import logging, sys; from pathlib import Path\n"
        "from lft.counting.rendering.scene import Renderer; from lft.counting.grid import Grid, expand\n"
        "from lft.counting.rendering.schedule import draw\n"
        "Renderer().write(draw(expand(Grid.load('demo'))[3]), Path(sys.argv[1]) / 'a.mp4')\n"
        "logging.getLogger('httpx').info('a call was made')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert (tmp_path / "a.mp4").is_file()
    assert "a call was made" not in done.stdout + done.stderr
