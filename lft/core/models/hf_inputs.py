"""A request as input of Transformers processors: messages, pixels, and the time of each frame.

Frames can be given as a video, as in the training of these models, or one by one as images. In a video, the
family decides what is written beside the frames: Qwen3-VL the time of each pair, InternVL the number of each,
Qwen2.5-VL nothing (time is in its position code). So `frames=auto` gives frames as a video if the
family writes what the condition's labels ask for, and otherwise as images after LFT's own labels.

The processors have three pitfalls, which are avoided here. Sampled frames are sampled again unless
`do_sample_frames` is False (48 become 4). Without metadata their times are invented (24 s become 1.9). And a
list in the metadata is padded in place, so each call gets its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from lft.core.records import Entries, JsonObject
from lft.core.requests import Images, NotApplicable, Request, Text, Video
from lft.core.video.frames import Frames
from lft.core.video.media import Media

# What a family writes beside the frames of a video; other families get images.
OWN_LABELS = {"qwen3_vl": "time", "qwen3_vl_moe": "time", "qwen2_5_vl": "none", "internvl": "index"}
# Families that merge frames in pairs: pairs of unevenly spaced frames would get times at which there was no
# frame.
_EVEN_ONLY = ("qwen3_vl", "qwen3_vl_moe", "qwen2_5_vl")
_CLOCK_HZ = 1000.0  # for videos whose frames are not evenly spaced: indices count milliseconds


@dataclass
class Prepared:
    """One request, ready for the processor."""

    messages: list[JsonObject]
    images: list[Any] = field(default_factory=list)  # uint8 (h, w, 3) each
    videos: list[npt.NDArray[np.uint8]] = field(default_factory=list)  # uint8 (n, h, w, 3) each
    metadata: list[JsonObject] = field(default_factory=list)  # one for each video
    sent: JsonObject = field(default_factory=dict)
    thinking: bool = False

    @property
    def kind(self) -> tuple[object, ...]:
        """Requests of one kind can share a batch."""
        return (bool(self.images), tuple(len(video) for video in self.videos))


def prepare(request: Request, family: str, video_processor: Any, options: Entries) -> Prepared:
    """Messages, pixels and metadata of a request; raises `NotApplicable` if the family cannot take it."""
    made = Prepared([], sent={"given_as": "none"}, thinking=request.thinking)
    if request.system:
        made.messages.append(
            {"role": "system", "content": [{"type": "text", "text": _plain(request.system)}]}
        )
    for message in request.messages:
        content: list[JsonObject] = []
        for part in message.parts:
            if isinstance(part, Text):
                content.append({"type": "text", "text": _plain(part.text)})
            elif isinstance(part, Video):
                frames = _native_frames(part, family, video_processor, options)
                content += _as_video(frames, made)
                made.sent["native_times_s"] = [round(float(t), 6) for t in frames.times_s]
            elif _wants_video(part, family, str(options.get("frames", "auto"))):
                content += _as_video(part.frames, made)
            else:
                content += _as_images(part, made)
        made.messages.append({"role": "assistant" if message.role == "model" else "user", "content": content})
    return made


def _wants_video(part: Images, family: str, how: str) -> bool:
    if part.purpose == "observation":  # one picture of the present, no film
        return False
    own = OWN_LABELS.get(family)
    fits = own is not None and own == part.labels and (family not in _EVEN_ONLY or _is_even(part.frames))
    if how == "video" and not fits:
        if own is None:
            raise NotApplicable(f"{family} takes no video")
        why = "unevenly spaced frames" if own == part.labels else f"labels {part.labels}"
        raise NotApplicable(
            f"{family} given a video writes {own} beside its frames; not to be had with {why}"
        )
    return fits and how != "images"


def _as_images(part: Images, made: Prepared) -> list[JsonObject]:
    content: list[JsonObject] = []
    for position, picture in enumerate(part.frames.pictures()):
        label = part.label(position)
        if label is not None:
            content.append({"type": "text", "text": label})
        content.append({"type": "image"})
        made.images.append(picture)
    size = list(made.images[-1].shape[1::-1]) if made.images else None
    made.sent.update(given_as="images", images=len(made.images), image_size=size, labels=part.labels)
    return content


def _as_video(frames: Frames, made: Prepared) -> list[JsonObject]:
    pixels = frames.pixels
    made.videos.append(pixels)
    told = clock(frames)
    made.metadata.append(told | {"height": pixels.shape[1], "width": pixels.shape[2]})
    # What the processor takes for the frames' times, and writes beside them.
    made.sent["provider_frame_times_s"] = [round(i / told["fps"], 6) for i in told["frames_indices"]]
    made.sent.update(
        given_as="video", video_frames=len(frames), image_size=[pixels.shape[2], pixels.shape[1]]
    )
    return [{"type": "video"}]


def clock(frames: Frames) -> JsonObject:
    """total_num_frames, fps, frames_indices and duration, such that frames_indices / fps are the frames'
    times.

    >>> made = clock(Frames.of_pixels(np.zeros((3, 2, 2, 3), np.uint8), [0.0, 0.1, 0.35]))
    >>> made["fps"], made["frames_indices"]
    (1000.0, [0, 100, 350])
    """
    source = frames.source
    if isinstance(source, Media):
        rate_hz = source.mean_rate_hz
        if np.allclose(source.frame_times_s, np.arange(len(source)) / rate_hz, rtol=0, atol=5e-4):
            indices = [int(i) for i in frames.frame_indices]
            return _metadata(len(source), rate_hz, indices, source.duration_s)
        duration_s = source.duration_s
    else:
        step_s = float(np.median(np.diff(frames.times_s))) if len(frames) > 1 else 1.0
        duration_s = float(frames.times_s[-1]) + step_s
    indices = [round(float(t) * _CLOCK_HZ) for t in frames.times_s]
    return _metadata(max(indices[-1] + 1, round(duration_s * _CLOCK_HZ)), _CLOCK_HZ, indices, duration_s)


def _metadata(total: int, rate_hz: float, indices: list[int], duration_s: float) -> JsonObject:
    return {
        "total_num_frames": total,
        "fps": float(rate_hz),
        "frames_indices": indices,
        "duration": duration_s,
    }


def _native_frames(part: Video, family: str, video_processor: Any, options: Entries) -> Frames:
    """The frames that the model's own sampler selects from a video.

    The sampler is asked for indices, so that only these frames are kept.
    """
    if family not in OWN_LABELS or video_processor is None:
        raise NotApplicable(f"{family} takes no video")
    media = part.media
    rate_hz = part.rate_hz or options.get("fps")
    count = options.get("num_frames")
    if rate_hz is None and count is None:
        rate_hz, count = getattr(video_processor, "fps", None), getattr(video_processor, "num_frames", None)
    if count is not None:
        rate_hz = None  # the two exclude each other
    if rate_hz is None and count is None:
        raise NotApplicable(f"{family} says nothing of how it samples a video; ?fps=1 or ?num_frames=8 does")
    from transformers.video_utils import VideoMetadata

    whole = VideoMetadata(
        **_metadata(len(media), media.mean_rate_hz, list(range(len(media))), media.duration_s)
    )
    try:
        chosen = video_processor.sample_frames(metadata=whole, num_frames=count, fps=rate_hz)
    except ValueError as error:
        raise NotApplicable(f"{family} cannot sample this video so: {error}") from None
    indices = np.asarray(chosen, dtype=np.intp)
    return Frames(media, indices, media.frame_times_s[indices])


def _is_even(frames: Frames) -> bool:
    """Whether all steps are the same, up to one frame of the source."""
    steps_s = np.diff(frames.times_s)
    return len(steps_s) == 0 or float(np.ptp(steps_s)) <= 0.5 * float(np.median(steps_s))


def _plain(text: str) -> str:
    """Text for a tokenizer: lone surrogates are replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")
