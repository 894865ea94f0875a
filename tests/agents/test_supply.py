"""What is shown of demonstrations: the task's own, and the controls; as images and as video."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lft.agents.clips import STRIP, played, strip
from lft.agents.environments import registry
from lft.agents.environments.base import Picture
from lft.agents.play import hash_of
from lft.agents.study import AgentsStudy
from lft.agents.supply import Supply, action_below, pictures_of
from lft.agents.tasks import demonstrations, tasks
from lft.core.errors import InputError
from lft.core.requests import Images, Request, Video
from lft.core.video.media import Media
from tests.agents.rows import known, made

SPEC = "cliff_walking"


def test_captions_name_the_action_that_leads_to_the_picture(cliff: Path) -> None:
    # The environment is stepped here apart from the recorder; each step must give the next picture.
    one = demonstrations()["cliff_walking/a"]
    spec = registry.get(SPEC)
    pictures = pictures_of(played(one, spec, registry.make), "shown", seed=one.id)
    live = registry.make(spec)
    live.reset(one.seed)
    for step, picture in enumerate(pictures[:-1]):
        if step:
            action = action_below(picture, step, spec.actions)
            assert action is not None
            live.step(action)
        assert hash_of(picture[:-STRIP]) == hash_of(live.picture())
    assert live.end == "victory"
    assert np.array_equal(pictures[-1][-STRIP:], strip(pictures[-1].shape[1], ("Victory",)))
    assert np.array_equal(pictures[-1][:-STRIP], pictures[-2][:-STRIP])


def test_controls_change_one_thing(cliff: Path) -> None:
    one = demonstrations()["cliff_walking/a"]
    shown = played(one, registry.get(SPEC), registry.make)

    def pictures(how: str) -> list[Picture]:
        return pictures_of(shown, how, seed=one.id)

    def above(several: list[Picture]) -> list[bytes]:
        return [p[:-STRIP].tobytes() for p in several]

    plain = pictures("shown")
    assert above(pictures("reversed")) == above(plain)[::-1]
    assert above(pictures("shuffled")) != above(plain)
    assert sorted(above(pictures("shuffled"))) == sorted(above(plain))
    assert above(pictures("uncaptioned")) == above(plain)
    assert not any(p[-STRIP:].any() for p in pictures("uncaptioned"))
    assert not any(p[:-STRIP].any() for p in pictures("captions"))
    assert [p[-STRIP:].tobytes() for p in pictures("captions")] == [p[-STRIP:].tobytes() for p in plain]
    # Numbered anew: the second picture of the reversed ones is step 1, with the action that had led to it.
    assert action_below(pictures("reversed")[1], 1, registry.get(SPEC).actions) == shown[-2].action


def test_another_family_is_shown_instead(cliff: Path, tmp_path: Path) -> None:
    task = tasks()["cliff_walking/base"]
    alone = Supply(demonstrations(), registry.get, registry.make)
    with pytest.raises(InputError, match="no demonstrations of another family"):
        alone.parts(task, "other", "frames")
    folder = tmp_path / "both"
    folder.mkdir()
    several = [made(SPEC, [0, 1], decisions=20), made("lava_crossing", [0, 1], decisions=30)]
    with known(folder, several):
        supply = Supply(demonstrations(), registry.get, registry.make)
        (other,) = supply.clips_of(tasks()["cliff_walking/base"], "other")
        assert other.environment == "lava_crossing"
        assert supply.frames(tasks()["cliff_walking/base"], "other") == other.frames


def test_demonstrations_as_video_are_a_second_a_picture(cliff: Path) -> None:
    (one, _) = AgentsStudy("icl", {"given": "video"}, {}).trials("m")
    request = one.next(())
    assert isinstance(request, Request)
    (video,) = [part for part in request.parts if isinstance(part, Video)]
    assert video.purpose == "demonstration"
    media = Media.open(video.media.path)
    assert media.frame_times_s.tolist() == [float(k) for k in range(15)]
    # The present picture stays an image.
    assert [part.purpose for part in request.parts if isinstance(part, Images)] == ["observation"]
    assert one.foreseen.video
    assert one.foreseen.most_images == 20
    data = video.media.path.read_bytes()
    video.media.path.unlink()
    again, _ = AgentsStudy("icl", {"given": "video"}, {}).trials("m")
    again.next(())
    assert video.media.path.read_bytes() == data
