"""How a browser keeps the token that its person showed once: in two halves, neither of which says anything.

One half is a cookie that no script can read. Cookies know no ports: every server on this machine that the
browser visits gets it, an agent's own among them. The other half is kept by the page, whose storage other
ports cannot read; it comes in a header that no foreign page can send. Only both give the token, so the
second half is also what tells a request of the page from one that somebody else made the browser send.
"""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

KEY_HEADER: Final = "x-plangate-key"
DAYS: Final = 30
BEARER: Final = "bearer "
_PORT: Final = re.compile(r":([0-9]{1,5})$", re.ASCII)


def split(token: str) -> tuple[str, str]:
    """The halves of a token: a pad that was just thrown, and the token under it."""
    data = token.encode()
    pad = secrets.token_bytes(len(data))
    return _written(pad), _written(_under(pad, data))


def joined(cookie: str, key: str) -> str:
    """The token; nothing if these are not its halves."""
    try:
        pad, covered = _read(cookie), _read(key)
        return _under(pad, covered).decode("ascii")
    except (binascii.Error, ValueError):
        return ""


def shown_token(request: HTTPConnection) -> str:
    """Whose request it is: a program shows its token as to gRPC, a page both halves. Empty if neither."""
    shown = request.headers.getlist("authorization")
    if shown:
        return shown[0][len(BEARER) :].strip() if shown[0].lower().startswith(BEARER) else "?"
    key = request.headers.get(KEY_HEADER, "")
    return joined(request.cookies.get(cookie_name(request), ""), key) if key else ""


def cookie_name(request: HTTPConnection) -> str:
    """With the port that the browser knows: gates on other ports of this machine have cookies of their own.

    Over TLS with the prefix by which browsers let no other host, and nobody on the way, put one there.
    """
    port = _PORT.search(request.headers.get("host", ""))
    name = f"plangate-{port[1]}" if port else "plangate"
    return f"__Host-{name}" if _is_secure(request) else name


def set_cookie(request: HTTPConnection, response: Response, half: str, seconds: int = DAYS * 86400) -> None:
    response.set_cookie(
        cookie_name(request),
        half,
        max_age=seconds,
        path="/",
        secure=_is_secure(request),
        httponly=True,
        samesite="strict",
    )


def clear_cookie(request: HTTPConnection, response: Response) -> None:
    set_cookie(request, response, "", seconds=0)


def _is_secure(request: HTTPConnection) -> bool:
    return request.scope["scheme"] in {"https", "wss"}


def _under(pad: bytes, data: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(pad, data, strict=True))


def _written(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _read(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
