"""The notebooks run from top to bottom, on a small run that is made here, and are stored without outputs."""

from __future__ import annotations

import base64
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
_RUN = runpy.run_path(str(REPOSITORY / "notebooks" / "run.py"))
executed, as_html = _RUN["executed"], _RUN["as_html"]
NOTEBOOKS: list[Path] = _RUN["NOTEBOOKS"]
NAMES = ["capability_surfaces", "ceilings_and_chance", "interventions", "plan_and_cost", "trace_audit"]
# The model of `make demo`, so that the notebooks are tested on what a reader has.
SIMULATED = re.findall(r"--model '(simulated:[^']+)'", (REPOSITORY / "Makefile").read_text())[0]

# (1 + 2 * 3) * 2 = 14 clips per domain, as in the demonstration run but fewer and smaller.
GRID = """
domains: [bounce_ball, blinking, state_machine]
counts: [0, 1, 4]
frequencies_hz: [0.5, 1.0, 4.0]
seeds: 2
size: 256x144
"""


def test_every_notebook_is_there() -> None:
    assert [path.stem for path in NOTEBOOKS] == NAMES


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebooks_are_stored_without_outputs(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) >= 5
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert notebook.cells[0].source.startswith("# ")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder as `make demo` leaves it, from fewer clips."""
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    folder = tmp_path_factory.mktemp("notebooks")
    (folder / "grid_demo.yaml").write_text(GRID)
    shutil.copytree(REPOSITORY / "results" / "published", folder / "results" / "published")
    clips = "results/clips/demo"
    _lft(folder, "render", "--grid", "grid_demo.yaml", "--jobs", "1", "--out", clips)
    for model, run in (("observer", "demo-observer"), (SIMULATED, "demo-simulated")):
        _lft(folder, "sweep", "demo", "--model", model, "--clips", clips, "--run", run)
        _lft(folder, "score", f"results/runs/{run}")
    return folder / "results"


def _lft(folder: Path, *arguments: str) -> None:
    code = "from lft.cli import main\nif __name__ == '__main__': main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs_and_shows_figures(path: Path, results: Path) -> None:
    notebook = executed(path, results)
    figures = [base64.b64decode(data["image/png"]) for data in _shown(notebook) if "image/png" in data]
    assert len(figures) >= 2
    assert all(len(figure) > 5000 for figure in figures)


def test_an_executed_notebook_becomes_one_file() -> None:
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbconvert")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A title\n\nSome words.")])
    page = as_html(notebook, "a name")
    assert "Some words." in page
    assert "<title>a name</title>" in page
    assert not re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page)


def _shown(notebook: Any) -> list[Any]:
    return [
        output.data
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type in ("display_data", "execute_result")
    ]
