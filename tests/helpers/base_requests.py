"""For every method requests that are answered, each with all fields that lead somewhere.

They are what tests begin with that change one field after the other, so that the work behind it is reached.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp

from plangate_proto.agent.v1 import access_token_service_pb2 as token_pb
from plangate_proto.agent.v1 import agent_session_service_pb2 as session_pb
from plangate_proto.agent.v1 import plan_service_pb2 as agent_pb
from plangate_proto.agent.v1 import tool_approval_service_pb2 as approval_pb
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome, Plan, TodoHint
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.agent.v1.todo_tools_pb2 import ReadTodosArgs, TodoItem, UpdateTodosArgs
from plangate_proto.aiserver.v1 import plan_review_service_pb2 as review_pb
from plangate_proto.aiserver.v1 import plan_service_pb2 as aiserver_pb
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams, PlanPhase, Step
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem as WrittenTodo
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoReadParams, TodoWriteParams
from tests.helpers.gate import decision
from tests.helpers.tool_calls import (
    FOR_SESSION,
    PATCH,
    YES,
    call,
    event,
    mcp,
    patch,
    remember,
    resolution,
    span,
    tool,
)

PLANS: Final = "/agent.v1.PlanService/"
CALLS: Final = "/agent.v1.ApprovalService/"
SESSIONS: Final = "/agent.v1.SessionService/"
TOKENS: Final = "/agent.v1.TokenService/"
AISERVER: Final = "/aiserver.v1.PlanService/"
REVIEWS: Final = "/aiserver.v1.PlanReviewService/"

AGENT: Final = "builder"
TEXT: Final = "# Tidy the cellar\n\nSort the boxes.\n\nSweep the floor.\n"
TODOS: Final = (
    TodoItem(id="a", content="Sort the boxes"),
    TodoItem(id="b", content="Sweep the floor", dependencies=["a"]),
)
WRITTEN: Final = (
    WrittenTodo(id="a", content="Sort the boxes"),
    WrittenTodo(id="b", content="Sweep the floor", dependencies=["a"]),
)
TERMS: Final = ReviewOptions(expires_after=span(3600), required_approvals=1)

Ask = Callable[[str, str, Message], Awaitable[Any]]
"""Sends as somebody with a role, to a method, a request; gives the first message of the answer."""


class Bench(NamedTuple):
    """Where a request is made: ``name`` is nobody else's, as the name of a session or of a caller is."""

    send: Ask
    name: str
    text: str = TEXT
    """Of its plans; what TEXT says is in it."""

    async def ask(self, path: str, request: Message) -> Any:
        """As whoever does so in the table."""
        return await self.send(BASES[path][0].role, path, request)

    async def proposed(self) -> Plan:
        request = agent_pb.CreatePlanRequest(args=_args(self.text), session_id=self.name, agent_id=AGENT)
        return _plan(await self.ask(PLANS + "CreatePlan", request))

    async def drafted(self) -> Plan:
        request = agent_pb.DraftPlanRequest(args=_args(), session_id=self.name, agent_id=AGENT)
        return _plan(await self.ask(PLANS + "DraftPlan", request))

    async def approved(self) -> Plan:
        plan = await self.proposed()
        await self.ask(REVIEWS + "SubmitReview", decision(plan, "approve"))
        return plan

    async def built(self) -> tuple[Plan, str]:
        """A plan that is being built, and the build."""
        plan = await self.approved()
        begun = await self.ask(
            PLANS + "BuildTodos", agent_pb.BuildTodosRequest(plan_uri=plan.plan_uri, agent_id=AGENT)
        )
        return plan, str(begun.build_id)

    async def revised(self) -> Plan:
        """A plan with a second revision."""
        plan = await self.proposed()
        request = agent_pb.UpdatePlanRequest(
            plan_uri=plan.plan_uri,
            expected_revision=plan.revision,
            agent_id=AGENT,
            old_str="the boxes",
            new_str="the shelves",
        )
        return _plan(await self.ask(PLANS + "UpdatePlan", request))

    async def prompted(self, asked: approval_pb.RequestApprovalRequest | None = None) -> Any:
        """A tool call that waits, as whoever answers it sees it."""
        waiting = call(session_id=self.name)
        waiting.MergeFrom(asked or approval_pb.RequestApprovalRequest())
        await self.ask(CALLS + "RequestApproval", waiting)
        watch = approval_pb.WatchApprovalsRequest(session_id=self.name)
        return (await self.ask(CALLS + "WatchApprovals", watch)).prompt

    async def kept(self) -> Any:
        """A decision that is remembered."""
        answer = resolution(await self.prompted(), YES, remember=remember())
        return (await self.ask(CALLS + "ResolveApproval", answer)).remembered

    async def commented(self) -> Any:
        plan = await self.revised()
        request = review_pb.AddCommentRequest(
            plan_uri=plan.plan_uri, revision=1, first_line=3, last_line=5, text="Why?"
        )
        return plan, (await self.ask(REVIEWS + "AddComment", request)).comment


