"""The tools of an agent's loop, answered in their own vocabulary: a refusal is a result, not an exception.

A model that calls create_plan gets a CreatePlanToolCall back, whose result is success with the plan_uri, or
an error that says what to do. With an AsyncClient the same functions are awaited.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar, overload

from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message

from plangate._aio import AsyncClient
from plangate._calls.builds import READ, UPDATE
from plangate._calls.kinds import Unary, new_id
from plangate._calls.plans import CREATE
from plangate._client import Client
from plangate.errors import PlangateError
from plangate_proto.agent.v1.create_plan_tool_pb2 import (
    CreatePlanArgs,
    CreatePlanError,
    CreatePlanResult,
    CreatePlanToolCall,
)
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest, ReadTodosRequest, UpdateTodosRequest
from plangate_proto.agent.v1.todo_tools_pb2 import (
    ReadTodosArgs,
    ReadTodosError,
    ReadTodosResult,
    ReadTodosToolCall,
    UpdateTodosArgs,
    UpdateTodosError,
    UpdateTodosResult,
    UpdateTodosToolCall,
)

__all__ = ["create_plan_tool_call", "read_todos_tool_call", "update_todos_tool_call"]

Args = TypeVar("Args", bound=Message)
ToolCall = TypeVar("ToolCall")


@overload
def create_plan_tool_call(
    client: Client,
    args: CreatePlanArgs | Mapping[str, Any],
    *,
    tool_call_id: str = "",
    session_id: str = "",
    agent_id: str = "",
) -> CreatePlanToolCall: ...
@overload
def create_plan_tool_call(
    client: AsyncClient,
    args: CreatePlanArgs | Mapping[str, Any],
    *,
    tool_call_id: str = "",
    session_id: str = "",
    agent_id: str = "",
) -> Coroutine[Any, Any, CreatePlanToolCall]: ...
def create_plan_tool_call(
    client: Client | AsyncClient,
    args: CreatePlanArgs | Mapping[str, Any],
    *,
    tool_call_id: str = "",
    session_id: str = "",
    agent_id: str = "",
) -> CreatePlanToolCall | Coroutine[Any, Any, CreatePlanToolCall]:
    """Propose what a model passed to its create_plan tool, as a message or as JSON."""

    def describe(given: CreatePlanArgs) -> Unary[CreatePlanToolCall]:
        request = CreatePlanRequest(
            args=given,
            tool_call_id=tool_call_id,
            session_id=session_id,
            agent_id=agent_id,
            request_id=new_id(),
        )
        return Unary(CREATE, request, lambda answer: CreatePlanToolCall(args=given, result=answer.result))

    def refused(given: CreatePlanArgs, words: str) -> CreatePlanToolCall:
        return CreatePlanToolCall(args=given, result=CreatePlanResult(error=CreatePlanError(error=words)))

    return _answered(client, CreatePlanArgs, args, describe, refused)


@overload
def update_todos_tool_call(
    client: Client, plan_uri: str, args: UpdateTodosArgs | Mapping[str, Any], *, build_id: str = ""
) -> UpdateTodosToolCall: ...
@overload
def update_todos_tool_call(
    client: AsyncClient, plan_uri: str, args: UpdateTodosArgs | Mapping[str, Any], *, build_id: str = ""
) -> Coroutine[Any, Any, UpdateTodosToolCall]: ...
def update_todos_tool_call(
    client: Client | AsyncClient,
    plan_uri: str,
    args: UpdateTodosArgs | Mapping[str, Any],
    *,
    build_id: str = "",
) -> UpdateTodosToolCall | Coroutine[Any, Any, UpdateTodosToolCall]:
    """Write what a model passed to its update_todos tool."""

    def describe(given: UpdateTodosArgs) -> Unary[UpdateTodosToolCall]:
        request = UpdateTodosRequest(args=given, plan_uri=plan_uri, build_id=build_id, request_id=new_id())
        return Unary(UPDATE, request, lambda answer: UpdateTodosToolCall(args=given, result=answer.result))

    def refused(given: UpdateTodosArgs, words: str) -> UpdateTodosToolCall:
        result = UpdateTodosResult(error=UpdateTodosError(error=words))
        return UpdateTodosToolCall(args=given, result=result)

    return _answered(client, UpdateTodosArgs, args, describe, refused)


@overload
def read_todos_tool_call(
    client: Client, plan_uri: str, args: ReadTodosArgs | Mapping[str, Any]
) -> ReadTodosToolCall: ...
@overload
def read_todos_tool_call(
    client: AsyncClient, plan_uri: str, args: ReadTodosArgs | Mapping[str, Any]
) -> Coroutine[Any, Any, ReadTodosToolCall]: ...
def read_todos_tool_call(
    client: Client | AsyncClient, plan_uri: str, args: ReadTodosArgs | Mapping[str, Any]
) -> ReadTodosToolCall | Coroutine[Any, Any, ReadTodosToolCall]:
    """Read what a model asked its read_todos tool for."""

    def describe(given: ReadTodosArgs) -> Unary[ReadTodosToolCall]:
        request = ReadTodosRequest(args=given, plan_uri=plan_uri)
        return Unary(READ, request, lambda answer: ReadTodosToolCall(args=given, result=answer.result))

    def refused(given: ReadTodosArgs, words: str) -> ReadTodosToolCall:
        return ReadTodosToolCall(args=given, result=ReadTodosResult(error=ReadTodosError(error=words)))

    return _answered(client, ReadTodosArgs, args, describe, refused)


def _answered(
    client: Client | AsyncClient,
    kind: type[Args],
    args: Args | Mapping[str, Any],
    describe: Callable[[Args], Unary[ToolCall]],
    refused: Callable[[Args, str], ToolCall],
) -> ToolCall | Coroutine[Any, Any, ToolCall]:
    given, problem = _read(kind, args)

    async def awaited(gate: AsyncClient) -> ToolCall:
        if problem:
            return refused(given, problem)
        try:
            return await gate._run(describe(given))
        except PlangateError as error:
            return refused(given, str(error))

    if isinstance(client, AsyncClient):
        return awaited(client)
    if problem:
        return refused(given, problem)
    try:
        return client._run(describe(given))
    except PlangateError as error:
        return refused(given, str(error))


def _read(kind: type[Args], args: Args | Mapping[str, Any]) -> tuple[Args, str]:
    """The arguments, and what is wrong with them, as far as it is seen without a gate."""
    if isinstance(args, Message):
        return args, ""
    try:
        return ParseDict(dict(args), kind()), ""
    except ParseError as error:
        return kind(), f"the arguments are not those of the tool: {error}"
