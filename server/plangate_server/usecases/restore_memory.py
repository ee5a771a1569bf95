"""RestoreMemory: what was remembered once is remembered again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from msgspec.structs import replace

from plangate_server.domain.errors import InvalidField, MissingField
from plangate_server.domain.events import EventType, SessionChange, SessionEvent
from plangate_server.domain.identity import Principal
from plangate_server.domain.remembering import Remembered, reach_of
from plangate_server.domain.restoring import Sorted, check_room, sort_out
from plangate_server.domain.sessions import Session
from plangate_server.ports import Lookup, Reading, RequestKey, World, Writing
from plangate_server.usecases.once import write_once
from plangate_server.usecases.paging import CHUNK, chunks


async def restore_memory(
    world: World,
    principal: Principal,
    wanted: Sequence[Remembered],
    *,
    validate_only: bool,
    key: RequestKey | None,
) -> Sorted:
    """What is remembered again, and what is not; or what would be."""
    if not wanted:
        raise MissingField("remembered", "say what to restore")
    now = world.clock.now()
    for place, each in enumerate(wanted):
        if each.create_time > now:
            raise InvalidField(f"remembered[{place}].create_time", "is still to come")

    def sorted_out(known: Sequence[Remembered], sessions: Mapping[str, Session]) -> Sorted:
        opened = world.policies.current.open_programs
        found = sort_out(wanted, known, sessions, by=principal.person, now=now, opened=opened)
        check_room(known, found.kept, now)
        return found

    if validate_only:
        if key is not None:
            raise InvalidField("request_id", "is for what is written, and validate_only writes nothing")

        def look(reading: Reading) -> Sorted:
            def page(after: str) -> Sequence[Remembered]:
                return reading.all_remembered(after=after, limit=CHUNK)

            every = list(chunks(page, "", attrgetter("remembered_id")))
            return sorted_out(every, _sessions(reading, wanted))

        return await world.store.read(principal.workspace, look)

    ids = [world.ids.new() for _ in wanted]

    def record(writing: Writing) -> SessionChange:
        sessions = _sessions(writing, wanted)
        known = writing.every_remembered()
        found = sorted_out(known, sessions)
        kept = tuple(replace(each, remembered_id=id) for id, each in zip(ids, found.kept, strict=False))
        replaced = {reach_of(each) for each in kept}
        told = tuple(
            SessionEvent(
                EventType.DECISION_REMEMBERED,
                now,
                principal.name,
                principal.workspace,
                sessions.get(each.session_id),
                remembered=each,
                message="restored",
            )
            for each in kept
        )
        return SessionChange(
            # The commit checks that these are still as they are told here.
            tuple(sessions[id] for id in dict.fromkeys(each.session_id for each in kept) if id),
            told,
            remembered=kept,
            # Those that have run out of time.
            forgotten=tuple(old for old in known if reach_of(old) in replaced),
            left_out=found.left_out,
        )

    done = await write_once(world, principal, key, record)
    return Sorted(done.remembered, done.left_out)


def _sessions(lookup: Lookup, wanted: Sequence[Remembered]) -> dict[str, Session]:
    """Those that are named and that there are."""
    found = {id: lookup.session(id) for id in {each.session_id for each in wanted} if id}
    return {id: session for id, session in found.items() if session is not None}
