"""Gates that speak TLS."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import grpc
import pytest

from plangate import Client, HandshakeFailed
from plangate_server.app import running
from plangate_server.settings import Settings
from tests.helpers.certificates import Pair
from tests.helpers.gate import ANY_PORT
from tests.helpers.tokens import token_dir

Result = TypeVar("Result")


@asynccontextmanager
async def tls_gate(folder: Path, pair: Pair, client_ca: Path | None = None) -> AsyncIterator[str]:
    """A gate with these files; gives its address."""
    database = f"sqlite:///{folder / 'plangate.db'}"
    settings = Settings(
        ANY_PORT,
        database,
        token_dir(),
        ANY_PORT,
        tls_cert=pair.cert,
        tls_key=pair.key,
        tls_client_ca=client_ca,
    )
    async with running(settings) as addresses:
        yield addresses.grpc


@asynccontextmanager
async def unchecked_server(pair: Pair) -> AsyncIterator[str]:
    """A server that takes every certificate, as a gate has it whose certificate expires while it runs."""
    server = grpc.server(ThreadPoolExecutor(max_workers=1))
    credentials = grpc.ssl_server_credentials([(pair.key.read_bytes(), pair.cert.read_bytes())])
    port = server.add_secure_port("127.0.0.1:0", credentials)
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await asyncio.to_thread(server.stop(grace=None).wait)


async def asked(
    target: str,
    ask: Callable[[Client], Result],
    *,
    ca: Path | None = None,
    pair: Pair | None = None,
) -> Result:
    """What a client of its own gets, which blocks, as people's programs do."""

    def call() -> Result:
        with Client(target, ca=ca, cert=pair and pair.cert, key=pair and pair.key) as client:
            return ask(client)

    return await asyncio.to_thread(call)


async def plans_at(target: str, *, ca: Path | None = None, pair: Pair | None = None) -> int:
    """How many plans a client sees there: a call that succeeds."""
    return await asked(target, lambda client: len(list(client.list_plans())), ca=ca, pair=pair)


async def failure_at(target: str, *, ca: Path | None = None, pair: Pair | None = None) -> str:
    """Why a client cannot connect, in words."""
    with pytest.raises(HandshakeFailed) as failed:
        await plans_at(target, ca=ca, pair=pair)
    assert failed.value.code is grpc.StatusCode.UNAVAILABLE
    return str(failed.value)
