"""Restate: a handler makes an awakeable, shows the plan with its id and waits; the person resolves it.

The agent's call of the handler returns the decision. Handler and callers are in this process.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import aiohttp
import hypercorn.asyncio
import hypercorn.config
import restate

from bench.peers.worker import DECISION, Plan, RoundTrip, serve

approvals = restate.Service("approvals")
shown: dict[str, asyncio.Future[tuple[str, Plan]]] = {}
"""Who waits to see a plan, by the id of the request."""


@approvals.handler()
async def review(ctx: restate.Context, request: dict[str, Any]) -> str:
    awakeable_id, decided = ctx.awakeable(type_hint=str)

    async def show() -> None:
        # A step may run twice; the person looks once.
        if (waiting := shown.pop(request["id"], None)) is not None:
            waiting.set_result((awakeable_id, request["plan"]))

    await ctx.run_typed("show", show)
    decision: str = await decided
    return decision


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[RoundTrip]:
    ingress, admin = address.split(",")
    connector = aiohttp.TCPConnector(limit=0)
    async with _endpoint() as uri, aiohttp.ClientSession(connector=connector, raise_for_status=True) as http:
        await http.post(f"http://{admin}/deployments", json={"uri": uri})

        async def ask(request: dict[str, Any]) -> str:
            async with http.post(f"http://{ingress}/approvals/review", json=request) as response:
                decision: str = await response.json()
                return decision

        async def round_trip(plan: Plan) -> tuple[Plan, str]:
            request_id = str(uuid4())
            shown[request_id] = waiting = asyncio.get_running_loop().create_future()
            asked = asyncio.create_task(ask({"id": request_id, "plan": plan}))
            awakeable_id, seen = await waiting
            async with http.post(
                f"http://{ingress}/restate/awakeables/{awakeable_id}/resolve", json=DECISION
            ):
                return seen, await asked

        yield round_trip


@asynccontextmanager
async def _endpoint() -> AsyncIterator[str]:
    """Serves the handler on loopback; gives where."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    config = hypercorn.config.Config()
    config.bind = [f"fd://{listening.detach()}"]
    stop = asyncio.Event()
    serving = asyncio.create_task(
        hypercorn.asyncio.serve(restate.app([approvals]), config, shutdown_trigger=stop.wait)
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        stop.set()
        await serving


if __name__ == "__main__":
    serve(opened)
