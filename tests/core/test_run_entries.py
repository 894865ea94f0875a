"""Runs that others wrote or changed: every entry of the wrong kind is one line, when it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lft.core.errors import InputError
from lft.core.runs import SCHEMA, Run

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
        {"prompts": {"direct": {"turns": 10**9}}}, {"clips": []}, {"clips": {"a": 1}}, {"clips_folder": 5},
        {"clips_folder": "a\0b"}, {"clips_folder": "\ud800"}, {"model": "x"}, {"model": {"options": "x"}},
        {"model": {"native_rate_hz": 0}}, {"sweep": "x"}, {"questions": {"a": "x"}},
        {"until_frontier": float("nan")}, {"suite": 5},
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
        {"usage": {"input_tokens": "x"}}, {"usage": {"output_tokens": float("nan")}}, {"cost_usd": "x"},
        {"cost_usd": float("inf")}, {"cost_usd": -1}, {"cost_usd": 10**400}, {"frame_times_s": "abc"},
        {"frame_times_s": [-1]}, {"frame_times_s": ["1"]}, {"frame_times_s": [float("nan")]}, {"sent": "x"},
        {"error": "boom"}, {"error": {"kind": [1]}}, {"error": {}}, {"latency_s": "x"}, {"finish_reason": [1]},
    ],
)  # fmt: skip
def test_a_line_with_an_entry_of_the_wrong_kind_is_refused(tmp_path: Path, entry: dict[str, Any]) -> None:
    run = run_of(tmp_path, {}, entry)
    with pytest.raises(InputError, match=rf"responses.jsonl: {next(iter(entry))} is"):
        list(run.lines())
