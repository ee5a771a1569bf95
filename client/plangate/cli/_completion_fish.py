"""Completion for fish."""

from __future__ import annotations

from collections.abc import Iterator

from plangate.cli._commands import OF_THE_SERVER
from plangate.cli._completion_kinds import Kind, kind_of
from plangate.cli._surface import Argument, Option, Surface, surfaces

HEAD = """\
# Completion of the plangate command for fish, made by: plangate completion fish
function __plangate_at --description 'Whether the words so far are these, and others may follow'
    set -l words (commandline -opc)
    set -l wanted plangate $argv
    test (count $words) -ge (count $wanted); and test "$words[1..$(count $wanted)]" = "$wanted"
end
function __plangate_ends --description 'Whether the words so far are these, and no others'
    set -l words (commandline -opc)
    test "$words[2..]" = "$argv"
end
complete -c plangate -f
"""
PLANS = "(plangate completion plans 2>/dev/null)"


def script() -> str:
    return HEAD + "".join(f"{line}\n" for command in surfaces().values() for line in _lines(command))


def _lines(command: Surface) -> Iterator[str]:
    yield _line("__plangate_ends", f"-a {command.name} -d {_quoted(command.summary)}")
    for name, action in command.actions.items():
        yield _line(f"__plangate_ends {command.name}", f"-a {name} -d {_quoted(action.summary)}")
    if command.name in OF_THE_SERVER:
        yield _line(f"__plangate_at {command.name}", "-F")
    for each in command.every():
        at = f"__plangate_at {each.name}"
        for option in each.options:
            yield _line(at, _option(option))
        if each.arguments:
            yield _line(at, _argument(each.arguments[0]))


def _line(condition: str, what: str) -> str:
    return f"complete -c plangate -n {_quoted(condition)} {what}"


def _option(option: Option) -> str:
    name = f"-l {option.flag.removeprefix('--')} -d {_quoted(option.help)}"
    if not option.value:
        return name
    if option.choices:
        return f"{name} -x -a {_quoted(' '.join(option.choices))}"
    return f"{name} -r -F" if kind_of(option.value) is Kind.FILES else f"{name} -x"


def _argument(argument: Argument) -> str:
    match kind_of(argument.name):
        case Kind.PLANS:
            return f"-a {_quoted(PLANS)}"
        case Kind.FILES:
            return "-F"
        case _:
            return f"-a {_quoted(' '.join(argument.choices))}" if argument.choices else "-f"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
