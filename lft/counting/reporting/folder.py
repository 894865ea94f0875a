"""A report folder holds what its runs give, and nothing of an earlier report.

`files.json` lists what a report wrote, with sizes. The next report into the same folder removes what the list
names and it did not write itself. A file that is of another size than was written belongs to someone else now,
and stays, as does everything that no report wrote.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from pathlib import Path

from lft.core.files import write_text

LIST = "files.json"


def settle(folder: Path, written: Iterable[Path]) -> list[Path]:
    """Removes what an earlier report wrote into `folder` and this one did not, and lists what this one wrote.

    Returns what was removed. A list that cannot be read removes nothing.
    """
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in written}
    removed = []
    for name, size in _listed(folder).items():
        path = folder / name
        if name in sizes or not _ours(path, folder, size):
            continue
        path.unlink()
        removed.append(path)
        for parent in path.parents:
            if parent == folder:
                break
            with contextlib.suppress(OSError):  # not empty: someone's files are in it
                parent.rmdir()
    write_text(folder / LIST, json.dumps(dict(sorted(sizes.items())), indent=0) + "\n")
    return removed


def _listed(folder: Path) -> dict[str, int]:
    try:
        found = json.loads((folder / LIST).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: size for name, size in found.items() if isinstance(size, int)}


def _ours(path: Path, folder: Path, size: int) -> bool:
    """Whether it is a plain file inside the folder, as large as it was written."""
    inside = path.resolve().is_relative_to(folder.resolve())
    return inside and path.is_file() and not path.is_symlink() and path.stat().st_size == size
