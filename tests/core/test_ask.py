"""Asking: what is retried, what stops a sweep, what a resumed one asks, and what is written down."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lft.core import admission
from lft.core import ask as ask_module
from lft.core.ask import Limits, ask
from lft.core.errors import InputError
from lft.core.requests import ModelError, NotApplicable, Request, Response, Usage
from lft.core.runs import Recorder, Run, Tally
from tests.core.asking import MANIFEST, Counting, Question, always, lines_of, questions

QUICK = Limits(concurrency=4, first_pause_s=0.001)


def sweep(
    folder: Path, model: Any, trials: Any, limits: Limits = QUICK, manifest: dict[str, Any] = MANIFEST
) -> Tally:
    with Recorder(folder, manifest) as recorder:
        return ask(recorder, model, trials, limits)


def test_every_trial_is_asked_once_and_the_same_command_again_asks_nothing(tmp_path: Path) -> None:
    model = Counting()
    tally = sweep(tmp_path, model, questions(30))
    assert (tally.answered, tally.kept, tally.missing) == (30, 0, 0)
    assert set(model.asked.values()) == {1}
    again = sweep(tmp_path, model, questions(30))
    assert (again.answered, again.kept) == (0, 30)
    assert sum(model.asked.values()) == 30
    assert {t: line["text"] for t, line in Run.open(tmp_path).answers().items()} == {
        q.id: f"answer of {q.id}" for q in questions(30)
    }


@pytest.mark.parametrize("kind", ["rate_limit", "timeout", "connection", "server", "bad_reply", "empty"])
def test_a_passing_fault_is_recorded_and_tried_again(tmp_path: Path, kind: str) -> None:
    model = Counting(lambda trial, call: ModelError(kind, "bad night") if call < 3 else None)
    tally = sweep(tmp_path, model, questions(2))
    assert tally.answered == 2
    assert tally.errors == {kind: 4}
    mine = [line for line in lines_of(tmp_path) if line["trial"] == "t000"]
    assert [line["status"] for line in mine] == ["error", "error", "answered"]
    assert [line["attempt"] for line in mine] == [1, 2, 3]
    assert mine[0]["error"] == {"kind": kind, "message": "bad night"}


@pytest.mark.parametrize("kind", ["blocked", "truncated"])
def test_what_would_come_again_is_not_tried_again_at_once_but_on_the_next_run(
    tmp_path: Path, kind: str
) -> None:
    model = Counting(lambda trial, call: ModelError(kind, "no") if trial == "t001" and call == 1 else None)
    tally = sweep(tmp_path, model, questions(3))
    assert (tally.answered, tally.missing, model.asked["t001"]) == (2, 1, 1)
    assert "t001" not in Run.open(tmp_path).answers()
    assert sweep(tmp_path, model, questions(3)).answered == 1
    assert model.asked["t001"] == 2


def test_a_wrong_key_stops_the_sweep(tmp_path: Path) -> None:
    model = Counting(always("refused"))
    tally = sweep(tmp_path, model, questions(100), replace(QUICK, concurrency=1))
    assert tally.stopped == "planned refused"
    assert sum(model.asked.values()) == 1


def test_an_outage_stops_the_sweep_and_leaves_the_rest_for_later(tmp_path: Path) -> None:
    model = Counting(always("connection"))
    tally = sweep(tmp_path, model, questions(500), replace(QUICK, attempts=2, patience_s=0.3))
    assert tally.stopped
    assert "the provider did not answer for 0 s (connection: planned connection)" in tally.stopped
    assert len(model.asked) < 40
    healed = Counting()
    assert sweep(tmp_path, healed, questions(500)).answered == 500


def test_scattered_failures_are_no_outage(tmp_path: Path) -> None:
    model = Counting(lambda trial, call: ModelError("server", "no") if (int(trial[1:]) + 1) % 10 else None)
    limits = replace(QUICK, attempts=1, concurrency=1, patience_s=5.0, first_pause_s=1e-6)
    tally = sweep(tmp_path, model, questions(20), limits)
    # Nine of ten fail; each is asked again at the end, when others have been answered since, and is left then.
    assert (tally.answered, tally.missing, tally.stopped) == (2, 18, None)


def test_an_outage_in_the_midst_costs_no_trial(tmp_path: Path) -> None:
    """Calls 6 to 17 fail, whoever makes them: no attempt is counted, and all are answered afterwards."""
    lock, made = threading.Lock(), 0

    def fails(trial: str, call: int) -> Exception | None:
        nonlocal made
        with lock:
            made += 1
            return ModelError("server", "503", is_down=True) if 5 < made <= 17 else None

    tally = sweep(tmp_path, Counting(fails), questions(12), replace(QUICK, attempts=2))
    assert (tally.answered, tally.missing, tally.errors, tally.stopped) == (12, 0, {"server": 12}, None)


@pytest.mark.parametrize("bad", [2, 6])
def test_trials_at_the_end_that_always_get_a_500_are_no_outage(
    tmp_path: Path, bad: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else is left that could show the provider to be up: they are left after a share of its patience."""
    monkeypatch.setattr(admission, "_LONGEST_REFUSED_PAUSE_S", 0.02)  # as patience is shorter than in life
    last = {f"t{k:03d}" for k in range(20 - bad, 20)}
    model = Counting(lambda trial, call: ModelError("server", "500") if trial in last else None)
    limits = replace(QUICK, attempts=2, patience_s=8.0, first_pause_s=0.01)  # an eighth of it is a second
    begun_s = time.monotonic()
    tally = sweep(tmp_path, model, questions(20), limits)
    assert (tally.answered, tally.missing, tally.stopped) == (20 - bad, bad, None)
    assert time.monotonic() - begun_s < 8.0  # not all of its patience
    assert all(model.asked[trial] >= 4 for trial in last)


