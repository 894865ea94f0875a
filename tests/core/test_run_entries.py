"""Runs that others wrote or changed: every entry of the wrong kind is one line, when it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lft.core.cost import Price
from lft.core.errors import InputError
from lft.core.requests import Response, Usage
from lft.core.runs import SCHEMA, Recorder, Run

KEY = {"clip": "blinking/n01_f1.0_s00", "prompt": "direct", "replicate": 0, "turn": 0}
LINE = {"trial": "t", "key": KEY, "status": "answered", "text": "\\boxed{1}", "cost_usd": None}
MANIFEST = {"schema": SCHEMA, "suite": "counting", "trials": {"t": KEY}, "prompts": {"direct": {"turns": 1}}}


def run_of(folder: Path, manifest: dict[str, Any], line: dict[str, Any]) -> Run:
    (folder / "manifest.json").write_text(json.dumps({**MANIFEST, **manifest}))
    (folder / "responses.jsonl").write_text(json.dumps({**LINE, **line}) + "\n")
    return Run.open(folder)


def test_what_a_sweep_writes_is_read(tmp_path: Path) -> None:
    run = run_of(
        tmp_path, {"until_frontier": None}, {"usage": {"input_tokens": 3, "by_modality": {"text": 3}}}
    )
    assert list(run.answers()) == ["t"]


@pytest.mark.parametrize(
    "entry",
    [
        {"trials": []}, {"trials": None}, {"trials": {"t": "x"}}, {"trials": {"t": {"turn": "x"}}},
        {"prompts": []}, {"prompts": {"direct": "x"}}, {"prompts": {"direct": {"turns": "x"}}},
        {"prompts": {"direct": {"turns": 10**9}}}, {"clips": [], "trials": {"t": KEY}},
        {"clips": {"a": 1}, "trials": {"t": KEY}}, {"clips_folder": 5},
        {"clips_folder": "a\0b"}, {"clips_folder": "\ud800"}, {"model": "x"}, {"model": {"options": "x"}},
        {"model": {"native_rate_hz": 0}}, {"sweep": "x"}, {"questions": {"a": "x"}},
        {"suite": 5},
    ],
)  # fmt: skip
def test_a_manifest_with_an_entry_of_the_wrong_kind_is_refused(tmp_path: Path, entry: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=rf"manifest.json: {next(iter(entry))} is"):
        run_of(tmp_path, entry, {})


@pytest.mark.parametrize(
    "entry",
    [
        *({"key": {**KEY, **k}} for k in (
            {"turn": None}, {"turn": "x"}, {"turn": -1}, {"turn": 0.5}, {"turn": True}, {"turn": 10**9},
            {"turn": float("nan")}, {"clip": None}, {"model": "\ud800"}, {"prompt": ["x"]},
            {"replicate": -1}, {"replicate": 10**30},
        )),
        {"text": 5}, {"text": ["a"]}, {"status": [1]}, {"native": "yes"}, {"usage": [1]},
        {"usage": {"by_modality": 3}},
        {"usage": {"input_tokens": "x"}}, {"usage": {"output_tokens": float("nan")}}, {"cost_usd": "x"},
        {"cost_usd": float("inf")}, {"cost_usd": -1}, {"cost_usd": 10**400}, {"frame_times_s": "abc"},
        {"frame_times_s": [-1]}, {"frame_times_s": ["1"]}, {"frame_times_s": [float("nan")]}, {"sent": "x"},
        {"error": "boom"}, {"error": {"kind": [1]}}, {"error": {}}, {"latency_s": "x"}, {"finish_reason": [1]},
    ],
)  # fmt: skip
def test_a_line_with_an_entry_of_the_wrong_kind_is_refused(tmp_path: Path, entry: dict[str, Any]) -> None:
    run = run_of(tmp_path, {}, entry)
    with pytest.raises(InputError, match=rf"responses.jsonl:1: {next(iter(entry))} is"):
        list(run.lines())


@pytest.mark.parametrize(
    "tokens", [-1, "12", True, 10**400, 1e310, float("nan"), float("inf"), [1], None], ids=str
)
def test_a_count_that_none_can_be_is_unknown(tokens: Any) -> None:
    usage = Usage(tokens, tokens, tokens, tokens, {"text": tokens, "image": 3})
    assert usage == Usage(by_modality={"image": 3})
    assert Price(1.0, 1.0).usd(usage) is None  # unknown, so a budget knows that it is


def test_cached_tokens_are_part_of_the_input() -> None:
    """1 M of input, all of it from the cache, at 2 USD less 1 USD: 1 USD, never 2 - 19 M more at -1."""
    usage = Usage(1_000_000, 0, cached_tokens=20_000_000)
    assert usage.cached_tokens == 1_000_000
    assert Price(2.0, 10.0, cached=1.0).usd(usage) == 1.0


@pytest.mark.parametrize("usd", [-20.0, float("nan"), float("inf"), "1", True])
def test_a_cost_that_none_can_be_is_unknown(usd: Any) -> None:
    assert Response("one", cost_usd=usd).cost_usd is None


@pytest.mark.parametrize(
    "entry",
    [{"text": 5}, {"usage": {"input_tokens": -1}}, {"cost_usd": float("nan")},
     {"sent": {"x": float("nan")}}, {"sent": {"x": object()}}, {"sent": {"x": 10**5000}}],
)  # fmt: skip
def test_a_line_that_could_not_be_read_is_not_written(tmp_path: Path, entry: dict[str, Any]) -> None:
    with Recorder(tmp_path / "run", {k: v for k, v in MANIFEST.items() if k != "schema"}) as recorder:
        with pytest.raises(InputError, match="not written to"):
            recorder.append({**LINE, **entry})
        recorder.append(LINE)
        assert list(recorder.run.answers()) == ["t"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"trial": "u"}, "the trial 'u' is not in the run's manifest"),
        (
            {"key": {**KEY, "clip": "other"}},
            "clip is 'other', but of trial 't' it is 'blinking/n01_f1.0_s00'",
        ),
        ({"key": {k: v for k, v in KEY.items() if k != "clip"}}, "clip is None, but of trial 't'"),
        ({"key": {**KEY, "prompt": "cot"}}, "prompt is 'cot', but of trial 't' it is 'direct'"),
        ({"key": {**KEY, "replicate": 1}}, "replicate is 1, but of trial 't' it is 0"),
        ({"key": {**KEY, "turn": 1}}, "turn is 1, but the prompt has 1"),
    ],
)
def test_a_line_that_contradicts_the_plan_is_refused(
    tmp_path: Path, entry: dict[str, Any], words: str
) -> None:
    run = run_of(tmp_path, {}, {})
    with open(tmp_path / "responses.jsonl", "a") as file:
        file.write(json.dumps({**LINE, **entry}) + "\n")
    with pytest.raises(InputError) as refusal:
        list(run.lines())
    assert str(refusal.value).startswith(f"{tmp_path / 'responses.jsonl'}:2: {words}")
