"""The manifest of a run: everything its answers depend on, so that a change is noticed and the run can be repeated."""

from __future__ import annotations

import datetime
import platform
import subprocess
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from lft.core.files import fingerprint_of, read_text
from lft.core.models import Model
from lft.core.models.secrets import public_spec
from lft.core.prompts import Template
from lft.core.records import Entries, JsonObject
from lft.core.trials import Trial
from lft.core.version import __version__

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
    suite: str,
    sweep: Entries,
    model: Model,
    model_spec: str,
    trials: Sequence[Trial],
    own: Entries,
) -> JsonObject:
    """The manifest of a run; `own` are the entries of its suite."""
    return {
        "suite": suite,
        "sweep": dict(sweep),
        "model": {"spec": public_spec(model_spec), "name": model.name, **model.describe()},
        "adapter": {"code": fingerprint_of(type(model)), "lft": __version__},
        **own,
        "trials": {trial.id: dict(trial.key) for trial in trials},
        **provenance(),
    }


def provenance() -> JsonObject:
    """The entries versions, git_revision, begun."""
    return {
        "versions": {"lft": __version__, "python": platform.python_version(), **_versions()},
        "git_revision": _git_revision(),
        "begun": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def prompt_entry(template: Template) -> JsonObject:
    """The manifest's entry of a prompt: hash, number of turns, words."""
    words: JsonObject = {"system": template.system, "turns": list(template.turns)}
    if template.schema:
        words["schema"] = dict(template.schema)
    return {"sha256": template.sha256, "turns": len(template.turns), "words": words}


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _git_revision() -> str | None:
    """The git revision, if LFT runs from a checkout."""
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
