"""Builds of approved plans: which todos an agent has, and how it gets on with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from plangate._calls.kinds import Method, Unary, new_id
from plangate._calls.words import number_of, span, todo_items, uri_of
from plangate._tokens import AGENT
from plangate._values import Decision
from plangate.errors import ReviewSuperseded
from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome, Plan
from plangate_proto.agent.v1.plan_service_pb2 import (
    BuildTodosRequest,
    BuildTodosResponse,
    FinishBuildRequest,
    FinishBuildResponse,
    ReadTodosRequest,
    ReadTodosResponse,
    UpdateTodosRequest,
    UpdateTodosResponse,
)
from plangate_proto.agent.v1.todo_tools_pb2 import ReadTodosArgs, TodoItem, TodoStatus, UpdateTodosArgs

Result = TypeVar("Result")

SERVICE: Final = "/agent.v1.PlanService/"
BUILD: Final = Method(f"{SERVICE}BuildTodos", AGENT, BuildTodosResponse, by_agent=True)
READ: Final = Method(f"{SERVICE}ReadTodos", AGENT, ReadTodosResponse)
UPDATE: Final = Method(f"{SERVICE}UpdateTodos", AGENT, UpdateTodosResponse, by_agent=True)
FINISH: Final = Method(f"{SERVICE}FinishBuild", AGENT, FinishBuildResponse)
NOBODY: Final = "agent"
"""What a builder is called that has no name."""
MOST_WORDS: Final = 4000
"""Characters of an exception; a summary can have more, and nobody reads them."""


@dataclass
class BuildFacts:
    """Todos of an approved plan in the hands of one agent."""

    build_id: str
    plan_uri: str
    agent_id: str
    todos: list[TodoItem]
    """In dependency order: done one after the other, none is begun too early."""
    waves: list[list[str]]
    """The ids of the same todos; those of one wave can be done side by side."""
    prompt: str
    """What to tell a model: which todos to do, and how to report on them."""
    revision: int
    digest: str
    lease_expire_time: datetime
    """When the todos go back if the agent is not heard from."""
    ended: bool = False


def build(
    plan: Plan | Decision | str,
    *,
    agent_id: str = "",
    todo_ids: Iterable[str] = (),
    lease: timedelta | None = None,
) -> Unary[BuildFacts]:
    """Ask for todos of an approved plan: all that are unfinished and free, or those named.

    A plan, or a decision about it, is built only if its very text was approved; a plan_uri stands for
    whatever was. A decision that another agent's text has overtaken raises ReviewSuperseded.
    """
    if isinstance(plan, Decision) and plan.superseded:
        raise _overtaken(plan)
    wanted = plan.plan if isinstance(plan, Decision) else plan
    author, digest = ("", "") if isinstance(wanted, str) else (wanted.created_by, wanted.digest)
    request = BuildTodosRequest(
        plan_uri=uri_of(wanted),
        agent_id=agent_id,
        todo_ids=todo_ids,
        expected_digest=digest,
        lease=span(lease),
        request_id=new_id(),
    )

    def read(answer: BuildTodosResponse) -> BuildFacts:
        return BuildFacts(
            answer.build_id,
            request.plan_uri,
            request.agent_id,
            list(answer.todos),
            [list(wave.todo_ids) for wave in answer.waves],
            answer.prompt,
            answer.revision,
            answer.digest,
            _moment(answer.lease_expire_time),
        )

    return Unary(BUILD, request, read, nameless=author or NOBODY)


def read_todos(
    plan: Plan | str, *ids: str, statuses: Iterable[TodoStatus.ValueType] = ()
) -> Unary[list[TodoItem]]:
    """The todos of a plan as they are now; those of the ids and statuses given, or all."""
    request = ReadTodosRequest(
        plan_uri=uri_of(plan), args=ReadTodosArgs(id_filter=ids, status_filter=statuses)
    )
    return Unary(READ, request, lambda response: list(response.result.success.todos))


def update_todos(
    plan: Plan | str,
    todos: Iterable[str | TodoItem],
    *,
    merge: bool = True,
    agent_id: str = "",
    build_id: str = "",
) -> Unary[UpdateTodosResponse]:
    """Write todos: by id, keeping what is left empty; without ``merge``, these and no others.

    A change of status only is progress. Anything else is a new revision, and people are asked again.
    """
    request = UpdateTodosRequest(
        plan_uri=uri_of(plan),
        args=UpdateTodosArgs(todos=todo_items(todos), merge=merge),
        agent_id=agent_id,
        build_id=build_id,
        request_id=new_id(),
    )
    return Unary(UPDATE, request, _itself)


def start(build: BuildFacts, *todos: TodoItem | str) -> Unary[list[str]]:
    """These todos are being worked on. Gives the ids of those that can begin now."""
    return _moved(build, todos, TodoStatus.TODO_STATUS_IN_PROGRESS)


def done(build: BuildFacts, *todos: TodoItem | str) -> Unary[list[str]]:
    """These todos are done. Gives the ids of those that can begin now."""
    return _moved(build, todos, TodoStatus.TODO_STATUS_COMPLETED)


def cancel(build: BuildFacts, *todos: TodoItem | str) -> Unary[list[str]]:
    """These todos will not be done. Gives the ids of those that can begin now."""
    return _moved(build, todos, TodoStatus.TODO_STATUS_CANCELLED)


def renew(build: BuildFacts) -> Unary[datetime]:
    """A sign of life: the lease begins anew. Gives the time at which it ends."""
    return _written(build, [], lambda _: build.lease_expire_time)


def finish(build: BuildFacts, summary: str = "") -> Unary[FinishBuildResponse]:
    """The build has ended well. Gives the plan, and how many todos were done."""
    return _ended(build, summary, failed=False)


def fail(build: BuildFacts, summary: str = "") -> Unary[FinishBuildResponse]:
    """The build has ended badly: say why."""
    return _ended(build, summary, failed=True)


def finish_build(build_id: str, summary: str = "", *, failed: bool = False) -> Unary[FinishBuildResponse]:
    """End a build that was begun elsewhere, well or badly. Gives what ``build.finish`` gives."""
    request = FinishBuildRequest(
        build_id=build_id,
        outcome=number_of(BuildOutcome, "BUILD_OUTCOME_", "failed" if failed else "completed"),
        summary=summary,
        request_id=new_id(),
    )
    return Unary(FINISH, request, lambda response: response)


def summary_of(error: BaseException) -> str:
    """What to say of a build that an exception ended."""
    return f"{type(error).__name__}: {error}"[:MOST_WORDS]


def _overtaken(decision: Decision) -> ReviewSuperseded:
    review = decision.review
    told = {
        "plan_uri": review.plan_uri,
        "approval_request_id": review.approval_request_id,
        "superseded_by": review.superseded_by,
    }
    return ReviewSuperseded(
        f"revision {review.revision} of {review.plan_uri} is no longer under review",
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason="REVIEW_SUPERSEDED",
        metadata=told,
    )


def _moved(
    build: BuildFacts, todos: Iterable[TodoItem | str], status: TodoStatus.ValueType
) -> Unary[list[str]]:
    ids = [todo if isinstance(todo, str) else todo.id for todo in todos]
    if not ids:
        raise ValueError("name the todos, or their ids")
    moved = [TodoItem(id=todo_id, status=status) for todo_id in ids]
    return _written(build, moved, lambda response: list(response.ready_todo_ids))


def _written(
    build: BuildFacts, todos: list[TodoItem], read: Callable[[UpdateTodosResponse], Result]
) -> Unary[Result]:
    call = update_todos(build.plan_uri, todos, agent_id=build.agent_id, build_id=build.build_id)

    def note(response: UpdateTodosResponse) -> Result:
        if response.HasField("lease_expire_time"):
            build.lease_expire_time = _moment(response.lease_expire_time)
        return read(response)

    return Unary(UPDATE, call.request, note)


def _ended(build: BuildFacts, summary: str, *, failed: bool) -> Unary[FinishBuildResponse]:
    def note(response: FinishBuildResponse) -> FinishBuildResponse:
        build.ended = True
        return response

    return finish_build(build.build_id, summary, failed=failed)._replace(read=note)


def _moment(time: Timestamp) -> datetime:
    return time.ToDatetime(tzinfo=UTC)


def _itself(response: UpdateTodosResponse) -> UpdateTodosResponse:
    return response
