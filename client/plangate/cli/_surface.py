"""What can be typed, read from the parsers: for completion, and for the page about the commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from plangate.cli._commands import OF_THE_SERVER, SUMMARIES
from plangate.cli._parsing import load


class Option(NamedTuple):
    flag: str
    value: str
    """What it takes, in capitals; empty if it takes nothing."""
    choices: tuple[str, ...]
    required: bool
    help: str


class Argument(NamedTuple):
    name: str
    many: bool
    optional: bool
    choices: tuple[str, ...]
    help: str


class Surface(NamedTuple):
    """A command, or one of its actions."""

    name: str
    summary: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]
    actions: Mapping[str, Surface]
    epilog: str

    def every(self) -> Iterator[Surface]:
        """Itself, if something can follow it at once, else its actions."""
        if self.actions:
            yield from self.actions.values()
        else:
            yield self


def surfaces() -> dict[str, Surface]:
    """Every command. Those of the server have command lines of their own, which only the server knows."""
    return {
        name: Surface(name, summary, (), (), {}, "")
        if name in OF_THE_SERVER
        else surface_of(name, summary, load(name).parser)
        for name, summary in SUMMARIES.items()
    }


def surface_of(name: str, summary: str, parser: argparse.ArgumentParser) -> Surface:
    options: list[Option] = []
    arguments: list[Argument] = []
    actions: dict[str, Surface] = {}
    for action in parser._actions:
        said = action.help or ""
        choices = tuple(map(str, action.choices)) if action.choices else ()
        if isinstance(action, argparse._SubParsersAction):
            summaries = {each.dest: each.help or "" for each in action._choices_actions}
            actions = {
                each: surface_of(f"{name} {each}", summaries[each], inner)
                for each, inner in action.choices.items()
            }
        elif action.option_strings:
            takes = "" if action.nargs == 0 else _metavar(action)
            options.append(Option(action.option_strings[-1], takes, choices, action.required, said))
        else:
            many, optional = action.nargs in {"+", "*"}, action.nargs in {"?", "*"}
            arguments.append(Argument(_metavar(action), many, optional, choices, said))
    return Surface(name, summary, tuple(options), tuple(arguments), actions, parser.epilog or "")


def _metavar(action: argparse.Action) -> str:
    return action.metavar if isinstance(action.metavar, str) else action.dest.upper()
