"""The observer as a model: what it is given, what it says, and what it may not know."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lft.core.errors import InputError
from lft.core.models import Model, ModelSpec, load
from lft.core.requests import Images, Message, NotApplicable, Part, Request, Text, Video, said
from lft.core.video.frames import Frames, Sampling, sample
from lft.core.video.media import Media
from lft.counting.observer import Observer, observe
from lft.counting.parse import Reported, parse
from lft.counting.sweep import PROVIDERS
from tests.counting.drawn import compressed, frames, lamp

LEVELS = [1.0 if f in (20, 21, 22, 35, 36, 37) else 0.0 for f in range(60)]


@pytest.fixture(scope="module")
def blinks() -> Frames:
    return frames(lamp(LEVELS, off=(30, 30, 30), on=(240, 200, 90)))


def asked(*parts: Message | Part, domain: str = "blinking") -> Request:
    return Request(parts, task={"suite": "counting", "domain": domain})


def reported(text: str) -> Reported:
    understood = parse(text, "ledger")
    assert isinstance(understood, Reported)
    return understood


def test_it_is_a_model_without_options() -> None:
    model = load("observer", PROVIDERS)
    assert isinstance(model, Model)
    assert model.name == "observer"
    assert set(model.describe()) >= {"observer", "opencv", "numpy"}
    for unusable in ("observer:large", "observer?fps=1", "observer?prior=regular&fps=1"):
        with pytest.raises(InputError, match="no options but prior"):
            load(unusable, PROVIDERS)


def test_its_prior_is_named_and_described() -> None:
    model = load("observer?prior=regular", PROVIDERS)
    assert isinstance(model, Model)
    assert model.name == "observer?prior=regular"
    described = model.describe()
    assert "uniform on 0..12" in described["prior"]
    assert described["posterior"]
    assert "prior" not in load("observer", PROVIDERS).describe()
    with pytest.raises(InputError, match="prior is 'irregular'"):
        load("observer?prior=irregular", PROVIDERS)


def test_with_times_beside_the_frames_it_dates_events(blinks: Frames) -> None:
    text = (
        Observer(ModelSpec.parse("observer")).generate(asked(Text("How many?"), Images(blinks, "time"))).text
    )
    assert text == (
        "1. At 0.67 s - blink - running count: 1\n2. At 1.17 s - blink - running count: 2\n\n\\boxed{2}"
    )
    assert reported(text).times_s == (0.67, 1.17)
    assert reported(text).final_answer == 2


@pytest.mark.parametrize("labels", ["index", "none"])
def test_without_times_it_names_frames_and_no_seconds(blinks: Frames, labels: str) -> None:
    text = Observer(ModelSpec.parse("observer")).generate(asked(Images(blinks, labels))).text
    assert "Frame 21 " in text
    assert "Frame 36 " in text
    assert " s" not in text.replace("blink -", "")
    assert reported(text).times_s == ()
    assert reported(text).final_answer == 2


def test_a_second_turn_is_answered_again(blinks: Frames) -> None:
    model = Observer(ModelSpec.parse("observer"))
    first = model.generate(asked(Text("How many?"), Images(blinks, "time")))
    parts = (Text("How many?"), Images(blinks, "time"), said(first.text), Text("Check it."))
    assert model.generate(asked(*parts)).text == first.text


def test_nothing_to_look_at_is_not_an_answer() -> None:
    model = Observer(ModelSpec.parse("observer"))
    with pytest.raises(NotApplicable, match="frames or a video"):
        model.generate(asked(Text("How many?")))
    with pytest.raises(NotApplicable, match="blinkin"):
        model.generate(
            asked(Images(frames(lamp([0.0] * 3, off=(9, 9, 9), on=(99, 99, 99)))), domain="blinkin")
        )


def test_no_events_are_reported_as_zero() -> None:
    still = frames(lamp([0.0] * 3, off=(30, 30, 30), on=(240, 200, 90)))
    text = Observer(ModelSpec.parse("observer")).generate(asked(Images(still, "time"))).text
    assert text == "No events.\n\\boxed{0}"
    assert reported(text).final_answer == 0


def test_a_video_is_watched_at_the_rate_that_is_asked_for(tmp_path: Path) -> None:
    video = tmp_path / "clip.mp4"
    write(video)
    model, media = Observer(ModelSpec.parse("observer")), Media.open(video)
    assert reported(model.generate(asked(Video(media))).text).times_s == (0.667, 1.167)
    # At 1 Hz frames 0 and 30 are seen, and neither is lit.
    assert reported(model.generate(asked(Video(media, rate_hz=1.0))).text).final_answer == 0


def test_nine_clips_of_other_authors(shared: Path) -> None:
    for case in json.loads((shared / "real" / "cases.json").read_text())["cases"]:
        seen = observe(sample(Media.open(shared / "real" / case["clip"]), Sampling("native")), case["domain"])
        assert seen.final_answer == case["count"], case["clip"]
        assert seen.event_times_s == pytest.approx(case["pixel_times_s"], abs=0.15), case["clip"]


def write(path: Path) -> None:
    """The blinks of `LEVELS` as an H.264 file at 30 frames per second."""
    import av

    pictures = compressed(lamp(LEVELS, off=(30, 30, 30), on=(240, 200, 90)), crf=20)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