@pytest.mark.parametrize(
    "fault", [ModelError("server", "503", is_down=True), ModelError("connection", "no route", is_down=True)]
)
def test_a_provider_that_says_it_is_down_is_waited_for_to_the_end_of_patience(
    tmp_path: Path, fault: ModelError
) -> None:
    model = Counting(lambda trial, call: fault if int(trial[1:]) > 9 else None)
    limits = replace(QUICK, attempts=2, patience_s=1.0, first_pause_s=0.01)
    tally = sweep(tmp_path, model, questions(20), limits)
    assert tally.stopped
    assert "did not answer for 1 s" in tally.stopped


def test_a_trial_that_always_fails_does_not_hold_up_the_others(tmp_path: Path) -> None:
    model = Counting(lambda trial, call: ModelError("timeout", "no") if trial == "t003" else None)
    tally = sweep(tmp_path, model, questions(9), replace(QUICK, concurrency=1, attempts=2))
    assert (tally.answered, tally.missing, tally.stopped) == (8, 1, None)
    # Twice, put back, and twice once others had been answered.
    assert model.asked["t003"] == 4


def test_many_trials_in_a_row_that_fail_alike_stop_the_sweep(tmp_path: Path) -> None:
    model = Counting(lambda trial, call: ModelError("rejected", f"bad image {trial}"))
    tally = sweep(tmp_path, model, questions(100), replace(QUICK, concurrency=1))
    assert len(model.asked) == 20
    assert tally.stopped
    assert tally.stopped.startswith("20 trials in a row failed for the same reason: rejected")


def test_bad_trials_among_good_ones_do_not(tmp_path: Path) -> None:
    model = Counting(lambda trial, call: ModelError("rejected", "bad image") if int(trial[1:]) % 20 else None)
    tally = sweep(tmp_path, model, questions(100), replace(QUICK, concurrency=1))
    assert (tally.answered, tally.missing, tally.stopped) == (5, 95, None)


@pytest.mark.parametrize("reason", ["length", "content_filter", "error", "refusal", "tool_calls", "unknown"])
def test_a_reply_that_did_not_end_is_no_answer_and_its_text_is_kept(tmp_path: Path, reason: str) -> None:
    class Cut(Counting):
        def generate(self, request: Request) -> Response:
            super().generate(request)
            return Response("1. 3.00 s", reason, Usage(10, 2), cost_usd=0.5)

    cut = Cut()
    tally = sweep(tmp_path, cut, questions(2))
    assert (tally.answered, tally.missing, tally.cost_usd) == (0, 2, 1.0)
    assert set(cut.asked.values()) == {1}
    assert [line["text"] for line in lines_of(tmp_path)] == ["1. 3.00 s"] * 2
    kinds = {"length": "truncated", "content_filter": "blocked", "refusal": "refused"}
    assert {line["error"]["kind"] for line in Run.open(tmp_path).faults().values()} == {
        kinds.get(reason, "unfinished")
    }
    assert sweep(tmp_path, Counting(), questions(2)).answered == 2
    assert Run.open(tmp_path).faults() == {}


def test_a_cut_off_answer_of_an_older_run_is_asked_again(tmp_path: Path) -> None:
    sweep(tmp_path, Counting(), questions(3))
    path = tmp_path / "responses.jsonl"
    path.write_text(path.read_text().replace('"finish_reason": "stop"', '"finish_reason": "length"', 1))
    assert len(Run.open(tmp_path).answers()) == 2
    assert sweep(tmp_path, Counting(), questions(3)).answered == 1
    assert len(Run.open(tmp_path).answers()) == 3


