"""What every call must pass before anything of it is read: who calls, may they, and not too often."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, NoReturn, TypeAlias

from plangate_server.domain.errors import (
    InvalidCredentials,
    RateLimited,
    RoleNotAllowed,
    StoreUnavailable,
    TooManyWaiting,
)
from plangate_server.domain.identity import Caller, Principal
from plangate_server.logs import Log
from plangate_server.ports import World
from plangate_server.rpc.access import DECISIONS, check_role
from plangate_server.rpc.budgets import OPENING, Budgets
from plangate_server.rpc.calls import Call
from plangate_server.rpc.lines import Lines
from plangate_server.rpc.principal import answer_to, shown
from plangate_server.rpc.running import Context, Running
from plangate_server.rpc.strangers import Strangers
from plangate_server.usecases.refusals import record_role_refusal

Budget: TypeAlias = Callable[[Principal], None]

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
        try:
            await self._door.admit(self._call, self._context)
        except BaseException:
            self._call.make_room()
            raise
        return self._door.running

    async def __aexit__(self, *_: object) -> None:
        self._call.make_room()


class Door:
    def __init__(self, world: World, running: Running) -> None:
        self.running = running
        self._world = world
        self._callers = world.callers
        self._budgets = Budgets(world.limits)
        self.lines = Lines()
        self.strangers = Strangers()

    def call(self, call: Call, context: Context) -> Admission:
        """Whoever makes a call with one request and one answer, while it lasts."""
        return Admission(self, call, context)

    async def admit(self, call: Call, context: Context) -> None:
        """A Refusal, if whoever makes the call may not."""
        caller = await self._in_turn(call, context, 1, self._budgets.call)
        try:
            check_role(call.method, caller.principal)
        except RoleNotAllowed as refusal:
            if call.method in DECISIONS:
                await record_role_refusal(self._world, caller.principal, call.method, refusal)
            raise

    @asynccontextmanager
    async def stream(self, call: Call, context: Context) -> AsyncIterator[Running]:
        """Whoever opens a stream, while it is open. A Refusal, if they may not, or not any longer."""
        try:
            caller = await self._in_turn(call, context, OPENING, self._budgets.opening)
            with self._budgets.stream(caller.principal), self.running.stream(caller):
                check_role(call.method, caller.principal)
                yield self.running
        finally:
            call.make_room()

    async def _in_turn(self, call: Call, context: Context, weight: int, budget: Budget) -> Caller:
        """The caller, when it is their turn and they are within their budget. Of a call that comes too often
        the refusal waits its turn, too: whoever does not wait as told gains nothing by it.
        """
        self.running.check_open()
        credentials = shown(call.metadata, context)
        caller = self._callers.by_heart(*credentials)
        if caller is None:
            caller = await self._stranger(credentials, context)
        self.strangers.known(context.peer())
        is_within = _is_within(budget, caller)
        call.turn = await self.lines.known(caller.principal, weight if is_within else 1)
        self.running.check_open()
        caller = await self._callers.known(*credentials)
        call.caller = caller
        answer_to(caller)
        if not is_within:
            raise RateLimited("calls_per_second", self._world.limits.calls_per_second)
        return caller

    async def _stranger(self, credentials: tuple[str, str], context: Context) -> Caller:
        """Who it is of whom nothing can be said at once."""
        try:
            turn = await self.lines.unknown(context)
        except TooManyWaiting:
            self.strangers.refused(context.peer())
            raise
        try:
            return await self._callers.known(*credentials)
        finally:
            turn.end()

    def check_still(self, call: Call) -> None:
        """A Refusal, if the server stops or the credentials ended while the request was on its way."""
        self.running.check_open()
        if call.caller is not None and not self._callers.holds(call.caller):
            raise InvalidCredentials

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


def _is_within(budget: Budget, caller: Caller) -> bool:
    """Takes the call from what is left to its caller. The refusal is not kept: it would keep the call."""
    try:
        budget(caller.principal)
    except RateLimited:
        return False
    return True
