"""Common commands find their suite by their sweep or run argument, and take the suite's options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from lft import suites
from lft.core.errors import InputError, RunIncomplete
from lft.core.records import Entries, JsonObject
from lft.core.runs import MANIFEST, RUNS, Run
from lft.core.suite import Suite, Told
from lft.core.sweeps import read_sweep

_SUITE = "lft.suite"  # in the context of a command


class SuiteCommand(click.Command):
    """A command with the options of a suite; without an argument, those of the default suite."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = self._words(ctx, args)
        found = next((suite for suite in map(self.suite_of, words) if suite), None)
        ctx.meta[_SUITE] = found or suites.load(suites.DEFAULT)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption:
            if found is None and words:
                self.look_for(words[0])  # an option of the suite of something that is not there
            raise

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        *own, as_json, asked_help = super().get_params(ctx)
        return [*own, *self.suite(ctx).options.get(str(self.name), ()), as_json, asked_help]

    def suite(self, ctx: click.Context) -> Suite:
        """The suite, by default the default suite."""
        return ctx.meta.get(_SUITE) or suites.load(suites.DEFAULT)

    def suite_of(self, word: str) -> Suite | None:
        """The suite of an argument (sweep or run); None if it has none."""
        raise NotImplementedError

    def look_for(self, word: str) -> None:
        """Raises `InputError` for an argument that names nothing."""
        raise NotImplementedError

    def _words(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What may be an argument."""
        # Options of a suite that is not found yet are unknown, and their values look like arguments.
        parser = self.make_parser(ctx)
        parser.ignore_unknown_options = True
        try:
            values, rest, _ = parser.parse_args(args=list(args))
        except click.ClickException:
            return []  # said when the arguments are parsed
        given = [values.get(p.name) for p in self.params if isinstance(p, click.Argument)]
        words = [word for one in given for word in (one if isinstance(one, tuple | list) else [one])]
        return [word for word in [*words, *rest] if isinstance(word, str) and not word.startswith("-")]


class SweepCommand(SuiteCommand):
    """A command about a sweep."""

    def suite_of(self, word: str) -> Suite | None:
        try:
            read_sweep(word)
        except InputError:
            return None
        return suites.of_sweep(word)[0]

    def look_for(self, word: str) -> None:
        read_sweep(word)


class RunCommand(SuiteCommand):
    """A command about runs."""

    def suite_of(self, word: str) -> Suite | None:
        places = (Path(word), RUNS / word)
        if not any((place / MANIFEST).is_file() for place in places):
            return None
        try:
            run = Run.open(word)
        except InputError:
            return None
        return suites.of_run(run)

    def look_for(self, word: str) -> None:
        Run.open(word)


def current(ctx: click.Context) -> Suite:
    """The suite of the current command."""
    suite: Suite = ctx.meta[_SUITE]
    return suite


def defaults(suite: Suite, command: str, given: Entries) -> JsonObject:
    """The options of a suite for another command: values in `given` by name, else defaults."""
    names = [option for option in suite.options.get(command, ()) if option.name]
    return {str(o.name): given.get(str(o.name), _default(o)) for o in names}


def _default(option: click.Option) -> Any:
    value = option.get_default(click.Context(click.Command("")), call=True)
    return () if option.multiple and not value else value


def tell(told: Told, as_json: bool) -> None:
    """Prints the result of a suite; exit status 1 if it is incomplete."""
    click.echo(json.dumps(told.document) if as_json else told.text)
    if told.incomplete is not None:
        raise RunIncomplete(told.incomplete)
