"""``plangate approvals list|show|answer``: tool calls that wait for a person."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from importlib import import_module

from plangate._client import Client
from plangate.cli._durations import duration
from plangate.cli._finding import closest
from plangate.cli._gate import CommandError, gate
from plangate.cli._json import print_json, print_json_list
from plangate.cli._parsing import add_actions, add_json, add_target
from plangate.cli._tables import Row, print_table
from plangate.cli._tool_calls import answer_of, call_lines, first_line
from plangate.cli._words import age
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval, ApprovalState

HEADINGS = ("CALL", "SESSION", "TOOL", "COMMAND", "BY", "ASKED", "STATE")


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = add_actions(
        parser,
        {
            "list": "list the tool calls that wait, the oldest first",
            "show": "show a tool call in full",
            "answer": "answer the tool call that people are asked about",
        },
        otherwise="list",
    )
    actions["list"].add_argument("--all", action="store_true", help="also those that were answered or ended")
    for name in ("show", "answer"):
        actions[name].add_argument(
            "call", metavar="CALL", help="its id, as 'list' shows it, or the beginning or a part of it"
        )
    _answer_arguments(actions["answer"])
    for action in actions.values():
        action.add_argument("--session", default="", metavar="ID", help="only calls of this session")
        add_json(action)
        add_target(action)
