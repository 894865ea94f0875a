"""A report folder holds what its runs give, and nothing of an earlier report; files of others are never touched.

A report is built in a folder beside its own and moved in once it is whole, so that a report which fails changes
nothing. `files.json` lists what a report wrote, with sizes. The next report into the same folder replaces what the list
names, and removes what it did not write itself. A file that the list does not name, or that is of another size than was
written, belongs to someone else: it stays, and a report that would write over it is refused.
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
_FIRST = ("index.html", "figures.html", LIST)  # looked at before anything is built


@contextlib.contextmanager
def building(folder: Path) -> Iterator[Path]:
    """Gives an empty folder beside `folder` to write a report into; it is gone at the end, whatever happens.

    Raises `InputError` where `folder` is a file, cannot be made, or holds an index that no report wrote.
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
    """Raises `InputError` that names the first file in `folder` which no report wrote, among those to be written."""
    listed = _listed(folder)
    alien = [name for name in names if _is_there(folder / name) and not _ours(folder, name, listed)]
    if alien:
        more = f" and {len(alien) - 1} more" if len(alien) > 1 else ""
        raise InputError(
            f"{alien[0]}{more} was not written by a report, and would be lost",
            where=folder,
            remedy="--out with another folder, or moving the file away",
        )


def move_in(built: Path, folder: Path, written: Iterable[Path]) -> list[Path]:
    """Moves what was written below `built` into `folder`, index.html last, and removes what an earlier report left.

    Returns what was removed. Raises `InputError` before anything is moved, if a file of someone else is in the way. A
    list that cannot be read removes nothing.
    """
    sizes = {path.relative_to(built).as_posix(): path.stat().st_size for path in written}
    refuse(folder, sizes)
    before = {name: size for name, size in _listed(folder).items() if _ours(folder, name, {name: size})}
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        # Should this be cut short, the list names what is there of both reports.
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
        with contextlib.suppress(OSError):  # not empty: someone's files are in it
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
    """Whether it is a plain file inside the folder, listed, as large as it was written; or the list of a report."""
    path = folder / name
    if name == LIST and name not in listed:
        return bool(listed) and not path.is_symlink()
    inside = path.resolve().is_relative_to(folder.resolve())
    plain = inside and path.is_file() and not path.is_symlink()
    return plain and path.stat().st_size == listed.get(name)


def _sweep_up(real: Path) -> None:
    """Removes what reports that were killed left beside the folder."""
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
