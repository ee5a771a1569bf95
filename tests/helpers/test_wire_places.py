"""What the field walker and the fuzzer send is what they mean to send."""

from __future__ import annotations

from plangate_proto.agent.v1.agent_session_service_pb2 import AuthorizeToolRequest
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import TodoHint
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.helpers.wire_places import Place, deep, is_set, named, places, single, written

REQUEST = CreatePlanRequest(
    args=CreatePlanArgs(plan="# P", todos=[TodoItem(id="a", content="A"), TodoItem(id="b", content="B")]),
    todo_hints={"a": TodoHint(agent="ada", labels=["x"])},
)
PLACES = {named(place): place for place in places(CreatePlanRequest.DESCRIPTOR)}


def put(name: str, value: bytes, copies: dict[int, int] | None = None) -> CreatePlanRequest:
    place = PLACES[name]
    return CreatePlanRequest.FromString(written(REQUEST, place, single(place[-1], value), copies))


def test_one_value_is_another() -> None:
    """In a message, in a message of a list, in a key and in an entry of a map; and all else stays."""
    assert put("args.plan", b"# Q").args == CreatePlanArgs(plan="# Q", todos=REQUEST.args.todos)
    todos = put("args.todos.content", b"C").args.todos
    assert [(todo.id, todo.content) for todo in todos] == [("b", "B"), ("a", "C")]
    assert put("todo_hints.key", b"b").todo_hints["b"] == REQUEST.todo_hints["a"]
    hint = put("todo_hints.value.agent", b"bob").todo_hints["a"]
    assert hint == TodoHint(agent="bob", labels=["x"])


def test_a_message_is_there_many_times() -> None:
    """Under other names, so that it is not the same one."""
    todos = put("args.todos.content", b"C", {1: 3}).args.todos
    assert [(todo.id, todo.content) for todo in todos] == [("b", "B"), ("a", "C"), ("n1", "C"), ("n2", "C")]
    place = PLACES["args.todos"]
    again = CreatePlanRequest.FromString(written(REQUEST, place, None, {1: 2}))
    assert [todo.id for todo in again.args.todos] == ["b", "a", "n1"]


def test_a_place_is_set_or_not() -> None:
    """Also within a list and a map."""
    there = {name for name, place in PLACES.items() if is_set(REQUEST, place)}
    assert {"args.plan", "args.todos.content", "todo_hints.value.labels"} <= there
    assert not {"session_id", "args.phases.name", "todo_hints.value.estimated_time"} & there


def test_messages_are_within_each_other() -> None:
    """As deep as was asked for."""
    place: Place = (AuthorizeToolRequest.DESCRIPTOR.fields_by_name["arguments"],)
    data = written(AuthorizeToolRequest(), place, single(place[-1], deep(place[-1], 3)))
    struct = AuthorizeToolRequest.FromString(data).arguments
    for _ in range(3):
        (value,) = struct.fields.values()
        struct = value.struct_value
    assert not struct.fields
