"""``plangate remembered list|forget|reset``: answers that are given again without asking."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from plangate._calls.words import word_of
from plangate._client import Client
from plangate.cli._finding import closest
from plangate.cli._gate import CommandError, gate
from plangate.cli._json import print_json, print_json_list
from plangate.cli._parsing import add_actions, add_json, add_target
from plangate.cli._tables import Cell, Row, print_table
from plangate.cli._text import visible
from plangate.cli._words import clock, counted, spoken
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalDecision,
    Remembered,
    RememberScope,
    ResetMemoryResponse,
)

HEADINGS = ("ID", "ANSWER", "TOOL", "TO", "WHERE", "BY", "UNTIL")


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = add_actions(
        parser,
        {
            "list": "list what is remembered, the oldest first",
            "forget": "ask again from now on about what one answer covers",
            "reset": "forget all of it, and take full access back",
        },
        otherwise="list",
    )
    actions["list"].add_argument("--session", default="", metavar="ID", help="only what reaches this session")
    actions["forget"].add_argument("remembered", metavar="ID", help="its id, as 'list' shows it")
    reach = actions["reset"].add_mutually_exclusive_group(required=True)
    reach.add_argument("--session", default="", metavar="ID", help="of this session")
    reach.add_argument("--workspace", action="store_true", help="of every session of the workspace")
    for action in actions.values():
        add_json(action)
        add_target(action)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        ACTIONS[given.action](client, given)
    return 0


def _list(client: Client, given: argparse.Namespace) -> None:
    answers = list(client.remembered(given.session))
    if given.json:
        print_json_list(answers)
    elif answers:
        print_table(HEADINGS, [_row(answer) for answer in answers])
    else:
        print("nothing is remembered")


def _forget(client: Client, given: argparse.Namespace) -> None:
    match closest(client.remembered(), given.remembered, lambda each: (each.remembered_id, _short(each))):
        case [answer]:
            forgotten = client.forget(answer)
        case found:
            fit = f"{len(found)} answers fit" if found else "no answer fits"
            raise CommandError(f"{fit} {given.remembered!r}: see 'plangate remembered'")
    if given.json:
        print_json(forgotten)
    else:
        what = f"{visible(forgotten.tool_name)} {visible(forgotten.signature)}"
        print(f"forgotten: {_answer(forgotten)} to {what}")


def _reset(client: Client, given: argparse.Namespace) -> None:
    if given.workspace:
        cleared = client.reset_memory("workspace_change")
    else:
        cleared = client.reset_memory("session_restart", given.session)
    if given.json:
        print_json(ResetMemoryResponse(cleared=cleared))
    else:
        print(f"{counted(cleared, 'answer')} forgotten")


ACTIONS: Mapping[str, Callable[[Client, argparse.Namespace], None]] = {
    "list": _list,
    "forget": _forget,
    "reset": _reset,
}


def _row(answer: Remembered) -> Row:
    everywhere = answer.scope == RememberScope.REMEMBER_SCOPE_WORKSPACE
    like = f"{answer.signature} (pattern)" if answer.is_pattern else answer.signature
    until = clock(answer.expire_time) if answer.HasField("expire_time") else "forgotten"
    where = "workspace" if everywhere else f"session {answer.session_id}"
    return (_short(answer), Cell(_answer(answer)), answer.tool_name, like, where, answer.reviewer, until)


def _answer(answer: Remembered) -> str:
    return spoken(word_of(ApprovalDecision, "APPROVAL_DECISION_", answer.decision))


def _short(answer: Remembered) -> str:
    return answer.remembered_id[-8:]
