"""What the command line does with faults that no command foresees."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from lft.cli import app, commands
from tests.commands.conftest import run


def test_a_name_that_is_too_long_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("observe", "a" * 300, "--domain", "blinking") == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "File name too long" in told


def test_words_that_the_terminal_has_no_form_for_are_escaped(tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text("1. 2.0 s – käse\n\\boxed{1}", encoding="utf-8")
    command = [sys.executable, "-c", "from lft.cli import main; main()", "parse", str(answer)]
    done = subprocess.run(
        command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"final answer: 1" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("sweep", "demo", "--model", "observer", "--tau", "nan"),
        ("sweep", "demo", "--model", "observer", "--max-cost", "inf"),
        ("ceiling", ".", "--sampling", "fps:1", "--native-rate", "nan"),
        ("plan", "demo", "--model", "observer", "--max-cost", "nan"),
    ],
)
def test_nan_and_infinity_are_no_numbers(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*command) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert command[-1] in told or command[-2] in told


def test_a_number_of_thousands_of_digits_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.yaml").write_text(f"replicates: {'9' * 5000}\n")
    (tmp_path / "manifest.json").write_text(f'{{"a": {"9" * 5000}}}')
    assert run("sweep", tmp_path / "s.yaml", "--model", "observer", "--dry-run") == 2
    assert run("score", tmp_path) == 2
    told = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in told] == [str(tmp_path / n) for n in ("s.yaml", "manifest.json")]


def lft(command: str) -> subprocess.CompletedProcess[str]:
    """`lft` in a shell: $LFT stands for it."""
    program = f"{sys.executable} -c 'from lft.cli import main; main()'"
    return subprocess.run(["bash", "-c", command.replace("$LFT", program)], capture_output=True, text=True)


def test_a_reader_that_leaves_early_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("".join(f"{n}. {n}.0 s\n" for n in range(1, 20_000)))
    done = lft(f"$LFT parse {tmp_path / 'long.txt'} | true; echo ${{PIPESTATUS[0]}}")
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_a_closed_standard_input_is_one_line() -> None:
    done = lft("$LFT parse <&-")
    assert done.returncode == 2
    assert done.stderr.startswith("lft: standard input: is closed")


def test_a_full_standard_output_is_one_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    done = lft("$LFT match --true 1 --reported 1 --tolerance 1 > /dev/full")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("scor",), "lft: unknown command 'scor'; expected score (did you mean this?)"),
        (("render", "--gri", "demo"), "Did you mean '--grid'?; try lft render --help"),
        (("score",), "lft score: Missing argument 'RUN'; try lft score --help"),
        (("score", "x", "--tolerance"), "requires an argument; try lft score --help"),
        (("import", "respones"), "responses"),
        (("-x",), "lft: No such option '-x'; try lft --help"),
        (("clip", "blinkin", "--count", "1", "--out", "x"), "blinking (did you mean this?)"),
    ],
)
def test_a_slip_of_the_hand_is_one_line_with_the_nearest(
    arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    told = capsys.readouterr()
    assert words in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


def test_a_sweep_over_files_that_are_not_the_manifest_s_is_refused_before_anything_is_asked(
    rendered: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(rendered, here / "clips")
    video = here / "clips/videos/blinking/n02_f2.0_s04.mp4"
    shutil.copy(here / "clips/videos/blinking/n00_f1.0_s04.mp4", video)
    sweep = ("sweep", "small.yaml", "--model", "observer", "--clips", here / "clips", "--run", "a")
    assert run(*sweep) == 2
    assert "n02_f2.0_s04.mp4 is not the file that was rendered" in capsys.readouterr().err
    assert not (here / "results/runs/a").exists()
    video.unlink()
    assert run(*sweep) == 2
    assert "n02_f2.0_s04.mp4 is missing" in capsys.readouterr().err


def test_a_helper_process_that_ends_is_no_interruption(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def dies(*_: object) -> None:
        raise EOFError

    monkeypatch.setattr("lft.counting.evaluate.match", dies)
    assert run("match", "--true", "1", "--reported", "1", "--tolerance", "1") == 2
    assert "a helper process of this command ended" in capsys.readouterr().err


def test_what_is_made_of_a_run_given_by_name_goes_into_its_folder(
    rendered: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep = ("sweep", "small.yaml", "--model", "observer", "--clips", rendered, "--run", "named")
    assert run(*sweep, "--prompt", "direct", "--sampling", "fps:4") == 0
    (here / "named").mkdir()  # a folder of that name that is no run does not stand in the way
    for command in (
        ("score", "named"),
        ("audit", "named", "--draws", "100"),
        ("report", "named", "--videos", "none"),
    ):
        assert run(*command) == 0, capsys.readouterr().err
    assert list((here / "named").iterdir()) == []
    made = {path.name for path in (here / "results/runs/named").iterdir()}
    assert {"scores.csv", "summary.json", "readings", "audit", "report"} <= made


@pytest.mark.parametrize("name", commands())
def test_help_has_an_example_that_the_command_takes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    example = commands()[name].example
    assert run(name, "--help") == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"Example: {example}" in told
    program, *words = example.split()
    assert (program, words[0]) == ("lft", name)
    command: click.Command | None = app
    while isinstance(command, click.Group):
        command = command.get_command(click.Context(command), words.pop(0))
    assert command is not None
    command.make_context(name, words)  # raises for an option or a value that it does not take


def test_every_command_that_prints_a_result_takes_json() -> None:
    for name in commands():
        command = app.get_command(click.Context(app), name)  # type: ignore[attr-defined]
        for one in getattr(command, "commands", {name: command}).values():
            assert "--json" in {option for parameter in one.params for option in parameter.opts}, name
