"""Several persons at one gate, each with tokens of their own, made as an admin makes them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, Role
from tests.helpers.gate import Gate, connected, open_gate

FOUR_EYES = "four_eyes: true\n"


class People:
    """Whoever is named comes with a token; the same name and role, with the same one again."""

    def __init__(self, gate: Gate, stack: AsyncExitStack) -> None:
        self.gate = gate
        self._stack = stack
        self._known: dict[tuple[str, str, str], Gate] = {}

    async def agent(self, person: str) -> Gate:
        return await self.of(person, "agent")

    async def reviewer(self, person: str, token: str = "desk") -> Gate:
        return await self.of(person, "reviewer", token)

    async def admin(self, person: str) -> Gate:
        return await self.of(person, "admin")

    async def of(self, person: str, role: str, token: str = "") -> Gate:
        key = (person, role, token)
        if key not in self._known:
            opening = connected(self.gate.address, token=await self.secret(person, role, token or role))
            self._known[key] = await self._stack.enter_async_context(opening)
        return self._known[key]

    async def secret(self, person: str, role: str, token: str) -> str:
        wanted = CreateTokenRequest(
            name=f"{person}-{token}", person=person, role=Role.Value(f"ROLE_{role.upper()}")
        )
        return (await self.gate.tokens.CreateToken(wanted)).secret


@asynccontextmanager
async def people_at(database: Path | str, folder: Path, policy: str = FOUR_EYES) -> AsyncIterator[People]:
    """A gate over the database with this policy, and people who can come to it."""
    file = folder / "policy.yaml"
    file.write_text(policy, encoding="utf-8")
    async with open_gate(database, file) as gate, AsyncExitStack() as stack:
        yield People(gate, stack)
