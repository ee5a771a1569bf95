"""Tools of an agent's loop: whatever happens is a result in the tool's own words, never an exception."""

from __future__ import annotations

from plangate import Client
from plangate.testing import Gate
from plangate.tool_calls import create_plan_tool_call, read_todos_tool_call, update_todos_tool_call
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.todo_tools_pb2 import ReadTodosArgs, TodoItem, TodoStatus, UpdateTodosArgs

ARGS = CreatePlanArgs(plan="# Tidy the cellar", todos=[TodoItem(id="sweep", content="sweep the floor")])


def test_a_plan_that_is_stored() -> None:
    """The result is success, with the plan_uri; the arguments are those that were given."""
    with Gate().client() as client:
        call = create_plan_tool_call(client, ARGS, tool_call_id="call-1")
        assert call.args == ARGS
        assert call.result.WhichOneof("result") == "success"
        assert client.get_plan(call.result.plan_uri).tool_call_id == "call-1"


def test_a_plan_that_is_refused() -> None:
    """The result is error, with the words of the gate and the fix."""
    with Gate().client() as client:
        call = create_plan_tool_call(client, CreatePlanArgs())
    assert call.result.WhichOneof("result") == "error"
    assert "args.plan is empty" in call.result.error.error
    assert "fill the field" in call.result.error.error


def test_arguments_as_a_model_writes_them() -> None:
    """JSON is taken, too; what is no argument of the tool is an error that names it."""
    with Gate().client() as client:
        call = create_plan_tool_call(client, {"plan": "# Tidy", "isProject": True})
        assert (call.args.plan, call.args.is_project) == ("# Tidy", True)
        wrong = create_plan_tool_call(client, {"plan": "# Tidy", "colour": "red"})
        assert "colour" in wrong.result.error.error


def test_a_gate_that_is_not_there() -> None:
    """Nothing was stored, and the model is told so."""
    with Client("127.0.0.1:1", token="none") as client:
        assert "no gate answers" in create_plan_tool_call(client, ARGS).result.error.error


def test_todos_are_written_and_read() -> None:
    """Both tools answer in their own results."""
    with Gate().client() as client:
        uri = create_plan_tool_call(client, ARGS).result.plan_uri
        done = TodoItem(id="sweep", status=TodoStatus.TODO_STATUS_COMPLETED)
        written = update_todos_tool_call(client, uri, UpdateTodosArgs(todos=[done], merge=True))
        assert written.result.success.was_merge
        read = read_todos_tool_call(client, uri, ReadTodosArgs(id_filter=["sweep"]))
        assert [todo.status for todo in read.result.success.todos] == [TodoStatus.TODO_STATUS_COMPLETED]
        assert "plan_uri" in read_todos_tool_call(client, "nowhere", {}).result.error.error
        assert "plan_uri" in update_todos_tool_call(client, "nowhere", {}).result.error.error


async def test_with_an_event_loop() -> None:
    """The same functions are awaited with an AsyncClient."""
    async with Gate().async_client() as client:
        assert (await create_plan_tool_call(client, ARGS)).result.HasField("success")
        assert (await create_plan_tool_call(client, {})).result.error.error
        assert (await create_plan_tool_call(client, {"colour": 1})).result.error.error
