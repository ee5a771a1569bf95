"""What another workspace has looks exactly like what does not exist."""

import secrets
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple

import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from plangate_proto.agent.v1 import access_token_service_pb2 as token_pb
from plangate_proto.agent.v1 import agent_session_service_pb2 as session_pb
from plangate_proto.agent.v1 import plan_service_pb2 as plan_pb
from plangate_proto.agent.v1 import tool_approval_service_pb2 as approval_pb
from plangate_proto.aiserver.v1 import plan_review_service_pb2 as review_pb
from plangate_proto.aiserver.v1 import plan_service_pb2 as aiserver_pb
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from tests.helpers.gate import Gate, connected, open_gate, proposal
from tests.helpers.identities import make_token
from tests.helpers.raw_calls import method_named, raw_call
from tests.helpers.refusals import Refused, refused
from tests.helpers.resuming import log_of
from tests.helpers.streams import next_of
from tests.helpers.tool_calls import YES, call, remember, tool
from tests.rpc.steps import approved, with_todos

PLANS, REVIEWS = "/agent.v1.PlanService/", "/aiserver.v1.PlanReviewService/"
APPROVALS, SESSIONS = "/agent.v1.ApprovalService/", "/agent.v1.SessionService/"
TOKENS, AISERVER = "/agent.v1.TokenService/", "/aiserver.v1.PlanService/"
SEEN = {"revision": 1, "digest": "0" * 64, "human_review": HumanReview(selected_option="approve")}

Named = Callable[[str], Message]

NAMED: dict[str, dict[str, Named]] = {
    "plan": {
        PLANS + "GetPlan": lambda name: plan_pb.GetPlanRequest(plan_uri=name),
        PLANS + "UpdatePlan": lambda name: plan_pb.UpdatePlanRequest(
            plan_uri=name, expected_revision=1, args=proposal().args
        ),
        PLANS + "DraftPlan": lambda name: plan_pb.DraftPlanRequest(plan_uri=name, args=proposal().args),
        PLANS + "ListRevisions": lambda name: plan_pb.ListRevisionsRequest(plan_uri=name),
        PLANS + "DiffRevisions": lambda name: plan_pb.DiffRevisionsRequest(
            plan_uri=name, from_revision=1, to_revision=1
        ),
        PLANS + "ReviewPlan": lambda name: plan_pb.ReviewPlanRequest(plan_uri=name),
        PLANS + "BuildTodos": lambda name: plan_pb.BuildTodosRequest(plan_uri=name, agent_id="a"),
        PLANS + "ReadTodos": lambda name: plan_pb.ReadTodosRequest(plan_uri=name),
        PLANS + "UpdateTodos": lambda name: plan_pb.UpdateTodosRequest(plan_uri=name),
        PLANS + "WithdrawPlan": lambda name: plan_pb.WithdrawPlanRequest(plan_uri=name),
        PLANS + "RegisterReference": lambda name: plan_pb.RegisterReferenceRequest(plan_uri=name),
        AISERVER + "ReviewPlan": lambda name: aiserver_pb.ReviewPlanRequest(plan_uri=name),
        AISERVER + "BuildTodos": lambda name: aiserver_pb.BuildTodosRequest(plan_uri=name, agent_id="a"),
        AISERVER + "TodoRead": lambda name: aiserver_pb.TodoReadRequest(plan_uri=name),
        AISERVER + "TodoWrite": lambda name: aiserver_pb.TodoWriteRequest(plan_uri=name),
        REVIEWS + "GetReview": lambda name: review_pb.GetReviewRequest(plan_uri=name),
        REVIEWS + "AddComment": lambda name: review_pb.AddCommentRequest(
            plan_uri=name, revision=1, first_line=1, last_line=1, text="Why?"
        ),
        SESSIONS + "AuthorizeTool": lambda name: tool(plan_uri=name),
        APPROVALS + "RequestApproval": lambda name: call(plan_uri=name),
    },
    "review": {
        REVIEWS + "GetReview": lambda name: review_pb.GetReviewRequest(approval_request_id=name),
        REVIEWS + "SubmitReview": lambda name: review_pb.SubmitReviewRequest(
            approval_request_id=name,
            **SEEN,  # type: ignore[arg-type]
        ),
        PLANS + "AcknowledgeDecision": lambda name: plan_pb.AcknowledgeDecisionRequest(
            approval_request_id=name, agent_id="a"
        ),
    },
    "build": {
        PLANS + "FinishBuild": lambda name: plan_pb.FinishBuildRequest(build_id=name, outcome=1),  # type: ignore[arg-type]
        SESSIONS + "AuthorizeTool": lambda name: tool(build_id=name),
        APPROVALS + "RequestApproval": lambda name: call(build_id=name),
    },
    "comment": {
        REVIEWS + "ResolveComment": lambda name: review_pb.ResolveCommentRequest(comment_id=name),
    },
    "session": {
        SESSIONS + "GetSession": lambda name: session_pb.GetSessionRequest(session_id=name),
        SESSIONS + "WatchSession": lambda name: session_pb.WatchSessionRequest(session_id=name),
        SESSIONS + "ConfirmFullAccess": lambda name: session_pb.ConfirmFullAccessRequest(
            session_id=name, confirm=True
        ),
        APPROVALS + "ResetMemory": lambda name: approval_pb.ResetMemoryRequest(kind=1, session_id=name),  # type: ignore[arg-type]
        APPROVALS + "CancelApproval": lambda name: approval_pb.CancelApprovalRequest(
            session_id=name, call_id="c2"
        ),
        APPROVALS + "ResolveApproval": lambda name: approval_pb.ResolveApprovalRequest(
            session_id=name,
            call_id="c2",
            authority_token="t",
            decision=1,  # type: ignore[arg-type]
        ),
    },
    "remembered": {
        APPROVALS + "ForgetRemembered": lambda name: approval_pb.ForgetRememberedRequest(remembered_id=name),
    },
    "token": {
        TOKENS + "RevokeToken": lambda name: token_pb.RevokeTokenRequest(token_id=name),
    },
    "cursor": {
        PLANS + "ReviewPlan": lambda name: plan_pb.ReviewPlanRequest(plan_uri="{own}", cursor=name),
        AISERVER + "ReviewPlan": lambda name: aiserver_pb.ReviewPlanRequest(plan_uri="{own}", cursor=name),
        REVIEWS + "WatchReviews": lambda name: review_pb.WatchReviewsRequest(cursor=name),
        REVIEWS + "ListEvents": lambda name: review_pb.ListEventsRequest(cursor=name),
        APPROVALS + "WatchApprovals": lambda name: approval_pb.WatchApprovalsRequest(cursor=name),
        SESSIONS + "WatchSession": lambda name: session_pb.WatchSessionRequest(session_id="own", cursor=name),
    },
}
ROWS = [(kind, path) for kind, methods in NAMED.items() for path in methods]


