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

import click

from lft import __version__
from lft.core.errors import InputError, RunIncomplete, shown

# name -> (module:object, one line of help). In the order in which a newcomer needs them.
COMMANDS: dict[str, tuple[str, str]] = {
    "render": ("lft.counting.commands.clips:render", "Render the clips of a grid."),
    "clip": ("lft.counting.commands.clips:clip", "Render one clip and its trace."),
    "verify": ("lft.counting.commands.verify:verify", "Check traces against the pixels of their clips."),
    "observe": ("lft.counting.commands.observe:observe", "Watch one video with the embedded observer."),
    "models": ("lft.commands.models:models", "Known providers, what each needs, whether it is ready."),
    "prompt": (
        "lft.counting.commands.prompt:prompt",
        "What to paste and attach to ask by hand, in a chat page.",
    ),
    "plan": ("lft.commands.plan:plan", "Trials, tokens and cost of a sweep, before it is asked."),
    "sweep": ("lft.commands.sweep:sweep", "Ask a model about the clips of an experiment."),
    "parse": ("lft.counting.commands.parse:parse", "What a response reports."),
    "match": ("lft.counting.commands.match:match", "Pair reported times with true ones."),
    "score": ("lft.commands.score:score", "Score a run."),
    "readings": (
        "lft.counting.commands.readings:readings",
        "What is in doubt of what was read, and settling it.",
    ),
    "frontier": ("lft.counting.commands.frontier:frontier", "Count and frequency frontiers of a surface."),
    "ceiling": ("lft.counting.commands.ceiling:ceiling", "What the supplied frames make possible, per cell."),
    "audit": (
        "lft.counting.commands.audit:audit",
        "How sure results are: intervals, paired tests, sensitivity.",
    ),
    "power": ("lft.commands.power:power", "How many clips a difference needs, how many seeds a frontier."),
    "report": ("lft.commands.report:report", "Tables, figures and a page from runs."),
    "cases": ("lft.counting.commands.cases:cases", "Trials of one cause as pictures."),
    "cost": ("lft.commands.plan:cost", "What runs have cost, by experiment, density or domain."),
    "show": ("lft.commands.show:show", "One trial: what was sent, said, and what had happened."),
    "diff": ("lft.commands.diff:diff", "What differs between two runs: settings, frames, words, answers."),
    "export": ("lft.counting.commands.exports:export", "Clips for datasets, Inspect AI and lmms-eval."),
    "import": ("lft.counting.commands.imports:import_", "Answers, or videos, that others made."),
}


class _Unread(Exception):
    """Whoever read the output has left."""


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        from lft.commands.examples import EXAMPLES

        command.epilog = f"\b\nExample:\n  {EXAMPLES[name]}"
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from lft.core.errors import unknown_name

            raise unknown_name("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _Unread from error  # click would make a failure of it
        except EOFError as error:  # click would take it for Ctrl-D
            raise InputError(
                "a helper process of this command ended (killed, or out of memory)",
                remedy="the same command again, which goes on from here; --jobs 1 needs less memory",
            ) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


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
        named = [name for name in arguments or sys.argv[1:] if name in COMMANDS][:1]
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
