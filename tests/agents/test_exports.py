"""What other tools read of the agents suite: demonstrations through Minari, episodes through Inspect."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from lft.core.runs import Run
from tests.agents.test_suite import lft, swept


def test_a_demonstration_through_minari_has_exact_pictures(
    cliff: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("h5py", reason="minari[hdf5] is not installed")
    minari = pytest.importorskip("minari", reason="minari is not installed")
    from lft.agents.environments import registry

    assert lft("convert", "demonstrations", "--to", "minari", "--out", "sets") == 0
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(cliff / "sets"))
    dataset = minari.load_dataset("lft/cliff_walking-v0")
    assert dataset.total_episodes == 1
    episode = dataset[0]
    # The environment, stepped by its own name for each action, draws every picture that is stored.
    live = registry.make("cliff_walking")
    live.reset(episode.seed if hasattr(episode, "seed") else 0)
    names = live.spec.actions
    assert len(episode.observations) == len(episode.actions) + 1 == 14
    assert np.array_equal(episode.observations[0], live.picture())
    for action, picture in zip(episode.actions, episode.observations[1:], strict=True):
        live.step(names[int(action)])
        assert np.array_equal(picture, live.picture())
    # The goal is reached by the last decision, and the game ends with it.
    assert episode.rewards.tolist() == [0.0] * 12 + [1.0]
    assert episode.terminations.tolist() == [False] * 12 + [True]
    assert not episode.truncations.any()
    assert episode.infos["progress"][-1] == 1.0
    assert "0 UP, 1 RIGHT" in dataset.storage.metadata["description"]
    assert lft("convert", "demonstrations", "--to", "minari", "--out", "sets") == 2  # it is there


def test_episodes_through_inspect_have_what_was_sent_and_scored(cliff: Path) -> None:
    logs = pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed")
    from lft.agents.play import hash_of

    run = swept("constant:UP")
    assert lft("convert", run.folder, "--to", "inspect", "--out", "logs/up.eval") == 0
    log = logs.read_eval_log("logs/up.eval", resolve_attachments=True)
    assert (log.status, log.eval.model, len(log.samples)) == ("success", "lft/constant:UP", 2)
    sample = next(s for s in log.samples if s.metadata["task"] == "cliff_walking/base")
    assert sample.scores["lft"].value == {"pass": 0.0, "score": 0.0}
    assert (sample.metadata["end"], sample.metadata["decisions"]) == ("timeout", 20)
    # 20 turns of the user, each with an answer.
    assert [m.role for m in sample.messages] == ["user", "assistant"] * 20
    assert {m.text for m in sample.messages[1::2]} == {"[Action: UP]"}
    images = [c.image for m in sample.messages[::2] for c in m.content if c.type == "image"]
    assert len(images) == 15 + 20
    data = np.frombuffer(base64.b64decode(images[15].partition(",")[2]), np.uint8)
    picture = cv2.cvtColor(cv2.imdecode(data, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    episode = Run.open(run.folder).episodes()["cliff_walking/base,basic,shown,none,all,frames"]
    assert hash_of(picture) == episode.answers[0]["kept"]["picture"]
    assert lft("convert", run.folder, "--to", "inspect", "--no-pictures", "--out", "logs/words.json") == 0
    words = json.loads(Path("logs/words.json").read_text())
    assert len(words["samples"]) == 2
    assert "base64" not in Path("logs/words.json").read_text()


def test_what_cannot_be_converted_is_said(cliff: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = swept("constant:UP", "--limit", "1")
    for wrong, error in (
        (("demonstrations", "--to", "inspect", "--out", "x.eval"), "lft convert RUN --to inspect"),
        ((run.folder, "--to", "minari", "--out", "x"), "lft convert demonstrations --to minari"),
        ((run.folder, "--to", "inspect", "--out", "x.log"), "FILE.eval or FILE.json"),
    ):
        capsys.readouterr()
        assert lft("convert", *wrong) == 2
        assert error in capsys.readouterr().err
