"""Everything that the public API tells of a workspace, as JSON, so that it can be compared later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from plangate_proto.agent.v1.access_token_service_pb2 import ListTokensRequest
from plangate_proto.agent.v1.agent_session_service_pb2 import ListSessionsRequest, WatchSessionRequest
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import GetPlanRequest, ListPlansRequest, ListRevisionsRequest
from plangate_proto.agent.v1.review_resource_pb2 import ReviewStatus
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalState,
    ListApprovalsRequest,
    ListRememberedRequest,
)
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AuditEntry,
    GetReviewRequest,
    ListEventsRequest,
    ListReviewsRequest,
    VerifyAuditRequest,
)
from tests.helpers.gate import Gate
from tests.helpers.streams import next_of
from tests.helpers.tool_calls import verdict
from tests.release.calls import PROBES
from tests.rpc.steps import watching

Json = dict[str, Any]
ALL = 1000
BULKY = ("plan", "planSummary", "review", "session", "todos")
"""What an event repeats of the plan or session, which are told of elsewhere."""


async def observe(gate: Gate) -> Json:
    """The workspace of whoever the gate is of, an admin's."""
    return {
        "plans": [await _plan(gate, plan) for plan in await _plans(gate)],
        "reviews": await _reviews(gate),
        "sessions": await _sessions(gate),
        "approvals": await _approvals(gate),
        "remembered": await _remembered(gate),
        "verdicts": [list(verdict(await gate.sessions.AuthorizeTool(probe))) for probe in PROBES],
        "tokens": await _tokens(gate),
        "events": await _events(gate),
        "chain": await _chain(gate),
        "audit": await head(gate),
    }


async def head(gate: Gate) -> Json:
    """Whether the log holds, and where it ends."""
    found = _json(await gate.reviews.VerifyAudit(VerifyAuditRequest()))
    return {name: found.get(name) for name in ("valid", "headSequence", "headHash")}


async def cursors_now(gate: Gate, session_id: str) -> Json:
    """Where streams of the workspace and of a session are."""
    stream, told = await watching(gate, unattended=True)
    stream.cancel()
    sessions = gate.sessions.WatchSession(WatchSessionRequest(session_id=session_id))
    seen = await next_of(sessions)
    sessions.cancel()
    return {"workspace": told[-1].cursor, "session_id": session_id, "session": seen.cursor}


async def since(gate: Gate, cursors: Json) -> Json:
    """What streams tell that go on from there; of the session, one thing."""
    stream, told = await watching(gate, cursor=cursors["workspace"], unattended=True)
    stream.cancel()
    wanted = WatchSessionRequest(session_id=cursors["session_id"], cursor=cursors["session"])
    sessions = gate.sessions.WatchSession(wanted)
    moved = await next_of(sessions)
    sessions.cancel()
    return {"workspace": [_small(event) for event in told[:-1]], "session": _json(moved)}


async def _plans(gate: Gate) -> list[Plan]:
    return list((await gate.agent.ListPlans(ListPlansRequest(page_size=ALL))).plans)


async def _plan(gate: Gate, plan: Plan) -> Json:
    """A plan with all of its revisions and comments."""
    uri = plan.plan_uri
    infos = (await gate.agent.ListRevisions(ListRevisionsRequest(plan_uri=uri, page_size=ALL))).revisions
    texts = [
        (await gate.agent.GetPlan(GetPlanRequest(plan_uri=uri, revision=info.revision))).plan.plan
        for info in infos
    ]
    comments: Iterable[Message] = ()
    if plan.state != PlanState.PLAN_STATE_DRAFT and plan.review.approval_request_id:
        comments = (await gate.reviews.GetReview(GetReviewRequest(plan_uri=uri))).comments
    return {**_json(plan), "revisions": _all(infos), "texts": texts, "comments": _all(comments)}


async def _reviews(gate: Gate) -> list[Json]:
    """Of each plan, all reviews, those that were superseded included; the plan is told of elsewhere."""
    request = ListReviewsRequest(statuses=ReviewStatus.values()[1:], page_size=ALL)
    items = (await gate.reviews.ListReviews(request)).reviews
    return [_json(item.review) for item in items]


async def _sessions(gate: Gate) -> list[Json]:
    return _all((await gate.sessions.ListSessions(ListSessionsRequest(page_size=ALL))).sessions)


async def _approvals(gate: Gate) -> list[Json]:
    request = ListApprovalsRequest(states=ApprovalState.values()[1:], page_size=ALL)
    return _all((await gate.approvals.ListApprovals(request)).approvals)


async def _remembered(gate: Gate) -> list[Json]:
    return _all((await gate.approvals.ListRemembered(ListRememberedRequest(page_size=ALL))).remembered)


async def _tokens(gate: Gate) -> list[Json]:
    return _all((await gate.tokens.ListTokens(ListTokensRequest(include_ended=True, page_size=ALL))).tokens)


async def _events(gate: Gate) -> list[Json]:
    """What the entries say, where retention has left it."""
    return [_small(entry.event) for entry in await _log(gate, chain=False)]


async def _chain(gate: Gate) -> list[list[Any]]:
    """Every entry's number and hash, and whether its content is gone."""
    entries = await _log(gate, chain=True)
    return [[entry.sequence, entry.hash, entry.content_removed] for entry in entries]


async def _log(gate: Gate, *, chain: bool) -> list[AuditEntry]:
    entries: list[AuditEntry] = []
    cursor = ""
    while True:
        request = ListEventsRequest(page_size=ALL, chain=chain, cursor=cursor)
        page = await gate.reviews.ListEvents(request)
        if not page.entries:
            return entries
        entries += page.entries
        cursor = page.next_cursor


def _small(event: Message) -> Json:
    return {name: value for name, value in _json(event).items() if name not in BULKY}


def _json(message: Message) -> Json:
    found: Json = MessageToDict(message)
    return found


def _all(messages: Iterable[Message]) -> list[Json]:
    return [_json(message) for message in messages]


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Where what was there is not there any more, or says something else; what is new is no difference."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            yield from differences(value, after.get(name), f"{path}/{name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, other, f"{path}/{number}")
    elif before != after:
        yield f"{path}: {before!r} became {after!r}"


def words_in(value: Any) -> Iterator[str]:
    """Every text anywhere in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from words_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from words_in(each)
