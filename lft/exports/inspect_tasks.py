"""The counting suite as Inspect AI tasks, with the scorer and the metrics of `lft score`.

    inspect eval lft/baseline --model openai/gpt-5 -T clips=FOLDER -T sampling=fps:1

Loaded by Inspect through the entry point `inspect_ai` of this package, or by the task file of an export. The
request is that of `lft sweep`: the same words and frames in the same order.
"""

from __future__ import annotations

import base64
import site
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

import anyio
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    ContentVideo,
    Model,
    get_model,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from lft.core.conditions import CONDITION, Condition
from lft.core.errors import InputError
from lft.core.records import JsonObject
from lft.core.requests import Images, Request, Response, Text, Video
from lft.core.video.frames import UNKNOWN
from lft.core.video.jpeg_cache import JPEGS
from lft.counting.clips import Clips
from lft.counting.reader import context_of
from lft.counting.scores import frame, key_row, score_text
from lft.counting.summary import totals
from lft.counting.sweep import ClipTrial, Sweep, trials

AXES = (*CONDITION, "replicate")
# Inspect's names of formats; everything else is sent as mp4.
_FORMATS: dict[str, Literal["mp4", "mov", "mpeg"]] = {".mov": "mov", ".mpg": "mpeg", ".mpeg": "mpeg"}


# Inspect names a task PACKAGE/TASK if the package lies in site-packages, and TASK if it is installed editable
# from a distribution of another name, as ours is. It is to be lft/baseline either way.
_INSTALLED = "site-packages" in __file__ or any(__file__.startswith(p) for p in site.getsitepackages())


@task(name="baseline" if _INSTALLED else "lft/baseline")
def baseline(
    clips: str = ".",
    sampling: str = "native",
    labels: str = "time",
    prompt: str = "structured_trace",
    replicates: int = 1,
    rule: str = "ledger",
    tolerance: str = "rate",
) -> Task:
    """Count and time the events of every clip in a folder.

    Parameters
    ----------
    clips : a folder of `lft render`, `lft import` or `lft export`; the working directory.
    sampling : native, fps:K, frames:K or keyframes:W. labels : none, index or time.
    prompt : a prompt condition of LFT. replicates : how often each clip is asked about (rather than epochs).
    rule, tolerance : as in `lft score`.
    """
    asked = planned(clips, sampling, labels, prompt, replicates)
    samples = [
        Sample(
            input=trial.question["question"],
            id=trial.id,
            target=str(_clips(clips)[str(trial.key["clip"])].spec.count),
            metadata={"clip": trial.key["clip"], "domain": trial.domain, **{a: trial.key[a] for a in AXES}},
        )
        for trial in asked.values()
    ]
    return Task(
        dataset=MemoryDataset(samples, name=Path(clips).resolve().name),
        solver=ask(clips, sampling, labels, prompt, replicates),
        scorer=events(clips, rule, tolerance),
    )


@lru_cache(maxsize=8)
def planned(clips: str, sampling: str, labels: str, prompt: str, replicates: int) -> dict[str, ClipTrial]:
    """The trials of a task by id, as `lft sweep` would plan them; prompts kept in the folder come first."""
    condition = Condition(sampling, labels, prompt)
    sweep = Sweep("inspect", "Inspect AI", Path(clips).name, (condition,), replicates)
    frozen = Path(clips) / "prompts"
    found = {t.id: t for t in trials(sweep, _clips(clips), "", prompts=frozen if frozen.is_dir() else None)}
    if any(one.prompt.schema for one in found.values()):
        raise InputError(
            f"the prompt {prompt} has a schema of its answer, which is not sent through Inspect AI"
        )
    return found


