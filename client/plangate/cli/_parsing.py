"""The parsers of the command line. That of a command is made by its own module, which only then is loaded."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Final, NamedTuple, NoReturn

from plangate.cli._commands import GROUPS, SUMMARIES
from plangate.cli._exits import WRONG_USAGE
from plangate.cli._text import visible

OTHERWISE: Final = "otherwise"
PLAN: Final = "PLAN"
NO_PLAN: Final = f"the following arguments are required: {PLAN}"
Run = Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """One that writes out what would act on the terminal: arguments can come from anywhere."""

    def error(self, message: str) -> NoReturn:
        if message == NO_PLAN:
            message += "; if its name begins with '-', write '--' before it"
        super().error(visible(message))


class Loaded(NamedTuple):
    """A command that is ready to be used."""

    parser: argparse.ArgumentParser
    run: Run


def load(name: str) -> Loaded:
    module = import_module(f"plangate.cli.{name.replace('-', '_')}")
    parser = Parser(
        prog=f"plangate {name}", description=f"{SUMMARIES[name][0].upper()}{SUMMARIES[name][1:]}."
    )
    module.arguments(parser)
    return Loaded(parser, module.run)


def no_command(arguments: Sequence[str]) -> NoReturn:
    """Help, if that is wanted; else say what is wrong. None of the commands is loaded."""
    parser = _overview()
    if not arguments:
        parser.print_help(sys.stderr)
        sys.exit(WRONG_USAGE)
    parser.parse_args([each for each in arguments[:1] if each.startswith("-")])
    # Loaded only here, where nobody is in a hurry any more.
    near = import_module("difflib").get_close_matches(arguments[0], SUMMARIES, n=1)
    meant = f"do you mean {near[0]!r}?" if near else "'plangate --help' lists them"
    parser.error(f"no command is called {arguments[0]!r}: {meant}")


def _overview() -> argparse.ArgumentParser:
    parser = Parser(
        prog="plangate",
        usage="plangate COMMAND [...]",
        description="The gate between what an AI agent plans and what it does.",
        epilog=_listed(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version, and exit")
    return parser


def _listed() -> str:
    width = max(map(len, SUMMARIES))
    blocks = (
        "\n".join((f"{title}:", *(f"  {name:<{width}}  {summary}" for name, summary in commands.items())))
        for title, commands in GROUPS.items()
    )
    return "\n\n".join((*blocks, "'plangate COMMAND --help' says more about one of them."))


def parse(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """What was given; a command that has an action of its own choice needs none before its options."""
    otherwise = parser.get_default(OTHERWISE)
    first = next(iter(arguments), "-")
    if otherwise and first.startswith("-") and first not in {"-h", "--help"}:
        return parser.parse_args([otherwise, *arguments])
    return parser.parse_args(arguments)


def add_actions(
    parser: argparse.ArgumentParser, summaries: Mapping[str, str], *, otherwise: str | None = None
) -> Mapping[str, argparse.ArgumentParser]:
    """The parsers of what a command can do; ``action`` will be the one that was chosen.

    ``otherwise`` is the one that is meant if none is named.
    """
    if otherwise:
        parser.set_defaults(**{OTHERWISE: otherwise})
        parser.epilog = f"Without an action, {otherwise!r} is meant."
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    return {
        name: actions.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        for name, summary in summaries.items()
    }


def add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target",
        metavar="HOST:PORT",
        help="the gate (default PLANGATE_TARGET, or where 'serve' listens)",
    )


def revision(text: str) -> int:
    """The number of a revision; they are counted from 1."""
    if not text.isdecimal() or len(text) > 18 or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no revision: they are counted from 1")
    return int(text)


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, as protobuf writes its messages")


def add_plan(parser: argparse._ActionsContainer, nargs: str | None = None) -> None:
    parser.add_argument(
        "plan",
        metavar=PLAN,
        nargs=nargs,
        help="its name, plan_uri, file name or id, or the beginning or a part of them",
    )
