"""Runs the notebooks on a results folder and leaves each as one HTML file that opens without a server or a network.

    python notebooks/run.py [--results results] [--out results/notebooks]

The results folder is as `make demo` leaves it. Exit status 1 if a notebook fails; the others are run all the same.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
# Long lines of code are wrapped: a page that is printed or narrow would cut them.
_STYLE = "<style>.jp-Cell pre, .highlight pre {white-space: pre-wrap; overflow-wrap: anywhere}</style>"


def executed(path: Path, results: Path) -> Any:
    """The notebook after a run from top to bottom; raises what the first failing cell raises.

    What cells write to stderr (progress, warnings) goes to our own stderr, not into the notebook.
    """
    import nbformat
    from nbclient import NotebookClient

    os.environ["LFT_RESULTS"] = str(results.resolve())
    paths = os.environ.get("PATH", "").split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(dict.fromkeys([str(Path(sys.executable).parent), *paths]))
    os.environ["PYTHONPATH"] = str(FOLDER.parent)
    notebook = nbformat.read(path, as_version=4)
    working = {"metadata": {"path": str(results.resolve().parent)}}
    NotebookClient(notebook, timeout=600, resources=working).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                sys.stderr.write(output["text"])
        if "outputs" in cell:
            cell["outputs"] = [output for output in cell["outputs"] if output.get("name") != "stderr"]
    return notebook


def as_html(notebook: Any, title: str) -> str:
    """An executed notebook as one HTML document."""
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(mathjax_url="", require_js_url="", jquery_url="", mermaid_js_url="")
    text, _ = exporter.from_notebook_node(notebook, resources={"metadata": {"name": title}})
    return str(text).replace("</head>", f"{_STYLE}</head>", 1)


def main() -> None:
    """Runs all notebooks, a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--out", type=Path, default=Path("results/notebooks"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for path in NOTEBOOKS:
        try:
            page = as_html(executed(path, given.results), path.stem)
        except Exception as error:  # whatever a cell raises; the next notebook may do
            failed += 1
            print(f"{path.name}: failed: {' '.join(str(error).split())[-300:]}", file=sys.stderr)
            continue
        target = given.out / f"{path.stem}.html"
        target.write_text(page, encoding="utf-8")
        print(f"{path.name} -> {target}")
    if failed:
        sys.exit(1)
    print("next: open one of these in a browser")


if __name__ == "__main__":
    main()
