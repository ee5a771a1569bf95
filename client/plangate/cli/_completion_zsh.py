"""Completion for zsh."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plangate.cli._commands import OF_THE_SERVER
from plangate.cli._completion_kinds import Kind, kind_of
from plangate.cli._surface import Argument, Option, Surface, surfaces

HEAD = """\
#compdef plangate
# Completion of the plangate command for zsh, made by: plangate completion zsh
_plangate_plans() {
    local -a plans
    plans=(${(f)"$(plangate completion plans 2>/dev/null)"})
    compadd -a plans
}
_plangate() {
    local context state line curcontext="$curcontext"
    local -a commands
    commands=(
@COMMANDS@\
    )
    if ((CURRENT == 2)); then
        _describe command commands
        return
    fi
    local command="$words[2]"
    shift words
    ((CURRENT--))
    case "$command" in
"""
TAIL = """\
    esac
}
if [[ "$funcstack[1]" == _plangate ]]; then
    _plangate "$@"
else
    compdef _plangate plangate
fi
"""
KINDS = {Kind.PLANS: "_plangate_plans", Kind.FILES: "_files", Kind.NOTHING: ""}


def script() -> str:
    commands = surfaces()
    listed = "".join(f"        {_described(name, each.summary)}\n" for name, each in commands.items())
    cases = "".join(_case(name, each) for name, each in commands.items())
    return HEAD.replace("@COMMANDS@", listed) + cases + TAIL


def _case(name: str, command: Surface) -> str:
    if name in OF_THE_SERVER:
        return f"        {name}) _files ;;\n"
    if not command.actions:
        return f"        {name}) _arguments {' '.join(_specs(command))} ;;\n"
    listed = " ".join(_described(each, inner.summary) for each, inner in command.actions.items())
    inner = "".join("    " + _case(each, inner) for each, inner in command.actions.items())
    return f"""\
        {name})
            local -a actions
            actions=({listed})
            if ((CURRENT == 2)); then
                _describe action actions
                return
            fi
            command="$words[2]"
            shift words
            ((CURRENT--))
            case "$command" in
        {inner.rstrip(" ")}\
            esac
            ;;
"""


def _specs(command: Surface) -> Iterator[str]:
    for option in command.options:
        yield _quoted(f"*{option.flag}[{_escaped(option.help)}]{_value(option)}")
    for number, argument in enumerate(command.arguments, start=1):
        place = "*" if argument.many else number
        yield _quoted(f"{place}:{argument.name}:{_offered(argument)}")


def _value(option: Option) -> str:
    return f":{option.value}:{_offered(option)}" if option.value else ""


def _offered(each: Option | Argument) -> str:
    if each.choices:
        return f"({' '.join(each.choices)})"
    return KINDS[kind_of(each.value if isinstance(each, Option) else each.name)]


def _described(name: str, summary: str) -> str:
    return _quoted(f"{name}:{_escaped(summary)}")


def _escaped(text: str) -> str:
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
