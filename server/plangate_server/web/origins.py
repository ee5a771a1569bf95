"""Which requests are meant for this server: those that ask for it by its name, and come from its own pages.

A browser on this machine can be led to a loopback port by a foreign name (DNS rebinding), or be made to send
requests by a foreign page. Where there is TLS, the browser itself has found that the name is ours.
"""

from __future__ import annotations

from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from plangate_server.web.access import names_loopback
from plangate_server.web.refusals import refused

OWN: Final = frozenset({"same-origin", "none"})
SECURE: Final = frozenset({"https", "wss"})
OPEN: Final = frozenset({"/healthz", "/metrics"})
"""For programs, which ask by any name; /metrics looks for itself."""


class OwnOrigin:
    """Refuses, before anything else is done, what is not meant for this server."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"} or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        problem = misdirected(HTTPConnection(scope))
        if problem is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": problem})
        else:
            await refused("PERMISSION_DENIED", "FOREIGN_ORIGIN", problem)(scope, receive, send)


def misdirected(connection: HTTPConnection) -> str | None:
    """What is wrong with where a request comes from or thinks it goes; None if nothing is."""
    hosts = connection.headers.getlist("host")
    secure = connection.url.scheme in SECURE
    if len(hosts) != 1 or not (secure or names_loopback(hosts[0])):
        return "ask for it by a loopback address: the Host header has another name"
    origins = connection.headers.getlist("origin")
    own = f"{'https' if secure else 'http'}://{hosts[0]}".lower()
    if origins and [origin.lower() for origin in origins] != [own]:
        return "the request comes from another page: the Origin header has another name"
    if is_navigation(connection):
        return None  # a link from elsewhere shows the page, which then asks for itself
    if connection.headers.get("sec-fetch-site", "none") not in OWN:
        return "the request comes from another page: the browser says so"
    return None


def is_navigation(connection: HTTPConnection) -> bool:
    return connection.scope.get("method") == "GET" and connection.headers.get("sec-fetch-mode") == "navigate"