class Base(NamedTuple):
    """How a request is made, and who may send it."""

    role: str
    make: Callable[[Bench], Awaitable[Message]]


def _args(text: str = TEXT) -> CreatePlanArgs:
    return CreatePlanArgs(
        plan=text,
        name="Cellar",
        overview="Soon",
        todos=TODOS,
        phases=[Phase(name="One", todos=[TodoItem(id="c", content="Air it", dependencies=["b"])])],
    )


def _params(text: str = TEXT) -> CreatePlanParams:
    return CreatePlanParams(
        plan=text,
        name="Cellar",
        overview="Soon",
        todos=WRITTEN,
        phases=[PlanPhase(name="One", todos=[WrittenTodo(id="c", content="Air it", dependencies=["b"])])],
    )


def _steps() -> CreatePlanParams:
    step = Step(
        id="b",
        title="Sweep",
        description="The floor",
        instructions="Twice",
        prerequisites=["a"],
        sub_composer_id="sweeper",
    )
    return CreatePlanParams(
        plan=TEXT, title="Cellar", summary="Soon", steps=[Step(id="a", title="Sort"), step]
    )


def _hints() -> dict[str, TodoHint]:
    return {"a": TodoHint(agent="sorter", estimated_time=span(60), labels=["dusty"])}


def _plan(answer: Any) -> Plan:
    plan: Plan = answer.plan
    return plan


def _fixed(role: str, request: Message) -> Base:
    """One that needs nothing to be there."""

    async def make(_: Bench) -> Message:
        return request

    return Base(role, make)


def _about(role: str, kind: Callable[..., Message], **fields: Any) -> Base:
    """One about a plan that waits."""

    async def make(bench: Bench) -> Message:
        return kind(plan_uri=(await bench.proposed()).plan_uri, **fields)

    return Base(role, make)


def _in_session(role: str, kind: Callable[..., Message], **fields: Any) -> Base:
    """One about a session in which a plan and a tool call wait."""

    async def make(bench: Bench) -> Message:
        await bench.proposed()
        await bench.prompted()
        return kind(session_id=bench.name, **fields)

    return Base(role, make)


def _proposes(kind: Callable[..., Message], **fields: Any) -> Base:
    async def make(bench: Bench) -> Message:
        return kind(session_id=bench.name, agent_id=AGENT, **fields)

    return Base("agent", make)


def _updates(role: str, **fields: Any) -> Base:
    async def make(bench: Bench) -> Message:
        plan = await bench.proposed()
        return agent_pb.UpdatePlanRequest(
            plan_uri=plan.plan_uri,
            expected_revision=plan.revision,
            agent_id=AGENT if role == "agent" else "",
            **fields,
        )

    return Base(role, make)


def _submits(option: str, feedback: str = "", role: str = "reviewer", **fields: Any) -> Base:
    async def make(bench: Bench) -> Message:
        asked = decision(await bench.proposed(), option, feedback)
        asked.MergeFrom(review_pb.SubmitReviewRequest(**fields))
        return asked

    return Base(role, make)


def _compares(bench_request: Callable[[Plan], Message], role: str = "reviewer") -> Base:
    async def make(bench: Bench) -> Message:
        return bench_request(await bench.revised())

    return Base(role, make)


def _builds(kind: Callable[..., Message]) -> Base:
    async def make(bench: Bench) -> Message:
        plan = await bench.approved()
        return kind(
            plan_uri=plan.plan_uri,
            agent_id=AGENT,
            todo_ids=["a"],
            expected_digest=plan.digest,
            lease=span(60),
        )

    return Base("agent", make)


