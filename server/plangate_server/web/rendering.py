"""POST /api/render: Markdown as the page may show it."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from plangate_server.fronts import Calls
from plangate_server.web.api import ESCAPED, shown_by, with_refusals
from plangate_server.web.bodies import BadBody, json_body, json_object
from plangate_server.web.markdown import render
from plangate_server.web.sign_in import WHO_AM_I


def render_route(calls: Calls, message_bytes: int) -> Route:
    async def rendered(request: Request) -> Response:
        # Whoever is not known gets nothing done.
        await calls.answer(WHO_AM_I.path, shown_by(request), b"")
        text = _text(await json_body(request, ESCAPED * message_bytes))
        # In a thread: a long plan takes a while, in which others want answers.
        return JSONResponse({"html": await asyncio.to_thread(render, text)})

    return Route("/api/render", with_refusals(rendered), methods=["POST"])


def _text(data: bytes) -> str:
    text = json_object(data).get("text")
    if not isinstance(text, str):
        raise BadBody("send a text")
    return text.encode(errors="replace").decode()