def test_kinds_to_ask_again_can_be_chosen(tmp_path: Path) -> None:
    kinds = ["truncated", "refused", "blocked"]

    def fails(trial: str, call: int) -> Exception | None:
        if trial == "t003":
            return NotApplicable("413: too large", limit="bytes")
        return ModelError(kinds[int(trial[1:])], "no", stops=False)

    sweep(tmp_path, Counting(fails), questions(4))
    healed = Counting()
    tally = sweep(tmp_path, healed, questions(4), replace(QUICK, retry={"not-applicable", "truncated"}))
    assert sorted(healed.asked) == ["t000", "t003"]
    assert (tally.answered, tally.missing) == (2, 2)
    assert Run.open(tmp_path).answers()["t003"]["status"] == "answered"
    assert sweep(tmp_path, healed, questions(4)).answered == 2


def test_what_was_not_applicable_is_asked_when_a_setting_changes_and_kept_until_then(tmp_path: Path) -> None:
    class Limited(Counting):
        most = 50

        def describe(self) -> dict[str, Any]:
            return {"provider": "test", "settings": {"max_images": self.most}}

    model = Limited(lambda trial, call: NotApplicable("96 images") if model.most < 96 else None)
    manifest = {**MANIFEST, "model": {"name": "m", **model.describe()}}
    sweep(tmp_path, model, questions(2), manifest=manifest)
    assert sweep(tmp_path, model, questions(2), manifest=manifest).kept == 2
    model.most = 500
    manifest = {**MANIFEST, "model": {"name": "m", **model.describe()}}
    assert sweep(tmp_path, model, questions(2), manifest=manifest).answered == 2
    assert [line["settings"]["max_images"] for line in lines_of(tmp_path)] == [50, 50, 500, 500]


def test_a_call_that_was_begun_and_never_ended_is_known(tmp_path: Path) -> None:
    with Recorder(tmp_path, MANIFEST) as recorder:
        recorder.starting("t000", 0)
        ask(recorder, Counting(), questions(2), QUICK)
    run = Run.open(tmp_path)
    assert [line["trial"] for line in run.lost()] == ["t000"]
    assert len((tmp_path / "started.jsonl").read_text().splitlines()) == 3


def test_a_condition_that_cannot_be_given_is_settled(tmp_path: Path) -> None:
    model = Counting(lambda trial, call: NotApplicable("96 images; m takes 50"))
    tally = sweep(tmp_path, model, questions(3))
    assert (tally.not_applicable, tally.missing, tally.errors) == (3, 0, {})
    assert sweep(tmp_path, model, questions(3)).kept == 3
    assert sum(model.asked.values()) == 3
    line = Run.open(tmp_path).answers()["t000"]
    assert (line["status"], line["reason"]) == ("not_applicable", "96 images; m takes 50")


def test_what_failed_for_good_is_missing_and_asked_next_time(tmp_path: Path) -> None:
    model = Counting(
        lambda trial, call: ModelError("server", "down") if trial == "t002" and call <= 20 else None
    )
    tally = sweep(tmp_path, model, questions(5))
    assert (tally.answered, tally.missing) == (4, 1)
    assert model.asked["t002"] <= 14  # five, put back, five more; each of four others may restart a count
    model.asked["t002"] = 20
    tally = sweep(tmp_path, model, questions(5))
    assert (tally.answered, tally.kept, tally.missing) == (1, 4, 0)


def test_rate_limits_use_up_patience_and_no_attempt(tmp_path: Path) -> None:
    model = Counting(lambda trial, call: ModelError("rate_limit", "slow") if call <= 40 else None)
    assert sweep(tmp_path, model, questions(1), replace(QUICK, attempts=2, first_pause_s=1e-9)).answered == 1
    always_limited = Counting(always("rate_limit"))
    limits = replace(QUICK, first_pause_s=1e-3, patience_s=0.1)
    assert sweep(tmp_path / "b", always_limited, questions(1), limits).missing == 1


def test_the_provider_is_not_asked_sooner_than_it_wants(tmp_path: Path) -> None:
    times_s: list[float] = []

    def fails(trial: str, call: int) -> Exception | None:
        times_s.append(time.monotonic())
        return ModelError("rate_limit", "wait", retry_after_s=0.3) if call == 1 else None

    assert sweep(tmp_path, Counting(fails), questions(1)).answered == 1
    assert times_s[1] - times_s[0] >= 0.3
    assert lines_of(tmp_path)[0]["error"]["retry_after_s"] == 0.3


