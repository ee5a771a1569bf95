"""What can listen on a port and is no gate."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health, health_pb2, health_pb2_grpc


@contextmanager
def nobody() -> Iterator[str]:
    """Bound and not listening: nobody else can open a gate there meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield _address(taken)


@contextmanager
def silent() -> Iterator[str]:
    """Takes connections, and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield _address(listening)


class _Quiet(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@contextmanager
def web_server() -> Iterator[str]:
    """Speaks HTTP, and not gRPC."""
    with HTTPServer(("127.0.0.1", 0), _Quiet) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield _address(server.socket)
        finally:
            server.shutdown()
            serving.join()


@contextmanager
def other_service(*, healthy: bool) -> Iterator[str]:
    """Speaks gRPC, with health of its own or without, and knows nothing of plans."""
    server = grpc.server(ThreadPoolExecutor(1))
    if healthy:
        servicer = health.HealthServicer()
        servicer.set("", health_pb2.HealthCheckResponse.SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


@contextmanager
def answering(service: str, method: str, answer: Message) -> Iterator[str]:
    """Speaks gRPC, and says always the same."""
    handler: Any = grpc.unary_unary_rpc_method_handler(lambda _request, _context: answer.SerializeToString())
    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()
    return f"{host}:{port}"
