"""The page: a folder with surfaces, and for each cell its clips with true and reported events.

    index.html  figures.html        open either from the folder, no server and no network
    assets/                         style and scripts, the same in every report
    data/index.js  data/SERIES/*.js the data; a cell's file is loaded when the cell is opened

Videos are not part of the page unless copied: it links to them by a relative path, so that a results folder
can be moved as a whole. If a video is missing, the page says so and shows the rest.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote

from lft.core.files import link_or_copy, replacing, write_text, writing
from lft.core.records import Json, JsonObject
from lft.counting.reporting import cause_colours
from lft.counting.reporting.page import data
from lft.counting.reporting.results import Results, Series
from lft.counting.reporting.trial_views import Clips, Said, views

COMMON = ("base.css", "theme.js")  # of every suite's page: lft/core/reporting/page
ASSETS = (
    "style.css",
    "dom.js",
    "state.js",
    "overview.js",
    "surface.js",
    "bins.js",
    "timeline.js",
    "frames.js",
    "clip.js",
    "app.js",
)


def write(
    results: Results,
    folder: Path,
    *,
    final: Path | None = None,
    videos: str = "link",
    clips_folder: Path | None = None,
    published: Sequence[Series] = (),
    warn: Callable[[str], None] = lambda line: None,
    seen: Callable[[int], None] = lambda done: None,
) -> list[Path]:
    """Writes the page into `folder` and returns all its paths, index.html last.

    `final` is the final folder, if the page is only built here: links to videos are relative to it.
    `videos`: `link` links to the clips, `copy` copies them into the folder so that it
    can be sent, `none` leaves them out. `warn` is called with one line about missing files,
    `seen` with the number of finished trials. `published` surfaces are below those of the runs.
    """
    clips = Clips(results.runs, clips_folder, warn)
    codes: dict[tuple[int, str, int, float], list[list[Json]]] = defaultdict(list)
    copied: dict[Path, str | None] = {}
    absent: set[Path] = set()
    said: dict[str, Said] = {}
    written: list[Path] = []
    sources: dict[str, str] = {}
    done = 0
    for number, series in enumerate(results.series):
        run = series.key[0]
        if run not in said:
            said = {run: Said.of_run(results.runs.get(run))}  # one run's answers in memory at a time
        cells: dict[tuple[str, int, float], list[JsonObject]] = defaultdict(list)
        for view in views(series, said[run], clips):
            row = view.row
            cell = (str(row["domain"]), int(row["count"]), float(row["frequency_hz"]))
            link = _link(view.video, (folder, final or folder), videos, copied, absent)
            document = data.trial(view, link, absent=view.video in absent)
            cells[cell].append(document)
            if document.get("source"):
                sources[f"{cell[0]}|{cell[1]}|{cell[2]:g}|{document['seed']}"] = document["source"]
            codes[number, *cell].append([document["seed"], document["replicate"], document["code"]])
            done += 1
            seen(done)
        for cell, documents in cells.items():
            documents.sort(key=lambda d: (d["seed"], d["replicate"]))
            key = f"{number}|{cell[0]}|{cell[1]}|{cell[2]:g}"
            written.append(folder / data.cell_file(series, *cell))
            _write(written[-1], data.script("cell", key, documents))
    if absent:
        warn(f"{len(absent)} videos are not there, such as {sorted(absent)[0]}; the rest is shown")
    written.append(folder / "data" / "index.js")
    write_text(written[-1], data.script("index", data.index(results, codes, sources, published)))
    if videos == "copy":
        written += [folder / unquote(link) for link in copied.values() if link and link.startswith("videos/")]
    return [*written, *_assets(folder)]


def _write(path: Path, text: str) -> None:
    # Thousands of small files that the same command writes again: not worth a rename each.
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")


def _assets(folder: Path) -> list[Path]:
    own = files("lft.counting.reporting") / "page" / "assets"
    common = files("lft.core.reporting") / "page"
    sources = {folder / "assets" / name: common / name for name in COMMON}
    sources |= {folder / "assets" / name: own / name for name in ASSETS}
    sources[folder / "index.html"] = own / "index.html"
    for path, source in sources.items():
        write_text(path, source.read_text("utf-8"))
    write_text(folder / "assets" / "causes.css", cause_colours.css())
    return [folder / "assets" / "causes.css", *sources]


def _link(
    video: Path | None,
    folders: tuple[Path, Path],
    videos: str,
    copied: dict[Path, str | None],
    absent: set[Path],
) -> str | None:
    """The address of a video from the page; `folders` are where the page is built and where it will be."""
    if video is None or videos == "none":
        return None
    if video in copied:
        return copied[video]
    folder, final = folders
    if video.is_file() and videos == "copy":
        place = Path("videos") / video.parent.parent.parent.name / video.parent.name / video.name
        _copy(video, folder / place, final / place)
        copied[video] = data.address(folder / place, folder)
    else:
        if not video.is_file():
            absent.add(video)
        copied[video] = data.address(video, final)
    return copied[video]


def _copy(video: Path, target: Path, earlier: Path) -> None:
    """Puts a copy at `target`; that of an earlier report is taken over, which a hard link does at no cost."""
    if earlier.is_file() and not earlier.is_symlink():
        there, wanted = earlier.stat(), video.stat()
        if there.st_size == wanted.st_size and there.st_mtime >= wanted.st_mtime:
            link_or_copy(earlier, target)
            return
    with replacing(target) as temporary:
        shutil.copyfile(video, temporary)
