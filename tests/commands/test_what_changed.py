"""A run does not silently hold what it was not asked for: clips of other grids, answers of other code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lft.core.files import fingerprint
from lft.core.runs import Run
from lft.counting.clips import Clips
from lft.counting.grid import Grid, expand
from lft.counting.sweep import own_clips
from tests.commands.conftest import run
from tests.fake_runs import make_clips


def test_a_sweep_takes_the_clips_of_its_grid_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    grid = expand(Grid.load("demo"))
    spec = next(s for s in grid if s.domain == "blinking" and s.count)
    other = next(n for n in range(1, 9) if n not in {s.count for s in grid})
    clips = make_clips(
        tmp_path / "clips", domains=["blinking"], counts=[spec.count, other], frequencies_hz=[spec.frequency_hz],
        seeds=1,
    )  # fmt: skip
    own, others = own_clips("demo", clips)
    assert [clip.clip_id for clip in own] == [spec.clip_id]
    assert others == [clip.clip_id for clip in clips if clip.spec.count == other]
    # A grid that nobody here knows has whatever its folder holds.
    assert own_clips("mine", clips) == (clips, [])


def test_another_grid_in_the_folder_does_not_enlarge_a_sweep(
    here: Path, rendered: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = (clip.clip_id for clip in Clips.open(rendered))
    monkeypatch.setattr("lft.counting.study.own_clips", lambda grid, clips: (_only(clips, first), [second]))
    (here / "results/clips").mkdir(parents=True)
    (here / "results/clips/small").symlink_to(rendered)
    assert (
        run("sweep", "small.yaml", "--model", "observer", "--sampling", "native", "--prompt", "direct") == 0
    )
    err = capsys.readouterr().err
    assert f"one clip in results/clips/small not of grid small, left out, such as {second}" in err
    (folder,) = (here / "results/runs").iterdir()
    assert {key["clip"] for key in Run.open(folder).trials().values()} == {first}


def _only(clips: Clips, clip_id: str) -> Clips:
    return Clips(clips.folder, {clip_id: clips.by_id[clip_id]})


def test_a_mended_observer_does_not_go_on_with_answers_of_the_old_one(
    here: Path, rendered: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("sweep", "small.yaml", "--model", "observer", "--clips", rendered, "--run", "a",
             "--sampling", "fps:4", "--prompt", "direct")  # fmt: skip
    assert run(*asked, "--limit", 1) == 0
    assert run(*asked) == 0  # the same code goes on
    monkeypatch.setattr("lft.counting.observer.model.fingerprint", lambda *_: "0123456789ab")
    assert run(*asked) == 2
    assert "changed since this run began: the model's code" in capsys.readouterr().err


def test_a_mended_adapter_is_marked_in_the_run(
    here: Path, rendered: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("sweep", "small.yaml", "--model", "simulated:miss=0", "--clips", rendered, "--run", "a",
             "--sampling", "fps:4", "--prompt", "direct")  # fmt: skip
    assert run(*asked, "--limit", 1) == 0
    assert "both versions" not in capsys.readouterr().out
    before = json.loads((here / "results/runs/a/manifest.json").read_text())["adapter"]
    monkeypatch.setattr("lft.core.manifest.fingerprint_of", lambda _: "0123456789ab")
    assert run(*asked) == 0
    assert "it has answers of both versions" in capsys.readouterr().out
    manifest = json.loads((here / "results/runs/a/manifest.json").read_text())
    assert manifest["adapters_before"] == [before]
    assert manifest["adapter"]["code"] == "0123456789ab"


def test_a_fingerprint_follows_the_code(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.py").write_text("y = 2\n")
    first = fingerprint(tmp_path)
    assert first == fingerprint(tmp_path)
    (tmp_path / "notes.txt").write_text("no code")
    assert first == fingerprint(tmp_path)
    (tmp_path / "b" / "c.py").write_text("y = 3\n")
    assert first != fingerprint(tmp_path)


def test_an_error_of_another_package_is_one_line_and_its_traceback_is_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError("a reader of\nanother package")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("lft.counting.evaluate.match", breaks)
    assert run("match", "--true", "1", "--reported", "1", "--tolerance", "1") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "ZeroDivisionError: 'a reader of another package' in " in line
    kept = Path(line.rpartition("the traceback is in ")[2])
    assert kept.parent == tmp_path
    assert "in breaks" in kept.read_text()
