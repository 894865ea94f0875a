"""`lft parse` as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

RESPONSE = "- 0:07 right wall (Running count: 1)\n- 0:08 - 0:10 hits (Running count: 3)\n\\boxed{5}\n"


def lft(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from lft.cli import main; main()", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60)


def test_json_from_a_file_and_from_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "response.txt"
    path.write_text(RESPONSE)
    expected = {
        "events": [
            {
                "time_s": 7.0,
                "end_s": None,
                "covers": 1,
                "label": "right wall",
                "span": [0, 36],
                "rule": "list item",
            },
            {
                "time_s": 9.0,
                "end_s": 10.0,
                "covers": 2,
                "label": "hits",
                "span": [37, 74],
                "rule": "list item",
            },
        ],
        "final_answer": 5,
        "reason": None,
        "doubts": [],
    }
    assert json.loads(lft("parse", str(path), "--json").stdout) == expected
    assert json.loads(lft("parse", "--json", "-", stdin=RESPONSE.encode()).stdout) == expected


def test_mentions_rule() -> None:
    done = lft("parse", "--rule", "mentions", "--json", stdin=RESPONSE.encode())
    assert [event["time_s"] for event in json.loads(done.stdout)["events"]] == [7.0, 8.0, 10.0]


def test_table_is_readable_and_holds_no_control_characters() -> None:
    done = lft("parse", stdin=b"- 0:07 right \x1b[31mwall\n\\boxed{1}")
    assert done.returncode == 0
    assert b"7.000" in done.stdout
    assert b"final answer: 1" in done.stdout
    assert b"\x1b" not in done.stdout


def test_nothing_usable_is_a_result_not_an_error() -> None:
    done = lft("parse", "--json", stdin=b"")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "events": [],
        "final_answer": None,
        "reason": "an empty response",
        "doubts": [],
    }


def test_bad_input_is_one_line_and_exit_2(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    for arguments in (
        ["parse", str(tmp_path / "absent")],
        ["parse", str(tmp_path)],
        ["parse", str(tmp_path / "bytes")],
        ["parse", "--rule", "legder", "-"],
    ):
        done = lft(*arguments)
        assert done.returncode == 2, arguments
        assert len(done.stderr.splitlines()) == 1
        assert b"Traceback" not in done.stderr


def test_context_turns_frames_into_times(tmp_path: Path) -> None:
    text = b"Frame 2: touches the left wall. Frame 4: touches the right wall. \\boxed{2}"
    times = tmp_path / "times.json"
    times.write_text("[0.0, 0.5, 1.0, 1.5]")
    for written in (str(times), "[0.0, 0.5, 1.0, 1.5]"):
        done = lft("parse", "--json", "--frame-times", written, "--frames-from", "1", stdin=text)
        assert [event["time_s"] for event in json.loads(done.stdout)["events"]] == [0.5, 1.5]
        assert json.loads(done.stdout)["doubts"] == []
    unknown = json.loads(lft("parse", "--json", stdin=text).stdout)
    assert "frames-unknown" in [doubt["code"] for doubt in unknown["doubts"]]
    assert b"doubt: frames-unknown" in lft("parse", stdin=text).stdout


def test_bad_frame_times_are_refused() -> None:
    done = lft("parse", "--frame-times", "[1, true]", stdin=b"5")
    assert done.returncode == 2
    assert b"a JSON list of seconds" in done.stderr