def _writes(kind: Callable[..., Message], **fields: Any) -> Base:
    async def make(bench: Bench) -> Message:
        plan, build_id = await bench.built()
        return kind(plan_uri=plan.plan_uri, agent_id=AGENT, build_id=build_id, **fields)

    return Base("agent", make)


def _asks(request: approval_pb.RequestApprovalRequest) -> Base:
    async def make(bench: Bench) -> Message:
        plan, build_id = await bench.built()
        more = approval_pb.RequestApprovalRequest(
            session_id=bench.name,
            prompt="to see whether it works",
            metadata={"cwd": "/cellar"},
            plan_uri=plan.plan_uri,
            build_id=build_id,
            todo_id="a",
            expires_after=span(60),
        )
        asked = approval_pb.RequestApprovalRequest()
        asked.CopyFrom(request)
        asked.MergeFrom(more)
        return asked

    return Base("agent", make)


def _authorizes(tool_name: str, **fields: Any) -> Base:
    async def make(bench: Bench) -> Message:
        plan, build_id = await bench.built()
        return tool(
            tool_name,
            session_id=bench.name,
            plan_uri=plan.plan_uri,
            build_id=build_id,
            agent_id=AGENT,
            todo_id="a",
            **fields,
        )

    return Base("agent", make)


def _resolves(option: str, asked: approval_pb.RequestApprovalRequest | None = None, **fields: Any) -> Base:
    async def make(bench: Bench) -> Message:
        return resolution(await bench.prompted(asked), option, feedback_text="Well", **fields)

    return Base("reviewer", make)


async def _draft_goes_on(bench: Bench) -> Message:
    draft = await bench.drafted()
    return agent_pb.DraftPlanRequest(
        args=_args("# Tidy"), plan_uri=draft.plan_uri, session_id=bench.name, agent_id=AGENT
    )


async def _draft_ends(bench: Bench) -> Message:
    draft = await bench.drafted()
    return agent_pb.DraftPlanRequest(
        args=_args(), plan_uri=draft.plan_uri, agent_id=AGENT, submit=True, review=TERMS
    )


async def _acknowledges(bench: Bench) -> Message:
    plan = await bench.approved()
    review_id = plan.review.approval_request_id
    return agent_pb.AcknowledgeDecisionRequest(approval_request_id=review_id, agent_id=AGENT)


async def _finishes(bench: Bench) -> Message:
    _, build_id = await bench.built()
    return agent_pb.FinishBuildRequest(
        build_id=build_id,
        outcome=BuildOutcome.BUILD_OUTCOME_FAILED,
        summary="Too dark",
    )


async def _lists_comments(bench: Bench) -> Message:
    plan, _ = await bench.commented()
    return agent_pb.ListCommentsRequest(plan_uri=plan.plan_uri)


async def _reads_review(bench: Bench) -> Message:
    plan, _ = await bench.commented()
    return review_pb.GetReviewRequest(plan_uri=plan.plan_uri)


async def _comments(bench: Bench) -> Message:
    plan = await bench.revised()
    return review_pb.AddCommentRequest(
        plan_uri=plan.plan_uri, revision=plan.revision, first_line=3, last_line=4, text="Why?"
    )


async def _resolves_comment(bench: Bench) -> Message:
    _, comment = await bench.commented()
    return review_pb.ResolveCommentRequest(comment_id=comment.comment_id)


async def _confirms(bench: Bench) -> Message:
    mode = session_pb.SetModeRequest(
        session_id=bench.name, mode=session_pb.SessionMode.SESSION_MODE_FULL_ACCESS
    )
    await bench.ask(SESSIONS + "SetMode", mode)
    return session_pb.ConfirmFullAccessRequest(session_id=bench.name, confirm=True)


async def _forgets(bench: Bench) -> Message:
    return approval_pb.ForgetRememberedRequest(remembered_id=(await bench.kept()).remembered_id)


