"""Small runs made up on the spot, over traces without pictures, for tests of what is drawn from runs."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lft.core.files import sha256_of, write_json, write_text
from lft.core.runs import Run
from lft.core.video.frames import Sampling
from lft.counting.clips import Clip, Clips, clip_paths, write_manifest
from lft.counting.domains import DOMAINS
from lft.counting.spec import ClipSpec
from lft.counting.trace import Event, Trace

Say = Callable[[Trace, Sequence[float], random.Random], str]


def trace_of(spec: ClipSpec, video_sha256: str = "0" * 64) -> Trace:
    """A consistent trace: events at the middle of each period, from 2 s on where they fit."""
    start_s = min(2.0, spec.duration_s - spec.count / spec.frequency_hz)
    events = []
    for i in range(spec.count):
        scheduled_s = start_s + (i + 0.5) / spec.frequency_hz
        frame = round(scheduled_s * spec.fps)
        before, after = ("A", "B") if i % 2 == 0 else ("B", "A")
        kind = DOMAINS[spec.domain].event_type
        events.append(
            Event(i, frame / spec.fps, scheduled_s, frame, kind, before, after, i + 1, (frame, frame))
        )
    return Trace(
        spec.clip_id, spec, spec.fps, spec.frame_count, spec.width, spec.height, video_sha256, tuple(events)
    )


def make_clips(
    folder: Path,
    *,
    domains: Iterable[str] = ("bounce_ball", "state_machine"),
    counts: Iterable[int] = (0, 1, 3),
    frequencies_hz: Iterable[float] = (0.5, 2.0),
    seeds: int = 2,
) -> Clips:
    """A clips folder with true traces; the videos are a few bytes that no player opens."""
    found = {}
    for domain in domains:
        for count in counts:
            for frequency_hz in frequencies_hz if count else (1.0,):
                for seed in range(seeds):
                    spec = ClipSpec(domain, count, frequency_hz, seed)
                    video, trace_path = (folder / Path(p) for p in clip_paths(spec.clip_id))
                    video.parent.mkdir(parents=True, exist_ok=True)
                    video.write_bytes(b"not a video " + spec.clip_id.encode())
                    digest = hashlib.sha256(video.read_bytes()).hexdigest()
                    trace = trace_of(spec, digest)
                    trace.write(trace_path)
                    found[spec.clip_id] = Clip(
                        spec.clip_id, spec, video, trace_path, digest, sha256_of(trace_path)
                    )
    write_manifest(folder, found)
    return Clips.open(folder)


def say_truth(trace: Trace, frames_s: Sequence[float], rng: random.Random) -> str:
    """A ledger that names every event at its time, then the right answer."""
    return ledger([(e.time_s, f"{e.state_before} -> {e.state_after}") for e in trace.events])


def say_some(trace: Trace, frames_s: Sequence[float], rng: random.Random) -> str:
    """A ledger that leaves out a third of the events and rarely invents one."""
    kept = [(e.time_s + rng.uniform(-0.05, 0.05), "event") for e in trace.events if rng.random() > 0.33]
    if rng.random() < 0.15:
        kept.append((20.5, "event"))
    return ledger(kept)


def ledger(entries: Sequence[tuple[float, str]]) -> str:
    """Entries (time in seconds, words) in the asked form."""
    lines = [
        f"{i}. {time_s:.2f} s - {words} - count {i}" for i, (time_s, words) in enumerate(sorted(entries), 1)
    ]
    return "\n".join([*lines, "", f"\\boxed{{{len(entries)}}}"])


def make_run(
    folder: Path,
    clips: Clips,
    *,
    model: str = "observer",
    samplings: Sequence[str] = ("native",),
    prompts: Sequence[str] = ("structured_trace",),
    say: Say = say_some,
    missing: Iterable[str] = (),
    rule: str = "ledger",
) -> Path:
    """A scored run whose responses are `say(trace, frame times, rng)`; clips in `missing` failed."""
    from lft.counting.scores import score_run, write_scores

    trials, lines, missing = {}, [], set(missing)
    for sampling in samplings:
        for prompt in prompts:
            for clip in clips:
                key = {
                    "clip": clip.clip_id,
                    "model": model,
                    "sampling": sampling,
                    "labels": "none",
                    "prompt": prompt,
                    "replicate": 0,
                }
                trial = "|".join(str(v) for v in key.values())
                trials[trial] = key
                times_s = Sampling.parse(sampling).times_s(24.0, clip.trace.times_s).tolist()
                line = {
                    "trial": trial,
                    "key": {**key, "turn": 0},
                    "frame_times_s": times_s,
                    "native": sampling == "native",
                }
                if clip.clip_id in missing:
                    lines.append(
                        {
                            **line,
                            "status": "error",
                            "error": {"kind": "timeout", "message": "no reply in 60 s"},
                        }
                    )
                    continue
                text = say(clip.trace, times_s, random.Random(trial))
                lines.append(
                    {
                        **line,
                        "status": "answered",
                        "text": text,
                        "usage": {"input_tokens": 1200, "output_tokens": len(text) // 4},
                        "latency_s": 0.8,
                        "cost_usd": 0.0004,
                    }
                )
    manifest = {
        "schema": "lft.run/1",
        "suite": "counting",
        "model": {"spec": model, "name": model},
        "prompts": {
            p: {
                "sha256": "0" * 64,
                "turns": 1,
                "words": {"system": "You watch videos.", "turns": ["List the events."]},
            }
            for p in prompts
        },
        "questions": {
            d: {"question": f"How many events of {d}?"} for d in ("bounce_ball", "blinking", "state_machine")
        },
        "clips_folder": str(Path("..", "..", "clips", clips.folder.name)),
        "trials": trials,
        "metrics_version": 1,
    }
    write_json(folder / "manifest.json", manifest)
    write_text(folder / "responses.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    rows = list(score_run(Run.open(folder), clips.trace, rule=rule))
    write_scores(folder / "scores.csv", rows)
    return folder
