"""`lft export`: clips for datasets, Inspect AI and lmms-eval."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import click

from lft.core.errors import InputError


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--to", "target", type=click.Choice(["hf", "inspect", "lmms-eval"]), required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to write.")
@click.option("--name", help="Name of the dataset or task; the name of DIR.")
@click.option("--license", "license_id", help="Licence of the clips, such as cc-by-4.0 (only --to hf).")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def export(
    folder: Path, target: str, out: Path, name: str | None, license_id: str | None, as_json: bool
) -> None:
    """Export clips to another tool.

    hf: a folder for `datasets.load_dataset`. inspect: tasks for `inspect eval`, with the scores of LFT. lmms-eval:
    tasks for its --include_path. The exported folder is also a clips folder.
    """
    from lft.counting.clips import Clips

    clips = Clips.open(folder)
    name = name or folder.resolve().name
    if license_id and target != "hf":
        raise InputError("--license is for --to hf", remedy="leaving it out")
    if target == "hf":
        _needs("pyarrow")
        from lft.exports import hf

        next_step = hf.export(clips, out, name=name, license_id=license_id or hf.default_license(clips))
    elif target == "inspect":
        from lft.exports import inspect_package

        next_step = inspect_package.export(clips, out, name=name)
    else:
        from lft.exports import lmms_eval

        next_step = lmms_eval.export(clips, out, name=name)
    if as_json:
        click.echo(json.dumps({"to": target, "out": str(out), "clips": len(clips), "next": next_step}))
    else:
        click.echo(f"{len(clips)} clips in {out}\nnext: {next_step}")


def _needs(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise InputError(f"{module} is not installed", remedy="pip install 'lft-bench[export]'")
