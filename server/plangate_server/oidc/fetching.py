"""A small file from a web server that may be slow, broken or gone. No proxy is asked, whatever the
environment says, and nobody is asked but the host that the operator named.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

from plangate_server.oidc.addresses import origin
from plangate_server.oidc.keys import KeyProblem

SECONDS: Final = 5.0
MOST_REDIRECTS: Final = 3
MOVED: Final = frozenset({301, 302, 303, 307, 308})


def fetched(url: str, most_bytes: int, seconds: float = SECONDS) -> bytes:
    """What the URL answers with; or KeyProblem, after so many seconds at the latest."""
    asking = _Asking(url, most_bytes, seconds)
    # A thread of its own: names that do not resolve, and answers that come in drops, know no time-out.
    Thread(target=asking.run, name="plangate-jwks", daemon=True).start()
    try:
        return asking.answer.result(seconds)
    except TimeoutError:
        asking.give_up()
        raise KeyProblem(f"did not answer within {seconds:g} s") from None
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", None) or error.reason or "no handshake"
        raise KeyProblem(f"cannot be trusted: {why}") from None
    except OSError as error:
        raise KeyProblem(f"cannot be reached: {error.strerror or type(error).__name__}") from None
    except (http.client.HTTPException, ValueError) as error:
        raise KeyProblem(f"does not answer as a web server does: {type(error).__name__}") from None


class _Asking:
    def __init__(self, url: str, most_bytes: int, seconds: float) -> None:
        self.answer: Future[bytes] = Future()
        self._url = urlsplit(url)
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._socket: socket.socket | None = None

    def run(self) -> None:
        try:
            self.answer.set_result(self._followed())
        except Exception as error:
            self.answer.set_exception(error)  # for who waits, who may have given up

    def give_up(self) -> None:
        """Nothing more is read: the thread ends soon."""
        if self._socket is not None:
            with suppress(OSError):  # it is closed already
                self._socket.shutdown(socket.SHUT_RDWR)

    def _followed(self) -> bytes:
        url = self._url
        for _ in range(1 + MOST_REDIRECTS):
            answer = self._asked(url)
            if isinstance(answer, bytes):
                return answer
            url = urlsplit(urljoin(url.geturl(), answer))
            if origin(url) != origin(self._url):
                raise KeyProblem("leads to another host: name the place itself")
        raise KeyProblem(f"leads on more than {MOST_REDIRECTS} times")

    def _asked(self, url: SplitResult) -> bytes | str:
        """What is there, or where it is."""
        connection = self._connection(url)
        try:
            connection.connect()
            self._socket = connection.sock
            target = (url.path or "/") + (f"?{url.query}" if url.query else "")
            connection.request("GET", target, headers={"Accept": "application/json", "Connection": "close"})
            with connection.getresponse() as response:
                return self._answer(response)
        finally:
            connection.close()

    def _answer(self, response: http.client.HTTPResponse) -> bytes | str:
        if response.status in MOVED:
            return response.getheader("Location") or ""
        if response.status != http.HTTPStatus.OK:
            raise KeyProblem(f"answered with status {response.status}")
        content = response.read(self._most_bytes + 1)
        if len(content) > self._most_bytes:
            raise KeyProblem(f"answered with more than {self._most_bytes // 1024} KiB")
        return content

    def _connection(self, url: SplitResult) -> http.client.HTTPConnection:
        scheme, host, port = origin(url)
        if scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._seconds)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=self._seconds, context=context)
