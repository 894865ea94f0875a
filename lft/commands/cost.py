"""`lft cost`: trials, tokens and cost of runs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import click

from lft.commands.dispatch import RunCommand, current
from lft.core.cost import Prices, Spent, billed, money, most_usd
from lft.core.records import JsonObject, Key
from lft.core.runs import ANSWERED, Run
from lft.core.suite import Suite
from lft.core.terminal import table


class CostCommand(RunCommand):
    """Adds the option `--by`: experiment, model, or a word of the suite."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        suite = self.suite(ctx)
        by = click.Choice(("experiment", "model", *suite.groups, *suite.axes))
        option = click.Option(
            ["--by"], type=by, default="experiment", show_default=True, help="One row for each value."
        )
        runs, *others = super().get_params(ctx)
        return [runs, option, *others]


@click.command(cls=CostCommand)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--as-paid",
    is_flag=True,
    help="Use the prices at the time of each answer instead of today's.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.pass_context
def cost(ctx: click.Context, runs: tuple[Path, ...], by: str, as_paid: bool, as_json: bool) -> None:
    """Trials, tokens and cost of runs, by experiment, by density (--by sampling), by domain, ...

    Tokens are those that the provider reported, including billed failed attempts. Their cost is computed
    with today's prices. The cost of a row is unknown if any of its calls has no known price.
    Calls that never ended are counted separately, with an upper bound on their cost.
    """
    suite = current(ctx)
    prices = None if as_paid else Prices.load()
    rows: dict[str, Spent] = {}
    total = Spent()
    lost, most = 0, 0.0
    for path in runs:
        run = Run.open(path)
        model = run.manifest.get("model") or {}
        for line in billed(run.lines(), model, prices):
            spent = rows.setdefault(_group(suite, by, run, line["key"]), Spent())
            spent.add(line)
            total.add(line)
        for one in run.episodes().values():
            if one.status == ANSWERED:
                rows.setdefault(_group(suite, by, run, one.key), Spent()).trials += 1
                total.trials += 1
        count, usd = most_usd(run.lost(), run.lines(), model, prices or Prices.load())
        lost, most = lost + count, most + (math.nan if usd is None else usd)
    possible = None if math.isnan(most) else most
    if as_json:
        documents = [{by: name, **_as_json(spent)} for name, spent in rows.items()]
        beside = {"calls": lost, "most_usd": possible}
        click.echo(json.dumps({"rows": documents, "total": _as_json(total), "unaccounted": beside}))
        return
    lines: list[Sequence[str]] = [(by, "trials", "calls", "tokens in", "tokens out", "thought", "cost")]
    for name, spent in (*rows.items(), ("all", total)):
        numbers = (spent.trials, spent.calls, spent.input_tokens, spent.output_tokens, spent.thought_tokens)
        lines.append((name, *(f"{n:,}" for n in numbers), money(spent.usd_or_unknown)))
    click.echo(table(lines[0], lines[1:]))
    if lost:
        click.echo(unaccounted_line(lost, possible))


def unaccounted_line(calls: int, most: float | None) -> str:
    """Calls with unknown tokens (lost to a kill, timed out), and an upper bound on their cost."""
    what = "1 call" if calls == 1 else f"{calls:,} calls"
    return f"possible beside it: {what} whose tokens nobody knows (in flight, lost, timed out), at most {money(most)}"


def _group(suite: Suite, by: str, run: Run, key: Key) -> str:
    if by == "experiment":
        return str(run.manifest.get("sweep", {}).get("name") or run.folder.name)
    return str(key.get("model", "")) if by == "model" else suite.group(by, key)


def _as_json(spent: Spent) -> JsonObject:
    return {**vars(spent), "usd": spent.usd_or_unknown}
