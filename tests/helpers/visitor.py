"""Somebody who uses the web port as the page does: signs in, calls, listens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any, NamedTuple

from tests.helpers.conditions import PATIENCE
from tests.helpers.tokens import local_token

JSON = {"Content-Type": "application/json"}


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def reason(self) -> str:
        """Why it was refused."""
        return str(self.body["error"]["reason"])


class Told(NamedTuple):
    """A server-sent event."""

    kind: str
    id: str
    data: Any


class Visitor:
    def __init__(self, address: str) -> None:
        self.address = address
        self.headers: dict[str, str] = {}

    async def sign_in(self, token: str = "", code: str = "") -> Answer:
        """With the code of a link, or else a token."""
        shown = {"code": code} if code else {"token": token or local_token("reviewer")}
        answer = await self.post("/sign-in", shown)
        if answer.status == 200:
            self.headers = {
                "Cookie": answer.headers["set-cookie"].partition(";")[0],
                "X-Plangate-Key": answer.body["key"],
            }
        return answer

    async def call(self, method: str, request: Any = None, **headers: str) -> Answer:
        """A call of the gate by its name, agent.v1.PlanService/GetPlan."""
        return await self.post(f"/api/{method}", request or {}, **headers)

    async def post(self, path: str, body: Any, **headers: str) -> Answer:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await asyncio.to_thread(self._ask, "POST", path, data, {**JSON, **self.headers, **named})

    async def get(self, path: str, **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await asyncio.to_thread(self._ask, "GET", path, b"", {**self.headers, **named})

    def _ask(self, method: str, path: str, data: bytes, headers: Mapping[str, str]) -> Answer:
        connection = HTTPConnection(self.address, timeout=PATIENCE)
        try:
            connection.request(method, path, data or None, dict(headers))
            answer = connection.getresponse()
            kept = {name.lower(): value for name, value in answer.getheaders()}
            text = answer.read()
            is_json = kept.get("content-type", "").startswith("application/json")
            return Answer(answer.status, kept, json.loads(text) if is_json else text.decode())
        finally:
            connection.close()

    @asynccontextmanager
    async def listening(
        self, path: str = "/api/live", last_id: str = "", message: Any = None
    ) -> AsyncIterator[Listener]:
        """A stream of events, open."""
        connection = HTTPConnection(self.address, timeout=PATIENCE)
        headers = {**self.headers, **({"Last-Event-ID": last_id} if last_id else {}), **JSON}
        method, data = ("GET", None) if message is None else ("POST", json.dumps(message).encode())
        try:
            await asyncio.to_thread(connection.request, method, path, data, headers)
            answer = await asyncio.to_thread(connection.getresponse)
            assert answer.status == 200, answer.read()
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            yield Listener(answer)
        finally:
            if connection.sock:
                connection.sock.close()
            connection.close()


class Listener:
    def __init__(self, answer: HTTPResponse) -> None:
        self._answer = answer
        self.last_id = ""

    async def next(self) -> Told | None:
        """The next event; None if the stream has ended."""
        return await asyncio.to_thread(self._next)

    async def until(self, *kinds: str) -> Told:
        """The next event of one of the kinds: of the stream's, or of what happened to a plan."""
        while told := await self.next():
            happened = told.data.get("event", {}).get("type", "").removeprefix("REVIEW_EVENT_TYPE_")
            if {told.kind, happened, told.data.get("type")} & set(kinds):
                return told
        raise AssertionError(f"the stream ended without {kinds}")

    async def opened(self) -> None:
        """Listen until all that waits was told: from then on it is live."""
        waiting = {"review", "prompt"}
        while waiting:
            told = await self.next()
            assert told is not None, "the stream ended"
            ends = told.data.get("checkpoint") or told.data.get("event", {}).get("type", "").endswith(
                "CHECKPOINT"
            )
            waiting -= {told.kind} if ends else set()

    def _next(self) -> Told | None:
        fields: dict[str, str] = {}
        while line := self._answer.readline().decode():
            name, _, value = line.rstrip("\n").partition(": ")
            if name:
                fields[name] = value
            elif "data" in fields:
                self.last_id = fields.get("id", self.last_id)
                return Told(fields["event"], fields.get("id", ""), json.loads(fields["data"]))
        return None
