"""Draws docs/screenshots/terminal-*.svg: what `plangate review` shows, as pictures that load nothing.

python -m tools.terminal_screenshots           write them
python -m tools.terminal_screenshots --check   say which are no longer what the screen shows, exit 1 if any

What is different each time (addresses, ids, times) is replaced by something of the same width.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

from plangate import AsyncClient, Client
from plangate.cli._words import rounded
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.helpers.asking import ask_for
from tests.helpers.gate_process import gate_process
from tests.tui.person import Person, at_desk

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "screenshots"
SIZE = (88, 28)
PLAN = """\
# Move the cache

Pages are **slow** since the cache is on the other machine: see
[the numbers](https://example.org/cache).

1. Measure with `make measure`. If it is missed less than once in ten
   reads, stop and say so.
2. Move it here, then point the pages to it.

> Nothing is deleted before a week has passed.
"""
TODOS = [
    TodoItem(id="measure", content="Measure how often it is missed"),
    TodoItem(id="move", content="Move it here", dependencies=["measure"]),
    TodoItem(id="tidy", content="Remove the old one", dependencies=["move"]),
]
BLANK = "(?: |&#160;)"
VARYING = (
    (re.compile(r"@font-face \{.*?\}\s*", re.DOTALL), ""),
    (re.compile(r"Fira Code, ?"), ""),
    (re.compile(r"\s*<!-- Generated with.*?-->"), ""),
    (re.compile(r"terminal-\d+-"), "terminal-"),
    (re.compile(r"127\.0\.0\.1:\d{5}"), "127.0.0.1:50061"),
    (re.compile(r"(?<=plans/)[0-9a-f]{32}"), "0" * 24 + "0123abcd"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "0123abcd" * 8),
    (re.compile(rf"\d{{4}}-\d\d-\d\d({BLANK})\d\d:\d\d:\d\dZ"), r"2026-01-05\g<1>09:30:00Z"),
)


async def pictures() -> AsyncIterator[tuple[str, str]]:
    """The inbox, a plan, its next revision, a refusal with words, a tool call, and what becomes of a plan."""
    with tempfile.TemporaryDirectory(prefix="plangate-pictures-") as name:
        folder = Path(name)
        os.environ.update(PLANGATE_TOKEN_DIR=str(folder / "tokens"), LOGNAME="ada")
        async with AsyncExitStack() as stack:
            stack.enter_context(patch("plangate.cli._words.rounded", _rounded))
            address = stack.enter_context(gate_process(folder))
            client = stack.enter_context(Client(address))
            agent = await stack.enter_async_context(AsyncClient(address))
            person = await stack.enter_async_context(at_desk(address, size=SIZE))
            async for picture in _story(client, agent, person):
                yield picture


async def _story(client: Client, agent: AsyncClient, person: Person) -> AsyncIterator[tuple[str, str]]:
    plan = await agent.create_plan(
        PLAN,
        overview="Pages are slow since the cache is on the other machine",
        todos=TODOS,
        session_id="cache-1",
        agent_id="tidy-bot",
    )
    hours = timedelta(hours=3, minutes=30)
    await agent.create_plan("# Say hello", agent_id="greeter", session_id="greet-7", expires_after=hours)
    await asyncio.to_thread(_ask, client)
    await person.sees("Say hello", "make measure", "1 more call after it")
    yield "inbox", _svg(person)
    await person.opens("Move the cache")
    yield "plan", _svg(person)
    await person.presses("r")
    await person.sees("Request changes:")
    await person.types("keep the old one for a month")
    await person.sees("for a month")
    yield "words", _svg(person)
    await person.presses("enter")
    await person.sees("you decided: changes requested")
    revised = PLAN.replace("before a week has", "before a month has")
    plan = await agent.update_plan(await agent.get_plan(plan), revised, agent_id="tidy-bot")
    await person.sees("revision 2 by tidy-bot", "+> Nothing is deleted")
    await person.can_decide()
    yield "changes", _svg(person)
    await person.presses("enter")
    await person.sees("you decided: approved")
    decision = await agent.wait(plan)
    await agent.acknowledge(decision)
    build = await agent.build(decision, agent_id="tidy-bot")
    await build.start("measure")
    await build.done("measure")
    await build.start("move")
    await person.sees("1 of 3 todos completed, 1 in progress", "acknowledged")
    await person.presses("g")
    await person.sees("Move the cache  (building")
    yield "standing", _svg(person)
    await person.presses("n", "n")
    await person.sees("make measure")
    await person.can_decide()
    yield "call", _svg(person)


def _rounded(span: timedelta) -> str:
    """What has just begun has waited for the same time in every picture."""
    return rounded(span if span > timedelta(hours=1) else timedelta(minutes=8))


def _ask(client: Client) -> None:
    why = "to know how often the cache is missed"
    ask_for(client, "cache-1", "make measure", call_id="call-1", agent_id="tidy-bot", prompt=why)
    ask_for(client, "cache-1", "make report", call_id="call-2", agent_id="tidy-bot")


def _svg(person: Person) -> str:
    drawn = person.app.export_screenshot(title="plangate review")
    for pattern, stand_in in VARYING:
        drawn = pattern.sub(stand_in, drawn)
    return "\n".join(line.rstrip() for line in drawn.split("\n"))


async def draw(*, is_check: bool) -> list[str]:
    """The names of the pictures that changed; written, unless that is only to be known."""
    changed = []
    async for name, svg in pictures():
        file = FOLDER / f"terminal-{name}.svg"
        if file.exists() and file.read_text(encoding="utf-8") == svg:
            continue
        changed.append(file.name)
        if not is_check:
            FOLDER.mkdir(exist_ok=True)
            file.write_text(svg, encoding="utf-8")
    return changed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    changed = asyncio.run(draw(is_check=given.check))
    print(*changed, sep="\n")
    return 1 if given.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
