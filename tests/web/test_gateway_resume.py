"""An IDE whose line was cut: it goes on where it was, over a socket as over server-sent events."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.gate import Gate
from tests.helpers.ide import FORM, Ide, decision, ide
from tests.helpers.tokens import local_token
from tests.helpers.tool_calls import NO, YES, call
from tests.helpers.visitor import Visitor

HELLO = {"type": "user_message", "content": "hello"}


def resumed(gate: Gate, cursor: str, way: str = "header") -> Any:
    """A socket that goes on behind a cursor."""
    if way == "header":
        return ide(gate.web, **{"Last-Event-ID": cursor})
    return ide(gate.web, f"/ws/s?cursor={cursor}")


async def place(desk: Ide) -> str:
    """What is behind all that was told."""
    while True:
        await desk.says(HELLO)
        if cursor := (await desk.hears("status")).get("cursor"):
            return str(cursor)


@pytest.mark.parametrize("way", ["header", "parameter"])
async def test_what_was_missed_is_told_and_nothing_twice(gate: Gate, way: str) -> None:
    """From the cursor of the last message."""
    async with ide(gate.web) as desk:
        await place(desk)
        plan = await gate.propose(FORM)
        cursor = (await desk.hears("plan_approval_required"))["cursor"]
    await gate.decide(plan, "reject", "no")
    again = await gate.propose(FORM)
    async with resumed(gate, cursor, way) as desk:
        told = [await desk.hears() for _ in range(2)]
    assert [each["type"] for each in told] == ["plan_rejected", "plan_approval_required"]
    assert told[1]["approval_request_id"] == again.review.approval_request_id


async def test_a_quiet_line_has_a_place_too(gate: Gate) -> None:
    """Which a message gets: what began and ended while nobody listened is told."""
    async with ide(gate.web) as desk:
        cursor = await place(desk)
    await gate.ask(call())
    await gate.answer(YES)
    plan = await gate.propose(FORM)
    await gate.decide(plan, "reject", "no")
    async with resumed(gate, cursor) as desk:
        assert (await desk.hears())["type"] == "tool_approved"
        await desk.hears("plan_rejected")


async def test_a_cut_between_two_messages_about_one_event(gate: Gate) -> None:
    """Only the last of them has a place to go on from, so none is lost."""
    async with ide(gate.web) as desk:
        await place(desk)
        for number in (1, 2):
            await gate.ask(call(f"make {number}", f"c{number}"))
        cursor = (await desk.hears("tool_approval_required"))["cursor"]
        await gate.answer(YES)
        assert "cursor" not in await desk.hears("tool_approved")
    async with resumed(gate, cursor) as desk:
        told = {(each["type"], each["call_id"]) for each in [await desk.hears() for _ in range(2)]}
    assert told == {("tool_approved", "c1"), ("tool_approval_required", "c2")}


@pytest.mark.parametrize("path", ["/ws/s", "/ws"])
async def test_the_next_prompt_comes_behind_all_that_ended_before_it(gate: Gate, path: str) -> None:
    """In the order of the log: a dialog that is closed when a call ends is never that of the next one."""
    async with ide(gate.web, path) as desk:
        await place(desk)
        await gate.ask(call("make 1", "c1"))
        cursor = (await desk.hears("tool_approval_required"))["cursor"]
    for number in (2, 3, 4):
        await gate.ask(call(f"make {number}", f"c{number}"))
    await gate.answer(NO)
    await gate.answer(YES)
    async with ide(gate.web, f"{path}?cursor={cursor}") as desk:
        told = [await desk.hears() for _ in range(3)]
    assert [(each["type"], each["call_id"]) for each in told] == [
        ("tool_denied", "c1"),
        ("tool_approved", "c2"),
        ("tool_approval_required", "c3"),
    ]
    assert "cursor" in told[-1]


async def test_a_prompt_that_was_told_can_still_be_answered(gate: Gate) -> None:
    """By what it carried; on the new line."""
    async with ide(gate.web) as desk:
        await place(desk)
        await gate.ask(call())
        asked = await desk.hears("tool_approval_required")
    async with resumed(gate, asked["cursor"]) as desk:
        seen = {name: asked[name] for name in ("session_id", "call_id", "authority_token")}
        await desk.says({"type": "tool_decision", "decision": "approve", **seen})
        await desk.hears("tool_approved")


async def test_the_events_of_a_socket_and_of_http_have_the_same_places(gate: Gate) -> None:
    """Whoever loses a socket can go on over server-sent events."""
    async with ide(gate.web) as desk:
        await place(desk)
        plan = await gate.propose(FORM)
        asked = await desk.hears("plan_approval_required")
        await desk.says(decision(asked, "reject", "no"))
    visitor = Visitor(gate.web)
    visitor.headers = {"Authorization": f"Bearer {local_token('reviewer')}"}
    path = f"/agent/events?session_id=s&cursor={asked['cursor']}"
    async with visitor.listening(path) as stream:
        told = await stream.until("plan_rejected")
    assert (told.data["plan_id"], told.data["cursor"]) == (plan.plan_id, told.id)


@pytest.mark.parametrize(
    ("path", "headers", "reason"),
    [
        ("/ws/s?cursor=nonsense", {}, "INVALID_CURSOR"),
        ("/ws/s", {"Last-Event-ID": "nonsense"}, "INVALID_CURSOR"),
        ("/ws/s?cursor=one", {"Last-Event-ID": "other"}, "MALFORMED_REQUEST"),
    ],
)
async def test_a_place_that_is_none(gate: Gate, path: str, headers: dict[str, str], reason: str) -> None:
    """The socket says so, and closes: nothing is left out without a word."""
    async with ide(gate.web, path, **headers) as desk:
        assert (await desk.hears("error"))["metadata"]["reason"] == reason
        assert await desk.closed() == (4400, reason)
