"""`lft convert`: demonstrations and episodes in the form of other tools."""

from __future__ import annotations

import json
from pathlib import Path

import click

from lft.core.errors import unknown_name


@click.command()
@click.argument("what", metavar="demonstrations|RUN")
@click.option("--to", "target", type=click.Choice(["minari", "inspect"]), required=True)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder (minari) or log (inspect)."
)
@click.option("--env", "environments", multiple=True, help="Only demonstrations of this environment.")
@click.option("--no-pictures", is_flag=True, help="Leave pictures out of a log.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def convert(
    what: str, target: str, out: Path, environments: tuple[str, ...], no_pictures: bool, as_json: bool
) -> None:
    """Demonstrations as Minari datasets, or the episodes of a run as an Inspect log.

    `demonstrations --to minari` plays the suite's demonstrations and writes a dataset for each environment, with exact
    pictures. `RUN --to inspect` writes the conversations of a run with their scores into FILE.eval or FILE.json.
    """
    from lft.agents.commands.asking import episodes_of
    from lft.agents.environments import registry
    from lft.agents.tasks import demonstrations
    from lft.core.errors import InputError

    if (what == "demonstrations") != (target == "minari"):
        remedy = "lft convert demonstrations --to minari, or lft convert RUN --to inspect"
        raise InputError(f"{what[:80]} --to {target}", remedy=remedy)
    if target == "minari":
        from lft.exports import minari_demonstrations

        known = demonstrations()
        for name in environments:
            if name not in {one.environment for one in known.values()}:
                raise unknown_name("environment", name, {one.environment for one in known.values()})
        chosen = [one for one in known.values() if not environments or one.environment in environments]
        names = minari_demonstrations.export(chosen, registry.get, registry.make, out)
        document = {"to": target, "out": str(out), "demonstrations": len(chosen), "datasets": names}
        said = f"{len(chosen)} demonstrations in {len(names)} datasets in {out}"
        said += f"\nnext: MINARI_DATASETS_PATH={out.resolve()} minari list local"
    else:
        from lft.exports import inspect_episodes

        count = inspect_episodes.export(episodes_of(Path(what), "convert"), out, pictures=not no_pictures)
        document = {"to": target, "out": str(out), "episodes": count}
        said = f"{count} episodes in {out}\nnext: inspect view --log-dir {out.parent}"
    click.echo(json.dumps(document) if as_json else said)
