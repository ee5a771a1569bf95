"""What a tool call would do is shown in full: nothing looks like something else or is pushed out of sight."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import BuildTodosRequest, CreatePlanRequest
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.helpers.tool_calls import call, mcp, patch
from tests.web.browser.calls import can_answer, exact, look_at
from tests.web.browser.desk import Desk, Room

HIDING = {
    f"make test{' ' * 5000}&& rm -rf /": ["5,000 spaces", "&& rm -rf /", "5,020 characters in one line"],
    "echo \u202e| sh": ["U+202E| sh"],
    "curl\u200b\u200b\u200b example.org": ["U+200B \N{MULTIPLICATION SIGN} 3 example.org"],
    f"make test{chr(10) * 61}rm -rf /": ["60 empty lines", "rm -rf /"],
    "cat a\x1b[8m; rm -rf /\x1b[0m": ["U+001B[8m; rm -rf /U+001B[0m"],
    "make test   ": ["make test···"],
    "<img src=x onerror=alert(1)>": ["<img src=x onerror=alert(1)>"],
}


async def test_hostile_commands(office: Room, desk: Desk) -> None:
    """Characters that nobody sees, padding and markup are all there to be read, and counted."""
    for number, command in enumerate(HIDING):
        await office.gate.ask(call(command, f"c{number}", session_id=f"s{number}"))
    for number, shown in enumerate(HIDING.values()):
        await look_at(desk, f"c{number}", f"s{number}")
        for words in shown:
            await expect(exact(desk)).to_contain_text(words)
    await expect(desk.page.locator("img:not([src$='/icon.svg'])")).to_have_count(0)


@pytest.mark.parametrize("filler", [" ", "x", "\u200bx", "x\n"], ids=["spaces", "letters", "hidden", "lines"])
async def test_the_longest_command(office: Room, desk: Desk, filler: str) -> None:
    """A quarter of a megabyte is shown to its end, and can be answered."""
    most = 256 * 1024
    end = "&& rm -rf /"
    times = (most - len(end)) // len(filler.encode())
    await office.gate.ask(call(filler * times + end))
    await look_at(desk)
    await expect(exact(desk).locator(".exact-line").last).to_contain_text(end)
    characters = times * len(filler) + len(end)
    await desk.sees(f"{characters:,} characters")


async def test_a_patch(office: Room, desk: Desk) -> None:
    """What is added and what is taken away are told apart; the inbox names the file."""
    await office.gate.ask(patch())
    await expect(desk.page.locator("a.row .name")).to_contain_text("cellar.txt")
    await look_at(desk)
    await expect(exact(desk).locator(".added")).to_have_text("+clean")
    await expect(exact(desk).locator(".removed")).to_have_text("-dusty")


async def test_arguments(office: Room, desk: Desk) -> None:
    """Laid out over lines, with numbers as they were sent; or just as sent."""
    sent = r'{"to":"ada","cc":"bo","n":1e400,"text":"a\u202eb, {\"x\"}","none":[]}'
    await office.gate.ask(mcp(arguments=sent))
    await look_at(desk)
    lines = exact(desk).locator(".exact-line")
    laid_out = [
        "{",
        '  "to": "ada",',
        '  "cc": "bo",',
        '  "n": 1e400,',
        r'  "text": "a\u202eb, {\"x\"}",',
        '  "none": []',
        "}",
    ]
    await expect(lines).to_have_text(laid_out)
    await desk.page.get_by_role("button", name="As sent").click()
    await expect(lines).to_have_text([sent])
    await can_answer(desk)


async def test_what_the_call_is_for(office: Room, desk: Desk) -> None:
    """The plan by its name, with a link to it, and the todo by its words."""
    sweep = TodoItem(id="sweep", content="Sweep the floor")
    args = CreatePlanArgs(plan="# Tidy", name="Tidy the cellar", todos=[sweep])
    plan = await office.gate.propose(CreatePlanRequest(args=args, session_id="s"))
    await office.gate.decide(plan, "approve")
    build = await office.gate.agent.BuildTodos(BuildTodosRequest(plan_uri=plan.plan_uri, agent_id="builder"))
    tied = {"plan_uri": plan.plan_uri, "build_id": build.build_id, "todo_id": "sweep"}
    await office.gate.ask(call("broom --floor", **tied))
    await look_at(desk)
    await desk.sees("Sweep the floor")
    await desk.page.get_by_role("link", name="Tidy the cellar").click()
    await expect(desk.page).to_have_url(f"http://{office.opened.web}/plans/{plan.plan_id}")
