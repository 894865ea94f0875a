"""Open weights on a Ray cluster: two replicas of a tiny Qwen3-VL, one of them killed, every trial asked once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lft.core import models
from lft.core.ask import Limits
from lft.core.errors import InputError
from lft.core.requests import ModelError
from lft.core.run_sweep import conduct
from lft.core.runs import Run
from lft.counting.study import CountingStudy
from lft.counting.sweep import Sweep, trials
from tests.tiny_clips import tiny_clips

pytest.importorskip("ray", reason="needs Ray")
SWEEP = {
    "conditions": [{"sampling": ["frames:2", "native"], "labels": "time", "prompt": ["direct", "zero_shot"]}]
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import ray

    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield ray
    ray.shutdown()


@pytest.mark.slow
def test_every_trial_is_asked_once_though_a_replica_is_killed(
    cluster: Any, folders: Callable[[str], Path], tmp_path: Path
) -> None:
    spec = f"ray:hf:{folders('qwen3_vl')}?max_new_tokens=4&replicas=2&gpus=0"
    model: Any = models.load(spec)
    assert model.concurrency == 2
    clips = tiny_clips(tmp_path / "clips")
    sweep = Sweep.from_document("ray", SWEEP)
    planned = list(trials(sweep, clips, model.name))
    assert len(planned) == 20
    killed = []

    ended = []

    def seen(tally: Any, trial: Any, line: Any) -> None:
        ended.append(trial)
        if len(ended) == 3 and not killed:
            killed.append(model._actors[0])
            cluster.kill(killed[0])

    limits = Limits(concurrency=model.concurrency, first_pause_s=0.05)
    result = conduct(
        tmp_path / "run",
        "counting",
        CountingStudy(sweep, clips),
        model,
        planned,
        limits,
        model_spec=spec,
        seen=seen,
    )
    assert killed
    assert model._actors[0] is not killed[0]
    # Random weights never end: each trial is cut off once, and none is an answer.
    assert (result["answered"], result["errors"]["truncated"]) == (0, 20)
    run = Run.open(tmp_path / "run")
    cut = Counter(
        line["trial"] for line in run.lines() if (line.get("error") or {}).get("kind") == "truncated"
    )
    assert set(cut.values()) == {1}
    assert set(cut) == {trial.id for trial in planned}
    assert run.manifest["model"]["provider"] == "hf"
    # A replica answers as the model does in this process.
    alone = models.load(f"hf:{folders('qwen3_vl')}?max_new_tokens=4")
    trial = planned[0]
    assert model.generate(trial.next(())).text == alone.generate(trial.next(())).text


@pytest.mark.slow
def test_faults_of_the_model_come_back_as_they_are(cluster: Any, tmp_path: Path) -> None:
    import json

    from lft.core.requests import Request, Text

    (tmp_path / "s.json").write_text(json.dumps(["one", {"error": "rate_limit", "message": "slowly"}]))
    model = models.load(f"ray:scripted:{tmp_path / 's.json'}?replicas=1&gpus=0")
    request = Request((Text("?"),))
    assert model.generate(request).text == "one"
    with pytest.raises(ModelError, match="slowly") as caught:
        model.generate(request)
    assert caught.value.kind == "rate_limit"
    assert model.generate(request).text == "one"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("ray", "the model is missing"),
        ("ray:hf:x?replicas=0", "option replicas is '0'"),
        ("ray:hf:/no/such/model?replicas=1&gpus=0", "no replica could load the model"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(spec: str, complaint: str, cluster: Any) -> None:
    with pytest.raises(InputError) as caught:
        models.load(spec)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
