"""Sweep files: where they are, and of which suite each is."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from lft.core.config import read_yaml
from lft.core.errors import InputError, shown, unknown_name
from lft.core.records import JsonObject


def read_sweep(name: str) -> tuple[str | None, str, JsonObject, Path]:
    """(suite, name, mapping without `suite`, path) of a sweep: one of those that come with LFT, or a YAML file.

    The suite is None where the file names none.

    Raises `InputError` for an unknown name and for a file that is no YAML mapping.
    """
    own = Path(str(files("lft") / "sweeps"))
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        path = own / f"{name}.yaml"
        names = [p.stem for p in own.glob("*.yaml") if not p.stem.startswith("grid_")]
        if name not in names:
            raise unknown_name("sweep", name, names)
    document = read_yaml(path)
    suite = document.pop("suite", None)
    if not isinstance(suite, str | None):
        raise InputError(f"suite is {shown(suite)}", where=path, expected="the name of a suite")
    return suite, path.stem, document, path
