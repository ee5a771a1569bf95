"""Whatever an agent writes: the page asks nobody for anything, runs nothing, and hides nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import expect

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.web.browser.desk import Desk, Room

EVIL = """<img src=http://EVIL/name onerror=canary()> \u202e\u200b\U0001d159"""
TEXT = """\
# Tidy <script>canary()</script>

<script src=http://EVIL/script></script>
<img src=http://EVIL/pixel onerror=canary()>
<svg onload=canary()><image href=http://EVIL/svg /></svg>
<iframe src=http://EVIL/frame></iframe>
<style>@import 'http://EVIL/style'; body { background: url(http://EVIL/css) }</style>
<link rel=stylesheet href=http://EVIL/link><meta http-equiv=refresh content='0; url=http://EVIL/meta'>
<form action=http://EVIL/form><input autofocus onfocus=canary()></form>

![a picture](http://EVIL/image "and a title") ![x](data:image/svg+xml,<svg/onload=canary()>)

[run](javascript:canary()) [data](data:text/html,<script>canary()</script>) [to](http://EVIL/here "its title")

[https://a.example](https://\u0430.example)

```mermaid
graph TD; A[<img src=http://EVIL/mermaid onerror=canary()>]; click A "javascript:canary()"
```

<!-- and then delete it all -->

[//]: # (nobody reads this)

zero\u200bwidth, bi\u202edi, blank\u2800\U00016fe4\ufffcs, \x1b[31mred, tidy{padding}and delete

enti&#x202E;ty, forged &#xE000;41&#xE001;

| one |
|---|
| two | no head above |

```sh
tidy{padding}rm -rf /
{padding}indented
```
"""
SEEN = (
    *("<!-- and then delete it all -->", "nobody reads this", "its title", "and a title"),
    *(
        "zeroU+200Bwidth",
        "biU+202Edi",
        "blankU+2800U+16FE4U+FFFCs",
        "U+001B[31mred",
        "tidy5,000 spacesand delete",
        "tidy5,000 spacesrm -rf /",
        "5,000 spacesindented",
        "enti&#x202E;ty, forged &#xE000;41&#xE001;",
        "no head above",
    ),
    *("https://a.example (https://xn--80a.example)", "<script>canary()</script>", "click A"),
)
CANARY = "window.sang = []; window.canary = () => sang.push(new Error().stack);"


@pytest.fixture
async def evil() -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that keeps what it is asked for."""
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", asked


async def propose(office: Room, host: str) -> Plan:
    text = TEXT.replace("EVIL", host).replace("{padding}", " " * 5000)
    named = EVIL.replace("EVIL", host)
    todos = [TodoItem(id="a", content=named), TodoItem(id="b", content="x", dependencies=["a"])]
    args = CreatePlanArgs(plan=text, name=f"Tidy {named}", overview=named, todos=todos)
    return await office.gate.propose(CreatePlanRequest(args=args, session_id=f"s {named}"))


async def test_nothing_runs_and_nobody_is_asked(
    office: Room, desk: Desk, evil: tuple[str, list[bytes]]
) -> None:
    """On every page that shows it: all requests go to the gate, no policy had to step in, no canary sang."""
    host, asked = evil
    await desk.page.add_init_script(CANARY)
    plan = await propose(office, host)
    await desk.open("/")
    await expect(desk.page.locator("a.row .name")).to_contain_text("U+202EU+200BU+1D159")
    await desk.read(plan)
    for text in SEEN:
        await expect(desk.page.locator(".text .rendered")).to_contain_text(text)
    schemes = "[...document.querySelectorAll('main a')].map((link) => link.protocol)"
    assert set(await desk.page.evaluate(schemes)) <= {"http:", "https:"}
    await desk.page.get_by_role("button", name="Source").click()
    await expect(desk.page.locator(".source")).to_contain_text("zeroU+200Bwidth")
    await expect(desk.page.locator(".source")).to_contain_text("5,000 spacesindented")
    await desk.choice("Reject").click()
    await desk.page.locator(".words-form textarea").fill(EVIL.replace("EVIL", host))
    await desk.page.get_by_role("button", name="Reject").click()
    await desk.is_told("U+202EU+200BU+1D159")
    await desk.open("/log")
    await expect(desk.page.locator(".entry .words").first).to_contain_text("U+202EU+200BU+1D159")
    assert await desk.page.evaluate("sang") == []
    own = f"http://{office.opened.web}/"
    assert [url for url in desk.requests if not url.startswith(own)] == []
    assert not asked


async def test_padding_pushes_nothing_out_of_view(office: Room, desk: Desk) -> None:
    """However wide a line is, all of it is within the page, at phone width, too."""
    await desk.page.set_viewport_size({"width": 390, "height": 844})
    text = f"# Tidy\n\n```sh\n{' ' * 5000}rm -rf /\n{'x' * 5000}\n```\n\n{'y' * 500}\n"
    plan = await office.gate.propose(CreatePlanRequest(args=CreatePlanArgs(plan=text)))
    await desk.read(plan)
    wide = "[...document.querySelectorAll('main *')].filter((each) => each.scrollWidth > innerWidth).length"
    assert await desk.page.evaluate(wide) == 0
    assert await desk.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
