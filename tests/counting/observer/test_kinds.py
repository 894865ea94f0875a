"""A clip of one domain, watched for another: the observer says so and counts nothing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lft.cli import main
from lft.counting.observer import observe
from lft.counting.observer.model import answer
from tests.counting.drawn import Picture, bounces, bouncing, chosen, compressed, frames, lamp, nodes

DARK, LIT = (30, 40, 20), (120, 220, 90)
OF: dict[str, list[Picture]] = {
    "bounce_ball": bouncing(bounces([12, 24, 36], 60, 12)),
    "blinking": lamp([float(i in {*range(20, 25), *range(40, 45)}) for i in range(60)], off=DARK, on=LIT),
    "state_machine": nodes([0.0] * 15 + [2.0] * 15 + [1.0] * 15 + [0.0] * 15),
}
COUNTS = {"bounce_ball": 3, "blinking": 2, "state_machine": 3}


@pytest.mark.parametrize("watched", list(OF))
@pytest.mark.parametrize("held", list(OF))
def test_only_the_domain_that_the_clip_holds_is_counted(held: str, watched: str) -> None:
    seen = observe(frames(compressed(OF[held], crf=26)), watched)
    if held == watched:
        assert (seen.unfit, seen.final_answer) == (None, COUNTS[held])
    else:
        assert seen.unfit
        assert seen.event_times_s == ()
        assert "boxed" not in answer(seen, watched, 2)
        assert watched in answer(seen, watched, 2)


@pytest.mark.parametrize("watched", ["bounce_ball", "blinking"])
def test_two_frames_of_a_state_machine_are_no_touches_and_no_blinks(watched: str) -> None:
    # One node goes off and another on, far apart in time: each stands where it stood, as bright as the other was.
    assert observe(chosen(frames(OF["state_machine"]), [5, 20, 35]), watched).unfit


@pytest.mark.parametrize("watched", list(OF))
def test_where_nothing_changes_nothing_is_contradicted(watched: str) -> None:
    still = frames([OF["state_machine"][0]] * 20)
    assert (observe(still, watched).unfit, observe(still, watched).final_answer) == (None, 0)


def test_the_command_names_the_domain_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import av

    path = tmp_path / "nodes.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        for picture in OF["state_machine"]:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(picture))))
        container.mux(stream.encode(None))
    with pytest.raises(SystemExit) as ended:
        main(["observe", str(path), "--domain", "bounce_ball"])
    assert not ended.value.code
    assert capsys.readouterr().out.startswith("not a clip of bounce_ball: ")
    with pytest.raises(SystemExit):
        main(["observe", str(path), "--domain", "bounce_ball", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert (document["events"], document["final_answer"]) == ([], None)
    assert document["unfit"]
