"""A web server on loopback that answers as the test says."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from tests.helpers.certificates import Pair

Answer = Callable[[BaseHTTPRequestHandler], None]


class WebServer:
    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.paths: list[str] = []
        self.url = ""

    def content(self, body: bytes, status: int = 200, **headers: str) -> None:
        """Answer with this from now on."""
        self.answer = page(body, status, **headers)


def page(body: bytes, status: int = 200, **headers: str) -> Answer:
    """The same answer to every request."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return answer


@contextmanager
def web_server(pair: Pair | None = None) -> Iterator[WebServer]:
    """Over TLS if there is a certificate to show."""
    web = WebServer(lambda request: request.send_error(404))
    web.content(b"{}")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            web.paths.append(self.path)
            web.answer(self)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the tests look at the paths."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda request, address: None  # type: ignore[assignment] # who asked has gone
    if pair is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair.cert, pair.key)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    web.url = f"{'https' if pair else 'http'}://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
