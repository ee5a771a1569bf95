"""Reads pages like docs/cookbook.md: console blocks, the commands in them, what each should print."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

COOKBOOK = Path(__file__).parents[2] / "docs" / "cookbook.md"
ADDRESS = "127.0.0.1:50061"
GAP = "…"
PROMPT = "$ "

_ASSIGNMENT = re.compile(r"(?P<name>[A-Z_]+)=(?P<value>\S*)")
_SPELLED_OUT = re.compile(r'(?P<name>[A-Z_]+)=".*"')


@dataclass(slots=True)
class Command:
    text: str
    printed: list[str] = field(default_factory=list)

    @property
    def ended_by(self) -> str | None:
        """The method that ends the command, if it waits for one: for an answer that it does not have yet."""
        if self.text.endswith("/ReviewPlan"):
            return "/SubmitReview"
        waits = any("APPROVAL_STATE_ACTIVE" in line for line in self.printed)
        return "/ResolveApproval" if waits and self.text.endswith("/RequestApproval") else None

    def prints(self, output: str) -> bool:
        """Whether the output is what the cookbook prints; blanks are not compared.

        A line of nothing but the gap stands for any number of lines, a gap in a line for any text.
        """
        pattern = "".join(map(_line_pattern, self.printed))
        return re.fullmatch(pattern, "".join(f"{_tight(line)}\n" for line in output.splitlines())) is not None

    @property
    def spelled_out(self) -> str | None:
        """For NAME="text", whose value is what a shell makes of the text, the name."""
        match = _SPELLED_OUT.fullmatch(self.text)
        return match["name"] if match else None

    def assignment(self, earlier_output: str) -> tuple[str, str] | None:
        """For NAME=value, the name, and the value that the reader would copy from the earlier output."""
        match = _ASSIGNMENT.fullmatch(self.text)
        if match is None:
            return None
        key = match["name"].lower().replace("_", "_?")
        value = re.escape(match["value"]).replace(re.escape(GAP), '[^"]+')
        found = re.search(f'"{key}": *"({value})"', earlier_output, re.IGNORECASE)
        assert found, f"{self.text}: nothing like it was printed before"
        return match["name"], found[1]


def sections() -> dict[str, list[Command]]:
    """The commands under each heading of the second level, in order."""
    parts = re.split(r"^## (.+)$", COOKBOOK.read_text(encoding="utf-8"), flags=re.MULTILINE)
    commands = {title: list(commands_of(text)) for title, text in zip(parts[1::2], parts[2::2], strict=True)}
    assert not list(commands_of(parts[0])), "commands before the first section"
    return {title: found for title, found in commands.items() if found}


def commands_of(text: str) -> Iterator[Command]:
    """The commands of every console block of a page, in order."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        lines = iter(block.splitlines())
        command: Command | None = None
        for line in lines:
            if line.startswith(PROMPT):
                if command:
                    yield command
                command = Command(_whole(line.removeprefix(PROMPT), lines))
            else:
                assert command, f"output before any command: {line}"
                command.printed.append(line)
        assert command, "a block without a command"
        yield command


def _whole(command: str, following: Iterator[str]) -> str:
    """A command with the lines that belong to it: an open quote or a backslash goes on."""
    while command.endswith("\\") or not _is_closed(command):
        command += "\n" + next(following)
    return command


def _is_closed(command: str) -> bool:
    try:
        shlex.split(command)
    except ValueError:
        return False
    return True


def _line_pattern(line: str) -> str:
    tight = _tight(line)
    if tight == GAP:
        return r"(?:.*\n)*?"
    return re.escape(tight).replace(re.escape(GAP), ".*") + r"\n"


def _tight(line: str) -> str:
    return "".join(line.split())