class Two(NamedTuple):
    theirs: dict[str, str]
    """Names of what the workspace acme has."""
    theirs_gate: Gate
    """As an admin of acme."""
    mine: Gate
    """As an admin of the workspace elsewhere."""
    own_plan: str


def absent(name: str) -> str:
    """Something of the same form that nobody has."""
    return name[:-32] + secrets.token_hex(16)


async def what_acme_has(gate: Gate) -> dict[str, str]:
    plan = await approved(gate, with_todos(session_id="their session"))
    for _ in range(2):
        await gate.propose()
    build = await gate.agent.BuildTodos(plan_pb.BuildTodosRequest(plan_uri=plan.plan_uri, agent_id="a"))
    said = review_pb.AddCommentRequest(plan_uri=plan.plan_uri, revision=1, text="Why?")
    comment = (await gate.reviews.AddComment(said)).comment
    session = f"session-{secrets.token_hex(16)}"
    await gate.ask(call(session_id=session))
    answered = await gate.answer(YES, session, remember=remember())
    for call_id in ("c2", "c3"):
        await gate.ask(call("make other", call_id, session_id=session))
    secret = await gate.tokens.CreateToken(token_pb.CreateTokenRequest(name="x", role=1))  # type: ignore[arg-type]
    return {
        "plan": plan.plan_uri,
        "review": plan.review.approval_request_id,
        "build": build.build_id,
        "comment": comment.comment_id,
        "session": session,
        "remembered": answered.remembered.remembered_id,
        "token": secret.token.token_id,
        "cursor": (await log_of(gate))[-1].cursor,
    }


