"""The episodes of a run as an Inspect AI log: one sample per episode.

A sample has the last conversation with its pictures and the last answer; `pass` and `score` as its
score; condition, end, actions and measures as metadata. Replicates are epochs. Unfinished episodes are left out, and
counted in the log's metadata.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lft.agents.scores import row_of
from lft.agents.study import AgentsStudy
from lft.core.errors import InputError
from lft.core.requests import Images, Message, Request, Text
from lft.core.run_lines import response_of
from lft.core.runs import ANSWERED, Run
from lft.core.trials import release


def export(run: Run, out: Path, *, pictures: bool = True) -> int:
    """Writes the log, FILE.eval or FILE.json; returns the number of samples. Raises `InputError` without Inspect."""
    try:
        from inspect_ai import log as logs
        from inspect_ai.scorer import Score
    except ImportError as error:
        raise InputError("inspect_ai is not installed", remedy="pip install 'lft-bench[export]'") from error
    if out.suffix not in (".eval", ".json"):
        raise InputError(
            f"a log of the form {out.suffix or 'none'}", where=out, expected="FILE.eval or FILE.json"
        )
    entries = dict(run.manifest.get("sweep") or {})
    name, model = str(entries.pop("name", "")), str(run.manifest["model"]["name"])
    trials = {trial.id: trial for trial in AgentsStudy(name, entries, {}, run.folder).trials(model)}
    held, samples = run.episodes(), []
    for trial in run.trials():
        episode = held.get(trial)
        if episode is None or episode.status != ANSWERED or trial not in trials:
            continue
        row = row_of(run, episode)
        request = _last_request(trials[trial], episode.answers)
        messages = _messages(request, pictures) if request else []
        if messages:
            messages.append(_assistant(str(episode.answers[-1].get("text") or "")))
        key = {k: v for k, v in episode.key.items() if k != "replicate"}
        scored = {"pass": row["pass"] / 100.0, "score": row["score"]}
        samples.append(
            logs.EvalSample(
                id=",".join(str(v) for k, v in key.items() if k != "model"),
                epoch=int(episode.key.get("replicate") or 0) + 1,
                input=messages[:1] or str(key["task"]),
                target="",
                messages=messages,
                scores={"lft": Score(value=scored, answer=str(episode.end))},
                metadata={**key, "end": episode.end, **dict(episode.kept)},
            )
        )
    if not samples:
        raise InputError("no episode has ended yet", where=run.folder, remedy="lft sweep")
    written = logs.EvalLog(
        status="success",
        eval=logs.EvalSpec(
            created=str(run.manifest.get("begun") or "1970-01-01T00:00:00+00:00"),
            task=f"lft/{name}",
            dataset=logs.EvalDataset(name="lft agents", samples=len({s.id for s in samples})),
            model=model if "/" in model else f"lft/{model}",
            config=logs.EvalConfig(epochs=max(sample.epoch for sample in samples)),
            metadata={"run": run.folder.name, "not_ended": len(run.trials()) - len(samples)},
        ),
        results=logs.EvalResults(
            total_samples=len(samples), completed_samples=len(samples), scores=_means(logs, samples)
        ),
        samples=samples,
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    logs.write_eval_log(written, str(out))
    return len(samples)


def _means(logs: Any, samples: Sequence[Any]) -> list[Any]:
    """Means over samples, for the viewer; `lft score` counts environments equally."""
    found = {}
    for name in ("pass", "score"):
        values = [sample.scores["lft"].value[name] for sample in samples]
        found[name] = logs.EvalMetric(name=name, value=sum(values) / len(values))
    return [logs.EvalScore(name="lft", scorer="lft", metrics=found)]


def _last_request(trial: Any, lines: Sequence[Any]) -> Request | None:
    """The request to which the last answer came."""
    if not lines:
        return None
    try:
        found = trial.next([response_of(line) for line in lines[:-1]])
    finally:
        release(trial)
    return found if isinstance(found, Request) else None


def _messages(request: Request, pictures: bool) -> list[Any]:
    from inspect_ai.model import ChatMessageUser

    return [
        _assistant(message.text)
        if message.role == "model"
        else ChatMessageUser(content=_content(message, pictures))
        for message in request.messages
    ]


def _assistant(text: str) -> Any:
    from inspect_ai.model import ChatMessageAssistant

    return ChatMessageAssistant(content=text)


def _content(message: Message, pictures: bool) -> list[Any]:
    import cv2
    from inspect_ai.model import ContentImage, ContentText

    found: list[Any] = []
    for part in message.parts:
        if isinstance(part, Text):
            found.append(ContentText(text=part.text))
        elif not isinstance(part, Images) or not pictures:
            kind = "pictures" if isinstance(part, Images) else "video"
            found.append(ContentText(text=f"({part.purpose}: {kind} left out)"))
        else:
            for picture in part.frames.pictures():
                done, data = cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
                if not done:
                    raise RuntimeError(f"OpenCV could not encode a picture of shape {picture.shape}")
                coded = base64.b64encode(data.tobytes()).decode()
                found.append(ContentImage(image=f"data:image/png;base64,{coded}"))
    return found
