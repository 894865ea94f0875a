"""The observer as a model: sent what any model is sent, it answers in the words that are asked of one."""

from __future__ import annotations

import contextlib
from importlib.metadata import version
from pathlib import Path

from lft.core.errors import InputError, shown
from lft.core.files import fingerprint, fingerprint_of
from lft.core.models import ModelSpec
from lft.core.records import JsonObject
from lft.core.requests import Images, NotApplicable, Request, Response, Video
from lft.core.runs import READER_OF
from lft.core.video.frames import Frames, Sampling, sample
from lft.counting.domains import DOMAINS, domain, named
from lft.counting.observer.observe import Observation, observe

PRIORS = ("none", "regular")
VERSION = "7"  # changes whenever the same frames may give another answer


class Observer:
    """The embedded observer, model spec `observer`. It has no weights and no key.

    `observer?prior=regular` knows beforehand that events are evenly spaced, and infers what lies between the frames
    (`lft.counting.observer.inferred`): it may count what no frame shows.
    """

    is_free = True

    def __init__(self, spec: ModelSpec) -> None:
        if spec.name or any(key != "prior" for key in spec.options):
            raise InputError(
                f"the observer has no options but prior: {shown(str(spec))}",
                expected="observer, or observer?prior=regular",
            )
        self.prior = spec.options.get("prior", "none")
        if self.prior not in PRIORS:
            raise InputError(
                f"the observer's prior is {shown(self.prior)}", expected="prior=regular, or prior=none"
            )
        self.name = "observer" if self.prior == "none" else f"observer?prior={self.prior}"

    def generate(self, request: Request) -> Response:
        """Watches the last frames or video of the user; what is said beside them changes nothing."""
        shown_parts = [part for part in request.parts if isinstance(part, Images | Video)]
        if not shown_parts:
            raise NotApplicable("the observer needs frames or a video")
        part = shown_parts[-1]
        if "domain" not in request.task:
            raise NotApplicable("the observer needs a task with a domain")
        decimals: int | None = 3
        if isinstance(part, Video):
            policy = Sampling("native") if part.rate_hz is None else Sampling("fps", part.rate_hz)
            frames = sample(part.media, policy)
        else:
            # A label gives a time to two decimals; without one there is only the order.
            frames, decimals = part.frames, 2 if part.labels == "time" else None
        name = request.task["domain"]
        if name not in DOMAINS:
            raise NotApplicable(f"the observer knows nothing of {name}: it watches clips that LFT rendered")
        seen = self._watched(frames, name)
        sent = {"frames": len(frames), "dated": decimals is not None}
        return Response(answer(seen, name, decimals), model_version=VERSION, sent=sent)

    def _watched(self, frames: Frames, name: str) -> Observation:
        if self.prior == "none":
            return observe(frames, name)
        from lft.counting.observer.inferred import infer

        return infer(frames, name)

    def describe(self) -> JsonObject:
        """Versions and fingerprints of the code that reads frames: the same ones give the same answers."""
        packages = {"opencv": version("opencv-python-headless"), "numpy": version("numpy")}
        code = {"code": fingerprint(Path(__file__).parent), **_readers()}
        described = {"observer": VERSION, **packages, **code, "native_frames": "all"}
        if self.prior == "none":
            return described
        from lft.counting.audit import ideal

        # What it presumes, and the code that it infers with.
        events = "regular; N uniform on 0..12, F uniform on 0.5..4 Hz, start uniform"
        return described | {"prior": events, "posterior": fingerprint(Path(ideal.__file__).parent)}


def _readers() -> dict[str, str]:
    """The fingerprint of each domain's reader, those of other packages included."""
    found = {}
    for name, one in DOMAINS.items():
        with contextlib.suppress(Exception):  # a package that cannot be imported reads nothing either
            found[f"{READER_OF}{name}"] = fingerprint_of(named(one.reader)) or "unknown"
    return found


def answer(seen: Observation, domain_name: str, decimals: int | None) -> str:
    """The ledger and the boxed count, or that the clip is of another domain.

    Times have `decimals` digits; None names frames (from 1) instead.

    >>> print(answer(Observation((1.5,), ("left wall",), (45,), 1), "bounce_ball", 2))
    1. At 1.50 s - wall contact (left wall) - running count: 1
    <BLANKLINE>
    \\boxed{1}
    """
    what = domain(domain_name).event_type.replace("_", " ")
    if seen.unfit is not None:
        return f"This is not a clip of {domain_name}: {seen.unfit}."
    lines = []
    rows = zip(seen.event_times_s, seen.positions, seen.labels, strict=True)
    for count, (time_s, position, label) in enumerate(rows, start=1):
        when = f"Frame {position + 1}" if decimals is None else f"At {time_s:.{decimals}f} s"
        how = f" ({label})" if label != what else ""
        lines.append(f"{count}. {when} - {what}{how} - running count: {count}")
    lines += ["" if lines else "No events.", f"\\boxed{{{seen.final_answer}}}"]
    return "\n".join(lines)