@solver
def ask(clips: str, sampling: str, labels: str, prompt: str, replicates: int) -> Solver:
    """Shows a clip and asks, once for each turn of the prompt, with the conversation so far."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # Inspect would reduce the scores of all epochs to one row before they are averaged.
        if state.epoch > 1:
            raise InputError("this task has no epochs", remedy="-T replicates=N instead of --epochs N")
        _count_without_network(get_model())
        trial = planned(clips, sampling, labels, prompt, replicates)[str(state.sample_id)]
        answers: list[Response] = []
        while isinstance(request := await anyio.to_thread.run_sync(trial.next, answers), Request):
            state.messages = await anyio.to_thread.run_sync(messages, request)
            state = await generate(state)
            answers.append(Response(state.output.completion))
        return state

    return solve


def _count_without_network(model: Model) -> None:
    """Inspect's mock model counts the tokens that it is sent with a table from the network, and fails without.

    No tokenizer is its own: an estimate serves as well, so that a task can be tried anywhere.
    """
    if str(model).startswith("mockllm/"):
        model.api.count_text_tokens = _four_signs_a_token  # type: ignore[method-assign]


async def _four_signs_a_token(text: str) -> int:
    return max(1, len(text) // 4)


def messages(request: Request) -> list[ChatMessage]:
    """A request as Inspect's chat messages."""
    found: list[ChatMessage] = [ChatMessageSystem(content=request.system)] if request.system else []
    for message in request.messages:
        if message.role == "model":
            found.append(ChatMessageAssistant(content=message.text))
        else:
            found.append(
                ChatMessageUser(content=[entry for part in message.parts for entry in _content(part)])
            )
    return found


def _content(part: Text | Images | Video) -> list[Content]:
    if isinstance(part, Text):
        return [ContentText(text=part.text)]
    if isinstance(part, Video):
        form = _FORMATS.get(part.media.path.suffix.lower(), "mp4")
        # Inspect sends no file that is only named by a path, unless it was in the dataset to begin with.
        return [ContentVideo(video=_data_uri(f"video/{form}", part.media.path.read_bytes()), format=form)]
    found: list[Content] = []
    for position, jpeg in enumerate(JPEGS.encode(part.frames)):
        label = part.label(position)
        found += [ContentText(text=label)] if label else []
        found.append(ContentImage(image=_data_uri("image/jpeg", jpeg)))
    return found


def _data_uri(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def _metric(name: str) -> Any:
    """A metric that is the entry `name` of `lft.counting.summary.totals` over the scored answers."""

    @metric(name=name)
    def entry() -> Metric:
        def compute(scores: list[SampleScore]) -> float:
            value = _totals(scores)[name]
            return float("nan") if value is None else float(value)

        return compute

    return entry


def _totals(scores: list[SampleScore]) -> JsonObject:
    return totals(frame((one.score.metadata or {})["row"] for one in scores))


METRICS = tuple(
    _metric(name)
    for name in ("em", "precision", "recall", "f1", "vor", "vor_pooled", "acr", "rfr", "false_alarm_rate")
)


@scorer(metrics=[make() for make in METRICS])
def events(clips: str = ".", rule: str = "ledger", tolerance: str = "rate") -> Scorer:
    """What the answer reports, paired with what happened: the row of scores.csv is the score's metadata."""

    async def score(state: TaskState, target: Target) -> Score:
        key = {**{name: state.metadata[name] for name in ("clip", *AXES)}, "model": str(state.model)}
        row = key_row(str(state.sample_id), key, rule, tolerance, "answered")
        trace = _clips(clips).trace(row["clip"])
        context = context_of(trace, str(row["sampling"] or UNKNOWN))
        row |= score_text(state.output.completion, trace, rule=rule, tolerance=tolerance, context=context)
        answer = row["final_answer"]
        return Score(
            value=1 if row["correct"] else 0,
            answer=None if answer is None else str(answer),
            explanation=row["reason"] or None,
            metadata={"row": row},
        )

    return score


@cache
def _clips(folder: str) -> Clips:
    try:
        return Clips.open(folder)
    except InputError as error:
        raise InputError(f"{error} (-T clips=FOLDER says where the clips are)") from error
