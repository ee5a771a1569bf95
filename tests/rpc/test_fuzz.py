"""No request, however it is made, is answered with INTERNAL, UNKNOWN or without a reason of ours.

Every method is tried over gRPC and in JSON, on both databases, with requests that a seed makes of good ones.
A failure names the seed and shows the request; the same test with the same profile repeats it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import grpc
import pytest
from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message
from msgspec.structs import replace

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.aiserver.v1.plan_review_service_pb2 import VerifyAuditRequest
from plangate_server.domain.limits import DEFAULTS
from plangate_server.web.messages import METHODS
from tests.helpers import error_reasons
from tests.helpers.backends import on
from tests.helpers.base_requests import BASES, Bench
from tests.helpers.conditions import PATIENCE
from tests.helpers.first_answers import asker
from tests.helpers.fuzzing import bad_bytes, bad_json
from tests.helpers.gate import OWN_CONNECTION, Gate, open_gate
from tests.helpers.identities import refusal_of, showing
from tests.helpers.postgres import database_of
from tests.helpers.profiles import rounds
from tests.helpers.tokens import local_token
from tests.helpers.visitor import Visitor

pytestmark = pytest.mark.thorough

EACH = rounds(16)
"""Requests that are made of every good one; a seed each."""
IN_JSON = [path for path in BASES if path in METHODS and not METHODS[path].streams]
STRANGE = {"INTERNAL", "UNKNOWN"}
SHOWN = 2000
LIMITS = replace(DEFAULTS, calls_per_second=1_000_000, streams=1_000_000, streams_per_principal=1_000_000)


class Ending(NamedTuple):
    """How a call ended: the status and the reason of a refusal, or that it was answered."""

    answered: bool
    status: str = "OK"
    reason: str = ""


@asynccontextmanager
async def gate_over(name: str, folder: Path) -> AsyncIterator[Gate]:
    database = database_of(folder) if name == "postgres" else folder / "plangate.db"
    async with open_gate(database, limits=LIMITS) as gate:
        yield gate


class Fuzzer:
    """Sends as whoever may send it what is made of good requests."""

    def __init__(self, gate: Gate, channel: grpc.aio.Channel, plan: Plan) -> None:
        self._gate, self._plan = gate, plan
        self._channel = channel
        self._sessions = 0

    async def try_all(self, path: str) -> None:
        for number, base in enumerate(BASES[path]):
            request: Message | None = None
            for seed in range(EACH):
                request = request or await base.make(self._bench())
                random = Random(f"{path} {number} {seed}")
                in_json = path in IN_JSON and seed % 3 == 2
                data = (bad_json if in_json else bad_bytes)(random, request)
                ending, seen = await asyncio.gather(
                    (self._in_json if in_json else self._over_grpc)(path, base.role, data),
                    self._gate.get(self._plan.plan_uri),
                )
                assert seen.digest == self._plan.digest
                problem = f"seed {seed} of {path}[{number}] as {base.role}: {ending}"
                is_known = ending.answered or (ending.reason in REASONS and ending.status not in STRANGE)
                assert is_known, f"{problem} to {shown(request, data, in_json)}"
                if ending.answered:
                    request = None

    def _bench(self) -> Bench:
        self._sessions += 1
        return Bench(asker(self._channel), f"fuzzed-{self._sessions}")

    async def _over_grpc(self, path: str, role: str, data: bytes) -> Ending:
        refusal = await refusal_of(self._channel, path, data, showing(local_token(role)))
        return Ending(True) if refusal is None else Ending(False, refusal.status, refusal.reason)

    async def _in_json(self, path: str, role: str, data: bytes) -> Ending:
        visitor = Visitor(self._gate.web)
        visitor.headers = {"Authorization": f"Bearer {local_token(role)}"}
        answer = await visitor.post(f"/api{path}", data)
        if answer.status == 200:
            return Ending(True)
        return Ending(False, str(answer.body["error"]["code"]), answer.reason)


REASONS = error_reasons.promises().keys() - {"INTERNAL"}


def shown(request: Message, data: bytes, in_json: bool) -> str:
    """A request as text, as far as it fits on a page."""
    said = data.decode(errors="backslashreplace") if in_json else data.hex()
    if not in_json:
        try:
            said = f"{text_format.MessageToString(type(request).FromString(data))}\nas bytes {said}"
        except DecodeError:
            said = f"no message, as bytes {said}"
    return said if len(said) <= SHOWN else f"{said[:SHOWN]}… (and {len(said) - SHOWN} more)"


@pytest.mark.parametrize("name", on("sqlite", "postgres"))
async def test_nothing_that_is_sent_is_strange_to_the_gate(tmp_path: Path, name: str) -> None:
    """Others are answered meanwhile, and the log is whole afterwards."""
    async with (
        gate_over(name, tmp_path) as gate,
        grpc.aio.insecure_channel(gate.address, options=OWN_CONNECTION) as channel,
    ):
        fuzzer = Fuzzer(gate, channel, await gate.propose())
        async with asyncio.timeout(PATIENCE):
            for path in BASES:
                await fuzzer.try_all(path)
        assert (await gate.reviews.VerifyAudit(VerifyAuditRequest())).valid
