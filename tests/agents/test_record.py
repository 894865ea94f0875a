"""Recorded demonstrations, looked at by code that shares nothing with the recorder but the font of its captions: the
caption is read off the pixels, the environment stepped by what was read, the picture compared with the video's.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from lft.agents.clips import strip
from lft.agents.commands.record import record
from lft.agents.environments import registry
from lft.agents.record import record_one
from lft.agents.tasks import Demonstration, demonstrations
from lft.core.errors import InputError
from tests.agents.live import live

SHORT = sorted(
    {one.environment: one for one in sorted(demonstrations().values(), key=lambda d: -d.frames)}.values(),
    key=lambda one: one.id,
)  # the shortest of each environment


@pytest.fixture(params=SHORT, ids=lambda one: one.id)
def demonstration(request: pytest.FixtureRequest) -> Demonstration:
    one: Demonstration = request.param
    live(one.environment).close()
    return one


def _family(one: Demonstration) -> str:
    return registry.get(one.environment).family


def _frames(video: Path) -> list[NDArray[np.uint8]]:
    with av.open(str(video)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def _apart(one: NDArray[Any], other: NDArray[Any]) -> float:
    return float(np.abs(one.astype(float) - other.astype(float)).mean())


def _halved(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    """At half the size: H.264 keeps colours at no more."""
    height, width, _ = picture.shape
    return picture.reshape(height // 2, 2, width // 2, 2, 3).mean(axis=(1, 3))


def _nearer(shown: NDArray[np.uint8], one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Whether what is shown is the one picture rather than the other, by the pixels in which they plainly differ."""
    differ = np.abs(one.astype(int) - other.astype(int)).max(axis=2) > 40
    if differ.sum() < 20:
        return True  # too few to tell in a video
    return _apart(shown[differ], one[differ]) < _apart(shown[differ], other[differ])


def _read(below: NDArray[np.uint8], candidates: list[tuple[str, ...]]) -> str:
    """The candidate whose strip is nearest; no other may be near."""
    distances = sorted((_apart(below, strip(below.shape[1], words)), " ".join(words)) for words in candidates)
    assert len(distances) == 1 or distances[0][0] < 0.7 * distances[1][0], distances[:2]
    return distances[0][1]


def test_captions_name_the_action_that_leads_to_the_picture(
    demonstration: Demonstration, tmp_path: Path
) -> None:
    spec = registry.get(demonstration.environment)
    frames = _frames(record_one(tmp_path, demonstration).video)
    assert len(frames) == demonstration.frames
    game = registry.make(spec)
    game.reset(demonstration.seed)
    for _ in range(demonstration.skipped_frames):
        game.step(str(spec.noop))

    def decided(action: str) -> None:
        for frame in range(spec.frame_skip):
            game.step(action if frame < spec.hold or spec.noop is None else spec.noop)

    for action, times in demonstration.preloaded:
        for _ in range(times):
            decided(action)
    height = frames[0].shape[0] - 40
    ends = [("Victory",), ("Terminated",), ("Time Out",), ("Draw",)]
    for step, frame in enumerate(frames):
        actions = [
            (f"Step {n}:", f"Action: {a}") for a in spec.actions for n in (step - 1, step, step + 1) if n
        ]
        said = _read(frame[height:], [("Start State",), *ends, *actions])
        if step == 0:
            assert said == "Start State"
        elif step == len(frames) - 1:
            assert said == demonstration.end
        else:
            number, _, action = said.partition(": Action: ")
            assert number == f"Step {step}"
            here, others = game.snapshot(), [game.picture()]
            for other in [one for one in spec.actions if one != action][:3]:
                decided(other)
                others.append(game.picture())
                game.restore(here)
            decided(action)
            assert all(_nearer(frame[:height], game.picture(), other) for other in others), said
        assert _apart(_halved(frame[:height]), _halved(game.picture())) < 6, said  # H.264 is not exact
    game.close()


def test_the_bytes_are_the_same_every_time(demonstration: Demonstration, tmp_path: Path) -> None:
    family = [one for one in SHORT if _family(one) == _family(demonstration)]
    if demonstration != family[0]:
        pytest.skip("one of each family will do")
    first, second = (record_one(tmp_path / name, demonstration) for name in ("a", "b"))
    assert first.video.read_bytes() == second.video.read_bytes()
    assert first.trace.read_bytes() == second.trace.read_bytes()


def test_a_second_is_a_decision(tmp_path: Path) -> None:
    one = demonstrations()["cliff_walking/a"]
    found = record_one(tmp_path, one)
    with av.open(str(found.video)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert stream.average_rate == 1
        assert float(stream.duration * stream.time_base) == one.frames
        assert (stream.width, stream.height) == (768, 256 + 40)


def test_the_trace_is_of_what_is_shown(tmp_path: Path) -> None:
    one = demonstrations()["taxi/a"]
    rows = json.loads(record_one(tmp_path, one).trace.read_text())["shown"]
    assert [row["time_s"] for row in rows] == list(range(one.frames))
    assert rows[0]["caption"] == "Start State"
    assert rows[-1]["caption"] == one.end
    assert rows[-1]["picture"] == rows[-2]["picture"]
    assert rows[-1]["measures"] == dict(one.claims)


def test_a_row_that_claims_too_much_is_refused(tmp_path: Path) -> None:
    one = replace(demonstrations()["taxi/a"], claims={"delivered": 7.0})
    with pytest.raises(InputError, match=r"taxi/a: ends with delivered 1.0, its row claims 7.0"):
        record_one(tmp_path, one)
    assert not list(tmp_path.rglob("*.mp4"))


def test_the_command_in_two_processes_writes_the_same_bytes(tmp_path: Path) -> None:
    told = []
    for jobs in ("1", "2"):
        done = CliRunner().invoke(
            record,
            [
                "--env",
                "cliff_walking",
                "--env",
                "taxi",
                "--jobs",
                jobs,
                "--out",
                str(tmp_path / jobs),
                "--json",
            ],
        )
        assert done.exit_code == 0, done.output
        told.append(json.loads(done.stdout)["demonstrations"])
    assert [row["sha256"] for row in told[0]] == [row["sha256"] for row in told[1]]
    assert {row["demonstration"].partition("/")[0] for row in told[0]} == {"cliff_walking", "taxi"}


def test_an_unknown_environment_is_one_line() -> None:
    done = CliRunner().invoke(record, ["--env", "taxy"])
    assert isinstance(done.exception, InputError)
    assert "taxi (did you mean this?)" in str(done.exception)
