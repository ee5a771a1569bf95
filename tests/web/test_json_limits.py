"""JSON is counted before it is parsed, part by part, and checked in time that grows with its length."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain.errors import MessageTooLarge
from plangate_server.web.bodies import (
    DEEPEST,
    FEW_VALUES,
    LONGEST_MESSAGE,
    MOST_VALUES,
    BadBody,
    Shape,
    TooMuchJson,
    json_message,
    json_object,
)
from tests.helpers.gate import Gate
from tests.helpers.ide import ide
from tests.helpers.thread_times import has_ratio
from tests.helpers.tokens import local_token
from tests.helpers.visitor import Visitor

CREATE = "agent.v1.PlanService/CreatePlan"
MIB = 1024 * 1024


def names(count: int) -> str:
    return ", ".join(f'"name{number}": 0' for number in range(count))


def repeated(count: int) -> bytes:
    """An object with so many names, the last of which is there twice."""
    return ("{" + names(count) + f', "name{count - 1}": 1' + "}").encode()


def shape(most_values: int) -> Shape:
    return Shape(most_values, 24 * MIB)


def read(body: bytes) -> None:
    with pytest.raises(BadBody, match="is there twice"):
        json_object(body)


def test_names_are_compared_in_linear_time() -> None:
    """Ten times as many names take ten times as long, not a hundred times."""
    little, much = repeated(4_000), repeated(40_000)
    assert has_ratio(lambda: read(much), lambda: read(little), 30)


def test_a_long_name_is_not_said_in_full() -> None:
    """Of a name that is there twice, so much is repeated that it can be found."""
    with pytest.raises(BadBody) as refused:
        json_object(b'{"%b": 1, "%b": 2}' % (b"x" * 100_000, b"x" * 100_000))
    assert len(refused.value.words) < 200


values = st.recursive(
    st.none() | st.integers() | st.text('a"\\[]{},:é\n'),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text('a"\\[,'), inner, max_size=5),
    max_leaves=20,
)


def counted(value: Any) -> Iterator[int]:
    """A one for every value, and one more for a list or object that is empty."""
    yield 1
    if isinstance(value, list | dict):
        inner = list(value.values()) if isinstance(value, dict) else value
        yield 0 if inner else 1
        for each in inner:
            yield from counted(each)


@given(values, st.integers(1, 7))
def test_what_is_there_is_counted(value: Any, step: int) -> None:
    """Wherever the parts of a text are cut, every value counts, and nothing that stands in a string."""
    text, count = json.dumps([value], ensure_ascii=False).encode(), sum(counted([value]))

    def feed(most: int) -> None:
        counting = shape(most)
        for at in range(0, len(text), step):
            counting.feed(text[at : at + step])

    feed(count)
    with pytest.raises(TooMuchJson):
        feed(count - 1)


def test_escapes_count_as_what_they_stand_for() -> None:
    """A text may be six times as long where all of it is escapes, and otherwise no longer than a message."""
    Shape(FEW_VALUES, 100).feed(rb"\u0041" * 100)
    for text in (b"x" * 101, rb"\u0041" * 101):
        with pytest.raises(MessageTooLarge) as refused:
            Shape(FEW_VALUES, 100).feed(text)
        assert refused.value.metadata == {"limit": "message_bytes", "maximum": "100", "actual": "101"}


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_how_deep_it_goes(opening: str) -> None:
    """As deep as protobuf reads, and no deeper."""
    shape(FEW_VALUES).feed(opening.encode() * DEEPEST)
    with pytest.raises(TooMuchJson) as refused:
        shape(FEW_VALUES).feed(opening.encode() * (DEEPEST + 1))
    assert refused.value.metadata == {"limit": "json_depth", "maximum": "100", "actual": "101"}


@pytest.mark.parametrize(
    "text",
    [
        b"[" + b"{}," * (2 * MIB),
        b'{"a":' * MIB,
        b'"' + rb"\u0041" * MIB + b'"',
        b'"\\' * (3 * MIB),
        b'""' * (3 * MIB),
        b"]" * (6 * MIB),
        b"x" * (6 * MIB),
    ],
    ids=lambda text: text[:6].decode(),
)
def test_the_longest_body_is_counted_in_bounds(text: bytes) -> None:
    """6 MiB of whatever there is take less than half a second, and a part as it comes less than 50 ms."""
    counting, slowest, begun = shape(MOST_VALUES), 0.0, time.thread_time()
    for at in range(0, len(text), 64 * 1024):
        part, before = text[at : at + 64 * 1024], time.thread_time()
        try:
            counting.feed(part)
        except BadBody:
            break
        slowest = max(slowest, time.thread_time() - before)
    assert slowest < 0.05
    assert time.thread_time() - begun < 0.5


def test_a_message_of_an_ide_is_one_small_object() -> None:
    """Of a message as long as one may be that is made of many values, nothing is parsed."""
    begun = time.thread_time()
    for message in (b"[" + b"{}," * (LONGEST_MESSAGE // 3), b'{"a":' * (LONGEST_MESSAGE // 5)):
        with pytest.raises(TooMuchJson):
            json_message(message, "the message")
    assert time.thread_time() - begun < 0.1


@pytest.mark.parametrize(
    ("body", "limit"),
    [
        (b'{"args": {"todos": [' + b"{}," * MOST_VALUES + b"{}]}}", "json_values"),
        (b"[" * 1000, "json_depth"),
    ],
    ids=["values", "depth"],
)
async def test_too_much_is_refused_by_its_limit(gate: Gate, body: bytes, limit: str) -> None:
    """With what the limit is called and how much there may be, like every limit."""
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    answer = await visitor.call("agent.v1.PlanService/GetPlan", body)
    assert (answer.status, answer.reason) == (429, "LIMIT_EXCEEDED")
    assert answer.body["error"]["metadata"]["limit"] == limit


async def test_an_ide_hears_which_limit_it_passed(gate: Gate) -> None:
    """And its socket lives."""
    async with ide(gate.web) as desk:
        await desk.says('{"type": "user_message", "content": [' + "0," * FEW_VALUES + "0]}")
        error = await desk.hears("error")
        await desk.says({"type": "user_message", "content": "still there?"})
        await desk.hears("status")
    assert (error["metadata"]["reason"], error["metadata"]["limit"]) == ("LIMIT_EXCEEDED", "json_values")


async def test_all_dependencies_that_a_plan_may_have(gate: Gate) -> None:
    """A plan with as many todos and dependencies as may be is taken as JSON, too."""
    ids = [f"{number}" for number in range(500)]
    todos = [
        {"id": each, "content": "x", "status": "TODO_STATUS_PENDING", "dependencies": ids[:place]}
        for place, each in enumerate(ids)
    ]
    body = json.dumps({"args": {"plan": "# All", "todos": todos}}).encode()
    agent = Visitor(gate.web)
    agent.headers = {"Authorization": f"Bearer {local_token('agent')}"}
    answer = await agent.call(CREATE, body)
    assert answer.status == 200, answer.body