def test_a_provider_that_wants_hours_is_left_alone(tmp_path: Path) -> None:
    model = Counting(lambda trial, call: ModelError("rate_limit", "tomorrow", retry_after_s=86400))
    tally = sweep(tmp_path, model, questions(1))
    assert (tally.missing, model.asked["t000"]) == (1, 1)


def test_the_second_turn_sees_the_first_answer_and_is_resumed_alone(tmp_path: Path) -> None:
    def fails(trial: str, call: int) -> Exception | None:
        return ModelError("blocked", "no") if call == 2 else None

    manifest = {**MANIFEST, "prompts": {"p": {"turns": 2}}}
    model = Counting(fails)
    tally = sweep(tmp_path, model, questions(1, turns=2), manifest=manifest)
    assert (tally.answered, tally.missing) == (0, 1)
    assert Run.open(tmp_path).answers() == {}
    tally = sweep(tmp_path, model, questions(1, turns=2), manifest=manifest)
    assert (tally.answered, model.asked["t000"]) == (1, 3)
    spoken = [(message.role, message.text) for message in model.requests[-1].messages]
    assert spoken == [("user", "question t000"), ("model", "answer of t000"), ("user", "look again")]
    assert [line["key"]["turn"] for line in lines_of(tmp_path)] == [0, 1, 1]
    assert model.requests[-1].key["turn"] == 1


def test_a_source_of_trials_may_decide_from_what_was_answered(tmp_path: Path) -> None:
    with Recorder(tmp_path, MANIFEST) as recorder:

        def until_three() -> Iterator[Question]:
            for trial in questions(50):
                if len(recorder.run.answers()) >= 3:
                    return
                yield trial

        tally = ask(recorder, Counting(), until_three(), replace(QUICK, concurrency=1))
    assert tally.answered == 3


def test_a_defect_in_a_model_is_raised_and_what_came_before_is_kept(tmp_path: Path) -> None:
    def fails(trial: str, call: int) -> Exception | None:
        return ZeroDivisionError("defect") if trial == "t005" else None

    with pytest.raises(ZeroDivisionError):
        sweep(tmp_path, Counting(fails), questions(50), replace(QUICK, concurrency=1))
    assert len(Run.open(tmp_path).answers()) == 5


@pytest.mark.parametrize(
    "text", ["", "\ud83d lone", "nul \x00", "line\u2028sep\r\n", "é" * 300_000, '"},{"status":"answered"']
)
def test_any_text_comes_back_as_it_was(tmp_path: Path, text: str) -> None:
    class Says(Counting):
        def generate(self, request: Request) -> Response:
            return Response(text)

    sweep(tmp_path, Says(), questions(2))
    assert [line["text"] for line in Run.open(tmp_path).answers().values()] == [text, text]


def test_no_more_calls_are_in_flight_than_allowed(tmp_path: Path) -> None:
    lock, inside, most = threading.Lock(), 0, 0

    class Slow(Counting):
        def generate(self, request: Request) -> Response:
            nonlocal inside, most
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.01)
            with lock:
                inside -= 1
            return Response("x")

    sweep(tmp_path, Slow(), questions(40), replace(QUICK, concurrency=3))
    assert most == 3


def test_concurrency_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="concurrency is 0"):
        Limits(concurrency=0)


# Budget. Prices are per call; a budget counts what the run cost before, and failed attempts that were billed.


