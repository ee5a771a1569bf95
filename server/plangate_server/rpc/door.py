"""What every call must pass before anything of it is read: who calls, may they, and not too often."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, NoReturn

from plangate_server.domain.errors import InvalidCredentials, RoleNotAllowed, StoreUnavailable
from plangate_server.domain.identity import Caller
from plangate_server.logs import Log
from plangate_server.ports import World
from plangate_server.rpc.access import DECISIONS, check_role
from plangate_server.rpc.budgets import Budgets
from plangate_server.rpc.calls import Call
from plangate_server.rpc.principal import answer_to, identify
from plangate_server.rpc.running import Context, Running
from plangate_server.usecases.refusals import record_role_refusal

LOOK_SECONDS: Final = 1.0
"""How long a stream can outlive its token."""

tell = Log(__name__)


class Admission:
    """A call that is let in, for as long as the block lasts. Written out, because every call has one."""

    __slots__ = ("_call", "_context", "_door")

    def __init__(self, door: Door, call: Call, context: Context) -> None:
        self._door = door
        self._call = call
        self._context = context

    async def __aenter__(self) -> Running:
        await self._door.admit(self._call, self._context)
        return self._door.running

    async def __aexit__(self, *_: object) -> None:
        """It leaves nothing behind."""


class Door:
    def __init__(self, world: World, running: Running) -> None:
        self.running = running
        self._world = world
        self._callers = world.callers
        self._budgets = Budgets(world.limits)

    def call(self, call: Call, context: Context) -> Admission:
        """Whoever makes a call with one request and one answer, while it lasts."""
        return Admission(self, call, context)

    async def admit(self, call: Call, context: Context) -> None:
        """A Refusal, if whoever makes the call may not."""
        self.running.check_open()
        caller = await self._known(call, context)
        self._budgets.call(caller.principal)
        try:
            check_role(call.method, caller.principal)
        except RoleNotAllowed as refusal:
            if call.method in DECISIONS:
                await record_role_refusal(self._world, caller.principal, call.method, refusal)
            raise

    @asynccontextmanager
    async def stream(self, call: Call, context: Context) -> AsyncIterator[Running]:
        """Whoever opens a stream, while it is open. A Refusal, if they may not, or not any longer."""
        self.running.check_open()
        caller = await self._known(call, context)
        with self._budgets.stream(caller.principal), self.running.stream(caller):
            check_role(call.method, caller.principal)
            yield self.running

    def check_still(self, call: Call) -> None:
        """A Refusal, if the server stops or the credentials ended while the request was on its way."""
        self.running.check_open()
        if call.caller is not None and not self._callers.holds(call.caller):
            raise InvalidCredentials

    async def _known(self, call: Call, context: Context) -> Caller:
        caller = await identify(self._callers, call.metadata, context)
        call.caller = caller
        answer_to(caller)
        return caller

    async def see_out(self) -> NoReturn:
        """End the streams of those whose tokens ended, here or on another node."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._callers.refresh()
            except (StoreUnavailable, TimeoutError):
                tell.warning("tokens_unread", "revoked tokens are not seen while the database is away")
            except Exception as error:
                tell.fault("tokens_failed", "revoked tokens cannot be looked for; it is tried again", error)
            self.running.end_strangers(self._callers.holds)
