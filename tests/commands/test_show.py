"""`lft show` and `lft models` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from lft import suites
from lft.core.video.contact_sheet import contact_sheet
from lft.core.video.frames import Frames
from lft.counting.sweep import NEEDS, PROVIDERS
from tests.commands.conftest import run
from tests.fakes.provider import FakeProvider, Fault

Out = pytest.CaptureFixture[str]
SWEEP = ("sweep", "small.yaml", "--model", "gemini:gemini-3.6-flash?temperature=0", "--run", "a")
N2 = "blinking/n02_f2.0_s04"


def document(out: Out) -> Any:
    return json.loads(out.readouterr().out)


@pytest.fixture
def asked(here: Path, rendered: Path, gemini: FakeProvider, capsys: Out) -> Path:
    assert run(*SWEEP, "--clips", rendered) == 0
    capsys.readouterr()
    return here / "results/runs/a"


def test_it_shows_the_words_parameters_times_and_frames_that_were_sent(
    asked: Path, gemini: FakeProvider, capsys: Out, tmp_path: Path
) -> None:
    assert run("show", asked, f"{N2},fps:4,time,direct", "--out", tmp_path / "sheets", "--json") == 0
    shown = document(capsys)
    assert shown["frame_times_s"] == pytest.approx(
        [0.0, 0.233333, 0.5, 0.733333, 1.0, 1.233333, 1.5, 1.733333]
    )
    assert shown["sent"]["parameters"] == {"temperature": 0.0}
    assert shown["sent"]["image_size"] == [96, 64]
    assert shown["words_check"] == "are those that were sent (hash agrees)"
    # The words shown are those that reached the provider.
    sent = [call.texts[-1] for call in gemini.calls if len(call.images) == 8]
    assert shown["turns"][0]["asked"] in sent
    sheet = cv2.imread(shown["sheet"])
    assert Path(shown["sheet"]).parent == tmp_path / "sheets"
    assert sheet.shape[1] > 1000


def test_frame_times_of_the_provider_are_held_against_those_of_the_file(asked: Path, capsys: Out) -> None:
    path = asked / "responses.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line.get("frame_times_s"):
            line["sent"]["provider_frame_times_s"] = [t + 0.25 for t in line["frame_times_s"]]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run("show", asked, f"{N2},fps:4,time,direct") == 0
    assert (
        "clock    the provider has 8 frames, up to 0.250 s from those of the file" in capsys.readouterr().out
    )


def test_two_turns_are_shown_as_two(asked: Path, capsys: Out) -> None:
    assert run("show", asked, f"{N2},native,none,two_turn", "--json") == 0
    shown = document(capsys)
    assert [turn["turn"] for turn in shown["turns"]] == [0, 1]
    assert shown["turns"][1]["asked"].startswith("Look at the video again")
    assert [len(turn["attempts"]) for turn in shown["turns"]] == [1, 1]
    assert shown["native"] is True


def test_a_trial_without_frames_says_so(asked: Path, capsys: Out) -> None:
    assert run("show", asked, "blinking/n00_f1.0_s04,keyframes:0.1,time,direct") == 0
    assert "no frame was supplied" in capsys.readouterr().out


def test_failed_attempts_are_shown(here: Path, rendered: Path, gemini: FakeProvider, capsys: Out) -> None:
    seen: list[int] = []
    gemini.plan = lambda call: (
        seen.append(1) or (Fault(500, message="bad \x1b[31mred") if len(seen) == 1 else None)
    )  # type: ignore[func-returns-value]
    assert run(*SWEEP, "--clips", rendered, "--limit", 1) == 0
    capsys.readouterr()
    (trial,) = json.loads((here / "results/runs/a/manifest.json").read_text())["trials"]
    assert run("show", "results/runs/a", trial) == 0
    told = capsys.readouterr().out
    assert "--- server" in told
    assert "--- answered" in told
    assert "\x1b" not in told


def test_words_that_no_longer_agree_are_called_out(asked: Path, capsys: Out) -> None:
    manifest = json.loads((asked / "manifest.json").read_text())
    manifest["prompts"]["direct"]["words"]["turns"][0] += " Be quick."
    (asked / "manifest.json").write_text(json.dumps(manifest))
    assert run("show", asked, f"{N2},fps:4,time,direct") == 0
    assert "are NOT those that were sent" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        ("nonsense", "unknown trial 'nonsense'; expected blinking/"),
        ("blinking", "fits 12 trials; expected "),
    ],
)
def test_a_trial_that_cannot_be_told_is_one_line(asked: Path, capsys: Out, trial: str, words: str) -> None:
    assert run("show", asked, trial) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


def test_it_shows_what_happened_beside_what_was_reported(
    here: Path, rendered: Path, capsys: Out, tmp_path: Path
) -> None:
    """Two blinks; one is reported 0.1 s late, the other not, and one that never was is reported."""
    trace = json.loads((rendered / f"traces/{N2}.json").read_text())
    first_s, second_s = (event["time_s"] for event in trace["events"])
    said = (
        f"1. {first_s + 0.1:.2f} s - lit - count 1\n2. {second_s + 0.9:.2f} s - lit - count 2\n\\boxed{{2}}"
    )
    (tmp_path / "s.json").write_text(json.dumps([said]))
    sweep = ("sweep", "small.yaml", "--model", "scripted:s.json", "--clips", rendered, "--run", "b")
    assert run(*sweep, "--prompt", "direct", "--sampling", "fps:4", "--limit", 2, "--concurrency", 1) in (
        0,
        1,
    )
    manifest = json.loads(Path("results/runs/b/manifest.json").read_text())
    lines = [json.loads(line) for line in Path("results/runs/b/responses.jsonl").read_text().splitlines()]
    for line in lines:  # whichever clip came first
        line["trial"] = next(t for t in manifest["trials"] if t.startswith(N2))
        line["key"]["clip"] = N2
    Path("results/runs/b/responses.jsonl").write_text(json.dumps(lines[0]) + "\n")
    capsys.readouterr()
    assert run("show", "b", N2, "--json") == 0
    judged = document(capsys)["judged"]
    assert (judged["count"], judged["final_answer"], judged["correct"]) == (2, 2, True)
    assert [event["fate"] for event in judged["true"]] == ["matched", "displaced"]
    assert [event["fate"] for event in judged["reported"]] == ["paired", "displaced"]
    ((reported, true, apart_s),) = judged["pairs"]
    assert (reported, true) == (0, 0)
    assert apart_s == pytest.approx(0.1, abs=0.006)
    assert judged["f1"] == 0.5
    assert run("show", "b", N2) == 0
    told = capsys.readouterr().out
    assert "N = 2, answer 2: right; F1 0.500; evidence of" in told
    # Under a window of 0.05 s the first pair is none.
    assert run("show", "b", N2, "--tolerance", "0.05", "--json") == 0
    assert document(capsys)["judged"]["pairs"] == []


def test_nothing_of_a_run_reaches_the_terminal_as_a_control_character(
    asked: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = "\x1b]0;pwn\x07"
    lines = [json.loads(line) for line in (asked / "responses.jsonl").read_text().splitlines()]
    for line in lines:
        line |= {"text": f"1. 0.5 s - {evil} - count 1", "finish_reason": evil, "model_version": evil}
        line["key"]["labels"] = evil
    (asked / "responses.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    manifest = json.loads((asked / "manifest.json").read_text())
    manifest["model"]["name"] = f"[/b]{evil}"
    for key in manifest["trials"].values():
        key |= {"model": f"[/b]{evil}", "labels": evil}
    (asked / "manifest.json").write_text(json.dumps(manifest))
    for line in lines:
        line["key"]["model"] = f"[/b]{evil}"
    (asked / "responses.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for command in (("show", asked, f"{N2},native,none,direct"), ("show", asked), ("score", asked),
                    ("frontier", asked), ("audit", asked, "--draws", "100"), ("cost", asked)):  # fmt: skip
        with monkeypatch.context() as m:
            m.setattr("click.utils.should_strip_ansi", lambda *_, **__: False)  # as on a terminal
            assert run(*command) in (0, 1), command
        told = capsys.readouterr()
        assert "\x1b" not in told.out + told.err, command
        assert "\x07" not in told.out + told.err, command


def test_without_a_trial_they_are_listed(asked: Path, capsys: Out) -> None:
    assert run("show", asked) == 0
    told = capsys.readouterr().out
    assert told.count("answered  ") + told.count("not_applicable ") == 12
    assert told.splitlines()[-1].startswith("next: lft show ")
    assert run("show", asked, "--json") == 0
    listed = document(capsys)["trials"]
    assert len(listed) == 12
    assert {one["status"] for one in listed} <= {"answered", "not_applicable"}
    with open(asked / "responses.jsonl", "w"):
        pass
    assert run("show", asked, "--json") == 0
    assert {one["status"] for one in document(capsys)["trials"]} == {"not_asked"}


def test_words_that_were_never_kept_raise_no_alarm(rendered: Path, here: Path, capsys: Out) -> None:
    (here / "a.csv").write_text(f"clip,text\n{N2},\\boxed{{2}}\n")
    assert run("import", "responses", "a.csv", "--clips", rendered, "--out", here / "imported") == 0
    capsys.readouterr()
    assert run("show", here / "imported", N2) == 0
    told = capsys.readouterr().out
    assert "were not kept: the answers were imported" in told
    assert "are NOT" not in told
    assert "N = 2, answer 2: right" in told


def test_a_video_that_changed_is_not_shown_as_the_one_that_was_asked_about(asked: Path, capsys: Out) -> None:
    manifest = json.loads((asked / "manifest.json").read_text())
    manifest["clips"][N2] = "0" * 64
    (asked / "manifest.json").write_text(json.dumps(manifest))
    assert run("show", asked, f"{N2},fps:4,time,direct") == 2
    assert "is not the video that was asked about" in capsys.readouterr().err


def test_a_sheet_holds_every_frame_in_order() -> None:
    pixels = np.zeros((7, 30, 40, 3), np.uint8)
    pixels[:] = (np.arange(7) * 30)[:, None, None, None]
    sheet = contact_sheet(Frames.of_pixels(pixels, [k / 2 for k in range(7)]))
    # Four columns of 400 x 300 pictures with 4 pixels between, then 18 for the words.
    centres = [sheet[4 + row * 322 + 150, 4 + column * 404 + 200] for row in range(2) for column in range(4)]
    assert [int(c[0]) for c in centres] == [0, 30, 60, 90, 120, 150, 180, 250]


def test_every_provider_says_what_it_needs(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert set(NEEDS) >= set(PROVIDERS)
    assert run("models", "--json") == 0
    rows = {row["provider"]: row for row in document(capsys)["providers"]}
    assert set(rows) == set(suites.providers()) >= set(PROVIDERS)
    assert rows["observer"]["ready"]
    assert rows["gemini"]["missing"] == ["no key: export GEMINI_API_KEY=your-key"]
    assert (
        rows["openai"]["note"] == "no key: export OPENAI_API_KEY=your-key (a server at @BASE_URL needs none)"
    )
    monkeypatch.setenv("GEMINI_API_KEY", "test-key-xyz")
    assert run("models") == 0
    told = capsys.readouterr().out
    assert "test-key-xyz" not in told


def test_a_missing_package_names_the_command(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    from lft.core.models import ready

    monkeypatch.setattr(ready, "_is_installed", lambda module: False)
    assert run("models", "--json") == 0
    rows = {row["provider"]: row for row in document(capsys)["providers"]}
    assert rows["openai"]["missing"] == ["openai not installed: pip install 'lft-bench[openai]'"]
    assert not rows["openai"]["ready"]


def test_uploads_are_deleted_on_request(gemini: FakeProvider, capsys: Out) -> None:
    gemini.files["files/lft-abc"] = {"name": "files/lft-abc", "state": "ACTIVE"}
    gemini.files["files/mine"] = {"name": "files/mine", "state": "ACTIVE"}
    assert run("models", "--delete-uploads") == 0
    assert capsys.readouterr().out == "1 uploads deleted\n"
    assert list(gemini.files) == ["files/mine"]
