"""The `lft` command: a table of commands, each loaded when it is called, so that `lft --help` answers at once."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Mapping

import click

from lft import __version__, suites
from lft.core.errors import InputError, RunIncomplete, shown, unknown_name
from lft.core.suite import Command

# name -> (module:object, one line of help, example). The suites' own commands are in `lft.core.suite.Suite.commands`.
COMMANDS: dict[str, Command] = {
    "models": Command(
        "lft.commands.models:models", "Known providers, what each needs, whether it is ready.", "lft models"
    ),
    "plan": Command(
        "lft.commands.plan:plan",
        "Trials, tokens and cost of a sweep, before it is run.",
        "lft plan baseline --model gemini:gemini-3.6-flash",
    ),
    "sweep": Command(
        "lft.commands.sweep:sweep",
        "Ask a model about the trials of an experiment.",
        "lft sweep demo --model observer --sampling fps:4",
    ),
    "score": Command(
        "lft.commands.score:score",
        "Score a run.",
        "lft score results/runs/demo-observer --rule mentions --tolerance 0.5",
    ),
    "audit": Command(
        "lft.commands.audit:audit",
        "Uncertainty of results: intervals, paired tests, sensitivity.",
        "lft audit results/runs/demo-observer --draws 200",
    ),
    "power": Command(
        "lft.commands.power:power",
        "Clips that a difference needs, seeds that a frontier needs.",
        "lft power --difference 0.1",
    ),
    "report": Command(
        "lft.commands.report:report",
        "Tables, figures and a page from runs.",
        "lft report results/runs/demo-observer --out results/report",
    ),
    "cost": Command(
        "lft.commands.cost:cost",
        "Cost of runs, by experiment, density or domain.",
        "lft cost results/runs/demo-observer",
    ),
    "show": Command(
        "lft.commands.show:show",
        "One trial: request, answer, and the truth.",
        "lft show results/runs/demo-observer blinking/n04_f4.0_s00,fps:1",
    ),
    "diff": Command(
        "lft.commands.diff:diff",
        "Differences between two runs: settings, frames, words, answers.",
        "lft diff results/runs/demo-observer results/runs/demo-simulated",
    ),
}


def commands() -> dict[str, Command]:
    """Every command by name: the common ones, then those of each suite; the first of a name wins."""
    found = dict(COMMANDS)
    for own in of_suites().values():
        found |= {name: command for name, command in own.items() if name not in found}
    return found


def of_suites() -> dict[str, Mapping[str, Command]]:
    """Suite -> its own commands; none for a suite of another package that cannot be loaded."""
    found: dict[str, Mapping[str, Command]] = {}
    for name in suites.SUITES:
        with contextlib.suppress(InputError):
            found[name] = suites.load(name).commands
    return found


def _titled(own: Mapping[str, Mapping[str, Command]]) -> dict[str, Mapping[str, Command]]:
    return {f"Commands of the suite {name}": listed for name, listed in own.items()}


class _Unread(Exception):
    """The reader of the output has closed it."""


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        listed = commands().get(name)
        if listed is None:
            return None
        module, _, attribute = listed.place.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        command.epilog = f"\b\nExample:\n  {listed.example}"
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in (known := commands()) and not args[0].startswith("-"):
            raise unknown_name("command", args[0], known)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _Unread from error  # click would report a failure
        except EOFError as error:  # click would read it as Ctrl-D
            raise InputError(
                "a helper process of this command ended (killed, or out of memory)",
                remedy="the same command again, which resumes; --jobs 1 needs less memory",
            ) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        taken: set[str] = set()
        for title, listed in {"Commands": COMMANDS, **_titled(of_suites())}.items():
            rows = [(name, command.help) for name, command in listed.items() if name not in taken]
            taken |= listed.keys()
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


@click.command(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lft")
def app() -> None:
    """LFT: where, and why, a video-language model's account of events stops being reliable."""


def _stop_as_by_control_c(stopped_by: list[signal.Signals]) -> None:
    """Handles SIGTERM and SIGHUP (a scheduler, a container, a closed terminal) like Ctrl-C. `nohup` stays in effect."""

    def stop(number: int, _: object) -> None:
        stopped_by[0] = signal.Signals(number)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)


def _unexpected(error: Exception) -> str:
    """An unexpected error in one line, with the path of the file with its traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "an unknown place"
    words = " ".join(str(error).split())
    what = f"{type(error).__name__}{f': {shown(words)}' if words else ''} in {where}"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="lft-", suffix=".traceback", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            file.writelines(traceback.format_exception(error))
    except OSError as full:
        return f"{what}; its traceback could not be written: {full.strerror}"
    return f"{what}; the traceback is in {file.name}"


def main(arguments: list[str] | None = None) -> None:
    """Runs a command: exit 0 done, 1 a check failed or trials are missing, 2 wrong usage or unreadable input."""
    for stream in (sys.stdout, sys.stderr):  # unprintable text must not abort a command
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    interrupted = None
    stopped_by = [signal.SIGINT]
    if arguments is None:
        _stop_as_by_control_c(stopped_by)
    try:
        app.main(args=arguments, prog_name="lft", standalone_mode=False)
        status = 0
    except InputError as error:
        click.echo(f"lft: {error}", err=True)
        status = 2
    except RunIncomplete as error:
        if str(error):
            click.echo(f"lft: {error}", err=True)
        status = 1
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        named = [name for name in arguments or sys.argv[1:] if name in commands()][:1]
        command = context.command_path if context else " ".join(["lft", *named])
        what = " ".join(error.format_message().split()).rstrip(".")
        click.echo(f"{command}: {what}; try {command} --help", err=True)
        status = 2
    except click.exceptions.Exit as stop:
        status = stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("lft: interrupted; finished work is kept, the same command resumes", err=True)
        status = interrupted = 128 + stopped_by[0]
    except _Unread:  # `| head` is no error; discard the remaining output
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 0
    except OSError as error:  # a name that is too long, a missing disk
        click.echo(f"lft: {InputError.of_system(error)}", err=True)
        status = 2
    except Exception as error:  # a defect of LFT, or of another package
        click.echo(f"lft: {_unexpected(error)}", err=True)
        status = 2
    if status == interrupted and arguments is None:
        # Threads with hanging calls would be torn down inside foreign code, which aborts.
        with contextlib.suppress(OSError, AttributeError):  # full, or closed
            sys.stdout.flush()
        os._exit(status)
    sys.exit(status)