def test_a_budget_is_kept_and_a_higher_one_goes_on(tmp_path: Path) -> None:
    model = Counting(cost_usd=lambda trial: 1.0)
    tally = sweep(tmp_path, model, questions(50), replace(QUICK, max_cost_usd=5.5))
    assert (tally.answered, tally.cost_usd) == (5, 5.0)
    assert tally.stopped == "the budget of 5.5 USD does not allow another call"
    assert sweep(tmp_path, model, questions(50), replace(QUICK, max_cost_usd=5.5)).answered == 0
    tally = sweep(tmp_path, model, questions(50), replace(QUICK, max_cost_usd=8.0))
    assert (tally.answered, tally.kept, tally.cost_usd) == (3, 5, 8.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_budget_holds_over_conditions_of_different_price(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    prices = {"fps:1": 0.1, "fps:4": 0.4, "fps:16": 1.6}
    trials = [
        Question(f"t{k:03d}", {"clip": f"c{k}", "prompt": "p", "sampling": chance.choice(list(prices))})
        for k in range(300)
    ]
    by_id = {t.id: prices[t.key["sampling"]] for t in trials}
    model = Counting(cost_usd=lambda trial: by_id[trial])
    tally = sweep(tmp_path, model, trials, Limits(concurrency=8, max_cost_usd=20.0))
    # A condition without a price yet is asked alone, so the dearest first call is all that could go over.
    assert 20.0 - 1.6 < tally.cost_usd <= 20.0 + 1e-9
    assert tally.stopped


def test_a_budget_cannot_be_kept_without_a_price(tmp_path: Path) -> None:
    model = Counting(cost_usd=lambda trial: None)
    tally = sweep(tmp_path, model, questions(50), replace(QUICK, max_cost_usd=5.0))
    assert sum(model.asked.values()) == 1
    assert tally.stopped
    assert "price of this model is unknown" in tally.stopped
    assert not tally.cost_known


def test_a_model_that_costs_nothing_is_not_held_up(tmp_path: Path) -> None:
    class Free(Counting):
        is_free = True

    tally = sweep(tmp_path, Free(), questions(20), replace(QUICK, max_cost_usd=0.01))
    assert (tally.answered, tally.cost_usd, tally.cost_known) == (20, 0.0, True)


def test_what_a_failed_attempt_cost_is_recorded_and_counts(tmp_path: Path) -> None:
    spent = Response("", "length", Usage(10, 0, 4000), cost_usd=2.0)

    def fails(trial: str, call: int) -> Exception | None:
        return ModelError("truncated", "all thought", reply=spent) if trial == "t000" else None

    tally = sweep(
        tmp_path,
        Counting(fails, cost_usd=lambda t: 1.0),
        questions(9),
        replace(QUICK, max_cost_usd=5.0, concurrency=1),
    )
    assert tally.cost_usd <= 5.0
    line = lines_of(tmp_path)[0]
    assert line["cost_usd"] == 2.0
    assert line["usage"] == {"input_tokens": 10, "output_tokens": 0, "thought_tokens": 4000}


def test_an_unknown_price_before_counts_as_unknown_later(tmp_path: Path) -> None:
    sweep(tmp_path, Counting(), questions(2))
    tally = sweep(tmp_path, Counting(cost_usd=lambda t: 1.0), questions(4))
    assert not tally.cost_known


def test_an_interrupt_keeps_what_was_in_flight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupts(tally: Tally, trial: Any, line: Any) -> None:
        raise KeyboardInterrupt

    started = threading.Barrier(4)

    class Slow(Counting):
        def generate(self, request: Request) -> Response:
            answer = super().generate(request)
            if len(self.asked) <= 4:
                started.wait(5)
            return answer

    model = Slow()
    once = iter([interrupts])
    with Recorder(tmp_path, MANIFEST) as recorder, pytest.raises(KeyboardInterrupt):
        ask(recorder, model, questions(50), QUICK, seen=lambda *a: next(once, lambda *b: None)(*a))
    assert {line["trial"] for line in lines_of(tmp_path)} == set(model.asked)


def test_an_interrupt_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_module, "_LAST_CALLS_S", 0.2)
    forever = threading.Event()

    class Hangs(Counting):
        def generate(self, request: Request) -> Response:
            if request.text.split()[1] != "t000":
                forever.wait(60)
            return Response("x")

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with Recorder(tmp_path, MANIFEST) as recorder, pytest.raises(KeyboardInterrupt):
        ask(recorder, Hangs(), questions(4), QUICK, seen=interrupt)
    forever.set()
    assert [line["trial"] for line in lines_of(tmp_path)] == ["t000"]


@pytest.mark.parametrize(
    "reply",
    [
        Response(5),  # type: ignore[arg-type]
        Response(None),  # type: ignore[arg-type]
        Response("one", finish_reason=7),  # type: ignore[arg-type]
        Response("one", sent={"x": float("nan")}),
    ],
    ids=["number", "none", "finish_reason", "sent"],
)
def test_a_reply_that_a_run_could_not_be_read_with_is_a_failed_attempt(
    tmp_path: Path, reply: Response
) -> None:
    """It is billed all the same, and the run goes on."""
    bad = replace(reply, usage=Usage(10, 1), cost_usd=0.25)

    class Model:
        name = "m"

        def generate(self, request: Request) -> Response:
            return bad

    tally = sweep(tmp_path, Model(), questions(1), replace(QUICK, attempts=1))
    assert (tally.errors, tally.missing, tally.cost_usd) == ({"bad_reply": 1}, 1, 0.25)
    (line,) = Run.open(tmp_path).lines()
    assert line["error"]["message"].startswith("the reply cannot be stored: ")
    assert sweep(tmp_path, Counting(), questions(1)).answered == 1
