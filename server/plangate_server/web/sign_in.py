"""POST /sign-in and /sign-out."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from plangate_server.fronts import Calls, Shown
from plangate_server.web.api import with_refusals
from plangate_server.web.bodies import json_body, json_object
from plangate_server.web.crowd import let_in
from plangate_server.web.invitations import Invitation
from plangate_server.web.messages import METHODS
from plangate_server.web.refusals import refused
from plangate_server.web.signing_in import clear_cookie, set_cookie, split

WHO_AM_I: Final = METHODS["/agent.v1.TokenService/WhoAmI"]
LONGEST: Final = 16 * 1024


def sign_in_routes(calls: Calls, invitation: Invitation) -> list[Route]:
    async def sign_in(request: Request) -> Response:
        asked = _strings(await json_body(request, LONGEST))
        token = asked.get("token", "").strip() or invitation.taken(asked.get("code", ""))
        if not token:
            return refused(
                "UNAUTHENTICATED",
                "INVALID_CREDENTIALS",
                "this link was used already, or is of another start of the server: show your token",
            )
        if not token.isascii():
            return refused("UNAUTHENTICATED", "INVALID_CREDENTIALS", "this is no token")
        who = await calls.answer(
            WHO_AM_I.path, Shown(token, address=request.client.host if request.client else ""), b""
        )
        let_in(request)
        cookie, key = split(token)
        response = JSONResponse({"key": key, **WHO_AM_I.write(who)})
        set_cookie(request, response, cookie)
        return response

    async def sign_out(request: Request) -> Response:
        response = JSONResponse({})
        clear_cookie(request, response)
        return response

    return [
        Route("/sign-in", with_refusals(sign_in), methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"]),
    ]


def _strings(data: bytearray) -> dict[str, str]:
    return {name: text for name, text in json_object(data).items() if isinstance(text, str)}
