"""`lft models`: the providers, what each needs, whether it is ready."""

from __future__ import annotations

import json

import click

from lft import suites


@click.command()
@click.option(
    "--delete-uploads", is_flag=True, help="Delete the videos that LFT has uploaded to Gemini's Files API."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def models(delete_uploads: bool, as_json: bool) -> None:
    """Known providers, what each needs, and whether it is ready.

    For each missing requirement it prints the command or variable. Keys are read from the environment only.
    """
    if delete_uploads:
        from lft.core.models.gemini import make_client
        from lft.core.models.gemini_files import Uploads

        deleted = Uploads(make_client(60.0)).delete_all()
        click.echo(json.dumps({"deleted": deleted}) if as_json else f"{deleted} uploads deleted")
        return
    from lft.core.models.ready import status

    needs = suites.needs()
    rows = [status(provider, needs) for provider in suites.providers()]
    if as_json:
        click.echo(json.dumps({"providers": rows}))
        return
    width = max(len(row["form"]) for row in rows)
    for row in rows:
        click.echo(f"{row['form']:{width}}  {'ready' if row['ready'] else 'not ready':9}  {row['about']}")
        for line in [*row["missing"], *([row["note"]] if row["note"] else [])]:
            click.echo(f"{'':{width}}             {line}")
    click.echo("\nOptions follow as ?key=value&...: gemini:NAME?temperature=0&thinking_level=low")
