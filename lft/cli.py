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
        "Trials, tokens and cost of a sweep, before it is asked.",
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
        "How sure results are: intervals, paired tests, sensitivity.",
        "lft audit results/runs/demo-observer --draws 200",
    ),
    "power": Command(
        "lft.commands.power:power",
        "How many clips a difference needs, how many seeds a frontier.",
        "lft power --difference 0.1",
    ),
    "report": Command(
        "lft.commands.report:report",
        "Tables, figures and a page from runs.",
        "lft report results/runs/demo-observer --out results/report",
    ),
    "cost": Command(
        "lft.commands.cost:cost",
        "What runs have cost, by experiment, density or domain.",
        "lft cost results/runs/demo-observer",
    ),
    "show": Command(
        "lft.commands.show:show",
        "One trial: what was sent, said, and what had happened.",
        "lft show results/runs/demo-observer blinking/n04_f4.0_s00,fps:1",
    ),
    "diff": Command(
        "lft.commands.diff:diff",
        "What differs between two runs: settings, frames, words, answers.",
        "lft diff results/runs/demo-observer results/runs/demo-simulated",
    ),
}


def commands() -> dict[str, Command]:
    """Every command by name: the common ones, then those of each suite; the first of a name stays."""
    found = dict(COMMANDS)
    for own in of_suites().values():
        found |= {name: command for name, command in own.items() if name not in found}
    return found


def of_suites() -> dict[str, Mapping[str, Command]]:
    """Suite -> its own commands. A suite of another package that cannot be loaded has none: the others go on."""
    found: dict[str, Mapping[str, Command]] = {}
    for name in suites.SUITES:
        with contextlib.suppress(InputError):
            found[name] = suites.load(name).commands
    return found


def _titled(own: Mapping[str, Mapping[str, Command]]) -> dict[str, Mapping[str, Command]]:
    return {f"Commands of the suite {name}": listed for name, listed in own.items()}


class _Unread(Exception):
    """Whoever read the output has left."""


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
            raise _Unread from error  # click would make a failure of it
        except EOFError as error:  # click would take it for Ctrl-D
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
    """A request to end (a scheduler's, a container's, a terminal's that closes) is Ctrl-C: answers under way are
    kept. `nohup` and the like stay in force.
    """

    def stop(number: int, _: object) -> None:
        stopped_by[0] = signal.Signals(number)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)


def _unexpected(error: Exception) -> str:
    """An error that nothing foresaw in one line, with the place of its traceback, which goes to a file."""
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
        return f"{what}; its traceback could not be kept: {full.strerror}"
    return f"{what}; the traceback is in {file.name}"


def main(arguments: list[str] | None = None) -> None:
    """Runs a command: exit 0 done, 1 a check failed or trials are missing, 2 wrong usage or unreadable input."""
    for stream in (sys.stdout, sys.stderr):  # untrusted words must not end a command
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
        click.echo("lft: interrupted; what was done is kept, the same command goes on from here", err=True)
        status = interrupted = 128 + stopped_by[0]
    except _Unread:  # `| head` is no fault; what is still to be flushed goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 0
    except OSError as error:  # a name that is too long, a disk that went away
        click.echo(f"lft: {InputError.of_system(error)}", err=True)
        status = 2
    except Exception as error:  # a fault of LFT, or of a reader or model of another package
        click.echo(f"lft: {_unexpected(error)}", err=True)
        status = 2
    if status == interrupted and arguments is None:
        # Calls that still hang in threads would be torn down in the middle of foreign code, which aborts.
        with contextlib.suppress(OSError, AttributeError):  # full, or closed
            sys.stdout.flush()
        os._exit(status)
    sys.exit(status)
