"""Whoever takes part in what a release leaves behind, and what they can repeat."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypedDict

from google.protobuf.json_format import MessageToDict

from tests.helpers.gate import Gate, connected
from tests.helpers.identities import make_token, revoke, token_request
from tests.helpers.raw_calls import method_named
from tests.helpers.tool_calls import span

LONG = span(3650 * 86_400)
"""What has a term in a dump and must not be over when it is loaded, for as long as a term can be."""
MOMENT = span(1)
"""What is over before the dump is made."""


class Repeated(TypedDict):
    """A request that had its own id, and what the same request gets when it comes again."""

    path: str
    request: str
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cast:
    """One workspace, and everybody who comes to its gate."""

    admin: Gate
    agent: Gate
    bob: Gate
    carol: Gate
    repeated: list[Repeated] = field(default_factory=list)

    async def again(self, path: str, request: Any) -> Any:
        """Call a method twice under one request id, as after a lost answer; give the first answer."""
        service, method = path.split("/")
        call = getattr(getattr(self.admin, SERVICES[service]), method)
        first, second = await call(request), await call(request)
        full = f"/{request.DESCRIPTOR.file.package}.{path}"
        method_named(full)  # or nobody could call it by this name
        self.repeated.append(
            Repeated(path=full, request=request.SerializeToString().hex(), answer=MessageToDict(second))
        )
        return first


SERVICES = {
    "PlanService": "agent",
    "PlanReviewService": "reviews",
    "SessionService": "sessions",
    "ApprovalService": "approvals",
    "TokenService": "tokens",
}


@dataclass(frozen=True, slots=True)
class Secrets:
    """The texts of tokens, by name: those that must let in, and those that must not any more."""

    live: dict[str, str] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)


@asynccontextmanager
async def come_to(gate: Gate, workspace: str, secrets: Secrets) -> AsyncIterator[Cast]:
    """Everybody, each with a token of their own for the workspace."""
    async with AsyncExitStack() as stack:
        gates = {}
        for name, role in {
            "admin": "admin",
            "builder": "agent",
            "bob": "reviewer",
            "carol": "reviewer",
        }.items():
            made = await make_token(gate, role, f"{workspace}-{name}", person=name, workspace=workspace)
            secrets.live[made.token.name] = made.secret
            gates[name] = await stack.enter_async_context(connected(gate.address, token=made.secret))
        yield Cast(gates["admin"], gates["builder"], gates["bob"], gates["carol"])


async def make_other_tokens(cast: Cast, secrets: Secrets) -> None:
    """Of every sort beside those in use: of each role, with an end, ended, revoked, for a certificate."""
    gate = cast.admin
    for role, name, seconds in [("observer", "looks-on", None), ("agent", "lasts", LONG.seconds)]:
        secrets.live[name] = (await make_token(gate, role, name, seconds=seconds)).secret
    revoked = await make_token(gate, "reviewer", "revoked", person="eve")
    await revoke(gate, revoked.token)
    secrets.ended["revoked"] = revoked.secret
    secrets.ended["over"] = (await make_token(gate, "agent", "over", seconds=MOMENT.seconds)).secret
    await make_token(gate, "agent", "by-certificate", certificate="builder.example")
    let_in = await make_token(gate, "agent", "was-by-certificate", certificate="old-builder.example")
    await revoke(gate, let_in.token)
    made = await cast.again(
        "TokenService/CreateToken", token_request("observer", "repeated", request_id="token")
    )
    secrets.live["repeated"] = made.secret
