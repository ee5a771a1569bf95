"""Every command of docs/reviewing.md prints what the page says, with the agent that the page tells of."""

from __future__ import annotations

import re
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.e2e.cookbook import Command, commands_of
from tests.e2e.pages import at_home, check, follow
from tests.e2e.processes import ROOT
from tests.helpers.asking import ask_for
from tests.helpers.command_line import CommandLine
from tests.helpers.gate_process import gate_process
from tests.helpers.terminal import at_terminal
from tests.helpers.tokens import token_dir

PAGE = (ROOT / "docs" / "reviewing.md").read_text(encoding="utf-8")
ANSWER = re.compile(r"(\[y/N\] |\[f\]\? )(\w)$", re.MULTILINE)
"""A question on the page, and what is typed."""
SORT = TodoItem(id="sort", content="sort the boxes")


@pytest.fixture
def plangate(tmp_path: Path) -> Iterator[CommandLine]:
    with gate_process(tmp_path) as address:
        yield CommandLine(address, tmp_path, at_home(tmp_path, token_dir()))


def propose(client: Client) -> Plan:
    """What the agent has done when the page begins."""
    burn = TodoItem(id="burn", content="burn the rest", dependencies=["sort"])
    plan = client.create_plan(
        "# Tidy the cellar\n\nSort the boxes.\nBurn what nobody needs.",
        overview="Make room for the wine.",
        todos=[SORT, burn],
        session_id="cellar-1",
        agent_id="tidy-bot",
    )
    reason = "to know what is there"
    ask_for(client, "cellar-1", "make inventory", call_id="call-1", agent_id="tidy-bot", prompt=reason)
    return plan


def revise(client: Client, plan: Plan) -> None:
    """What the agent does when changes are requested; and it asks for another call."""
    give = TodoItem(id="give", content="give the rest away", dependencies=["sort"])
    text = "# Tidy the cellar\n\nSort the boxes.\nGive away what nobody needs."
    client.update_plan(client.get_plan(plan), text, todos=[SORT, give], agent_id="tidy-bot")
    ask_for(client, "cellar-1", "make labels", call_id="call-2", agent_id="tidy-bot")


def run(plangate: CommandLine, command: Command) -> None:
    """As the page shows it: at a terminal where it asks, until Ctrl-C where it goes on."""
    if question := ANSWER.search("\n".join(command.printed)):
        answer_at_terminal(plangate, command, question)
    elif command.printed[-1:] == ["^C"]:
        interrupt(plangate, command)
    else:
        follow(command, plangate.folder, {**plangate.environment()})


def answer_at_terminal(plangate: CommandLine, command: Command, question: re.Match[str]) -> None:
    words = shlex.split(command.text)
    place = words.index("plangate")
    variables = dict(word.split("=", 1) for word in words[:place])
    person = CommandLine(plangate.target, plangate.folder, {**plangate.variables, **variables})
    with at_terminal(person, *words[place + 1 :]) as terminal:
        terminal.wait_for(question[1])
        terminal.type(f"{question[2]}\n")
        terminal.exit_code()
        check(command, terminal.screen)


def interrupt(plangate: CommandLine, command: Command) -> None:
    *printed, _ = command.printed
    with plangate.started(*shlex.split(command.text)[1:]) as running:
        output = "".join(f"{running.line()}\n" for _ in printed)
        running.process.send_signal(signal.SIGINT)
        assert running.done().code == 130
    check(Command(command.text, printed), output)


def test_every_command_prints_what_the_page_says(plangate: CommandLine) -> None:
    """Run one after the other, by the person for whom the gate left tokens."""
    with Client(plangate.target) as client:
        plan = propose(client)
        for command in commands_of(PAGE):
            run(plangate, command)
            if "request-changes" in command.text:
                revise(client, plan)
