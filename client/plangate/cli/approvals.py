"""``plangate approvals list|show|answer``: tool calls that wait for a person."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from plangate._client import Client
from plangate.cli._answering import answer, answer_arguments
from plangate.cli._finding import closest
from plangate.cli._gate import CommandError, gate
from plangate.cli._json import print_json, print_json_list
from plangate.cli._parsing import add_actions, add_json, add_target
from plangate.cli._tables import Row, print_table
from plangate.cli._tool_calls import answer_lines, answer_of, call_lines, first_line
from plangate.cli._words import age
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval, ApprovalState

HEADINGS = ("CALL", "SESSION", "TOOL", "COMMAND", "BY", "ASKED", "STATE")
EVERY_STATE = [state for state in ApprovalState.values() if state]


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = add_actions(
        parser,
        {
            "list": "list the tool calls that wait, the oldest first",
            "show": "show a tool call in full",
            "answer": "answer the tool call that a session waits for",
        },
        otherwise="list",
    )
    actions["list"].add_argument("--all", action="store_true", help="also those that have ended")
    for name in ("show", "answer"):
        actions[name].add_argument(
            "call", metavar="CALL", help="its id, as 'list' shows it, or the beginning or a part of it"
        )
    answer_arguments(actions["answer"])
    for action in actions.values():
        action.add_argument("--session", default="", metavar="ID", help="only calls of this session")
        add_json(action)
        add_target(action)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        return ACTIONS[given.action](client, given)


def _list(client: Client, given: argparse.Namespace) -> int:
    calls = list(client.tool_calls(*(EVERY_STATE if given.all else ()), session_id=given.session))
    if given.json:
        print_json_list(calls)
    elif calls:
        print_table(HEADINGS, [_row(call) for call in calls])
    else:
        print("no tool call was asked for" if given.all else "no tool call waits for an answer")
    return 0


def _show(client: Client, given: argparse.Namespace) -> int:
    call = _find(client, given, *EVERY_STATE)
    if given.json:
        print_json(call)
    else:
        print(*call_lines(call), *answer_lines(call), sep="\n")
    return 0


def _answer(client: Client, given: argparse.Namespace) -> int:
    return answer(client, _find(client, given), given)


ACTIONS: Mapping[str, Callable[[Client, argparse.Namespace], int]] = {
    "list": _list,
    "show": _show,
    "answer": _answer,
}


def _find(client: Client, given: argparse.Namespace, *states: ApprovalState.ValueType) -> Approval:
    calls = client.tool_calls(*states, session_id=given.session)
    match closest(calls, given.call, lambda call: (call.call_id,)):
        case [call]:
            return call
        case []:
            waiting = "" if states else "that waits "
            raise CommandError(f"no tool call {waiting}is called {given.call!r}: see 'plangate approvals'")
        case found:
            raise CommandError(
                f"{given.call!r} fits {len(found)} tool calls: give more of the id, or --session"
            )


def _row(call: Approval) -> Row:
    what = (call.tool_name, first_line(call.command))
    return (
        call.call_id,
        call.session_id,
        *what,
        call.agent_id,
        f"{age(call.request_time)} ago",
        answer_of(call),
    )
