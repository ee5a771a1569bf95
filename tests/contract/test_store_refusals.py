"""Refused decisions and request ids in every store: kept whole, found, chained, and once for each."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import TypeAlias, cast

import pytest
from msgspec.structs import replace

from plangate_server.domain.approvals import Approval, ApprovalDecision
from plangate_server.domain.audit import Link, Verdict, Verifier
from plangate_server.domain.errors import Reason, Refusal
from plangate_server.domain.events import Event, EventType, LogEvent, RefusedDecision, SessionChange
from plangate_server.domain.identity import Principal, Role
from plangate_server.domain.plan import Plan
from plangate_server.domain.tools import ToolKind
from plangate_server.ports import EventFilter, RequestKey, Store, World
from plangate_server.usecases.audit import verify_audit
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.refusals import record_role_refusal
from plangate_server.usecases.request_approval import RequestApproval, request_approval
from plangate_server.usecases.resolve_approval import ResolveApproval, resolve_approval
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from plangate_server.usecases.work_of_call import Work
from tests.helpers.backends import ALL, Backend, Node, every_backend
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import LATER, NOW, a_draft, plan_id
from tests.helpers.nodes import two_nodes
from tests.helpers.world import AGENT, NO_POLICY, NOBODY, PERSON, CountingIds, ManualClock

PEOPLE = [Principal(f"person-{n}", "acme", Role.REVIEWER, f"person-{n}") for n in range(20)]
REFUSED = EventType.DECISION_REFUSED
WHOLE = RefusedDecision(
    time=LATER,
    actor="ada",
    workspace="acme",
    person="Ada Ü",
    method="SubmitReview",
    reason="STALE_REVISION",
    selected_option="approve",
    plan_id=plan_id(1),
    session_id="s",
    approval_request_id="a" * 32,
    call_id="c",
    revision=-(2**62),
    digest="d" * 64,
    request_id="r-1",
)
Forge: TypeAlias = Callable[[list[Link]], list[Link]]

BARE = RefusedDecision(LATER, "bot", "acme", "", "ResolveApproval", "ROLE_NOT_ALLOWED")


def a_world(node: Node) -> World:
    return World(node.store, node.feed, ManualClock(), CountingIds(), NO_POLICY, NOBODY)


async def keep(store: Store, *refused: RefusedDecision) -> None:
    for each in refused:
        change = SessionChange(refused=each)
        await store.write("acme", lambda writing: writing.save(change))  # noqa: B023


async def log_of(store: Store, which: EventFilter | None = None, after: int = 0) -> Sequence[LogEvent]:
    look = which or EventFilter()
    return await store.read("acme", lambda reading: reading.events(look, after=after, limit=ALL))


async def links_of(store: Store) -> Sequence[Link]:
    return await store.read("acme", lambda reading: reading.links(after=0, limit=ALL))


def verdict(links: Sequence[Link]) -> Verdict:
    verifier = Verifier()
    verifier.follow(links)
    return verifier.verdict()


def about(plan: Plan, **fields: object) -> SubmitReview:
    head = plan.revision
    command = SubmitReview(plan.review.approval_request_id, "approve", head.number, head.digest)
    return replace(command, **fields)


async def be_refused(world: World, command: SubmitReview, who: Principal = PERSON) -> None:
    with pytest.raises(Refusal):
        await submit_review(world, who, command)


class RoleNotAllowed(Refusal):
    """As the boundary refuses a caller whose role may not decide."""

    reason = cast(Reason, "ROLE_NOT_ALLOWED")


async def a_busy_log(node: Node) -> Plan:
    """A plan of a session that is proposed, wrongly decided and decided, a call of it that is answered twice,
    and a caller who may not decide; 8 events.
    """
    world = a_world(node)
    command = CreatePlan(a_draft(), session_id="s", key=RequestKey("bot", "r-1", "1"))
    plan = await create_plan(world, AGENT, command)
    await be_refused(world, about(plan, digest="0" * 64, key=RequestKey("ada", "r-2", "2")))
    await submit_review(world, PERSON, about(plan, key=RequestKey("ada", "r-3", "3")))
    call = Approval("", "", "t", "c", ToolKind.TERMINAL, "bash", "make", NOW, "")
    async with aclosing(request_approval(world, AGENT, RequestApproval(call, Work(plan.uri)))) as stream:
        asked = (await anext(stream)).approval
    answer = ResolveApproval("t", "c", asked.authority_token, ApprovalDecision.DENIED)
    await resolve_approval(world, PERSON, answer)
    with pytest.raises(Refusal):
        await resolve_approval(world, PERSON, answer)
    await record_role_refusal(world, AGENT, "SubmitReview", RoleNotAllowed("no"))
    return plan


@every_backend
async def test_a_refused_decision_is_found_as_it_was_stored(backend: Backend, tmp_path: Path) -> None:
    """Every part of it, and where most are missing; its plan need not be there."""
    async with backend.open(tmp_path) as node:
        await keep(node.store, WHOLE, BARE)
        assert await log_of(node.store) == [replace(WHOLE, sequence=1), replace(BARE, sequence=2)]


@every_backend
async def test_request_ids_are_kept_and_hashed(backend: Backend, tmp_path: Path) -> None:
    """Of events of plans, sessions and refusals; they are part of what the chain covers."""
    async with backend.open(tmp_path) as node:
        await a_busy_log(node)
        log, links = await log_of(node.store), await links_of(node.store)
        assert [event.request_id for event in log] == ["r-1", "r-1", "r-2", "r-3", "", "", "", ""]
        for event, link in zip(log, links, strict=True):
            body = link.body or b""
            assert (f'"request_id":"{event.request_id}"'.encode() in body) == bool(event.request_id)


@every_backend
async def test_refused_decisions_are_filtered_like_everything(backend: Backend, tmp_path: Path) -> None:
    """By plan, session and type, or left out; and the plan's tool calls are found with the plan."""
    async with backend.open(tmp_path) as node:
        plan = await a_busy_log(node)
        log = await log_of(node.store)
        assert [event.type for event in log] == [
            "plan_created",
            "plan_approval_required",
            REFUSED,
            "plan_approved",
            "tool_call_requested",
            "tool_call_decided",
            REFUSED,
            REFUSED,
        ]
        assert await log_of(node.store, EventFilter(plan.plan_id)) == log[:7]
        types = [frozenset[EventType](), frozenset({REFUSED}), frozenset({REFUSED, EventType.PLAN_APPROVED})]
        flags = product((False, True), (False, True))
        for named, session, some, (plans, refusals) in product(
            ("", plan.plan_id), ("", "s", "t"), types, flags
        ):
            which = EventFilter(named, session, some, only_plans=plans, refusals=refusals)
            for after in (0, 3):
                expected = [event for event in log[after:] if which.matches(event)]
                assert await log_of(node.store, which, after) == expected


