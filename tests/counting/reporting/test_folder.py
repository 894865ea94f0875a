"""A report folder holds what its runs give: an earlier report is replaced whole or not at all, files of others stay."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import pytest

from lft.core.errors import InputError
from lft.core.reporting.folder import LIST, building, move_in


def report(folder: Path, *names: str) -> list[Path]:
    """A report that writes these names, each file holding its own; returns what of an earlier one was removed."""
    with building(folder) as built:
        return move_in(built, folder, write(built, *names))


def write(folder: Path, *names: str) -> list[Path]:
    paths = [folder / name for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.name)
    return paths


def names(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_what_the_second_report_does_not_write_is_gone(tmp_path: Path):
    folder = tmp_path / "r"
    assert report(folder, "index.html", "figures/a.svg", "data/old/x.js") == []
    removed = report(folder, "index.html", "figures/b.svg")
    assert {p.name for p in removed} == {"a.svg", "x.js"}
    assert names(folder) == {"index.html", "figures/b.svg", LIST}
    assert not (folder / "data").exists()  # empty folders go with their files
    assert os.listdir(tmp_path) == ["r"]  # nothing is left beside it


def test_files_of_the_user_stay(tmp_path: Path):
    folder = tmp_path / "r"
    report(folder, "figures/a.svg", "tables/t.csv", "index.html")
    write(folder, "figures/mine.svg", "notes.txt")
    (folder / "tables" / "t.csv").write_text("edited by hand")
    report(folder, "index.html")
    assert names(folder) == {"figures/mine.svg", "notes.txt", "tables/t.csv", "index.html", LIST}


@pytest.mark.parametrize("name", ["index.html", "figures/a.svg", LIST])
def test_what_no_report_wrote_is_never_written_over(tmp_path: Path, name: str):
    folder = tmp_path / "site"
    write(folder, name)[0].write_text("the user's")
    with pytest.raises(InputError, match=f"{name} was not written by a report"):
        report(folder, "index.html", "figures/a.svg")
    assert names(folder) == {name}
    assert (folder / name).read_text() == "the user's"


def test_a_file_that_was_edited_since_is_the_users(tmp_path: Path):
    folder = tmp_path / "r"
    report(folder, "index.html", "tables/t.csv")
    (folder / "tables" / "t.csv").write_text("edited by hand")
    with pytest.raises(InputError, match=r"tables/t\.csv was not written by a report"):
        report(folder, "index.html", "tables/t.csv")
    assert (folder / "tables" / "t.csv").read_text() == "edited by hand"


def test_a_report_that_fails_changes_nothing(tmp_path: Path):
    folder = tmp_path / "r"
    report(folder, "index.html", "figures/a.svg")
    before = {name: (folder / name).read_bytes() for name in names(folder)}
    with contextlib.suppress(RuntimeError), building(folder) as built:
        (built / "index.html").write_text("half of a new one")
        raise RuntimeError
    assert {name: (folder / name).read_bytes() for name in names(folder)} == before
    assert os.listdir(tmp_path) == ["r"]


def test_what_a_killed_report_left_is_removed_by_the_next(tmp_path: Path):
    import subprocess
    import sys

    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    write(tmp_path / f".r.building-{ended.pid}", "index.html")  # of a process that is no more
    write(tmp_path / f".r.building-{os.getppid()}", "index.html")  # of one that runs
    report(tmp_path / "r", "index.html")
    assert set(os.listdir(tmp_path)) == {"r", f".r.building-{os.getppid()}"}


def test_a_move_that_was_cut_short_is_mended_by_the_next_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "r"
    report(folder, "index.html", "data/old.js")
    moved = []

    def stop(source, target):
        if Path(target).name != LIST and len(moved) == 1:
            raise OSError(28, "No space left on device")
        moved.extend([] if Path(target).name == LIST else [target])
        rename(source, target)

    rename = os.replace
    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(InputError, match="No space left"):
        report(folder, "data/new.js", "data/newer.js", "index.html")
    monkeypatch.undo()
    report(folder, "index.html", "data/newest.js")
    assert names(folder) == {"index.html", "data/newest.js", LIST}


def test_a_folder_behind_a_link_is_written_where_it_is(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    report(tmp_path / "link", "index.html")
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "real") == {"index.html", LIST}


def test_a_file_is_no_folder(tmp_path: Path):
    (tmp_path / "r").write_text("a file")
    with pytest.raises(InputError, match="is a file"):
        report(tmp_path / "r", "index.html")


def test_a_list_that_is_not_ours_removes_nothing_outside(tmp_path: Path):
    outside = write(tmp_path, "precious.txt")[0]
    folder = tmp_path / "report"
    report(folder, "index.html")
    link = folder / "link.txt"
    link.symlink_to(outside)
    size = outside.stat().st_size
    listed = {"../precious.txt": size, str(outside): size, "link.txt": size, "nowhere.txt": 3}
    (folder / LIST).write_text(json.dumps({**listed, "index.html": (folder / "index.html").stat().st_size}))
    assert report(folder, "index.html") == []
    for faulty in (["../precious.txt"], "nonsense"):
        (folder / LIST).write_text(json.dumps(faulty))
        with pytest.raises(InputError, match=r"index\.html"):
            report(folder, "index.html")
    assert outside.is_file()
    assert link.is_symlink()
