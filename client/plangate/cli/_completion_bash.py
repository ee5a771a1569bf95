"""Completion for bash."""

from __future__ import annotations

from collections.abc import Iterator

from plangate.cli._commands import OF_THE_SERVER
from plangate.cli._completion_kinds import Kind, kind_of
from plangate.cli._surface import Argument, Option, Surface, surfaces

HEAD = """\
# Completion of the plangate command for bash, made by: plangate completion bash
_plangate() {
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
    local command="${COMP_WORDS[1]}" first=2 flags="" valued="" kinds="" index place=0 kind
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "@COMMANDS@" -- "$current"))
        return
    fi
    case "$command" in
"""
MIDDLE = """\
    esac
    case "$command" in
"""
TAIL = """\
    esac
    case "$command $previous" in
@VALUES@\
    esac
    if [[ "$current" == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$current"))
        return
    fi
    case " $valued " in *" $previous "*) return ;; esac
    for ((index = first; index < COMP_CWORD; index++)); do
        case " $valued " in *" ${COMP_WORDS[index]} "*) ((index++)); continue ;; esac
        [[ "${COMP_WORDS[index]}" == -?* ]] || ((place++))
    done
    for kind in $kinds; do
        ((place-- > 0)) && [[ "$kind" != *+ ]] && continue
        case "${kind%+}" in
            plans) COMPREPLY=($(compgen -W "$(plangate completion plans 2>/dev/null)" -- "$current")) ;;
            files) compopt -o default 2>/dev/null ;;
        esac
        return
    done
}
complete -F _plangate plangate
"""
KINDS = {Kind.PLANS: "plans", Kind.FILES: "files", Kind.NOTHING: "nothing"}


def script() -> str:
    commands = surfaces()
    parts = [HEAD.replace("@COMMANDS@", " ".join(commands))]
    parts += [_actions(each) for each in commands.values() if each.actions]
    every = [inner for each in commands.values() for inner in each.every()]
    parts.append(MIDDLE)
    parts += [_words(each) for each in every]
    values = "".join(line for each in every for option in each.options for line in _value(each, option))
    return "".join([*parts, TAIL.replace("@VALUES@", values)])


def _actions(command: Surface) -> str:
    return f"""\
        {command.name})
            if ((COMP_CWORD == 2)); then
                COMPREPLY=($(compgen -W "{" ".join(command.actions)}" -- "$current"))
                return
            fi
            command="$command ${{COMP_WORDS[2]}}" first=3
            ;;
"""


def _words(command: Surface) -> str:
    flags = " ".join(option.flag for option in command.options)
    valued = " ".join(option.flag for option in command.options if option.value)
    kinds = "files+" if command.name in OF_THE_SERVER else " ".join(map(_kind, command.arguments))
    return f'        "{command.name}") flags="{flags}" valued="{valued}" kinds="{kinds}" ;;\n'


def _kind(argument: Argument) -> str:
    return KINDS[kind_of(argument.name)] + ("+" if argument.many else "")


def _value(command: Surface, option: Option) -> Iterator[str]:
    place = f'        "{command.name} {option.flag}") '
    if option.choices:
        yield f'{place}COMPREPLY=($(compgen -W "{" ".join(option.choices)}" -- "$current")); return ;;\n'
    elif option.value and kind_of(option.value) is Kind.FILES:
        yield f"{place}compopt -o default 2>/dev/null; return ;;\n"
