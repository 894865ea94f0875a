"""The folder of a report. A new report replaces an earlier one; other files are never touched.

A report is built in a temporary folder and moved when it is complete, so a failed report changes nothing. `files.json`
lists the files of a report with their sizes. The next report into the same folder replaces the listed files and removes
those that it does not write. A file that is not listed, or has another size, belongs to the user: it stays, and a
report that would overwrite it is refused.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from lft.core.errors import InputError
from lft.core.files import write_text, writing

LIST = "files.json"
_FIRST = ("index.html", "figures.html", LIST)  # checked before anything is built


@contextlib.contextmanager
def building(folder: Path) -> Iterator[Path]:
    """Yields an empty temporary folder beside `folder`, which is removed at the end.

    Raises `InputError` if `folder` is a file, cannot be created, or has an index that no report has written.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError("is a file", where=folder, remedy="--out with the name of a folder")
    refuse(folder, _FIRST)
    real = folder.resolve()
    with writing(folder, "--out with a folder that can be written"):
        real.parent.mkdir(parents=True, exist_ok=True)
        _sweep_up(real)
        built = real.with_name(f".{real.name}.building-{os.getpid()}")
        built.mkdir()
    try:
        yield built
    finally:
        shutil.rmtree(built, ignore_errors=True)


def refuse(folder: Path, names: Iterable[str]) -> None:
    """Raises `InputError` if one of the files to be written exists in `folder` and no report has written it."""
    listed = _listed(folder)
    alien = [name for name in names if _is_there(folder / name) and not _ours(folder, name, listed)]
    if alien:
        more = f" and {len(alien) - 1} more" if len(alien) > 1 else ""
        raise InputError(
            f"{alien[0]}{more} was not written by a report, and would be overwritten",
            where=folder,
            remedy="--out with another folder, or moving the file away",
        )


def move_in(built: Path, folder: Path, written: Iterable[Path]) -> list[Path]:
    """Moves the files of a report from `built` to `folder`, index.html last, and removes those of an earlier report.

    Returns the removed files. Raises `InputError` before anything is moved if a user's file would be overwritten. If
    the list cannot be read, nothing is removed.
    """
    sizes = {path.relative_to(built).as_posix(): path.stat().st_size for path in written}
    refuse(folder, sizes)
    before = {name: size for name, size in _listed(folder).items() if _ours(folder, name, {name: size})}
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        # If this is interrupted, the list has the files of both reports.
        _write_list(folder, before | sizes)
        for name in sorted(sizes, key=lambda name: name == "index.html"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(built / name, folder / name)
    removed = []
    for name in before:
        if name not in sizes:
            (folder / name).unlink()
            removed.append(folder / name)
            _remove_empty(folder, name)
    _write_list(folder, sizes)
    return removed


def _write_list(folder: Path, sizes: dict[str, int]) -> None:
    write_text(folder / LIST, json.dumps(dict(sorted(sizes.items())), indent=0) + "\n")


def _remove_empty(folder: Path, name: str) -> None:
    for parent in (folder / name).parents:
        if parent == folder:
            return
        with contextlib.suppress(OSError):  # not empty: it has a user's files
            parent.rmdir()


def _listed(folder: Path) -> dict[str, int]:
    try:
        found = json.loads((folder / LIST).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: size for name, size in found.items() if isinstance(size, int)}


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _ours(folder: Path, name: str, listed: dict[str, int]) -> bool:
    """Whether it is a listed plain file of the listed size inside the folder, or the list itself."""
    path = folder / name
    if name == LIST and name not in listed:
        return bool(listed) and not path.is_symlink()
    inside = path.resolve().is_relative_to(folder.resolve())
    plain = inside and path.is_file() and not path.is_symlink()
    return plain and path.stat().st_size == listed.get(name)


def _sweep_up(real: Path) -> None:
    """Removes temporary folders of killed processes."""
    for left in real.parent.glob(f".{real.name}.building-*"):
        number = left.name.rpartition("-")[2]
        if number.isdecimal() and not _alive(int(number)):
            shutil.rmtree(left, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return process != os.getpid()
