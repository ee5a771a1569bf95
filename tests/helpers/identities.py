"""Tokens that tests make over the socket, and what becomes of a call with any credentials."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, NamedTuple

import grpc

from plangate_proto.agent.v1.access_token_service_pb2 import (
    CreateTokenRequest,
    CreateTokenResponse,
    RevokeTokenRequest,
    Role,
    Token,
)
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate
from tests.helpers.raw_calls import method_named
from tests.helpers.refusals import Refused, refused
from tests.helpers.tool_calls import span

Metadata = Sequence[tuple[str, str]]


class Made(NamedTuple):
    token: Token
    secret: str


def token_request(
    role: str, name: str = "", *, seconds: float | None = None, **fields: Any
) -> CreateTokenRequest:
    """A token for a role, which is its name, too, if none is given."""
    wanted = CreateTokenRequest(name=name or role, role=Role.Value(f"ROLE_{role.upper()}"), **fields)
    if seconds is not None:
        wanted.expires_after.CopyFrom(span(seconds))
    return wanted


async def make_token(
    gate: Gate, role: str, name: str = "", *, seconds: float | None = None, **fields: Any
) -> Made:
    made: CreateTokenResponse = await gate.tokens.CreateToken(
        token_request(role, name, seconds=seconds, **fields)
    )
    return Made(made.token, made.secret)


async def revoke(gate: Gate, token: Token) -> Token:
    request = RevokeTokenRequest(token_id=token.token_id, workspace=token.workspace)
    return (await gate.tokens.RevokeToken(request)).token


def showing(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)


async def first_answer(channel: grpc.aio.Channel, path: str, data: bytes, metadata: Metadata) -> Any:
    """Send one message to a method of whatever kind, wait for the first answer, and go."""
    method = method_named(path)
    kinds = {False: "unary", True: "stream"}
    make = getattr(channel, f"{kinds[method.client_streaming]}_{kinds[method.server_streaming]}")
    call = make(path)(_once(data) if method.client_streaming else data, timeout=PATIENCE, metadata=metadata)
    if not method.server_streaming:
        return await call
    try:
        return await call.read()
    finally:
        call.cancel()


async def refusal_of(channel: grpc.aio.Channel, path: str, data: bytes, metadata: Metadata) -> Refused | None:
    """The refusal that a call gets; None if it gets an answer."""
    # A task, because ``refused`` fails a test whose call is answered.
    asked = asyncio.create_task(first_answer(channel, path, data, metadata))
    await asyncio.wait([asked])
    return await refused(asked) if asked.exception() else None


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data
