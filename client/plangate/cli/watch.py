"""``plangate watch``: what happens, as it happens."""

from __future__ import annotations

import argparse
from typing import Final

from plangate.cli._events import event_line
from plangate.cli._finding import find_plan
from plangate.cli._gate import Connection, gate
from plangate.cli._json import print_json_line
from plangate.cli._parsing import add_json, add_target
from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType

CHECKPOINT: Final = ReviewEventType.REVIEW_EVENT_TYPE_CHECKPOINT
NOT_ASKED_FOR: Final = frozenset(
    {
        ReviewEventType.REVIEW_EVENT_TYPE_UNSPECIFIED,
        ReviewEventType.REVIEW_EVENT_TYPE_SNAPSHOT,
        CHECKPOINT,
        # There is one for every few words that a model writes.
        ReviewEventType.REVIEW_EVENT_TYPE_DRAFT_UPDATED,
    }
)
"""The first three cannot be asked for: they say where a stream stands."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Begins with what waits for a decision, and ends with Ctrl-C. It goes on over restarts of the gate. "
        "Of drafts that are being written it tells nothing."
    )
    parser.add_argument("--session", default="", metavar="ID", help="only what happens in this session")
    parser.add_argument("--plan", metavar="PLAN", help="only what happens to this plan")
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    wanted = [each for each in ReviewEventType.values() if each not in NOT_ASKED_FOR]
    line = Connection()
    with gate(given, on_line=line.tell) as client:
        plan_uri = find_plan(client, given.plan).plan_uri if given.plan else ""
        for event in client.watch(*wanted, session_id=given.session):
            line.was_there = True
            if event.type == CHECKPOINT or (plan_uri and event.plan_uri != plan_uri):
                continue
            if given.json:
                print_json_line(event)
            else:
                print(event_line(event), flush=True)
    return 0
