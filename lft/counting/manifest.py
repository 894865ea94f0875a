"""What a run of the counting suite stands on, recorded so that a change is noticed and a reader can repeat it."""

from __future__ import annotations

import datetime
import platform
import subprocess
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from lft.core.files import fingerprint_of, read_text
from lft.core.models import Model
from lft.core.models.secrets import public_spec
from lft.core.prompts import Template
from lft.core.version import __version__
from lft.counting.clips import way_between
from lft.counting.sweep import PROMPTS_VERSION, ClipTrial, Sweep

METRICS_VERSION = 2  # raised whenever the meaning of a score changes
_PACKAGES = (
    "numpy",
    "scipy",
    "opencv-python-headless",
    "av",
    "manim",
    "google-genai",
    "openai",
    "transformers",
    "torch",
)


def manifest_of(
    folder: Path, sweep: Sweep, model_spec: str, model: Model, clips: Any, trials: Sequence[ClipTrial]
) -> dict[str, Any]:
    """The manifest of the run in `folder`: see the module's first line. Hashes are over whole files.

    The clips are named relative to the run, so that a results folder can be moved as a whole.
    """
    templates: dict[str, Template] = {t.condition.prompt: t.prompt for t in trials}
    used = {str(t.key["clip"]) for t in trials}
    return {
        "suite": "counting",
        "sweep": sweep.to_json(),
        "model": {"spec": public_spec(model_spec), "name": model.name, **model.describe()},
        "prompts_version": PROMPTS_VERSION,
        "adapter": {"code": fingerprint_of(type(model)), "lft": __version__},
        "prompts": {
            name: {"sha256": template.sha256, "turns": len(template.turns), "words": _words(template)}
            for name, template in templates.items()
        },
        "questions": {t.domain: dict(t.question) for t in trials},
        "clips_folder": way_between(folder, clips.folder),
        "clips": {clip.clip_id: clip.video_sha256 for clip in clips if clip.clip_id in used},
        "trials": {t.id: dict(t.key) for t in trials},
        **provenance(),
    }


def provenance() -> dict[str, Any]:
    """What made a run, and when: metrics_version, versions, git_revision, begun."""
    return {
        "metrics_version": METRICS_VERSION,
        "versions": {"lft": __version__, "python": platform.python_version(), **_versions()},
        "git_revision": _git_revision(),
        "begun": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _words(template: Template) -> dict[str, Any]:
    words = {"system": template.system, "turns": list(template.turns)}
    return words | ({"schema": dict(template.schema)} if template.schema else {})


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _git_revision() -> str | None:
    """The revision of the checkout that LFT runs from, if it is one."""
    root = Path(__file__).resolve().parents[2]
    try:
        head = read_text(root / ".git" / "HEAD").strip() if (root / ".git").is_dir() else ""
        if not head:
            return None
        done = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty"],
            capture_output=True,
            text=True,
            timeout=10,
        )
        return done.stdout.strip() or None
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
