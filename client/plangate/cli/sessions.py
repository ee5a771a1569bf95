"""``plangate sessions``: agents at work, and what each may do."""

from __future__ import annotations

import argparse

from plangate.cli._gate import gate
from plangate.cli._json import print_json, print_json_list
from plangate.cli._parsing import add_json, add_target
from plangate.cli._sessions import mode_of, session_lines, state_of_session
from plangate.cli._tables import Row, print_table
from plangate_proto.agent.v1.agent_session_service_pb2 import Session

HEADINGS = ("SESSION", "MODE", "STATE", "CALLS", "PLAN")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", nargs="?", help="show this one in full")
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        if given.session is not None:
            _show(client.session(given.session), given)
            return 0
        sessions = list(client.sessions())
    if given.json:
        print_json_list(sessions)
    elif sessions:
        print_table(HEADINGS, [_row(session) for session in sessions])
    else:
        print("no agent has named a session yet")
    return 0


def _show(session: Session, given: argparse.Namespace) -> None:
    if given.json:
        print_json(session)
    else:
        print(*session_lines(session), sep="\n")


def _row(session: Session) -> Row:
    plan = session.plan_uri[-8:]
    return (
        session.session_id,
        mode_of(session),
        state_of_session(session),
        str(session.queue_length),
        plan or "none",
    )
