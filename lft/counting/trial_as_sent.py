"""Reconstructs one trial from its run: what the model was shown."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lft.core.errors import InputError, shown
from lft.core.files import sha256_of, write_text
from lft.core.prompts import fill
from lft.core.records import Entries, JsonObject, Key, Line
from lft.core.runs import ANSWERED, NOT_APPLICABLE, Run
from lft.core.video.contact_sheet import write_sheet
from lft.core.video.frames import Frames, frame_table
from lft.core.video.media import Media
from lft.counting.clips import Clips, clips_folder_of
from lft.counting.sweep import evidence_words


def shown_trial(
    run: Run,
    trial: str,
    lines: Sequence[Line],
    clips_folder: Path | None,
    out: Path,
    *,
    rule: str = "ledger",
    tolerance: str | float = "rate",
) -> JsonObject:
    """The trial as a JSON document; writes its contact sheet, and the table of its frames (index, time, hash of the
    pixels; not for native video), into `out`.

    `words_check` says whether the words rendered now agree with the stored hash; `judged` is the answer compared with
    the truth (see `lft.counting.scored_answer`).
    """
    from lft.counting.scored_answer import judged

    last = next((line for line in lines if line.get("status") == ANSWERED), lines[-1])
    key = dict(last["key"])
    clips = _clips(run, clips_folder)
    media = Media.open(_video(run, clips, str(key.get("clip"))))
    times_s = [float(t) for t in last.get("frame_times_s") or []]
    native = bool(last.get("native"))
    system, asked = _words(run, key, media, None if native else len(times_s))
    sheet = out / (re.sub(r"[^\w.+-]+", "_", trial)[:120] + ".png")
    frames = _frames(media, times_s, native)
    write_sheet(sheet, frames, [f"{t:.1f} s" for t in frames.times_s] if native else None)
    listed = None if native else sheet.with_suffix(".frames.csv")
    if listed:
        write_text(listed, frame_table(frames))
    return {
        "trial": trial,
        "key": key,
        "model": run.manifest.get("model", {}).get("name"),
        "parameters": {k: v for k, v in run.manifest.get("model", {}).items() if k != "spec"},
        "model_version": last.get("model_version"),
        "sent": last.get("sent") or {},
        "native": native,
        "frame_times_s": times_s,
        "provider_clock": provider_clock(last.get("sent") or {}, times_s),
        "system": system,
        "turns": _turns(asked, lines),
        "words_check": _check(system, asked, lines),
        "judged": judged(
            run, run.answers().get(trial), clips.trace, str(key.get("clip")), rule=rule, tolerance=tolerance
        ),
        "sheet": str(sheet),
        "frames": None if listed is None else str(listed),
    }


def provider_clock(sent: Entries, times_s: Sequence[float]) -> str | None:
    """Comparison of the provider's frame times, if an answer has them, with those of the file.

    >>> provider_clock({"provider_frame_times_s": [0.0, 1.04]}, [0.0, 1.0])
    'the provider has 2 frames, up to 0.040 s from those of the file'
    >>> provider_clock({"provider_frame_times_s": [0.0, 1.0], "native_times_s": [0.0, 0.5, 1.0]}, [])
    'the provider has 2 frames, of the file are 3'
    >>> provider_clock({}, [0.0]) is None
    True
    """
    said = sent.get("provider_frame_times_s")
    own = list(times_s) or sent.get("native_times_s")
    if not isinstance(said, list) or not said:
        return None
    frames = f"the provider has {len(said)} frame{'s' if len(said) > 1 else ''}"
    if not own:
        return f"{frames}; which of the file were supplied is not known"
    if len(said) != len(own):
        return f"{frames}, of the file are {len(own)}"
    try:
        furthest_s = max(abs(float(a) - float(b)) for a, b in zip(said, own, strict=True))
    except (TypeError, ValueError):
        return f"{frames}, whose times are no numbers"
    return f"{frames}, up to {furthest_s:.3f} s from those of the file"


def _clips(run: Run, given: Path | None) -> Clips:
    candidates = [given] if given else [clips_folder_of(run), Path(str(run.manifest.get("clips_folder", "")))]
    folder = next((path for path in candidates if path.is_dir()), None)
    if folder is None:
        raise InputError("the clips are not there", where=candidates[0], remedy="--clips DIR")
    return Clips.open(folder)


def _video(run: Run, clips: Clips, clip: str) -> Path:
    """The clip's file, if it is still the one that was asked about."""
    if clip not in clips.by_id:
        raise InputError(
            f"holds no clip {shown(clip)}", where=clips.folder, remedy="--clips DIR with the run's clips"
        )
    video = clips.by_id[clip].video
    expected = run.own.get("clips", {}).get(clip)
    if expected and sha256_of(video) != expected:
        raise InputError(
            "is not the video that was asked about", where=video, remedy="--clips DIR with the run's clips"
        )
    return video