@every_backend
async def test_a_feed_tells_refused_decisions_to_who_wants_them(backend: Backend, tmp_path: Path) -> None:
    """And moves on past them for all others."""
    async with backend.open(tmp_path) as node:
        wanted, plans = EventFilter(types=frozenset({REFUSED})), EventFilter(only_plans=True)
        with node.feed.follow("acme", wanted) as some, node.feed.follow("acme", plans) as others:
            await a_busy_log(node)
            refused = [await some.next(PATIENCE) for _ in range(3)]
            assert refused == await log_of(node.store, wanted)
            told = [await others.next(PATIENCE) for _ in range(3)]
            assert [type(event) for event in told] == [Event] * 3
            assert await others.next(0.0) is None
            assert others.position() == 8


@every_backend
async def test_the_chain_covers_refused_decisions(backend: Backend, tmp_path: Path) -> None:
    """Who, what, revision and digest stand in the entry; with the content gone, the chain holds."""
    async with backend.open(tmp_path) as node:
        plan = await a_busy_log(node)
        links = await links_of(node.store)
        entry = links[2].entry
        assert (entry.type, entry.actor, entry.plan_id) == (REFUSED, "ada", plan.plan_id)
        assert (entry.session_id, entry.revision, entry.digest) == ("s", 1, "0" * 64)
        assert verdict(links) == Verdict(8, 8, links[-1].hash)
        await node.store.forget(events_before=NOW + timedelta(days=1), requests_before=NOW)
        kept = await links_of(node.store)
        assert [link.body for link in kept] == [None] * 8
        assert [(link.entry, link.hash) for link in kept] == [(link.entry, link.hash) for link in links]
        assert (await verify_audit(a_world(node), PERSON, 8, links[-1].hash)).valid
        assert await log_of(node.store) == []


