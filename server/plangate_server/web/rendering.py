"""POST /api/render: Markdown as the page may show it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from plangate_server.domain.limits import DEFAULTS
from plangate_server.fronts import Calls
from plangate_server.web.api import ESCAPED, shown_by, with_refusals
from plangate_server.web.bodies import JSON, BadBody, json_body, json_object
from plangate_server.web.crowd import let_in
from plangate_server.web.drawing import Drawings
from plangate_server.web.refusals import refused
from plangate_server.web.sign_in import WHO_AM_I

LONGEST: Final = ESCAPED * DEFAULTS.plan_bytes + 1024
"""Of what a request says around a text that is as long as a plan may be, and all escapes."""


def render_route(calls: Calls) -> Route:
    drawings = Drawings()

    async def rendered(request: Request) -> Response:
        shown = shown_by(request)
        # Whoever is not known gets nothing done.
        await calls.answer(WHO_AM_I.path, shown, b"")
        let_in(request)
        text = _text(await json_body(request, LONGEST))
        # What a limit can be set to at most: a plan may be older than the limit that is set now.
        most, size = DEFAULTS.plan_bytes, len(text.encode())
        if size > most:
            words = f"text passes the limit plan_bytes: {size} of at most {most}"
            told = {"limit": "plan_bytes", "maximum": str(most), "actual": str(size)}
            return refused("RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED", words, told)
        drawn = await _unless_gone(request, drawings.answer(shown.token, text))
        return Response(drawn, media_type=JSON)

    return Route("/api/render", with_refusals(rendered), methods=["POST"])


async def _unless_gone(request: Request, drawn: Coroutine[Any, Any, bytes]) -> bytes | None:
    """What is drawn; None if whoever asked for it does not wait any more, with whom the drawing ends."""
    drawing, leaving = asyncio.create_task(drawn), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({drawing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return drawing.result() if drawing.done() else None
    finally:
        drawing.cancel()
        leaving.cancel()
        await asyncio.wait({drawing, leaving})


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        continue


def _text(data: bytearray) -> str:
    text = json_object(data).get("text")
    if not isinstance(text, str):
        raise BadBody("send a text")
    return text.encode(errors="replace").decode()
