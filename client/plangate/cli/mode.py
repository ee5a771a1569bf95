"""``plangate mode``: what a session may do in general."""

from __future__ import annotations

import argparse

from plangate._client import Client
from plangate._common.text_safety import visible
from plangate._tokens import REVIEWER
from plangate.cli._asking import is_somebody_there, is_yes
from plangate.cli._exits import DONE, FAILED
from plangate.cli._gate import CommandError, gate
from plangate.cli._json import print_json
from plangate.cli._parsing import add_json, add_target
from plangate.cli._sessions import mode_of, session_lines, wants_full_access
from plangate_proto.agent.v1.agent_session_service_pb2 import Session

FULL_ACCESS = "full-access"
QUESTION = "Let it use every tool that no rule denies without asking, for the calls that wait now, too?"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "agent: tools that do more than read are asked about. plan: they are denied. full-access: what no "
        "rule denies is done without asking; a person confirms that for each session. If it was asked for "
        "and is not confirmed, setting any other mode declines it."
    )
    parser.add_argument("session", metavar="SESSION", help="its id, as 'plangate sessions' shows it")
    parser.add_argument(
        "mode", metavar="MODE", nargs="?", choices=["agent", "plan", FULL_ACCESS], help="the mode to set"
    )
    parser.add_argument(
        "--confirm", action="store_true", help="with full-access: you confirm it, and need not be asked"
    )
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    with gate(given, role=REVIEWER) as client:
        if given.confirm and given.mode != FULL_ACCESS:
            raise CommandError("--confirm is for full-access: nothing else needs it")
        # Setting the mode of a session that nobody has named yet would make one, and a typing error, too.
        session = client.session(given.session)
        if given.mode == FULL_ACCESS:
            if not _is_meant(session, given):
                print("nothing was changed")
                return FAILED
            session = _give_full_access(client, session)
        elif given.mode is not None:
            session = client.set_mode(given.session, given.mode)
    if given.json:
        print_json(session)
    else:
        print(f"{visible(session.session_id)}: {mode_of(session).text}")
    return DONE


def _is_meant(session: Session, given: argparse.Namespace) -> bool:
    if given.confirm:
        return True
    if not is_somebody_there():
        raise CommandError("nobody is there to ask: give --confirm, if a person wants full access for it")
    print(*session_lines(session), sep="\n")
    return is_yes(QUESTION)


def _give_full_access(client: Client, session: Session) -> Session:
    """Asked for, if no agent has done so, and confirmed, if that is still needed."""
    asked = client.set_mode(session.session_id, "full_access")
    return client.confirm_full_access(session.session_id, True) if wants_full_access(asked) else asked
