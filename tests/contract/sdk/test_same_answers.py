"""The fake gate answers with the same messages as a real one, field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from plangate import Client
from plangate.testing import FakeGate
from plangate_proto.agent.v1.create_plan_tool_pb2 import Phase
from plangate_proto.agent.v1.plan_resource_pb2 import TodoHint
from plangate_proto.agent.v1.review_resource_pb2 import ReviewStatus
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalState
from tests.helpers.sameness import Alike
from tests.helpers.tool_calls import remember

Story = Callable[[Client], Iterator[Message]]


def told(story: Story, gate: Client) -> list[Any]:
    """What a gate said in a story, without what differs from one telling to the next."""
    alike = Alike()
    return [alike(json_format.MessageToDict(message)) for message in story(gate)]


def a_plan_is_revised(gate: Client) -> Iterator[Message]:
    todos = [TodoItem(id="a", content="one"), TodoItem(id="b", content="two", dependencies=["a"])]
    estimate = Duration(seconds=90)
    plan = gate.create_plan(
        "# Tidy the cellar ##\n\nall\n",
        overview="Make room.",
        todos=todos,
        phases=[Phase(name="first", todos=[TodoItem(content="three")])],
        is_project=True,
        session_id="revised",
        agent_id="agent",
        tool_call_id="t",
        todo_hints={"a": TodoHint(agent="x", estimated_time=estimate)},
    )
    yield plan
    yield gate.comment(plan, "hm", 3)
    newer = gate.update_plan(plan, old_str="all", new_str="half", agent_id="other")
    yield newer
    yield gate.decide(newer, "requestChanges", "smaller").review
    yield gate.update_todos(newer, [TodoItem(id="c", content="four")], agent_id="agent")
    head = gate.get_plan(plan)
    yield head
    yield gate.get_plan(plan, revision=1)
    yield gate.diff(plan, 1, 3)
    yield from gate.revisions(plan)
    yield gate.review(plan)
    yield from gate.reviews(ReviewStatus.REVIEW_STATUS_DONE, session_id="revised")
    yield gate.session("revised")


def a_plan_is_built(gate: Client) -> Iterator[Message]:
    begin = mark(gate, "built")
    plan = gate.create_plan("# Tidy", todos=["one", "two"], session_id="built", agent_id="agent")
    gate.decide(plan, "edit", "mine", edited="# Tidy up")
    decision = gate.wait(plan)
    yield decision.review
    yield decision.plan
    yield gate.acknowledge(decision, agent_id="agent")
    with gate.build(decision, agent_id="builder", lease=timedelta(minutes=1)) as build:
        build.start("todo-1")
        yield gate.get_plan(plan)
        build.done("todo-1")
        yield gate.update_todos(plan, [], build_id=build.build_id)
        build.cancel("todo-2")
    yield gate.get_plan(plan)
    yield from some(gate.watch(session_id="built", cursor=begin), 9)


def tools_are_used(gate: Client) -> Iterator[Message]:
    begin = next(told.cursor for told in gate.prompts() if told.checkpoint)
    with ThreadPoolExecutor() as pool:
        asking = pool.submit(
            gate.request_approval, "tools", "bash", "make  x", call_id="c", prompt="why", metadata={"a": "b"}
        )
        prompt = next(told.prompt for told in gate.prompts("tools") if told.HasField("prompt"))
        yield prompt
        yield gate.session("tools")
        yield from gate.tool_calls(session_id="tools")
        yield gate.answer(prompt, "approved", "fine", remember=remember())
        yield asking.result().response
    yield gate.request_approval("tools", "bash", "make x", call_id="d").response
    yield gate.set_mode("tools", "plan")
    yield gate.request_approval("tools", "bash", "ls; id", call_id="e", kind="mcp").response
    yield from gate.tool_calls(ApprovalState.APPROVAL_STATE_DECIDED, session_id="tools")
    yield gate.session("tools")
    yield from some(gate.prompts("tools", cursor=begin), 6)


def a_draft_is_written(gate: Client) -> Iterator[Message]:
    begin = mark(gate, "draft")
    with gate.draft_plan(session_id="draft", agent_id="agent") as draft:
        draft.write("# Tidy ")
        draft.write("all")
    yield gate.get_plan(draft.facts.plan_uri)
    yield gate.review(draft.facts.plan_uri)
    yield gate.withdraw(draft.facts.plan_uri, "no")
    yield from some(gate.watch(session_id="draft", cursor=begin), 3)


def mark(gate: Client, session: str) -> str:
    """A cursor, behind which comes what happens from now on."""
    return next(iter(gate.watch(session_id=session, snapshot=False))).cursor


def some(stream: Iterator[Message], count: int) -> Iterable[Message]:
    return [next(stream) for _ in range(count)]


@pytest.mark.parametrize(
    "story",
    [a_plan_is_revised, a_plan_is_built, tools_are_used, a_draft_is_written],
    ids=lambda s: s.__name__,
)
def test_both_say_the_same(address: str, story: Story) -> None:
    """A story that is told to both is answered by both in the same words."""
    with Client(address) as real, FakeGate().client() as fake:
        assert told(story, fake) == told(story, real)
