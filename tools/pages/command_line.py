"""docs/command-line.md"""

from __future__ import annotations

from collections.abc import Iterator

import platformdirs

from plangate.cli._commands import GROUPS
from plangate.cli._exits import MEANINGS
from plangate.cli._surface import Argument, Option, Surface, surface_of, surfaces
from plangate_server import backup_command, policy_command

OF_THE_SERVER = {"backup": backup_command.parser, "policy": policy_command.parser}
HERE = str(platformdirs.user_data_path("plangate", appauthor=False))
ANYWHERE = "~/.local/share/plangate"
HEAD = """\
# The command line

<!-- Written by tools/generate_docs.py from the parsers in client/plangate/cli. -->

`pip install plangate` brings the command `plangate`; what starts or needs a server comes with
`plangate[server]`. A [recorded session](recorded/first-review.txt) shows a plan from its proposal to the
end of its build, and `plangate demo` lets you play it.

- **Which gate**: `--target`, like `127.0.0.1:50061` or `https://gate.example:443`, else `PLANGATE_TARGET`,
  else the one on this machine. The token to show is found as [identity](identity.md) says.
- **Which plan** (`PLAN`): its name as a table shows it, its file name, its id or its plan_uri, or the
  beginning or a part of them that fits no other plan.
- **Output**: tables on a terminal, in colour unless `NO_COLOR` is set; elsewhere the same as plain text, with
  nothing cut. `--json` prints messages as protobuf writes them: one object, one array for a list, one line
  for each message of a stream.
- **Text from elsewhere** is made harmless: what would act on a terminal, or hide, is written out like
  `\\u{1b}`, or `\\u{200b*300}` for so many in a row: [the rule](security.md#what-nobody-sees-is-marked).
"""
COMPLETION = """\
## Completion

Commands, actions, options, choices and the names of plans are completed. For bash, zsh and fish:

```sh
plangate completion bash > ~/.local/share/bash-completion/completions/plangate
plangate completion zsh > ~/.zfunc/_plangate    # with fpath+=~/.zfunc before compinit in ~/.zshrc
plangate completion fish > ~/.config/fish/completions/plangate.fish
```

Plans are asked for with `plangate completion plans`, which gives up after a second, and without a word. A
plan whose file name could mean something to a shell is offered by its id. What `serve`, `policy` and `backup`
take is not completed, but for files.
"""


def page() -> str:
    """Every command with what it takes, and the exit codes."""
    known = surfaces()
    lines = [HEAD, "## Exit codes", "", "| code | means |", "|---:|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in MEANINGS.items()]
    lines += ["", COMPLETION]
    for title, group in GROUPS.items():
        lines += [f"## {title[0].upper()}{title[1:]}", ""]
        for name, summary in group.items():
            parser = OF_THE_SERVER.get(name)
            lines += _command(surface_of(name, summary, parser()) if parser else known[name])
    return "\n".join(lines).rstrip() + "\n"


def _command(command: Surface) -> Iterator[str]:
    yield from (f"### {command.name}", "", f"{command.summary[0].upper()}{command.summary[1:]}.", "")
    if command.name == "serve":
        yield from ("All that it takes stands under [settings](settings.md).", "")
        return
    if command.actions and command.epilog:
        yield from (command.epilog, "")
    for each in command.every():
        if each is not command:
            yield from (f"**{each.name.removeprefix(command.name).strip()}**: {each.summary}.", "")
        yield from ("```text", _usage(each), "```", "")
        if rows := _explained(each):
            yield from ("| | |", "|---|---|", *rows, "")
        if each.epilog:
            yield from (each.epilog, "")


def _own(command: Surface) -> list[Option]:
    return [option for option in command.options if option.flag != "--help"]


def _explained(command: Surface) -> list[str]:
    """A row for all that is not the same in every command."""
    arguments = [each for each in command.arguments if each.name != "PLAN"]
    options = [each for each in _own(command) if each.flag not in {"--json", "--target"}]
    return [*map(_argument_row, arguments), *map(_option_row, options)]


def _usage(command: Surface) -> str:
    options = (_written(option) if option.required else f"[{_written(option)}]" for option in _own(command))
    return " ".join(("plangate", command.name, *options, *map(_placed, command.arguments)))


def _placed(argument: Argument) -> str:
    name = f"{argument.name}..." if argument.many else argument.name
    return f"[{name}]" if argument.optional else name


def _written(option: Option) -> str:
    return f"{option.flag} {option.value}".rstrip()


def _argument_row(argument: Argument) -> str:
    return _row(argument.name, argument.help, argument.choices)


def _option_row(option: Option) -> str:
    return _row(_written(option), option.help, option.choices)


def _row(what: str, said: str, choices: tuple[str, ...]) -> str:
    one_of = f"; one of {', '.join(f'`{choice}`' for choice in choices)}" if choices else ""
    return f"| `{what}` | {said.replace(HERE, ANYWHERE)}{one_of} |".replace("%%", "%")
