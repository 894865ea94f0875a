"""`lft export --to hf`: what `datasets` loads and `mlcroissant` reads is what the manifest says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from lft.cli import main
from lft.core.errors import InputError
from lft.core.files import sha256_of
from lft.counting.clips import Clips
from lft.exports import hf
from lft.exports.croissant import COLUMNS
from tests.tiny_clips import tiny_clips


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    return tiny_clips(tmp_path_factory.mktemp("clips"))


@pytest.fixture(scope="module")
def exported(clips: Clips, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pyarrow", reason="needs lft-bench[export]")
    out = tmp_path_factory.mktemp("hf") / "out"
    for _ in range(2):  # the same command again leaves the same folder
        with pytest.raises(SystemExit) as stop:
            main(
                [
                    "export",
                    str(clips.folder),
                    "--to",
                    "hf",
                    "--out",
                    str(out),
                    "--name",
                    "tiny",
                    "--license",
                    "cc-by-4.0",
                ]
            )
        assert not stop.value.code
    return out


def in_a_process_of_its_own(code: str, home: Path, *arguments: object) -> Any:
    """Runs code offline, with caches under `home`, and gives what it prints as JSON."""
    environment = {
        "HF_HOME": str(home),
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "PATH": "/usr/bin:/bin",
    }
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


LOAD = """
import json, sys, datasets
rows = datasets.load_dataset(sys.argv[1], split="test").cast_column("video", datasets.Video(decode=False))
print(json.dumps([dict(row) for row in rows]))
"""


def test_datasets_loads_it_offline_with_the_rows_of_the_manifest(
    clips: Clips, exported: Path, tmp_path: Path
) -> None:
    pytest.importorskip("datasets", reason="needs lft-bench[export]")
    rows = in_a_process_of_its_own(LOAD, tmp_path, exported)
    assert sorted(row["clip_id"] for row in rows) == sorted(clips.by_id)
    for row in rows:
        clip = clips[row["clip_id"]]
        spec = clip.spec
        assert (row["domain"], row["count"], row["frequency_hz"], row["seed"]) == (
            spec.domain, spec.count, spec.frequency_hz, spec.seed,
        )  # fmt: skip
        assert row["event_times_s"] == list(clip.trace.times_s)
        assert len(row["states"]) == (spec.count + 1 if spec.count else 0)
        assert (row["fps"], row["frame_count"], row["duration_s"], row["width"]) == (10.0, 40, 4.0, 64)
        assert sha256_of(Path(row["video"]["path"])) == row["video_sha256"] == clip.video_sha256
        assert Path(row["video"]["path"]).is_relative_to(exported)
        assert row["question"]
        assert (row["source"], row["kind"], row["timed"]) == ("", "", True)


def test_another_export_in_a_folder_of_the_same_name_is_loaded_anew(clips: Clips, tmp_path: Path) -> None:
    """`datasets` keeps what it loaded by the folder's name."""
    pytest.importorskip("datasets", reason="needs lft-bench[export]")
    some = Clips(clips.folder, {c.clip_id: c for c in clips if c.spec.domain == "blinking"})
    for name, chosen in (("one", clips), ("two", some)):
        hf.export(chosen, tmp_path / name / "out", name="tiny", license_id="mit")
        rows = in_a_process_of_its_own(LOAD, tmp_path, tmp_path / name / "out")
        assert {row["clip_id"] for row in rows} == set(chosen.by_id)


def test_an_export_does_not_mix_with_another(clips: Clips, exported: Path) -> None:
    some = Clips(clips.folder, {c.clip_id: c for c in clips if c.spec.domain == "blinking"})
    with pytest.raises(InputError, match=r"holds 2 clips that .* does not have, such as state_machine/"):
        hf.export(some, exported, name="tiny", license_id="mit")


def test_croissant_is_valid_and_gives_the_same_rows(clips: Clips, exported: Path, tmp_path: Path) -> None:
    pytest.importorskip("mlcroissant", reason="needs lft-bench[export]")
    code = """
import json, sys, mlcroissant
described = mlcroissant.Dataset(sys.argv[1])
issues = described.metadata.issues
plain = lambda v: v.decode() if isinstance(v, bytes) else v if isinstance(v, (int, float)) else None
rows = [{k: plain(v) for k, v in r.items()} for r in described.records("clips")]
print(json.dumps({"errors": sorted(issues.errors), "warnings": sorted(issues.warnings), "rows": rows}))
"""
    found = in_a_process_of_its_own(code, tmp_path, exported / "croissant.json")
    assert (found["errors"], found["warnings"]) == ([], [])
    counts = {row["clips/clip_id"]: row["clips/count"] for row in found["rows"]}
    assert counts == {clip.clip_id: clip.spec.count for clip in clips}


def test_the_card_names_licence_citation_columns_and_split(exported: Path) -> None:
    _, front, body = (exported / "README.md").read_text().split("---\n", 2)
    data = yaml.safe_load(front)
    assert data["license"] == "cc-by-4.0"
    assert data["configs"][0]["data_files"][0]["split"] == "test"
    assert "2608.06361" in body
    assert "creativecommons.org/licenses/by/4.0" in body
    assert all(f"`{column}`" in body for column in COLUMNS)
    assert "5 short videos" in body


def test_the_export_opens_as_clips_and_is_whole(clips: Clips, exported: Path) -> None:
    opened = Clips.open(exported)
    assert list(opened.by_id) == list(clips.by_id)
    assert not opened.faults()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--license", "cc-by"], "unknown licence 'cc-by'"),
        (["--to", "inspect", "--license", "mit"], "--license is for --to hf"),
        (["--to", "kaggle"], "'kaggle' is not one of"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: list[str], complaint: str, clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["export", str(clips.folder), "--to", "hf", "--out", str(tmp_path / "o"), *arguments])
    assert stop.value.code == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert err.count("\n") == 1


def test_a_changed_video_is_not_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clips = tiny_clips(tmp_path / "clips")
    next(iter(clips)).video.write_bytes(b"something else")
    with pytest.raises(SystemExit) as stop:
        main(["export", str(clips.folder), "--to", "hf", "--out", str(tmp_path / "o")])
    assert stop.value.code == 2
    assert "is not the file that was rendered" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        main(["export", str(clips.folder), "--to", "hf", "--out", str(clips.folder)])
    assert "folder of the clips themselves" in capsys.readouterr().err