def altered(links: list[Link]) -> list[Link]:
    links[2] = replace(links[2], entry=replace(links[2].entry, actor="mallory"))
    return links


def reworded(links: list[Link]) -> list[Link]:
    links[2] = replace(links[2], body=(links[2].body or b"").replace(b"STALE", b"OTHER"))
    return links


def inserted(links: list[Link]) -> list[Link]:
    return [*links[:2], replace(links[7], entry=replace(links[7].entry, sequence=3)), *links[2:]]


def reordered(links: list[Link]) -> list[Link]:
    return [*links[:2], links[3], links[2], *links[4:]]


@every_backend
@pytest.mark.parametrize(
    ("forge", "problem"),
    [
        (altered, "entry 3 was altered"),
        (reworded, "the content of entry 3 was altered"),
        (lambda links: [*links[:2], *links[3:]], "entry 3 is missing"),
        (inserted, "entry 3 was altered, or is not the one that followed entry 2"),
        (reordered, "entry 3 is missing: entry 4 follows entry 2"),
    ],
    ids=["altered", "reworded", "removed", "inserted", "reordered"],
)
async def test_a_forged_refusal_is_named(
    backend: Backend, tmp_path: Path, forge: Forge, problem: str
) -> None:
    """Altered, removed, inserted or reordered: the entry is found, like any other."""
    async with backend.open(tmp_path) as node:
        await a_busy_log(node)
        found = verdict(forge([*await links_of(node.store)]))
    assert (found.valid, found.first_bad_sequence) == (False, 3)
    assert problem in found.problem


@every_backend
async def test_of_twenty_people_at_once_nineteen_are_recorded(backend: Backend, tmp_path: Path) -> None:
    """One decides, and each of the others stands in the log once, whoever repeats it."""
    async with backend.open(tmp_path) as node:
        world = a_world(node)
        plan = await create_plan(world, AGENT, CreatePlan(a_draft()))
        everyone = {person.name for person in PEOPLE}
        for recorded in (19, 20):  # the second time, the winner comes too late as well
            tries = (submit_review(world, person, about(plan)) for person in PEOPLE)
            answers = await asyncio.gather(*tries, return_exceptions=True)
            assert sum(isinstance(answer, Refusal) for answer in answers) == recorded
            log = await log_of(node.store)
            (winner,) = (event.actor for event in log if event.type is EventType.PLAN_APPROVED)
            refused = [event.actor for event in log if event.type is REFUSED]
            assert len(refused) == recorded
            assert everyone - {winner} <= set(refused) <= everyone
        assert verdict(await links_of(node.store)) == Verdict(23, 23, (await links_of(node.store))[-1].hash)


@pytest.mark.postgres
async def test_two_nodes_record_the_same_refusal_once(tmp_path: Path) -> None:
    """Whichever is asked, and at once."""
    async with two_nodes(tmp_path) as nodes:
        plan = await create_plan(nodes[0].world, AGENT, CreatePlan(a_draft()))
        await submit_review(nodes[1].world, PERSON, about(plan))
        for _ in range(5):
            tries = (
                be_refused(node.world, about(plan), who) for node in nodes for who in PEOPLE[:5] for _ in "ab"
            )
            await asyncio.gather(*tries)
        for node in nodes:
            found = [event.actor for event in await log_of(node.store) if event.type is REFUSED]
            assert sorted(found) == [person.name for person in PEOPLE[:5]]
