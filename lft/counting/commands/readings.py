"""`lft readings`: readings of a run's answers, and settling doubtful ones by people or a second model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft.core.errors import InputError, RunIncomplete
from lft.core.records import Entries, Line
from lft.core.runs import Run
from lft.core.terminal import FiniteRange, printable

if TYPE_CHECKING:
    from lft.core.runs import Tally
    from lft.counting.reader import Reader

_READERS = "doubtful.txt", "sample-{size}-seed-{seed}.txt"


@click.command()
@click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--doubtful", is_flag=True, help="Write a sheet of the doubtful readings.")
@click.option("--sample", type=click.IntRange(1), help="Write a sheet of N answers, drawn at random.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random draw.")
@click.option("--out", type=click.Path(path_type=Path), help="The sheet; in the run's folder by default.")
@click.option("--apply", "sheet", type=click.Path(path_type=Path), help="Store a filled-in sheet.")
@click.option("--reader", "reader_spec", help="Ask a second model about the doubtful readings.")
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Concurrent calls of the second model.")
@click.option("--max-cost", type=FiniteRange(0, min_open=True), help="Stop before it has cost more USD.")
@click.option(
    "--clips", "clips_folder", type=click.Path(path_type=Path), help="Current folder of the run's clips."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def readings(
    run_folder: Path,
    doubtful: bool,
    sample: int | None,
    seed: int,
    out: Path | None,
    sheet: Path | None,
    reader_spec: str | None,
    concurrency: int | None,
    max_cost: float | None,
    clips_folder: Path | None,
    as_json: bool,
) -> None:
    """Readings of a run's answers: their number, doubts, and who settled them.

    --doubtful and --sample write a sheet for people to fill in, --apply stores it in the run; --reader asks a
    second model. `lft score` then uses the settled readings, and also prints the scores without them.
    """
    given = [doubtful, sample is not None, sheet is not None, reader_spec is not None]
    if sum(given) > 1:
        raise InputError(
            "several things to do", expected="one of --doubtful, --sample N, --apply FILE and --reader MODEL"
        )
    if out is not None and not (doubtful or sample):
        raise InputError("--out without a sheet to write", remedy="--doubtful or --sample N")
    run = Run.open(run_folder)
    from lft.counting.clips import traces_of
    from lft.counting.reader import Reader

    reader = Reader(run, traces_of(run, clips_folder))
    if sheet is not None:
        _apply(run, sheet, as_json)
    elif reader_spec is not None:
        _ask(run, reader, reader_spec, concurrency, max_cost, as_json)
    elif doubtful or sample:
        _write(run, reader, sample, seed, out, as_json)
    else:
        _say(run, reader, as_json)


def _write(run: Run, reader: Reader, size: int | None, seed: int, out: Path | None, as_json: bool) -> None:
    from lft.counting.settling import apply

    entries, drawn = apply.sample(run, reader, size, seed) if size else apply.doubtful(run, reader)
    name = _READERS[1].format(size=size, seed=seed) if size else _READERS[0]
    path = out or run.folder / "sheets" / name
    apply.write_sheet(run, entries, drawn, path)
    if as_json:
        click.echo(
            json.dumps({"run": str(run.folder), "sheet": str(path), "answers": len(entries), "drawn": drawn})
        )
        return
    how = f"drawn at random from {drawn['of']}, seed {seed}" if size else "all that are read in doubt"
    click.echo(f"{_answers(len(entries))}, {how}: {path}")
    click.echo(f"next: fill it in (it has instructions), then lft readings {run.folder} --apply {path}")


def _apply(run: Run, sheet: Path, as_json: bool) -> None:
    from lft.counting.settling import apply

    done = apply.apply(run, sheet)
    if as_json:
        click.echo(json.dumps({"run": str(run.folder), "sheet": str(sheet), **vars(done)}))
        return
    click.echo(
        f"{_answers(done.settled)} settled, {done.changed} of them differently from the reading; {done.open} left open"
    )
    click.echo(
        f"next: lft score {run.folder}" if done.settled else "an entry is settled by a name after who:"
    )


def _ask(
    run: Run, reader: Reader, spec: str, concurrency: int | None, max_cost: float | None, as_json: bool
) -> None:
    from lft.core import models
    from lft.core.ask import Limits
    from lft.core.progress import Progress
    from lft.counting.settling.apply import doubtful
    from lft.counting.settling.second_reader import settle_by_model

    model = models.load(spec)
    limits = Limits(int(concurrency or getattr(model, "concurrency", None) or 4), max_cost_usd=max_cost)
    with Progress("asking", total=len(doubtful(run, reader)[0])) as progress:

        def seen(tally: Tally, _: object, line: Line) -> None:
            progress.update(tally.kept + tally.answered)

        result = settle_by_model(run, reader, model, limits, model_spec=spec, seen=seen)
    if as_json:
        click.echo(json.dumps(result))
    else:
        cost = "cost unknown" if result["cost_usd"] is None else f"{result['cost_usd']:.4f} USD in all"
        asked = f"{printable(result['reader'])} was asked about {result['asked']}, {cost}"
        click.echo(f"{_answers(result['doubtful'])} in doubt; {asked}")
        click.echo(f"{result['settled']} settled, {result['left']} left to people")
        for why, k in result["why_left"].items():
            click.echo(f"  {k}: {why}")
        if result["too_long"]:
            click.echo(f"  {result['too_long']}: too long to be sent")
        click.echo(
            f"next: lft readings {run.folder} --doubtful"
            if result["left"]
            else f"next: lft score {run.folder}"
        )
    if result["missing"]:
        why = f" ({printable(result['stopped'])})" if result["stopped"] else ""
        raise RunIncomplete(f"{result['missing']} got no reply{why}; the same command asks again")


def _say(run: Run, reader: Reader, as_json: bool) -> None:
    from lft.counting.reported import DOUBTS
    from lft.counting.settling import apply
    from lft.counting.settling.summary import of_run

    found = [reader.read(line) for line in apply.answered(run).values()]
    codes = Counter(code for one in found for code in dict.fromkeys(d.code for d in one.report.doubts))
    by = Counter(one.by for one in found)
    in_doubt = sum(bool(one.report.doubts) for one in found)
    document = {
        "run": str(run.folder), "answers": len(found), "in_doubt": in_doubt, "doubts": dict(codes.most_common()),
        "read_by": dict(by.most_common()), **of_run(run, reader),
    }  # fmt: skip
    if as_json:
        click.echo(json.dumps(document))
        return
    who = ", ".join(f"{k} by {name}" for name, k in document["read_by"].items())
    click.echo(f"{_answers(len(found))}, read {who or '-'}; {in_doubt} in doubt")
    for code, k in document["doubts"].items():
        click.echo(f"  {k} {code}: {DOUBTS.get(code, '')}")
    for line in settled_lines(document):
        click.echo(line)
    if in_doubt:
        click.echo(f"next: lft readings {run.folder} --doubtful")


def settled_lines(found: Entries) -> list[str]:
    """Lines about decisions that no longer apply, and the error rate of the parser."""
    lines = []
    if found["stale"]:
        lines.append(f"{found['stale']} settled for texts that the run no longer has: ignored")
    rate = found["error_rate"]
    if rate:
        seeds = ", ".join(f"{d['size']} of {d['of']} answers, seed {d['seed']}" for d in rate["samples"])
        n = rate["settled"]
        lines += [
            f"errors of the parser, from a random sample ({seeds}):",
            f"  misread: {rate['misread']} of {n}{_interval(rate['interval'])}; the events {rate['events']}, "
            f"the final answer {rate['answer']}",
            f"  of them silently, without a doubt: {rate['silent']} of {n}{_interval(rate['silent_interval'])}",
        ]
        if n < rate["drawn"]:
            lines.append(f"  {rate['drawn'] - n} drawn answers are not settled; they may be the harder ones")
    return lines


def _answers(n: int) -> str:
    return "1 answer" if n == 1 else f"{n} answers"


def _interval(pair: Sequence[float] | None) -> str:
    return "" if pair is None else f" (95 %: {100 * pair[0]:.1f}–{100 * pair[1]:.1f} %)"
