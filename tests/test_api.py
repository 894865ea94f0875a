"""The library: its names are pinned, and a function is a model whose change a run notices."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import lft
from lft.counting.clips import Clips
from lft.counting.rendering.clip_folder import render_clips
from lft.counting.spec import ClipSpec
from lft.counting.sweep import Sweep

EXPERIMENT = Sweep.from_document("t", {"conditions": [{"sampling": "fps:2", "prompt": "direct"}]})


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    folder = tmp_path_factory.mktemp("clips")
    specs = [ClipSpec("blinking", n, 1.0, 0, width=160, height=96, duration_s=6) for n in (1, 2)]
    render_clips(specs, folder, jobs=1)
    return Clips.open(folder)


def test_the_public_names_are_these() -> None:
    functions = {
        "open_clips", "open_run", "sample", "sweep", "score", "surface", "frontiers", "compare_models",
        "parse", "match", "evaluate",
    }  # fmt: skip
    types = {
        "Media", "Frames", "Sampling", "Request", "Response", "Text", "Images", "Video", "Usage", "InputError",
        "Model", "ModelError", "NotApplicable", "Limits", "Sweep", "Clips", "Run", "Reported", "ReportedEvent",
        "Unparsed", "Matching", "Pair", "Evaluation",
    }  # fmt: skip
    assert set(lft.__all__) == functions | types | {"__version__"}
    for name in functions | types:
        assert getattr(lft, name).__doc__, name
    assert list(inspect.signature(lft.sweep).parameters) == [
        "experiment", "model", "clips", "run", "concurrency", "max_cost_usd", "limit",
        "patience_s", "retry", "progress",
    ]  # fmt: skip
    with pytest.raises(AttributeError, match="no attribute 'sweeps_'"):
        lft.sweeps_  # noqa: B018


def test_a_function_is_a_model_from_question_to_frontier(
    clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def one_event(request: lft.Request) -> str:
        assert request.images == 12
        return "1. 3.0 s - lit - count 1\n\\boxed{1}"

    run = lft.sweep(EXPERIMENT, model=one_event, clips=clips, run=tmp_path / "run", progress=True)
    assert "2 answered, 0 kept, 0 missing" in capsys.readouterr().err
    lft.sweep(EXPERIMENT, model=one_event, clips=clips, run=tmp_path / "quiet")
    assert capsys.readouterr() == ("", "")
    scores = lft.score(run)
    assert scores.set_index("count")["correct"].to_dict() == {1: 1, 2: 0}
    assert lft.surface(scores)["n"].sum() == 2
    # N = 1 is right, N = 2 wrong: at 1 Hz the count frontier is 1; along frequency, N = 1 reaches 1 Hz, N = 2 none.
    found = lft.frontiers(scores)
    assert found["axis"].tolist() == ["count", "frequency", "frequency"]
    assert found["at"].tolist() == [1.0, 1.0, 2.0]
    assert found["status"].tolist() == ["reached", "reached", "below"]
    assert found["frontier"].fillna(-1).tolist() == [1.0, 1.0, -1.0]
    assert found["frontier"].dtype == found["at"].dtype == float
    assert lft.frontiers(scores[:0])["frontier"].dtype == float


def test_a_run_is_a_path_whatever_the_working_directory_holds(
    clips: Clips, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = lft.sweep(EXPERIMENT, model="observer", clips=clips, run=Path("results/runs/one"))
    with pytest.raises(lft.InputError, match="no such run"):
        lft.open_run("one")  # the commands would find it in results/runs
    monkeypatch.chdir("/")
    assert (
        lft.score(run)["status"].tolist() == ["answered"] * 2
    )  # an opened run does not follow the working directory


class Moody:
    """Answers nothing while `broken`: one clip is blocked, for the other nobody is there."""

    name = "moody"

    def __init__(self) -> None:
        self.broken = True
        self.asked: list[str] = []

    def generate(self, request: lft.Request) -> lft.Response:
        clip = str((request.key or {})["clip"])
        self.asked.append(clip)
        if self.broken and "n01" in clip:
            raise lft.ModelError("blocked", "no")
        if self.broken:
            raise lft.ModelError("connection", "nobody there", is_down=True)
        return lft.Response("\\boxed{1}")

    def describe(self) -> dict[str, str]:
        return {"provider": "moody"}


def test_a_sweep_takes_patience_and_the_kinds_to_ask_again(clips: Clips, tmp_path: Path) -> None:
    model = Moody()

    def asked(**more: Any) -> list[str]:
        model.asked.clear()
        lft.sweep(EXPERIMENT, model, clips, tmp_path / "run", concurrency=1, **more)
        return [clip.partition("/")[2][:3] for clip in model.asked]

    # The provider has replied once, so that a sweep would wait for two hours if it were not told otherwise.
    assert asked(patience_s=0.2).count("n01") == 1
    model.broken = False
    assert asked(retry="truncated") == ["n02"]  # what nobody refused is asked in any case
    assert asked(retry=["blocked"]) == ["n01"]
    with pytest.raises(lft.InputError, match="unknown kind 'nothing'"):
        asked(retry=["nothing"])


def test_an_edited_function_is_noticed(clips: Clips, tmp_path: Path) -> None:
    def answer(request: lft.Request) -> str:
        return "\\boxed{0}"

    lft.sweep(EXPERIMENT, model=answer, clips=clips, run=tmp_path / "run")

    def answer(request: lft.Request) -> str:  # type: ignore[no-redef]
        return "\\boxed{1}"

    with pytest.raises(lft.InputError, match="changed since this run began"):
        lft.sweep(EXPERIMENT, model=answer, clips=clips, run=tmp_path / "run")


MANY = Sweep.from_document("t", {"conditions": [{"sampling": "fps:2", "prompt": "direct"}], "replicates": 4})


def test_a_function_that_returns_no_text_is_named(clips: Clips, tmp_path: Path) -> None:
    def three(request: lft.Request) -> int:
        return 3

    with pytest.raises(
        lft.InputError, match=r"the function three returned 3, not text.*expected text or an lft\.Response"
    ):
        lft.sweep(MANY, model=three, clips=clips, run=tmp_path / "run")  # type: ignore[arg-type]


def test_what_a_function_raises_leaves_the_trial_for_the_next_call(
    clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 8 trials the 4 about the second clip fail; they are missing, not wrong, and asked again."""
    broken = True

    def sometimes(request: lft.Request) -> str:
        if broken and "n02" in request.key["clip"]:
            raise ValueError("no such frame " + "x" * 5000)
        return "\\boxed{1}"

    for _ in range(2):  # the second time every call raises, but the function has answered before
        run = lft.sweep(
            MANY, model=sometimes, clips=clips, run=tmp_path / "run", concurrency=1, progress=True
        )
    told = capsys.readouterr().err
    assert "4 answered, 0 kept, 4 missing; the last error: raised, ValueError: no such frame xxx" in told
    errors = [line["error"] for line in run.lines() if line["status"] == "error"]
    assert {error["kind"] for error in errors} == {"raised"}
    assert len(errors) == 8  # one attempt each time
    assert max(len(error["message"]) for error in errors) <= 500
    assert lft.score(run)["status"].value_counts().to_dict() == {"answered": 4, "missing": 4}
    broken = False
    run = lft.sweep(MANY, model=sometimes, clips=clips, run=tmp_path / "run")
    assert set(lft.score(run)["status"]) == {"answered"}


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_function_that_only_raises_ends_the_sweep_with_its_own_error(
    clips: Clips, tmp_path: Path, concurrency: int
) -> None:
    def defect(request: lft.Request) -> str:
        return request.no_such_thing  # type: ignore[attr-defined,no-any-return]

    with pytest.raises(AttributeError, match="no_such_thing") as raised:
        lft.sweep(MANY, model=defect, clips=clips, run=tmp_path / "run", concurrency=concurrency)
    assert "defect" in [entry.name for entry in raised.traceback]
    assert raised.value.__context__ is raised.value.__cause__ is None


def test_an_interrupt_within_a_function_stops_the_sweep(clips: Clips, tmp_path: Path) -> None:
    def interrupted(request: lft.Request) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lft.sweep(MANY, model=interrupted, clips=clips, run=tmp_path / "run", concurrency=1)


def test_what_is_no_model_is_refused(clips: Clips, tmp_path: Path) -> None:
    with pytest.raises(lft.InputError, match="unusable model 3"):
        lft.sweep(EXPERIMENT, model=3, clips=clips, run=tmp_path / "run")  # type: ignore[arg-type]
