"""The log: exactly the events that were asked for, chained, and still whole when old content is gone."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from operator import methodcaller
from pathlib import Path

import pytest

from plangate_server.domain.audit import Link, Verdict, Verifier
from plangate_server.domain.errors import CursorExpired
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.lifecycle import Origin, sketch, sketch_on
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import Option
from plangate_server.ports import EventFilter, RequestKey, Store, World, Writing
from plangate_server.usecases.audit import verify_audit
from plangate_server.usecases.streams import past
from tests.helpers.backends import ALL, Backend, Node, events_in, every_backend, go_on, save, whole_log
from tests.helpers.domain import (
    LATER,
    NOW,
    a_draft,
    a_proposal,
    a_todo,
    commented,
    decided,
    plan_id,
    revised,
    started,
)
from tests.helpers.world import AGENT, NO_POLICY, NOBODY, PERSON, CountingIds, ManualClock

pytestmark = every_backend

BETWEEN = NOW + timedelta(minutes=1)
"""After the plans were proposed, before anything else happened."""


async def a_busy_log(store: Store) -> list[Plan]:
    """Two plans of two sessions to which all kinds of things happen; 12 events."""
    plans = []
    for number, session in ((1, "s-1"), (2, "s-2")):
        draft = a_draft(todos=[a_todo("a"), a_todo("b")])
        plan = await save(store, a_proposal(number, draft, session_id=session))
        plan = await go_on(store, plan, revised)
        plan = await go_on(store, plan, decided)
        plan = await go_on(store, plan, partial(commented, comment_id=f"{number}c" * 16))
        plans.append(plan)
    return plans


async def links_of(store: Store, workspace: str = "acme") -> Sequence[Link]:
    return await store.read(workspace, lambda reading: reading.links(after=0, limit=ALL))


def verified(links: Sequence[Link]) -> Verdict:
    verifier = Verifier()
    verifier.follow(links)
    return verifier.verdict()


def a_world(node: Node) -> World:
    return World(node.store, node.feed, ManualClock(), CountingIds(), NO_POLICY, NOBODY)


async def test_event_filters_are_exact(backend: Backend, tmp_path: Path) -> None:
    """Every combination of filters gives the events for which all parts hold, and no others."""
    some_types = [
        frozenset[EventType](),
        frozenset({EventType.PLAN_APPROVED}),
        frozenset({EventType.PLAN_CREATED, EventType.COMMENT_ADDED}),
        frozenset({EventType.PLAN_WITHDRAWN}),
    ]
    async with backend.open(tmp_path) as node:
        await a_busy_log(node.store)
        log = await node.store.read("acme", whole_log)
        assert len(log) == 12
        for name, session, types in product(
            ("", plan_id(1), plan_id(9)), ("", "s-1", "s-2", "s"), some_types
        ):
            which = EventFilter(name, session, types)
            found = await node.store.read("acme", lambda r: r.events(which, after=0, limit=ALL))  # noqa: B023
            fitting = [event for event in log if which.matches(event)]
            assert found == fitting
            newest = await node.store.read("acme", lambda r: r.events_before(which, before=12, limit=2))  # noqa: B023
            assert newest == [event for event in fitting if event.sequence < 12][:-3:-1]


async def test_a_page_of_events_is_filled_from_those_that_fit(backend: Backend, tmp_path: Path) -> None:
    """The limit counts what passes the filter, not what was looked at."""
    which = EventFilter(types=frozenset({EventType.PLAN_APPROVED}))
    async with backend.open(tmp_path) as node:
        await a_busy_log(node.store)
        found = await node.store.read("acme", lambda reading: reading.events(which, after=0, limit=2))
        assert [event.type for event in found] == [EventType.PLAN_APPROVED] * 2


async def test_streams_filter_like_the_log(backend: Backend, tmp_path: Path) -> None:
    """What a stream with a filter tells is what the log gives for the same filter."""
    which = EventFilter(session_id="s-2", types=frozenset({EventType.PLAN_UPDATED, EventType.COMMENT_ADDED}))
    async with backend.open(tmp_path) as node:
        with node.feed.follow("acme", which) as stream:
            await a_busy_log(node.store)
            told = [await stream.next(10.0) for _ in range(2)]
            assert await stream.next(0.0) is None
            assert stream.position() == 12
        stored = await node.store.read("acme", lambda reading: reading.events(which, after=0, limit=ALL))
        assert [event.sequence for event in told if event] == [event.sequence for event in stored]


async def test_a_draft_is_told_as_it_grew(backend: Backend, tmp_path: Path) -> None:
    """Each event of a draft shows what was written then, not what was written last."""
    begun = sketch(Origin(plan_id(1), "acme", "builder-bot"), a_draft("# One"), NOW)
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, begun)
        await go_on(node.store, plan, lambda draft: sketch_on(draft, a_draft("# Two"), LATER))
        told = await events_in(node.store, plan)
        assert [event.plan.revision.content.plan for event in told] == ["# One", "# Two"]


async def test_the_log_is_chained(backend: Backend, tmp_path: Path) -> None:
    """Every event is one link, the chain holds, and each workspace has one of its own."""
    async with backend.open(tmp_path) as node:
        await a_busy_log(node.store)
        await save(node.store, a_proposal(5, workspace="elsewhere"))
        links = await links_of(node.store)
        log = await node.store.read("acme", whole_log)
        assert [(link.entry.sequence, link.entry.type) for link in links] == [
            (event.sequence, event.type) for event in log
        ]
        assert verified(links) == Verdict(12, 12, links[-1].hash)
        assert verified(await links_of(node.store, "elsewhere")).valid
        assert await node.store.read("acme", lambda r: r.links(after=3, limit=2)) == links[3:5]


async def test_old_content_is_forgotten_and_the_chain_holds(backend: Backend, tmp_path: Path) -> None:
    """Entries stay without their content; plans, newer events and the chain are as before."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        plan = await go_on(node.store, plan, decided)
        links = await links_of(node.store)
        await node.store.forget(events_before=BETWEEN, requests_before=NOW)
        kept = await links_of(node.store)
        assert [link.body is None for link in kept] == [True, True, False]
        assert [(link.entry, link.hash) for link in kept] == [(link.entry, link.hash) for link in links]
        assert verified(kept) == verified(links)
        assert (await verify_audit(a_world(node), AGENT, 3, links[-1].hash)).valid
        assert [event.sequence for event in await events_in(node.store, plan)] == [3]
        assert await node.store.read("acme", lambda r: (r.forgotten_sequence(), r.last_sequence())) == (2, 3)
        assert await node.store.read("acme", lambda reading: reading.plan(plan_id(1))) == plan


