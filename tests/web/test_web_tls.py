"""The web port over TLS: the gate's own certificate, renewed without a restart."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator
from pathlib import Path

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from plangate_server.fronts import Coming, Shown
from plangate_server.tls import BrowserTls, TlsFiles
from plangate_server.tls import Certificates as Held
from plangate_server.web.invitations import Invitation
from plangate_server.web.origins import OwnOrigin
from plangate_server.web.server import web_server
from plangate_server.web.sign_in import sign_in_routes
from tests.helpers.certificates import Certificates, Pair


async def page(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("the page")(scope, receive, send)


class EverybodyIsKnown:
    """As much of the gate as a sign-in asks for."""

    async def answer(self, method: str, shown: Shown, request: bytes | Coming) -> bytes:
        return b""

    async def stream(self, method: str, shown: Shown, request: bytes) -> AsyncGenerator[bytes]:
        raise AssertionError("nobody listens here")
        yield b""


async def asked(
    address: str, ca: Path, request: tuple[str, str, str] = ("GET /", "Accept: */*", "")
) -> tuple[str, int]:
    """The answer, and the number of the certificate that was shown."""
    context = ssl.create_default_context(cafile=str(ca))
    name, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(name, int(port), ssl=context, server_hostname="localhost")
    shown = writer.get_extra_info("peercert")
    line, head, body = request
    common = f"{line} HTTP/1.1\r\nHost: gate.example\r\nConnection: close\r\n"
    writer.write(f"{common}{head}\r\n\r\n{body}".encode())
    answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    return answer, int(shown["serialNumber"], 16)


async def test_its_certificate_is_the_gates_and_renewed(certificates: Certificates, tmp_path: Path) -> None:
    """The next connection gets a renewed one; and where there is TLS, any name that it is for is ours."""
    place = Pair(tmp_path / "server.pem", tmp_path / "server.key")
    certificates.server.put(place)
    tls = BrowserTls(Held(TlsFiles(place.cert, place.key)))
    async with web_server(OwnOrigin(page), "127.0.0.1:0", tls.context) as address:
        answer, first = await asked(address, certificates.ca)
        assert answer.endswith("the page")
        assert await asked(address, certificates.ca) == (answer, first)
        certificates.renewed.put(place)
        _, second = await asked(address, certificates.ca)
    assert second != first


async def test_its_cookie_goes_over_tls_only(certificates: Certificates, tmp_path: Path) -> None:
    """A browser that signed in here shows it to nobody in clear."""
    place = Pair(tmp_path / "server.pem", tmp_path / "server.key")
    certificates.server.put(place)
    tls = BrowserTls(Held(TlsFiles(place.cert, place.key)))
    app = OwnOrigin(Starlette(routes=sign_in_routes(EverybodyIsKnown(), Invitation(""))))
    body = '{"token": "x"}'
    head = f"Content-Type: application/json\r\nContent-Length: {len(body)}"
    async with web_server(app, "127.0.0.1:0", tls.context) as address:
        answer, _ = await asked(address, certificates.ca, ("POST /sign-in", head, body))
    [cookie] = [line for line in answer.splitlines() if line.lower().startswith("set-cookie:")]
    assert {"Secure", "HttpOnly", "SameSite=strict"} <= {part.strip() for part in cookie.split(";")}
