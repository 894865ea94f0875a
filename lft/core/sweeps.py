"""Sweep files: their place and their suite."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from lft.core.config import read_yaml
from lft.core.errors import InputError, shown, unknown_name
from lft.core.records import JsonObject


def read_sweep(name: str) -> tuple[str | None, str, JsonObject, Path]:
    """(suite or None, name, mapping without `suite`, path) of a built-in sweep or a YAML file.

    Raises `InputError` for an unknown name and for a file that is not a YAML mapping.
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