async def test_forgetting_never_goes_back(backend: Backend, tmp_path: Path) -> None:
    """Forgetting again, also with an earlier limit, brings nothing back and moves nothing."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        await go_on(node.store, plan, decided)
        for before in (BETWEEN, NOW - timedelta(days=1), None, BETWEEN):
            await node.store.forget(events_before=before, requests_before=NOW)
            assert await node.store.read("acme", lambda reading: reading.forgotten_sequence()) == 2
        assert verified(await links_of(node.store)).valid


async def test_the_log_goes_on_after_forgetting_everything(backend: Backend, tmp_path: Path) -> None:
    """New events get the next numbers, and their links hold on to the forgotten ones."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        await node.store.forget(events_before=LATER + timedelta(days=1), requests_before=NOW)
        assert await events_in(node.store, plan) == []
        await go_on(node.store, plan, lambda stored: decided(stored, Option.REJECT))
        assert [event.sequence for event in await events_in(node.store, plan)] == [3]
        assert verified(await links_of(node.store)).checked == 3


async def test_a_cursor_into_what_was_forgotten_has_expired(backend: Backend, tmp_path: Path) -> None:
    """Before the last forgotten event it is an error that names the oldest cursor; from there it is good."""

    async def seen_from(position: int) -> list[Event]:
        told = past(a_world(node), PERSON, EventFilter(), position)
        return [event async for event in told if isinstance(event, Event)]

    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        await go_on(node.store, plan, decided)
        await node.store.forget(events_before=BETWEEN, requests_before=NOW)
        for position in (0, 1):
            with pytest.raises(CursorExpired) as refused:
                await seen_from(position)
            assert node.store.cursors.decode("acme", refused.value.metadata["oldest_cursor"]) == 2
        assert [event.sequence for event in await seen_from(2)] == [3]


async def test_old_answers_are_forgotten(backend: Backend, tmp_path: Path) -> None:
    """Answers older than the limit go, and younger ones stay."""
    key = RequestKey("bot", "r-1", "same")

    def propose(writing: Writing) -> None:
        change = a_proposal(1)
        writing.save(change)
        writing.remember(key, change)

    async with backend.open(tmp_path) as node:
        await node.store.write("acme", propose)
        await node.store.forget(events_before=None, requests_before=datetime.now(UTC) - timedelta(hours=1))
        assert await node.store.write("acme", lambda writing: writing.recall(key)) is not None
        await node.store.forget(events_before=None, requests_before=datetime.now(UTC) + timedelta(hours=1))
        assert await node.store.write("acme", lambda writing: writing.recall(key)) is None


async def test_an_answer_has_its_builds_and_comments(backend: Backend, tmp_path: Path) -> None:
    """What a request made beside the plan comes back with its answer, as it was then."""

    def doing(writing: Writing, request_id: str, verb: Callable[[Plan], Change]) -> Change:
        stored = writing.plan(plan_id(1))
        assert stored is not None
        change = verb(stored)
        writing.save(change)
        writing.remember(RequestKey("bot", request_id, "same"), change)
        return change

    verbs: dict[str, Callable[[Plan], Change]] = {
        "build": lambda plan: started(plan, "b" * 32),
        "comment": lambda plan: commented(plan, "c" * 32),
    }
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1, a_draft(todos=[a_todo("a")])))
        await go_on(node.store, plan, decided)
        made = {
            name: await node.store.write("acme", partial(doing, request_id=name, verb=verb))
            for name, verb in verbs.items()
        }
        for name, change in made.items():
            key = RequestKey("bot", name, "same")
            answer = await node.store.write("acme", methodcaller("recall", key))
            assert (answer.plan, answer.builds, answer.comments) == (
                change.plan,
                change.builds,
                change.comments,
            )
