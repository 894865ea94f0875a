"""Files: the old one or the new one, never half; faults named by file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from lft.core.errors import InputError
from lft.core.files import read_json, read_json_lines, replacing, sha256_of, write_json, write_text


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")

    def fail() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_folders_are_made(tmp_path: Path) -> None:
    write_json(tmp_path / "a" / "b.json", {"x": 1})
    assert read_json(tmp_path / "a" / "b.json") == {"x": 1}


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        write_text(tmp_path / "file" / "below.txt", "x")


def test_nan_is_never_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "a.json", float("nan"))
    assert not (tmp_path / "a.json").exists()


def test_a_torn_last_line_is_passed_over_only_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\n{"a": 2}\n{"a": 3')
    assert [x["a"] for x in read_json_lines(path, torn_tail_allowed=True)] == [1, 2]
    with pytest.raises(InputError, match=r"a\.jsonl:4"):
        list(read_json_lines(path))


@pytest.mark.parametrize("line", ["nonsense", "[1]", "{'a': 1}", "[" * 100_000])
def test_a_faulty_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n' + line + "\n")
    with pytest.raises(InputError, match=r"a\.jsonl:2"):
        list(read_json_lines(path, torn_tail_allowed=True))


@pytest.mark.parametrize("line", ["[1]", "[{'a'", '[{"a": 1}, {"a": 2}]', "3", "nonsense"])
def test_what_is_no_object_is_no_torn_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.jsonl").write_text(line)
    with pytest.raises(InputError, match="one JSON object a line"):
        list(read_json_lines(tmp_path / "a.jsonl", torn_tail_allowed=True))


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
def test_byte_order_mark_and_windows_line_ends_are_passed_over(tmp_path: Path, ending: str) -> None:
    text = '\ufeff{"a": "ä"}\r\n{"a": 2}' + ending
    (tmp_path / "a.jsonl").write_bytes(text.encode())
    assert [x["a"] for x in read_json_lines(tmp_path / "a.jsonl")] == ["ä", 2]
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n')
    assert read_json(tmp_path / "a.json") == {"a": 1}


@pytest.mark.parametrize("content", [b"\xff\xfe", b"{", b""])
def test_unreadable_json_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.json"):
        read_json(path)


def test_sha256_of_known_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")  # FIPS 180-2, appendix B.1
    assert sha256_of(tmp_path / "a").startswith("ba7816bf8f01cfea414140de5dae2223")
