"""A gate that goes away and comes back: the screen says so, and catches up by itself."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

from plangate import Client
from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, Role
from plangate_proto.agent.v1.review_resource_pb2 import ReviewStatus
from tests.helpers.gate_process import gate_process
from tests.tui.person import at_desk

LOST = "trying again"


async def test_the_screen_says_that_no_gate_answers_and_catches_up(tmp_path: Path) -> None:
    """While it is away nothing can be decided; afterwards everything is there that happened in between."""
    with ExitStack() as stack:
        address = stack.enter_context(gate_process(tmp_path))
        with Client(address) as client:
            plan = await asyncio.to_thread(client.create_plan, "# Tidy the cellar")
        async with at_desk(address) as person:
            await person.opens("Tidy the cellar")
            await asyncio.to_thread(stack.close)
            await person.sees(LOST, "nothing can be decided while no gate answers")
            await person.presses("enter")
            again = gate_process(tmp_path, listen=address)
            await asyncio.to_thread(stack.enter_context, again)
            with Client(address) as client:
                assert client.get_plan(plan).review.status == ReviewStatus.REVIEW_STATUS_REQUESTED
                await asyncio.to_thread(client.create_plan, "# Sweep the yard")
                await person.sees("2 decisions to make")
                await person.sees_no(LOST)
                await person.can_decide()
                await asyncio.to_thread(client.decide, plan, "approve")
                await person.sees("● decided", "1 decision to make")
            await person.presses("u")
            await person.sees("Sweep the yard", "decided since you came")


async def test_a_token_that_ends_ends_the_screen(tmp_path: Path) -> None:
    """What time does not cure is said once, in words, instead of a screen that stands still."""
    with gate_process(tmp_path) as address, Client(address) as client:
        wanted = CreateTokenRequest(name="desk", person="ada", role=Role.ROLE_REVIEWER)
        made = await asyncio.to_thread(client.create_token, wanted)
        async with at_desk(address, token=made.secret) as person:
            await person.sees("nothing waits for a decision", "as desk")
            await asyncio.to_thread(client.revoke_token, made.token.token_id)
            await person.waits_until(lambda: not person.app.is_running, "end")
        assert person.app.return_value


async def test_an_observer_looks_and_decides_nothing(tmp_path: Path) -> None:
    """The screen says so instead of offering choices."""
    with gate_process(tmp_path) as address, Client(address) as client:
        wanted = CreateTokenRequest(name="glass", person="ada", role=Role.ROLE_OBSERVER)
        made = await asyncio.to_thread(client.create_token, wanted)
        plan = await asyncio.to_thread(client.create_plan, "# Tidy the cellar")
        async with at_desk(address, token=made.secret) as person:
            await person.sees("plan  Tidy the cellar")
            await person.presses("enter")
            await person.sees("your token lets you look, not decide")
            await person.presses("enter", "escape", "r", "e")
            await person.sees("your token lets you look, not decide")
        assert client.get_plan(plan).review.status == ReviewStatus.REVIEW_STATUS_REQUESTED
