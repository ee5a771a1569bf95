"""``plangate token create|list|revoke``: who may call the gate, and as what."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Mapping
from datetime import UTC, timedelta

from google.protobuf.timestamp_pb2 import Timestamp

from plangate._client import Client
from plangate.cli._gate import gate
from plangate.cli._tables import table
from plangate.cli._text import visible
from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, Role, Token

HEADINGS = ("TOKEN", "ROLE", "NAME", "PERSON", "WORKSPACE", "SHOWS", "UNTIL")


def run(given: Namespace) -> int:
    with gate() as client:
        ACTIONS[given.action](client, given)
    return 0


def _create(client: Client, given: Namespace) -> None:
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
    token = made.token
    until = f"until {_day(token.expire_time)}" if token.HasField("expire_time") else "until it is revoked"
    who = f"{_role(token)} {visible(token.name)}, of {visible(token.person)}, in {visible(token.workspace)}"
    shown = "a client certificate of that name is shown instead of a token" if token.certificate else ""
    about = shown or "this is the only time that it is shown"
    # Apart from the token itself, so that a script can keep that and nothing else.
    print(f"{token.token_id}: {who}, {until}; {about}", file=sys.stderr)
    if made.secret:
        print(made.secret)


def _list(client: Client, given: Namespace) -> None:
    tokens = list(client.list_tokens(given.workspace, include_ended=given.all))
    print(*table(HEADINGS, [_row(token) for token in tokens]), sep="\n")


def _revoke(client: Client, given: Namespace) -> None:
    token = client.revoke_token(given.token, given.workspace)
    print(f"revoked {token.token_id}: {_role(token)} {visible(token.name)}, of {visible(token.person)}")


ACTIONS: Mapping[str, Callable[[Client, Namespace], None]] = {
    "create": _create,
    "list": _list,
    "revoke": _revoke,
}


def _row(token: Token) -> tuple[str, ...]:
    if token.HasField("revoke_time"):
        until = f"revoked {_day(token.revoke_time)}"
    else:
        until = _day(token.expire_time) if token.HasField("expire_time") else "revocation"
    shows = f"certificate {visible(token.certificate)}" if token.certificate else "token"
    who = (visible(token.name), visible(token.person), visible(token.workspace))
    return (token.token_id, _role(token), *who, shows, until)


def _role(token: Token) -> str:
    return Role.Name(token.role).removeprefix("ROLE_").lower()


def _day(moment: Timestamp) -> str:
    return f"{moment.ToDatetime(tzinfo=UTC):%Y-%m-%d %H:%M}Z"