def _frames(media: Media, times_s: Sequence[float], native: bool) -> Frames:
    """The frames at recorded times; for native video one per second."""
    wanted_s = np.arange(0, media.duration_s, 1.0) if native else np.asarray(times_s, dtype=np.float64)
    indices = np.array([media.frame_at(float(t)) for t in wanted_s], dtype=np.intp)
    return Frames(media, indices, media.frame_times_s[indices])


def _words(run: Run, key: Key, media: Media, images: int | None) -> tuple[str | None, list[str]]:
    """System instruction and the user's words of each turn, from the stored prompts."""
    prompt = run.own.get("prompts", {}).get(key.get("prompt"), {})
    words = prompt.get("words", {})
    values = dict(run.manifest.get("questions", {}).get(str(key.get("clip")).partition("/")[0], {}))
    said = run.manifest.get("prompts_version", 1) >= 2 and str(key.get("sampling")).startswith("keyframes")
    labels = str(key.get("labels", "none"))
    values["evidence"] = evidence_words(media.duration_s, images, labels, at_events=said)
    where = f"{run.folder}: prompt {key.get('prompt')}"
    system = fill(words["system"], values, where=where) if words.get("system") else None
    return system, [fill(turn, values, where=where) for turn in words.get("turns", [])]


def _turns(asked: Sequence[str], lines: Sequence[Line]) -> list[JsonObject]:
    turns: list[JsonObject] = [{"turn": k, "asked": words, "attempts": []} for k, words in enumerate(asked)]
    for line in lines:
        number = int(line["key"].get("turn", 0))
        while len(turns) <= number:
            turns.append(
                {"turn": len(turns), "asked": "(the run has not stored these words)", "attempts": []}
            )
        error = line.get("error")
        why = line.get("reason") or (error and error.get("message"))
        text = line.get("text") if line.get("status") == ANSWERED else why
        status = error["kind"] if error else line.get("status")
        details = {k: line.get(k) for k in ("attempt", "latency_s", "finish_reason", "usage", "cost_usd")}
        status = "not applicable" if status == NOT_APPLICABLE else status
        turns[number]["attempts"].append({"status": status, "text": str(text or ""), **details})
    answered = [a for a in turns[-1]["attempts"] if a["status"] == ANSWERED] if turns else []
    if answered:
        answered[0]["counts"] = True  # the first answer of the last turn
    return turns


def _check(system: str | None, asked: Sequence[str], lines: Sequence[Line]) -> str:
    """Whether the hash of the words is the recorded one, for every turn."""
    if all(line.get("prompt_sha256") is None for line in lines):
        return "were not kept: the answers were imported"
    for line in lines:
        turn = int(line["key"].get("turn", 0))
        words = "\x00".join((system or "", "\n\n".join(asked[: turn + 1])))
        if line.get("prompt_sha256") != hashlib.sha256(words.encode("utf-8", "replace")).hexdigest():
            return "are NOT those that were sent: their hash differs from the recorded one"
    return "are those that were sent (hash agrees)"
