"""POST /api/render under strain: a limit, few at a time, each text once, and nothing for those who left."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from http.client import HTTPConnection
from json import dumps

import pytest

from plangate_server.domain.limits import DEFAULTS
from plangate_server.web import drawing
from plangate_server.web.drawing import Drawings, Kept
from plangate_server.web.effort import NotWanted
from plangate_server.web.workers import THREAD
from tests.helpers.conditions import look_until
from tests.helpers.gate import Gate
from tests.helpers.visitor import JSON, Visitor


def endless(text: str, is_wanted: Callable[[], bool]) -> str:
    """A drawing that ends only when nobody wants it."""
    if text != "endless":
        return f"<p>{text}</p>"
    while is_wanted():
        time.sleep(0.001)
    raise NotWanted


def shown(text: str) -> bytes:
    return dumps({"html": f"<p>{text}</p>"}).encode()


def at_work() -> int:
    return sum(thread.name == THREAD for thread in threading.enumerate())


def wait_for(threads: int) -> None:
    look_until(lambda: at_work() == threads)


async def test_a_text_longer_than_any_plan_is_refused(gate: Gate) -> None:
    """By the limit's name; one that is as long as a plan may be is drawn."""
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    answer = await visitor.post("/api/render", {"text": "x" * (DEFAULTS.plan_bytes + 1)})
    assert (answer.status, answer.reason) == (429, "LIMIT_EXCEEDED")
    assert answer.body["error"]["metadata"]["limit"] == "plan_bytes"
    assert (await visitor.post("/api/render", {"text": "x" * DEFAULTS.plan_bytes})).status == 200


async def test_one_caller_has_one_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one's text is drawn meanwhile."""
    monkeypatch.setattr(drawing, "render", endless)
    drawings = Drawings()
    slow = [asyncio.create_task(drawings.answer("agent", "endless")) for _ in range(3)]
    await asyncio.to_thread(wait_for, 1)
    assert await drawings.answer("person", "soon") == shown("soon")
    assert not any(task.done() for task in slow)
    for task in slow:
        task.cancel()
    await asyncio.wait(slow)
    await asyncio.to_thread(wait_for, 0)


async def test_a_text_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if several ask for it at the same time."""
    drawn: list[str] = []

    def draw(text: str, _: object) -> str:
        drawn.append(text)
        return f"<p>{text}</p>"

    monkeypatch.setattr(drawing, "render", draw)
    drawings = Drawings()
    answers = await asyncio.gather(*(drawings.answer("ada", "a") for _ in range(5)))
    assert {*answers, await drawings.answer("other", "a")} == {shown("a")}
    assert drawn == ["a"]


async def test_what_fails_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """And holds up nobody."""

    def fail(text: str, _: object) -> str:
        raise ValueError(text)

    monkeypatch.setattr(drawing, "render", fail)
    drawings = Drawings()
    for _ in range(3):
        with pytest.raises(ValueError, match="a"):
            await drawings.answer("ada", "a")


def test_only_so_much_is_kept() -> None:
    """What was not used for longest goes first; what is too long is not kept at all."""
    kept = Kept(10)
    kept.put(b"a", b"xxxx")
    kept.put(b"b", b"xxxx")
    assert kept.get(b"a")
    kept.put(b"c", b"xxxx")
    assert [kept.get(name) is not None for name in (b"a", b"b", b"c")] == [True, False, True]
    kept.put(b"d", b"x" * 11)
    assert kept.get(b"d") is None


async def test_who_goes_away_leaves_no_work(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """The drawing ends with its connection."""
    monkeypatch.setattr(drawing, "render", endless)
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    connection = HTTPConnection(gate.web)
    asked = ("POST", "/api/render", dumps({"text": "endless"}), {**JSON, **visitor.headers})
    await asyncio.to_thread(connection.request, *asked)
    await asyncio.to_thread(wait_for, 1)
    connection.close()
    await asyncio.to_thread(wait_for, 0)
    assert (await visitor.post("/api/render", {"text": "soon"})).body == {"html": "<p>soon</p>"}
