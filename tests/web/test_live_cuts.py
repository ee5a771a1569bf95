"""A page whose line is cut again and again while much happens: it hears everything, once, in order."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from tests.helpers.backends import BACKENDS
from tests.helpers.gate import Gate, open_gate, proposal
from tests.helpers.identities import make_token
from tests.helpers.resuming import log_of
from tests.helpers.tool_calls import YES, call
from tests.helpers.visitor import Listener, Told, Visitor

WRITERS = 4
PLANS = 15
CUTS = 60
SNAPSHOT, CHECKPOINT = "REVIEW_EVENT_TYPE_SNAPSHOT", "REVIEW_EVENT_TYPE_CHECKPOINT"


@pytest.fixture
async def visitor(gate: Gate) -> Visitor:
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    return visitor


async def write(gate: Gate, writer: int) -> None:
    """Plans that are made and decided, and tool calls that are asked and answered."""
    for number in range(PLANS):
        plan = await gate.propose(proposal(f"# {writer}.{number}", session_id=f"p{writer}.{number}"))
        await gate.decide(plan, "approve" if number % 2 else "reject", "words")
        await gate.ask(call(session_id=f"c{writer}", call_id=f"{number}"))
        await gate.answer(YES, f"c{writer}")


def place(event: dict[str, Any]) -> str:
    return str(event.get("cursor", ""))


class Page:
    """What a page has heard, over all its lines."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor
        self.last_id = ""
        self.reviews: list[dict[str, Any]] = []
        self.prompts: list[dict[str, Any]] = []

    async def listen(self, events: int) -> None:
        """Take so many events, and lose the line."""
        async with self._visitor.listening(last_id=self.last_id) as live:
            for _ in range(events):
                self._take(await live.next(), live)

    async def listen_until(self, cursor: str) -> None:
        """Take what comes, up to a place in the log."""
        async with self._visitor.listening(last_id=self.last_id) as live:
            while not any(place(event) == cursor for event in self.reviews):
                self._take(await live.next(), live)

    def _take(self, told: Told | None, live: Listener) -> None:
        assert told is not None, "the stream ended"
        assert told.kind != "reset", "it began anew"
        self.last_id = live.last_id
        if told.kind == "prompt":
            self.prompts.append(told.data)
        elif told.data["event"]["type"] not in {SNAPSHOT, CHECKPOINT}:
            self.reviews.append(told.data["event"])


async def test_sixty_cuts_while_others_write(gate: Gate, visitor: Visitor) -> None:
    """No event of the log is missing, twice or out of order, and no prompt is told twice."""
    page = Page(visitor)
    async with visitor.listening() as live:
        await live.opened()
        page.last_id = live.last_id
    writing = asyncio.gather(*(write(gate, writer) for writer in range(WRITERS)))
    chance = random.Random(7)
    for _ in range(CUTS):
        # Never more than what is sure to come: each plan alone has four events.
        await page.listen(chance.randint(1, 3))
    await writing
    log = await log_of(gate)
    await page.listen_until(log[-1].cursor)
    assert [place(event) for event in page.reviews] == [event.cursor for event in log]
    names = [ReviewEventType.Name(event.type) for event in log]
    assert [event["type"] for event in page.reviews] == names
    told = [place(prompt) for prompt in page.prompts if "sessionId" in prompt]
    assert len(told) == len(set(told))


async def test_a_line_cut_among_what_waits(gate: Gate, visitor: Visitor) -> None:
    """Whoever has not heard all that waits hears it from the beginning."""
    plans = {(await gate.propose(proposal(session_id=f"s{number}"))).plan_id for number in range(20)}
    for cut in (1, 5, 19):
        async with visitor.listening() as live:
            for _ in range(cut):
                await live.until("SNAPSHOT")
            last = live.last_id
        async with visitor.listening(last_id=last) as live:
            waiting = {(await live.until("SNAPSHOT")).data["event"]["planId"] for _ in plans}
        assert waiting == plans


async def test_a_place_that_somebody_changed(gate: Gate, visitor: Visitor) -> None:
    """Whatever it is, the page begins anew, and sees what waits."""
    plan = await gate.propose()
    async with visitor.listening() as live:
        await live.opened()
        reviews, _, prompts = live.last_id.partition("~")
    for place in (f"{reviews}x~{prompts}", f"{reviews[:-1]}~{prompts}", f"{reviews}~{prompts[::-1]}", "ä~~~"):
        async with visitor.listening(last_id=place.encode().decode("latin-1")) as live:
            await live.until("reset")
            assert (await live.until("SNAPSHOT")).data["event"]["planId"] == plan.plan_id


async def test_a_place_in_another_workspace(gate: Gate, visitor: Visitor) -> None:
    """Shows nothing of it: the page begins anew in its own."""
    await gate.propose()
    async with visitor.listening() as live:
        await live.opened()
        there = live.last_id
    await gate.propose(proposal("# Secret"))
    stranger = Visitor(gate.web)
    await stranger.sign_in((await make_token(gate, "reviewer", workspace="elsewhere")).secret)
    async with stranger.listening(last_id=there) as live:
        told = [await live.next() for _ in range(3)]
    assert "reset" in {each.kind for each in told if each}
    assert "planId" not in str(told)


async def test_a_place_that_is_too_old(tmp_path: Path) -> None:
    """What is no longer kept is said to be missing, never left out in silence."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        visitor = Visitor(gate.web)
        await visitor.sign_in()
        async with visitor.listening() as live:
            await live.opened()
            old = live.last_id
        await gate.propose()
    async with BACKENDS["sqlite"].open(tmp_path) as node:
        tomorrow = datetime.now(UTC) + timedelta(days=1)
        await node.store.forget(events_before=tomorrow, requests_before=tomorrow)
    async with open_gate(tmp_path / "plangate.db") as gate:
        visitor = Visitor(gate.web)
        await visitor.sign_in()
        async with visitor.listening(last_id=old) as live:
            await live.until("reset")
