"""A folder of clips with real, tiny videos: counts 0 to 3, four seconds at ten frames per second."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from lft.core.files import sha256_of
from lft.counting.clips import Clip, Clips, clip_paths, write_manifest
from lft.counting.spec import ClipSpec
from tests.fake_runs import trace_of
from tests.videos import numbered, write_video

KEYS = (
    ("blinking", 0, 1.0, 0),
    ("blinking", 2, 1.0, 0),
    ("blinking", 3, 1.5, 1),
    ("state_machine", 1, 0.5, 0),
    ("state_machine", 3, 2.0, 0),
)


def tiny_clips(folder: Path) -> Clips:
    """Clips as `lft render` would leave them, but for the pictures, which only number the frames."""
    found = {}
    for key in KEYS:
        spec = ClipSpec(*key, fps=10, width=64, height=64, duration_s=4)
        video, trace_path = (folder / path for path in clip_paths(spec.clip_id))
        video.parent.mkdir(parents=True, exist_ok=True)
        write_video(video, numbered(spec.frame_count, (64, 64)), time_base=Fraction(1, spec.fps))
        trace = trace_of(spec, sha256_of(video))
        trace.write(trace_path)
        found[spec.clip_id] = Clip(
            spec.clip_id, spec, video, trace_path, trace.video_sha256, sha256_of(trace_path)
        )
    write_manifest(folder, found)
    return Clips.open(folder)