@pytest.fixture(scope="module")
async def two(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Two]:
    """One gate with two workspaces, of which the first has one of everything."""
    async with open_gate(tmp_path_factory.mktemp("two") / "plangate.db") as gate:
        acme = (await make_token(gate, "admin", workspace="acme")).secret
        elsewhere = (await make_token(gate, "admin", workspace="elsewhere")).secret
        async with (
            connected(gate.address, token=acme) as theirs,
            connected(gate.address, token=elsewhere) as mine,
        ):
            await mine.ask(call(session_id="own"))
            yield Two(await what_acme_has(theirs), theirs, mine, (await mine.propose()).plan_uri)


def told(refusal: Refused, name: str) -> dict[str, Any]:
    """Everything that a caller learns, without the name that it sent."""
    told = {"status": refusal.status, "reason": refusal.reason, "retry": refusal.retry_seconds}
    metadata = {key: value.replace(name, "…") for key, value in refusal.metadata.items()}
    fields = {key: value.replace(name, "…") for key, value in refusal.fields.items()}
    return {**told, "words": refusal.message.replace(name, "…"), "metadata": metadata, "fields": fields}


@pytest.mark.parametrize(("kind", "path"), ROWS)
async def test_it_looks_absent(two: Two, kind: str, path: str) -> None:
    """Status, reason, words and metadata of the refusal are those of a name that nobody has."""
    request = NAMED[kind][path]
    answers = []
    for name in (two.theirs[kind], absent(two.theirs[kind])):
        message: Any = request(name)
        if "plan_uri" in message.DESCRIPTOR.fields_by_name and message.plan_uri == "{own}":
            message.plan_uri = two.own_plan
        answers.append(
            told(await refused(raw_call(two.mine.channel, path, message.SerializeToString())), name)
        )
    assert answers[0] == answers[1]


async def test_nothing_of_it_is_listed(two: Two) -> None:
    """Lists, the log and what streams begin with have only what is of the caller's workspace."""
    mine = two.mine
    assert [plan.plan_uri for plan in await mine.plans()] == [two.own_plan]
    reviews = (await mine.reviews.ListReviews(review_pb.ListReviewsRequest())).reviews
    assert [item.plan.plan_uri for item in reviews] == [two.own_plan]
    approvals = (await mine.approvals.ListApprovals(approval_pb.ListApprovalsRequest())).approvals
    assert [each.session_id for each in approvals] == ["own"]
    sessions = (await mine.sessions.ListSessions(session_pb.ListSessionsRequest())).sessions
    assert [each.session_id for each in sessions] == ["own"]
    remembered = await mine.approvals.ListRemembered(approval_pb.ListRememberedRequest())
    assert not remembered.remembered
    tokens = (await mine.tokens.ListTokens(token_pb.ListTokensRequest(include_ended=True))).tokens
    assert [token.workspace for token in tokens] == ["elsewhere"]
    log = str(await log_of(mine))
    assert not [name for name in two.theirs.values() if name in log]
    stream = mine.reviews.WatchReviews(review_pb.WatchReviewsRequest(snapshot=True))
    assert (await next_of(stream)).event.plan_uri == two.own_plan
    stream.cancel()


PAGES: dict[str, Named] = {
    PLANS + "ListPlans": lambda name: plan_pb.ListPlansRequest(page_size=1, page_token=name),
    REVIEWS + "ListReviews": lambda name: review_pb.ListReviewsRequest(page_size=1, page_token=name),
    APPROVALS + "ListApprovals": lambda name: approval_pb.ListApprovalsRequest(page_size=1, page_token=name),
    SESSIONS + "ListSessions": lambda name: session_pb.ListSessionsRequest(page_size=1, page_token=name),
    TOKENS + "ListTokens": lambda name: token_pb.ListTokensRequest(page_size=1, page_token=name),
}


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_token_leads_nowhere_elsewhere(two: Two, path: str) -> None:
    """One of another workspace is refused like one that nobody made."""
    answer = method_named(path).output_type
    (data,) = await raw_call(two.theirs_gate.channel, path, PAGES[path]("").SerializeToString())
    page: Any = GetMessageClass(answer).FromString(data)
    assert page.next_page_token, "there is one page only"
    answers = []
    for name in (page.next_page_token, absent(page.next_page_token)):
        request = PAGES[path](name).SerializeToString()
        answers.append(told(await refused(raw_call(two.mine.channel, path, request)), name))
    assert answers[0] == answers[1]