async def _restores(bench: Bench) -> Message:
    return approval_pb.RestoreMemoryRequest(
        remembered=[
            approval_pb.Remembered(
                kind=approval_pb.ToolKind.TOOL_KIND_TERMINAL,
                tool_name="bash",
                signature="make test",
                decision=approval_pb.ApprovalDecision.APPROVAL_DECISION_APPROVED,
                scope=approval_pb.RememberScope.REMEMBER_SCOPE_SESSION,
                session_id=bench.name,
                reviewer="ada",
                create_time=Timestamp(seconds=1),
                restored_by=["bob"],
            )
        ]
    )


async def _makes_token(bench: Bench) -> Message:
    return token_pb.CreateTokenRequest(
        name=bench.name, role=token_pb.Role.ROLE_AGENT, person="ada", expires_after=span(60)
    )


async def _revokes(bench: Bench) -> Message:
    made = await bench.ask(TOKENS + "CreateToken", await _makes_token(bench))
    return token_pb.RevokeTokenRequest(token_id=made.token.token_id, workspace=made.token.workspace)


async def _lists_events(bench: Bench) -> Message:
    plan = await bench.revised()
    return review_pb.ListEventsRequest(plan_uri=plan.plan_uri)


async def _resets(bench: Bench) -> Message:
    await bench.kept()
    return approval_pb.ResetMemoryRequest(
        kind=approval_pb.ResetKind.RESET_KIND_SESSION_RESTART, session_id=bench.name
    )


async def _cancels(bench: Bench) -> Message:
    prompt = await bench.prompted()
    return approval_pb.CancelApprovalRequest(session_id=bench.name, call_id=prompt.call_id)


def _arguments() -> Struct:
    made = Struct()
    made.update({"path": "docs/a.md", "deep": {"to": ["b.md", 1, None, True]}})
    return made


_EDIT: Final[dict[str, Any]] = {"old_str": "the boxes", "new_str": "the shelves"}

