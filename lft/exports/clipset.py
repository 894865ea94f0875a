"""The common part of all exports: a copy of the clips folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from lft.core.errors import InputError
from lft.core.files import link_or_copy, write_text
from lft.core.prompts import Template
from lft.core.prompts import folder as prompt_folder
from lft.core.records import JsonObject
from lft.counting.clips import MANIFEST, Clip, Clips, read_manifest, write_manifest
from lft.counting.sweep import question_about

REPOSITORY = "https://arxiv.org/abs/2608.06361"
CITATION = """@misc{lowfrequencytrap2026,
  title         = {The Low-Frequency Trap},
  year          = {2026},
  eprint        = {2608.06361},
  archivePrefix = {arXiv}
}"""


def copy_clips(clips: Clips, out: Path) -> Clips:
    """Copies videos, traces and manifest to `out`, with hard links if possible; the result is a clips folder.

    Raises `InputError` if files of a clip are missing or changed, and if `out` is the clips' own folder or
    has other clips.
    """
    out = Path(out)
    if out.exists() and out.resolve() == clips.folder.resolve():
        raise InputError(
            "is the folder of the clips themselves", where=out, remedy="--out with another folder"
        )
    others = set(read_manifest(out)) - set(clips.by_id) if (out / MANIFEST).is_file() else set()
    if others:
        what = f"holds {len(others)} clips that {clips.folder} does not have, such as {min(others)}"
        raise InputError(what, where=out, remedy="--out with another folder")
    placed = {}
    for clip in clips:
        fault = clip.fault()
        if fault:
            where = f"clip {clip.clip_id} in {clips.folder}"
            raise InputError(fault, where=where, remedy="rendering the clips again")
        video, trace = (out / path.relative_to(clips.folder) for path in (clip.video, clip.trace_path))
        link_or_copy(clip.video, video)
        link_or_copy(clip.trace_path, trace)
        placed[clip.clip_id] = replace(clip, video=video, trace_path=trace)
    for path in sorted((clips.folder / "questions").glob("*.txt")):
        link_or_copy(path, out / "questions" / path.name)
    write_manifest(out, placed)
    return Clips(out, placed)


def rows(clips: Clips) -> list[JsonObject]:
    """`row` of every clip, in the manifest's order."""
    asked = {d: question_about(d, clips)["question"] for d in {clip.spec.domain for clip in clips}}
    return [row(clip, clips.folder, asked[clip.spec.domain]) for clip in clips]


def copy_prompts(clips: Clips, conditions: Iterable[str], out: Path) -> None:
    """Copies the current prompts to `out`/prompts, so that the export does not change with them."""
    for condition in conditions:
        Template.load(condition)
        text = (prompt_folder() / "conditions" / f"{condition}.txt").read_text("utf-8")
        write_text(out / "prompts" / "conditions" / f"{condition}.txt", text)
    for domain in sorted({clip.spec.domain for clip in clips}):
        values = question_about(domain, clips)
        text = "\n".join(f"=== {name}\n{values[name]}" for name in ("question", "event", "detail"))
        write_text(out / "prompts" / "questions" / f"{domain}.txt", text + "\n")


def conditions() -> list[str]:
    """The names of all built-in prompt conditions."""
    return sorted(path.stem for path in (prompt_folder() / "conditions").glob("*.txt"))


def row(clip: Clip, folder: Path, question: str) -> JsonObject:
    """One clip as a flat row: spec, files, events.

    Times are seconds from the first frame, float64. `states` has one more entry than there are events.
    """
    trace = clip.trace
    events = trace.events
    return {
        "file_name": clip.video.relative_to(folder).as_posix(),
        "clip_id": clip.clip_id,
        "domain": clip.spec.domain,
        "count": clip.spec.count,
        "frequency_hz": clip.spec.frequency_hz,
        "seed": clip.spec.seed,
        "fps": float(trace.fps),
        "frame_count": trace.frame_count,
        "width": trace.width,
        "height": trace.height,
        "duration_s": trace.duration_s,
        "question": question,
        "event_times_s": [event.time_s for event in events],
        "event_type": events[0].type if events else "",
        "states": [events[0].state_before, *(e.state_after for e in events)] if events else [],
        "trace_file": clip.trace_path.relative_to(folder).as_posix(),
        "video_sha256": clip.video_sha256,
        "source": getattr(clip.spec, "source", ""),
        "kind": getattr(clip.spec, "kind", ""),
        "timed": getattr(clip.spec, "timed", True),
    }
