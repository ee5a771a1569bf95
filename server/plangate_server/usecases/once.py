"""A write that is repeated under its request_id is done once and answered as it was the first time."""

from __future__ import annotations

from collections.abc import Callable

from plangate_server.domain.events import Change
from plangate_server.ports import Principal, RequestKey, World, Writing


async def write_once(
    world: World, principal: Principal, key: RequestKey | None, work: Callable[[Writing], Change]
) -> Change:
    """Do the work, or give the answer that it had the first time. Refusals are not remembered."""

    def run(writing: Writing) -> Change:
        if key is None:
            return _saved(writing, work)
        answer = writing.recall(key)
        if answer is None:
            answer = _saved(writing, work)
            writing.remember(key, answer)
        return answer

    return await world.store.write(principal.workspace, run, key)


def _saved(writing: Writing, work: Callable[[Writing], Change]) -> Change:
    change = work(writing)
    if change.events or change.builds:
        writing.save(change)
    return change
