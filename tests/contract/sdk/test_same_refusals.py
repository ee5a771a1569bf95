"""The gate for tests refuses with the same reasons, fields and facts as one that serves."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from plangate import Client, Decision, errors
from plangate.testing import Gate
from plangate_proto.agent.v1.create_plan_tool_pb2 import Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, TodoHint
from plangate_proto.agent.v1.review_resource_pb2 import Review
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalPrompt
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams, PlanPhase
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem as EditedTodo
from tests.helpers.sameness import Alike

NOBODY = uuid.uuid4().hex
NOT_THERE = f"plangate://plans/{NOBODY}"


def decided(gate: Client, plan: Plan) -> Any:
    gate.decide(plan, "approve")
    return gate.decide(plan, "reject", "no")


def built_twice(gate: Client, plan: Plan) -> Any:
    gate.decide(plan, "approve")
    gate.build(plan, agent_id="one")
    return gate.build(plan, agent_id="two", todo_ids=["todo-1"])


def stale(gate: Client, plan: Plan) -> Any:
    gate.update_plan(plan, "# Other")
    return gate.decide(plan, "approve")


def stale_build(gate: Client, plan: Plan) -> Any:
    gate.decide(plan, "approve")
    gate.update_plan(plan, "# Other")
    return gate.build(plan.plan_uri)


def other_build(gate: Client, plan: Plan) -> Any:
    other = gate.create_plan("# Tidy the attic")
    gate.decide(other, "approve")
    build = gate.build(other)
    return gate.authorize_tool("s", "bash", plan=plan, build_id=build.build_id)


def todos_of_other_build(gate: Client, plan: Plan) -> Any:
    other = gate.create_plan("# Tidy the attic", todos=["sweep"])
    gate.decide(other, "approve")
    build = gate.build(other)
    return gate.update_todos(plan, [], build_id=build.build_id)


def todos_of_ended_other_build(gate: Client, plan: Plan) -> Any:
    other = gate.create_plan("# Tidy the attic", todos=["sweep"])
    gate.decide(other, "approve")
    with gate.build(other) as build:
        build.done("todo-1")
    return gate.update_todos(plan, [], build_id=build.build_id)


def under_other_terms(gate: Client, plan: Plan) -> Any:
    gate.decide(plan, "approve")
    same = gate.create_plan(plan.plan, todos=["sweep"], session_id=plan.session_id)
    assert same.revision == 1
    again = gate.create_plan(plan.plan, todos=["sweep"], session_id=plan.session_id, required_approvals=3)
    assert (again.revision, again.digest, again.review.required_approvals) == (2, plan.digest, 3)
    return gate.build(again.plan_uri)


def edits(whole: bool = False, **fields: Any) -> Callable[[Client, Plan], Any]:
    return lambda gate, plan: gate.decide(plan, "edit", edited=CreatePlanParams(**fields), whole=whole)


def merging(*todos: TodoItem) -> Callable[[Client, Plan], Any]:
    return lambda gate, plan: gate.update_todos(plan, todos)


def held_words(gate: Client, plan: Plan) -> Any:
    gate.decide(plan, "approve")
    gate.build(plan, agent_id="one")
    return gate.update_todos(plan, [TodoItem(id="todo-1", content="wash")], agent_id="two")


def finished(gate: Client, plan: Plan) -> Any:
    gate.decide(plan, "approve")
    with gate.build(plan) as build:
        build.done("todo-1")
    return gate.update_todos(plan, ["one more"])


def late_receipt(gate: Client, plan: Plan) -> Any:
    decision = gate.decide(plan, "requestChanges", "smaller")
    gate.update_plan(plan, "# Other")
    return gate.acknowledge(decision)


def draft(gate: Client) -> Plan:
    with gate.draft_plan() as writing:
        writing.write("# Tidy")
    return gate.get_plan(writing.facts.plan_uri)


def todo(**fields: Any) -> list[TodoItem]:
    return [TodoItem(**fields)]


REFUSED: dict[str, Callable[[Client, Plan], Any]] = {
    "a plan that is not there": lambda gate, _: gate.get_plan(NOT_THERE),
    "what is no plan_uri": lambda gate, _: gate.get_plan("cellar"),
    "a revision that is not there": lambda gate, plan: gate.get_plan(plan, revision=7),
    "a revision that cannot be": lambda gate, plan: gate.get_plan(plan, revision=0),
    "no plan at all": lambda gate, _: gate.create_plan(" \n"),
    "a todo without words": lambda gate, _: gate.create_plan("# A", todos=todo(id="a")),
    "a todo twice": lambda gate, _: gate.create_plan("# A", todos=todo(id="a", content="x") * 2),
    "a todo of a phase twice": lambda gate, _: gate.create_plan(
        "# A",
        todos=todo(id="a", content="x"),
        phases=[Phase(name="p", todos=todo(id="a", content="y"))],
    ),
    "an unknown dependency": lambda gate, _: gate.create_plan(
        "# A", todos=todo(id="a", content="x", dependencies=["b"])
    ),
    "a circle": lambda gate, _: gate.create_plan("# A", todos=todo(id="a", content="x", dependencies=["a"])),
    "the same todo written twice": lambda gate, plan: gate.update_todos(plan, todo(id="a", content="x") * 2),
    "a longer circle": lambda gate, _: gate.create_plan(
        "# A",
        todos=[
            TodoItem(id="a", content="x", dependencies=["b"]),
            TodoItem(id="b", content="y", dependencies=["c"]),
            TodoItem(id="c", content="z", dependencies=["a"]),
        ],
    ),
    "a decision about a draft": lambda gate, _: gate.decide(draft(gate), "approve"),
    "a comment on a draft": lambda gate, _: gate.comment(draft(gate), "hm"),
    "a build of a draft": lambda gate, _: gate.build(draft(gate).plan_uri),
    "todos of a draft": lambda gate, _: gate.update_todos(draft(gate), ["sweep"]),
    "a receipt of a draft": lambda gate, _: gate.acknowledge(Decision(draft(gate).review)),
    "the difference of a draft": lambda gate, _: gate.diff(draft(gate)),
    "a build by nobody's plan": lambda gate, _: gate.build(NOT_THERE),
    "a call for a plan that is not there": lambda gate, _: gate.request_approval(
        "s", "bash", "make", plan=NOT_THERE
    ),
    "a call of a build of another plan": other_build,
    "a hint about nothing": lambda gate, _: gate.create_plan("# A", todo_hints={"a": TodoHint(agent="x")}),
    "too many approvals": lambda gate, _: gate.create_plan("# A", required_approvals=101),
    "a text that is not there": lambda gate, plan: gate.update_plan(plan, old_str="zzz", new_str="a"),
    "a text that is there twice": lambda gate, plan: gate.update_plan(plan, old_str="e", new_str="a"),
    "a newer revision": stale,
    "no such choice": lambda gate, plan: gate.decide(plan, "perhaps"),
    "no words": lambda gate, plan: gate.decide(plan, "requestChanges"),
    "an edit without a text": lambda gate, plan: gate.decide(plan, "edit"),
    "a text with a yes": lambda gate, plan: gate.decide(plan, "approve", edited="# Other"),
    "a whole text with a yes": lambda gate, plan: gate.decide(plan, "approve", edited="# Other", whole=True),
    "an edit that changes nothing": lambda gate, plan: gate.decide(plan, "edit", edited=plan.plan),
    "an empty edit": edits(),
    "the whole of nothing": lambda gate, plan: gate.decide(plan, "approve", whole=True),
    "an edit that is the whole of nothing": lambda gate, plan: gate.decide(plan, "edit", whole=True),
    "a whole edit without a text": edits(whole=True, overview="Why"),
    "two names": edits(name="Rest", title="Work"),
    "two overviews": edits(overview="Rest", summary="Work"),
    "a text and a part of it": edits(plan="# Rest", old_str="Tidy"),
    "progress in an edit": edits(todos=[EditedTodo(id="todo-1", content="mop", status="completed")]),
    "progress of a new todo": edits(todos=[EditedTodo(content="mop", status="in_progress")]),
    "progress in a phase of an edit": edits(
        phases=[PlanPhase(name="p", todos=[EditedTodo(content="mop", status="cancelled")])]
    ),
    "no such status in an edit": edits(todos=[EditedTodo(id="todo-1", content="mop", status="half")]),
    "a todo without words in an edit": edits(todos=[EditedTodo(id="a")]),
    "a circle in an edit": edits(todos=[EditedTodo(id="a", content="x", dependencies=["a"])]),
    "another decision": decided,
    "a review that is not there": lambda gate, plan: gate.decide(
        Plan(revision=1, digest=plan.digest, review=Review(approval_request_id=NOBODY)), "approve"
    ),
    "a build before the decision": lambda gate, plan: gate.build(plan),
    "a build of another text": stale_build,
    "a todo in other hands": built_twice,
    "the words of a todo in other hands": held_words,
    "a todo for a finished plan": finished,
    "a receipt for an older decision": late_receipt,
    "a receipt without a decision": lambda gate, plan: gate.acknowledge(Decision(plan.review, plan)),
    "an unknown todo": lambda gate, plan: [
        gate.decide(plan, "approve"),
        gate.build(plan, todo_ids=["polish"]),
    ],
    "a build that is not there": lambda gate, plan: gate.update_todos(plan, [], build_id=NOBODY),
    "a build of another plan": todos_of_other_build,
    "an ended build of another plan": todos_of_ended_other_build,
    "a build under other terms": under_other_terms,
    "a new todo without words": merging(TodoItem(id="todo-1", content="mop"), TodoItem(id="new")),
    "a new todo that needs what is not there": merging(
        TodoItem(id="new", content="mop", dependencies=["nothing"])
    ),
    "a second withdrawal": lambda gate, plan: [gate.withdraw(plan) for _ in range(2)],
    "a comment that is not there": lambda gate, _: gate.resolve_comment(NOBODY),
    "a comment without words": lambda gate, plan: gate.comment(plan, ""),
    "a comment on no line": lambda gate, plan: gate.comment(plan, "hm", 9),
    "a session that is not there": lambda gate, _: gate.session(NOBODY),
    "a session without a name": lambda gate, _: gate.session(""),
    "an event out of turn": lambda gate, _: gate.report_event(NOBODY, "is_atomic_true"),
    "full access that nobody wants": lambda gate, plan: gate.confirm_full_access(plan.session_id, True),
    "a tool without a name": lambda gate, _: gate.authorize_tool("s", ""),
    "a todo of nothing": lambda gate, _: gate.authorize_tool("s", "bash", todo_id="a"),
    "a todo of another plan": lambda gate, plan: gate.authorize_tool("s", "bash", plan=plan, todo_id="z"),
    "a call without a command": lambda gate, _: gate.request_approval("s", "bash", ""),
    "a call that is not there": lambda gate, _: gate.cancel_approval("s", NOBODY),
    "an answer that nobody remembers": lambda gate, _: gate.forget(NOBODY),
    "a session to forget that is not there": lambda gate, _: gate.reset_memory("session_restart", NOBODY),
    "a prompt that is not there": lambda gate, _: gate.answer(
        ApprovalPrompt(session_id="s", call_id=NOBODY, authority_token="t"), "approved"
    ),
    "what is no cursor": lambda gate, plan: list(gate.events(plan, cursor="cellar")),
}


def refusal(gate: Client, call: Callable[[Client, Plan], Any]) -> tuple[str, str, Any]:
    """Its class, its field, and the facts that come with it."""
    session = uuid.uuid4().hex
    plan = gate.create_plan("# Tidy the cellar", todos=["sweep"], session_id=session)
    with pytest.raises(errors.PlangateError) as caught:
        call(gate, plan)
    facts = sorted(caught.value.metadata.items())
    return type(caught.value).__name__, caught.value.field, Alike()([list(fact) for fact in facts])


@pytest.mark.parametrize("what", REFUSED)
def test_both_refuse_in_the_same_way(address: str, what: str) -> None:
    """A program that handles a refusal of one handles that of the other."""
    with Client(address) as server, Gate().client() as testing:
        assert refusal(testing, REFUSED[what]) == refusal(server, REFUSED[what])
