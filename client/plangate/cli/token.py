"""``plangate token create|list|revoke``: who may call the gate, and as what."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, timedelta

from google.protobuf.timestamp_pb2 import Timestamp

from plangate._client import Client
from plangate._common.text_safety import visible
from plangate.cli._gate import gate
from plangate.cli._json import print_json, print_json_list
from plangate.cli._parsing import add_actions, add_json, add_target
from plangate.cli._tables import Row, print_table
from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, Role, Token

LONGEST_DAYS = 3650
HEADINGS = ("TOKEN", "ROLE", "NAME", "PERSON", "WORKSPACE", "SHOWS", "UNTIL")


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = add_actions(
        parser,
        {
            "create": "make a token; it is printed on standard output, this once",
            "list": "list the tokens that hold",
            "revoke": "end a token, and the streams that it opened",
        },
    )
    _create_arguments(actions["create"])
    actions["list"].add_argument(
        "--all", action="store_true", help="also those that were revoked or have expired"
    )
    actions["revoke"].add_argument("token", metavar="TOKEN", help="its id, as 'list' shows it")
    for action in actions.values():
        action.add_argument("--workspace", default="", help="of which workspace (default your own)")
        add_json(action)
        add_target(action)


def _create_arguments(parser: argparse.ArgumentParser) -> None:
    roles = ["agent", "reviewer", "observer", "admin"]
    parser.add_argument("--role", choices=roles, required=True, help="what its bearer may do")
    parser.add_argument("--name", required=True, help="what is recorded as the doer of what its bearer does")
    parser.add_argument("--person", default="", help="the person who answers for it (default the name)")
    parser.add_argument(
        "--days", type=_days, default=90, help="how long it holds: a number of days, or forever (default 90)"
    )
    parser.add_argument(
        "--certificate", metavar="CN", default="", help="take a client certificate of this name instead"
    )


def _days(text: str) -> int | None:
    if text == "forever":
        return None
    if not text.isdecimal() or not 0 < int(text) <= LONGEST_DAYS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of days up to {LONGEST_DAYS}, nor forever"
        )
    return int(text)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        ACTIONS[given.action](client, given)
    return 0


def _create(client: Client, given: argparse.Namespace) -> None:
    wanted = CreateTokenRequest(
        name=given.name,
        person=given.person,
        role=Role.Value(f"ROLE_{given.role.upper()}"),
        workspace=given.workspace,
        certificate=given.certificate,
    )
    if given.days is not None:
        wanted.expires_after.FromTimedelta(timedelta(days=given.days))
    made = client.create_token(wanted)
    if given.json:
        print_json(made)
        return
    token = made.token
    until = f"until {_day(token.expire_time)}" if token.HasField("expire_time") else "until it is revoked"
    who = f"{_role(token)} {visible(token.name)}, of {visible(token.person)}, in {visible(token.workspace)}"
    shown = "a client certificate of that name is shown instead of a token" if token.certificate else ""
    about = shown or "this is the only time that it is shown"
    # Apart from the token itself, so that a script can keep that and nothing else.
    print(f"{token.token_id}: {who}, {until}; {about}", file=sys.stderr)
    if made.secret:
        print(made.secret)


def _list(client: Client, given: argparse.Namespace) -> None:
    tokens = list(client.list_tokens(given.workspace, include_ended=given.all))
    if given.json:
        print_json_list(tokens)
    elif tokens:
        print_table(HEADINGS, [_row(token) for token in tokens])
    else:
        print("no token was made; those that the server left for its user are none of these")


def _revoke(client: Client, given: argparse.Namespace) -> None:
    token = client.revoke_token(given.token, given.workspace)
    if given.json:
        print_json(token)
        return
    print(f"revoked {token.token_id}: {_role(token)} {visible(token.name)}, of {visible(token.person)}")


ACTIONS: Mapping[str, Callable[[Client, argparse.Namespace], None]] = {
    "create": _create,
    "list": _list,
    "revoke": _revoke,
}


def _row(token: Token) -> Row:
    if token.HasField("revoke_time"):
        until = f"revoked {_day(token.revoke_time)}"
    else:
        until = _day(token.expire_time) if token.HasField("expire_time") else "revocation"
    shows = f"certificate {token.certificate}" if token.certificate else "token"
    return (token.token_id, _role(token), token.name, token.person, token.workspace, shows, until)


def _role(token: Token) -> str:
    return Role.Name(token.role).removeprefix("ROLE_").lower()


def _day(moment: Timestamp) -> str:
    return f"{moment.ToDatetime(tzinfo=UTC):%Y-%m-%d %H:%M}Z"
