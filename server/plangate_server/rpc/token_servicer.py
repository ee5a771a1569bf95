"""agent.v1.TokenService."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Final

from plangate_proto.agent.v1 import access_token_service_pb2 as pb
from plangate_proto.agent.v1.access_token_service_pb2_grpc import TokenServiceServicer
from plangate_server.domain.credentials import Credential
from plangate_server.domain.errors import StoreUnavailable
from plangate_server.domain.identity import Role
from plangate_server.ports import World
from plangate_server.rpc import requests
from plangate_server.rpc.enums import members, numbers
from plangate_server.rpc.principal import caller, calling
from plangate_server.rpc.running import Context
from plangate_server.rpc.streaming import Encoder
from plangate_server.rpc.times import timestamp
from plangate_server.usecases.tokens import CreateToken, create_token, list_tokens, revoke_token

ROLE: Final = numbers(Role, pb.Role, "ROLE")
ROLES: Final = members(ROLE)


class TokenServicer(TokenServiceServicer):
    def __init__(self, world: World, encoder: Encoder) -> None:
        self._world = world

    async def CreateToken(self, request: pb.CreateTokenRequest, context: Context) -> pb.CreateTokenResponse:
        principal = calling()
        command = CreateToken(
            name=request.name,
            role=requests.given(ROLES, request.role, "role"),
            person=request.person,
            workspace=request.workspace,
            certificate=request.certificate,
            expires_after=_expires_after(request),
            key=requests.request_key("agent.v1.CreateToken", principal, request),
        )
        credential, secret = await create_token(self._world, principal, command)
        # Or its bearer would be unknown at first, and wait among all who are.
        with suppress(StoreUnavailable):  # it is made; the door looks again within a second
            await self._world.callers.refresh()
        return pb.CreateTokenResponse(token=_message(credential), secret=secret)

    async def ListTokens(self, request: pb.ListTokensRequest, context: Context) -> pb.ListTokensResponse:
        page, token = await list_tokens(
            self._world,
            calling(),
            request.workspace,
            request.page_size,
            request.page_token,
            ended=request.include_ended,
        )
        return pb.ListTokensResponse(tokens=[_message(each) for each in page], next_page_token=token)

    async def RevokeToken(self, request: pb.RevokeTokenRequest, context: Context) -> pb.RevokeTokenResponse:
        principal = calling()
        key = requests.request_key("agent.v1.RevokeToken", principal, request)
        revoked = await revoke_token(self._world, principal, request.workspace, request.token_id, key)
        return pb.RevokeTokenResponse(token=_message(revoked))

    async def WhoAmI(self, request: pb.WhoAmIRequest, context: Context) -> pb.WhoAmIResponse:
        principal = calling()
        return pb.WhoAmIResponse(
            name=principal.name,
            person=principal.person,
            role=ROLE[principal.role],
            workspace=principal.workspace,
            expire_time=timestamp(caller().expire_time),
        )


def _expires_after(request: pb.CreateTokenRequest) -> timedelta | None:
    if not request.HasField("expires_after"):
        return None
    return requests.span("expires_after", request.expires_after)


def _message(credential: Credential) -> pb.Token:
    principal = credential.principal
    return pb.Token(
        token_id=credential.credential_id,
        name=principal.name,
        person=principal.person,
        role=ROLE[principal.role],
        workspace=principal.workspace,
        certificate=credential.certificate,
        created_by=credential.created_by,
        create_time=timestamp(credential.create_time),
        expire_time=timestamp(credential.expire_time),
        revoke_time=timestamp(credential.revoke_time),
    )
