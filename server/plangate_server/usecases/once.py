"""A write that is repeated under its request_id is done once and answered as it was the first time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from msgspec.structs import replace

from plangate_server.domain.events import Change, SessionChange
from plangate_server.domain.identity import Principal
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.driving import save

Done = TypeVar("Done", Change, SessionChange)


async def write_once(
    world: World, principal: Principal, key: RequestKey | None, work: Callable[[Writing], Done]
) -> Done:
    """Do the work, or give the answer that it had the first time. Refusals are not remembered."""

    def run(writing: Writing) -> Done:
        if key is None:
            return save(world, writing, work(writing))
        answer = writing.recall(key)
        if answer is not None:
            return cast(Done, answer)  # the method is part of the key, so it is of the same kind
        done = save(world, writing, _stamped(work(writing), key.request_id))
        writing.remember(key, done)
        return done

    return await world.store.write(principal.workspace, run, key)


def _stamped(change: Done, request_id: str) -> Done:
    """The change, each of whose events says which request caused it."""
    return replace(change, events=tuple(replace(each, request_id=request_id) for each in change.events))
