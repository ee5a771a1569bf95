"""The command line of ``plangate serve``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from plangate_server.plainyaml import FileProblems
from plangate_server.settings.printed import printed
from plangate_server.settings.saying import Parser, complain
from plangate_server.settings.sources import gathered, settled
from plangate_server.settings.table import SETTINGS, Setting, Settings
from plangate_server.settings.together import check_together
from plangate_server.settings.values import file_name

CONFIG: Final = "PLANGATE_CONFIG"


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """The settings, or an exit: with what is wrong and what to do, or after printing what was asked for."""
    parser = _parser()
    flags = parser.parse_args(arguments)
    try:
        given = gathered(vars(flags), environment, _config(flags.config, environment))
        settings = settled(given)
        check_together(given)
    except FileProblems as found:
        complain(found.problems)
        parser.exit(2)
    except ValueError as problem:
        parser.error(str(problem))
    if flags.print_config:
        print(printed(given))
        parser.exit()
    return settings


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="plangate serve", description="Start the gate. Ctrl-C or SIGTERM stops it.")
    for setting in SETTINGS:
        parser.add_argument(setting.flag, metavar=setting.placeholder, help=_help(setting))
    parser.add_argument(
        "--config",
        metavar="FILE",
        help=f"a YAML file with settings, for what neither a flag nor a variable sets ({CONFIG})",
    )
    parser.add_argument(
        "--print-config",
        action="store_true",
        help="print the settings that hold, each with where it comes from, and exit",
    )
    return parser


def add_database(parser: argparse.ArgumentParser) -> None:
    """The options of a command that needs the database of a server, and nothing else of it."""
    (setting,) = (each for each in SETTINGS if each.name == "database")
    parser.add_argument(setting.flag, metavar=setting.placeholder, help=_help(setting))
    parser.add_argument("--config", metavar="FILE", help=f"the server's YAML file with settings ({CONFIG})")


def read_database(
    parser: argparse.ArgumentParser, given: argparse.Namespace, environment: Mapping[str, str]
) -> Settings:
    """The settings of the server whose database it is, as far as that goes; or an exit with what is wrong."""
    try:
        return settled(
            gathered({"database": given.database}, environment, _config(given.config, environment))
        )
    except FileProblems as found:
        complain(found.problems)
        parser.exit(2)
    except ValueError as problem:
        parser.error(str(problem))


def _help(setting: Setting) -> str:
    default = setting.default_here() or setting.absent
    return f"{setting.help} (default {default}; {setting.variable})".replace("%", "%%")


def _config(flag: str | None, environment: Mapping[str, str]) -> Path | None:
    source, text = ("--config", flag) if flag is not None else (CONFIG, environment.get(CONFIG))
    if text is None:
        return None
    try:
        return file_name(text)
    except ValueError as wrong:
        raise ValueError(f"{source} {wrong}") from None
