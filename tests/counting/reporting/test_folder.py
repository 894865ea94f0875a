"""A report folder holds what its runs give: what an earlier report wrote is removed, nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

from lft.counting.reporting.folder import LIST, settle


def write(folder: Path, *names: str) -> list[Path]:
    paths = [folder / name for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.name)
    return paths


def names(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_what_the_second_report_does_not_write_is_gone(tmp_path: Path):
    assert settle(tmp_path, write(tmp_path, "index.html", "figures/a.svg", "data/old/x.js")) == []
    removed = settle(tmp_path, write(tmp_path, "index.html", "figures/b.svg"))
    assert {p.name for p in removed} == {"a.svg", "x.js"}
    assert names(tmp_path) == {"index.html", "figures/b.svg", LIST}
    assert not (tmp_path / "data").exists()  # empty folders go with their files


def test_files_of_the_user_stay(tmp_path: Path):
    settle(tmp_path, write(tmp_path, "figures/a.svg", "tables/t.csv"))
    write(tmp_path, "figures/mine.svg", "notes.txt")
    (tmp_path / "tables" / "t.csv").write_text("edited by hand")
    settle(tmp_path, write(tmp_path, "index.html"))
    assert names(tmp_path) == {"figures/mine.svg", "notes.txt", "tables/t.csv", "index.html", LIST}


def test_a_folder_without_a_list_loses_nothing(tmp_path: Path):
    write(tmp_path, "figures/a.svg")
    assert settle(tmp_path, write(tmp_path, "index.html")) == []
    assert "figures/a.svg" in names(tmp_path)


def test_a_list_that_is_not_ours_removes_nothing_outside(tmp_path: Path):
    outside = write(tmp_path, "precious.txt")[0]
    folder = tmp_path / "report"
    link = folder / "link.txt"
    write(folder, "index.html")
    link.symlink_to(outside)
    size = outside.stat().st_size
    for listed in (
        {
            "../precious.txt": size,
            str(outside): size,
            "link.txt": size,
            "nowhere.txt": 3,
            "index.html": "many",
        },
        ["../precious.txt"],
        "nonsense",
    ):
        (folder / LIST).write_text(json.dumps(listed))
        assert settle(folder, [folder / "index.html"]) == []
    (folder / LIST).write_text("{not json")
    assert settle(folder, [folder / "index.html"]) == []
    assert outside.is_file()
    assert link.is_symlink()