BASES: Final[dict[str, tuple[Base, ...]]] = {
    PLANS + "CreatePlan": (
        _proposes(
            agent_pb.CreatePlanRequest, args=_args(), review=TERMS, todo_hints=_hints(), tool_call_id="t1"
        ),
    ),
    PLANS + "DraftPlan": (
        _proposes(agent_pb.DraftPlanRequest, args=_args()),
        Base("agent", _draft_goes_on),
        Base("agent", _draft_ends),
    ),
    PLANS + "UpdatePlan": (
        _updates("agent", args=_args("# Tidy\n"), review=TERMS, todo_hints=_hints()),
        _updates("reviewer", **_EDIT),
        _updates("agent", args=_args("# Tidy\n"), whole=True),
    ),
    PLANS + "GetPlan": (_about("agent", agent_pb.GetPlanRequest, revision=1),),
    PLANS + "ListPlans": (_in_session("agent", agent_pb.ListPlansRequest),),
    PLANS + "ListRevisions": (_compares(lambda plan: agent_pb.ListRevisionsRequest(plan_uri=plan.plan_uri)),),
    PLANS + "DiffRevisions": (
        _compares(
            lambda plan: agent_pb.DiffRevisionsRequest(plan_uri=plan.plan_uri, from_revision=1, to_revision=2)
        ),
    ),
    PLANS + "ReviewPlan": (_about("agent", agent_pb.ReviewPlanRequest, agent_id=AGENT),),
    PLANS + "AcknowledgeDecision": (Base("agent", _acknowledges),),
    PLANS + "BuildTodos": (_builds(agent_pb.BuildTodosRequest),),
    PLANS + "ReadTodos": (_about("agent", agent_pb.ReadTodosRequest, args=ReadTodosArgs(id_filter=["a"])),),
    PLANS + "UpdateTodos": (
        _writes(agent_pb.UpdateTodosRequest, args=UpdateTodosArgs(todos=TODOS, merge=True)),
        _writes(agent_pb.UpdateTodosRequest, args=UpdateTodosArgs(todos=TODOS)),
    ),
    PLANS + "FinishBuild": (Base("agent", _finishes),),
    PLANS + "WithdrawPlan": (
        _about("agent", agent_pb.WithdrawPlanRequest, agent_id=AGENT, reason="Flooded"),
    ),
    PLANS + "ListComments": (Base("agent", _lists_comments),),
    PLANS + "RegisterReference": (_about("agent", agent_pb.RegisterReferenceRequest, agent_id="reader"),),
    AISERVER + "CreatePlan": (
        _proposes(aiserver_pb.CreatePlanRequest, params=_params(), review=TERMS),
        _proposes(aiserver_pb.CreatePlanRequest, params=_steps()),
    ),
    AISERVER + "ReviewPlan": (_about("agent", aiserver_pb.ReviewPlanRequest, agent_id=AGENT),),
    AISERVER + "BuildTodos": (_builds(aiserver_pb.BuildTodosRequest),),
    AISERVER + "TodoRead": (_about("agent", aiserver_pb.TodoReadRequest, params=TodoReadParams(read=True)),),
    AISERVER + "TodoWrite": (
        _writes(aiserver_pb.TodoWriteRequest, params=TodoWriteParams(todos=WRITTEN, merge=True)),
        _writes(aiserver_pb.TodoWriteRequest, params=TodoWriteParams(todos=WRITTEN)),
    ),
    REVIEWS + "ListReviews": (_in_session("reviewer", review_pb.ListReviewsRequest),),
    REVIEWS + "GetReview": (Base("reviewer", _reads_review),),
    REVIEWS + "WatchReviews": (_in_session("reviewer", review_pb.WatchReviewsRequest, snapshot=True),),
    REVIEWS + "SubmitReview": (
        _submits("approve", "Well done", "admin", break_glass_reason="fire"),
        _submits("requestChanges", "Shelves, please"),
        _submits("edit", edited=CreatePlanParams(**_EDIT)),
        _submits("edit", edited=_params("# Mine\n"), edited_whole=True),
        _submits("edit", edited=_steps()),
    ),
    REVIEWS + "AddComment": (Base("reviewer", _comments),),
    REVIEWS + "ResolveComment": (Base("reviewer", _resolves_comment),),
    REVIEWS + "ListEvents": (
        Base("reviewer", _lists_events),
        _fixed("reviewer", review_pb.ListEventsRequest(chain=True)),
    ),
    REVIEWS + "VerifyAudit": (_fixed("reviewer", review_pb.VerifyAuditRequest()),),
    CALLS + "RequestApproval": (
        _asks(call()),
        _asks(patch(text=PATCH)),
        _asks(mcp()),
    ),
    CALLS + "CancelApproval": (Base("agent", _cancels),),
    CALLS + "WatchApprovals": (_in_session("reviewer", approval_pb.WatchApprovalsRequest),),
    CALLS + "ResolveApproval": (
        _resolves(YES, remember=remember("make *", seconds=3600)),
        _resolves(FOR_SESSION),
        _resolves(YES, mcp(session_id="", agent_id=""), remember=remember()),
    ),
    CALLS + "ListApprovals": (_in_session("reviewer", approval_pb.ListApprovalsRequest),),
    CALLS + "ListRemembered": (_in_session("reviewer", approval_pb.ListRememberedRequest),),
    CALLS + "ForgetRemembered": (Base("reviewer", _forgets),),
    CALLS + "ResetMemory": (Base("reviewer", _resets),),
    CALLS + "RestoreMemory": (Base("admin", _restores),),
    SESSIONS + "GetSession": (_in_session("agent", session_pb.GetSessionRequest),),
    SESSIONS + "ListSessions": (_fixed("agent", session_pb.ListSessionsRequest()),),
    SESSIONS + "WatchSession": (_in_session("agent", session_pb.WatchSessionRequest),),
    SESSIONS + "SetMode": (_in_session("reviewer", session_pb.SetModeRequest, mode=2),),
    SESSIONS + "ConfirmFullAccess": (Base("reviewer", _confirms),),
    SESSIONS + "AuthorizeTool": (
        _authorizes("bash", command="make test"),
        _authorizes("mcp__files__write_file", arguments=_arguments()),
    ),
    SESSIONS + "ReportEvent": (_in_session("agent", session_pb.ReportEventRequest, event=event("RESET")),),
    TOKENS + "CreateToken": (Base("admin", _makes_token),),
    TOKENS + "ListTokens": (_fixed("admin", token_pb.ListTokensRequest()),),
    TOKENS + "RevokeToken": (Base("admin", _revokes),),
    TOKENS + "WhoAmI": (_fixed("agent", token_pb.WhoAmIRequest()),),
}
