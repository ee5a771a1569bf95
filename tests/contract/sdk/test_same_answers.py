"""The gate for tests, over its store in memory, answers with the same messages as one that serves."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from plangate import Client
from plangate.testing import Gate
from plangate_proto.agent.v1.create_plan_tool_pb2 import Phase
from plangate_proto.agent.v1.plan_resource_pb2 import TodoHint
from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import ReviewStatus
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalState
from tests.helpers.sameness import Alike
from tests.helpers.tool_calls import remember

EVERY = ReviewEventType.values()[1:]
Story = Callable[[Client, str], Iterator[Message]]


def told(story: Story, gate: Client) -> list[Any]:
    """What a gate said in a story, without what differs from one telling to the next."""
    alike = Alike()
    return [alike(json_format.MessageToDict(message)) for message in story(gate, uuid.uuid4().hex)]


def mark(gate: Client, session: str) -> str:
    """A cursor, behind which comes what happens from now on."""
    return next(iter(gate.watch(session_id=session, snapshot=False))).cursor


def some(stream: Iterator[Message], count: int) -> Iterable[Message]:
    return [next(stream) for _ in range(count)]


def a_plan_is_revised(gate: Client, session: str) -> Iterator[Message]:
    todos = [TodoItem(id="a", content="one"), TodoItem(id="b", content="two", dependencies=["a"])]
    estimate = Duration(seconds=90)
    plan = gate.create_plan(
        "# Tidy the cellar ##\n\nall\n",
        overview="Make room.",
        todos=todos,
        phases=[Phase(name="first", todos=[TodoItem(content="three")])],
        is_project=True,
        session_id=session,
        agent_id="agent",
        tool_call_id="t",
        todo_hints={"a": TodoHint(agent="x", estimated_time=estimate)},
    )
    yield plan
    yield gate.comment(plan, "hm", 3)
    newer = gate.update_plan(plan, old_str="all", new_str="half", agent_id="other")
    yield newer
    yield gate.decide(newer, "requestChanges", "smaller").review
    yield gate.update_todos(newer, [TodoItem(id="c", content="four")], agent_id="other")
    head = gate.get_plan(plan)
    yield head
    yield gate.get_plan(plan, revision=1)
    yield gate.diff(plan, 1, 3)
    yield from gate.revisions(plan)
    yield gate.review(plan)
    yield from gate.reviews(ReviewStatus.REVIEW_STATUS_DONE, session_id=session)
    yield gate.session(session)


def a_plan_is_built(gate: Client, session: str) -> Iterator[Message]:
    begin = mark(gate, session)
    plan = gate.create_plan("# Tidy", todos=["one", "two"], session_id=session, agent_id="agent")
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
    yield from some(gate.watch(session_id=session, cursor=begin), 9)


def tools_are_used(gate: Client, session: str) -> Iterator[Message]:
    begin = next(told.cursor for told in gate.prompts() if told.checkpoint)
    with ThreadPoolExecutor() as pool:
        asking = pool.submit(
            gate.request_approval, session, "bash", "make  x", call_id="c", prompt="why", metadata={"a": "b"}
        )
        prompt = next(told.prompt for told in gate.prompts(session) if told.HasField("prompt"))
        yield prompt
        yield gate.session(session)
        yield from gate.tool_calls(session_id=session)
        yield gate.answer(prompt, "approved", "fine", remember=remember())
        yield asking.result().response
    yield gate.request_approval(session, "bash", "make x", call_id="d").response
    yield gate.set_mode(session, "plan")
    yield gate.request_approval(session, "bash", "ls; id", call_id="e", kind="mcp").response
    yield from gate.tool_calls(ApprovalState.APPROVAL_STATE_DECIDED, session_id=session)
    yield gate.session(session)
    yield from some(gate.prompts(session, cursor=begin), 6)


def a_draft_is_written(gate: Client, session: str) -> Iterator[Message]:
    begin = mark(gate, session)
    with gate.draft_plan(session_id=session, agent_id="agent") as draft:
        draft.write("# Tidy ")
        draft.write("all")
    yield gate.get_plan(draft.facts.plan_uri)
    yield gate.review(draft.facts.plan_uri)
    yield gate.withdraw(draft.facts.plan_uri, "no")
    yield from some(gate.watch(session_id=session, cursor=begin), 3)


def a_session_is_led(gate: Client, session: str) -> Iterator[Message]:
    begin = mark(gate, session)
    yield gate.report_event(session, "receive_message")
    plan = gate.create_plan("# Tidy", session_id=session, agent_id="agent", multi_plan=True)
    gate.create_plan("# Tidy more", session_id=session, agent_id="agent", multi_plan=True)
    yield gate.session(session)
    yield gate.withdraw(plan, agent_id="agent")
    yield gate.session(session)
    yield gate.set_mode(session, "plan")
    yield gate.report_event(session, "reset")
    yield from some(gate.watch_session(session, cursor=begin), 6)
    yield from some(gate.watch(*EVERY, session_id=session, cursor=begin), 8)


def an_answer_is_remembered(gate: Client, session: str) -> Iterator[Message]:
    begin = mark(gate, session)
    with ThreadPoolExecutor() as pool:
        calls = [pool.submit(gate.request_approval, session, "bash", "make", call_id="one")]
        prompt = next(told.prompt for told in gate.prompts(session) if told.HasField("prompt"))
        for number, call_id in enumerate(("two", "three"), start=2):
            calls.append(pool.submit(gate.request_approval, session, "bash", "make", call_id=call_id))
            next(told for told in gate.watch_session(session) if told.session.queue_length == number)
        yield from gate.tool_calls(session_id=session)
        gate.cancel_approval(session, "two")
        yield gate.answer(prompt, "approved_for_session")
        yield from (call.result().response for call in calls)
    yield gate.session(session)
    yield next(gate.sessions("agent"))
    kept = next(each for each in gate.remembered(session) if each.session_id)
    yield gate.forget(kept)
    gate.reset_memory("session_restart", session)
    yield from some(gate.watch(*EVERY, session_id=session, cursor=begin), 9)


def several_are_asked(gate: Client, session: str) -> Iterator[Message]:
    begin = mark(gate, session)
    plan = gate.create_plan(
        "# Tidy\n\nall", todos=["sweep"], required_approvals=2, session_id=session, agent_id="agent"
    )
    yield gate.decide(plan, "approve", "fine").review
    yield gate.resolve_comment(gate.comment(plan, "hm", 3))
    moved = TodoItem(id="todo-1", status=TodoStatus.TODO_STATUS_COMPLETED)
    yield gate.update_todos(plan, [moved, TodoItem(content="wash")], agent_id="agent")
    newer = gate.get_plan(plan)
    yield newer
    yield gate.decide(newer, "reject", "no").review
    yield gate.wait(plan).review
    yield gate.review(plan)
    yield from gate.revisions(plan)
    yield from some(gate.watch(session_id=session, cursor=begin), 8)


STORIES: Iterable[Story] = [
    a_plan_is_revised,
    a_plan_is_built,
    tools_are_used,
    a_draft_is_written,
    a_session_is_led,
    an_answer_is_remembered,
    several_are_asked,
]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_both_say_the_same(address: str, story: Story) -> None:
    """A story that is told to both is answered by both in the same words."""
    with Client(address) as server, Gate().client() as testing:
        assert told(story, testing) == told(story, server)
