"""`lft match`: times on the command line, and in files where they do not fit there."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from lft.cli import app
from lft.core.errors import InputError


def lft(*arguments: str):
    return CliRunner().invoke(app, ["match", *arguments])


def test_lists_longer_than_a_command_line_come_from_files(tmp_path: Path):
    # 20,000 events 1 s apart, reported 0.3 s late: all pair, with commas in one file and line ends in the other.
    (tmp_path / "true.txt").write_text(",".join(f"{k}.0" for k in range(20_000)))
    (tmp_path / "said.txt").write_text("\n".join(f"{k}.3" for k in range(20_000)) + "\n")
    done = lft("--true", f"@{tmp_path / 'true.txt'}", "--reported", f"@{tmp_path / 'said.txt'}",
               "--tolerance", "0.5", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert len(document["pairs"]) == 20_000
    assert document["pairs"][-1] == [19_999, 19_999, 0.3]
    assert document["f1"] == 1.0


def test_a_file_that_is_not_there_or_holds_words_is_said_in_a_line(tmp_path: Path):
    (tmp_path / "words.txt").write_text("1.0 two")
    for name in ("nowhere.txt", "words.txt"):
        done = lft("--true", f"@{tmp_path / name}", "--reported", "1", "--tolerance", "1")
        assert isinstance(done.exception, InputError)
        assert name in str(done.exception) or "two" in str(done.exception)


def test_an_empty_file_is_an_empty_list(tmp_path: Path):
    (tmp_path / "none.txt").write_text("\n")
    done = lft("--true", "1.0", "--reported", f"@{tmp_path / 'none.txt'}", "--tolerance", "1", "--json")
    assert json.loads(done.stdout)["recall"] == 0.0
