"""An agent's plans: proposed, revised, read, taken back."""

from __future__ import annotations

from plangate.testing._fake import content
from plangate.testing._fake.messages import moment, new_id
from plangate.testing._fake.records import PREFIX, REVISABLE, WITHDRAWABLE, Record, wrong_state
from plangate.testing._fake.refusals import Refused, invalid, missing
from plangate.testing._fake.state import AUTHOR, State, Type
from plangate_proto.agent.v1 import plan_service_pb2 as pb
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanResult, CreatePlanSuccess
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_resource_pb2 import Review, ReviewOptions, ReviewOutcome, ReviewStatus


def create_plan(state: State, request: pb.CreatePlanRequest) -> pb.CreatePlanResponse:
    author = request.agent_id or AUTHOR
    record = None if request.multi_plan else _unbuilt(state, request.session_id)
    if record is None:
        record = new_record(request.session_id, author, request.tool_call_id)
    if record.plan.revision == 0:
        record.set_options(request.review)
        content.write(record.plan, request.args, is_spec=request.is_spec, hints=request.todo_hints)
        submit(state, record)
    else:
        _propose_again(state, record, request, author)
    result = CreatePlanResult(success=CreatePlanSuccess(), plan_uri=record.plan.plan_uri)
    return pb.CreatePlanResponse(result=result, plan=record.shown(), reviewers_watching=1)


def new_record(session_id: str, author: str, tool_call_id: str = "") -> Record:
    """A plan of which nothing is written yet."""
    plan_id = new_id()
    plan = Plan(
        plan_uri=PREFIX + plan_id,
        plan_id=plan_id,
        state=PlanState.PLAN_STATE_DRAFT,
        session_id=session_id,
        created_by=author,
        edited_by=[author],
        referenced_by=[author],
        tool_call_id=tool_call_id,
        create_time=moment(),
        review=Review(
            plan_uri=PREFIX + plan_id,
            status=ReviewStatus.REVIEW_STATUS_NONE,
            required_approvals=1,
            request_time=moment(),
        ),
    )
    return Record(plan)


def submit(state: State, record: Record) -> None:
    """What is written is a plan now, and people are asked about it."""
    plan = record.plan
    record.add_revision(plan.created_by)
    record.ask()
    state.records[plan.plan_uri] = record
    state.tell_asked(record, Type.REVIEW_EVENT_TYPE_PLAN_CREATED, plan.created_by)


def _unbuilt(state: State, session_id: str) -> Record | None:
    """The session's newest plan, if nobody has begun to build it."""
    session = state.sessions.get(session_id)
    if session is None or not session.plans:
        return None
    record = state.records[session.plans[-1]]
    return None if record.plan.built_by or record.plan.state not in REVISABLE else record


def _propose_again(state: State, record: Record, request: pb.CreatePlanRequest, author: str) -> None:
    def write(plan: Plan) -> None:
        plan.todo_hints.clear()
        content.write(plan, request.args, is_spec=request.is_spec, hints=request.todo_hints)

    if record.revise(author, write, request.review):
        state.tell_asked(record, Type.REVIEW_EVENT_TYPE_PLAN_UPDATED, author)


def _options_of(request: pb.UpdatePlanRequest) -> ReviewOptions | None:
    return request.review if request.HasField("review") else None


def update_plan(state: State, request: pb.UpdatePlanRequest) -> pb.UpdatePlanResponse:
    record = state.record(request.plan_uri)
    plan, author = record.plan, request.agent_id or AUTHOR
    if not request.expected_revision:
        raise missing("expected_revision")
    if request.expected_revision != plan.revision:
        raise stale(plan, request.expected_revision)
    old, new, whole = request.old_str, request.new_str, request.whole
    args = content.amended(plan, request.args, old, new, whole=whole)
    is_spec = request.is_spec or (plan.is_spec and not whole)

    def write(changed: Plan) -> None:
        content.write(changed, args, is_spec=is_spec, hints=request.todo_hints)

    if record.revise(author, write, _options_of(request)):
        state.tell_asked(record, Type.REVIEW_EVENT_TYPE_PLAN_UPDATED, author)
    return pb.UpdatePlanResponse(plan=record.shown(), reviewers_watching=1)


def get_plan(state: State, request: pb.GetPlanRequest) -> pb.GetPlanResponse:
    record = state.record(request.plan_uri)
    if request.HasField("revision") and request.revision < 1:
        raise invalid("revision", "is less than 1: revisions are counted from 1")
    return pb.GetPlanResponse(plan=record.shown(request.revision if request.HasField("revision") else 0))


def list_plans(state: State, request: pb.ListPlansRequest) -> pb.ListPlansResponse:
    plans = [
        each.shown()
        for each in state.records.values()
        if (not request.session_id or each.plan.session_id == request.session_id)
        and (not request.agent_id or each.plan.created_by == request.agent_id)
        and (not request.states or each.plan.state in request.states)
    ]
    return pb.ListPlansResponse(plans=plans)


def acknowledge(state: State, request: pb.AcknowledgeDecisionRequest) -> pb.AcknowledgeDecisionResponse:
    if not request.approval_request_id:
        raise missing("approval_request_id")
    record = state.record_under_review(request.approval_request_id)
    if record.plan.review.approval_request_id != request.approval_request_id:
        newer = f"{record.state} in a newer review"
        raise wrong_state(record.plan.plan_uri, newer, ["decided in this one"])
    if not record.is_decided:
        undecided = {PlanState.PLAN_STATE_DRAFT, PlanState.PLAN_STATE_IN_REVIEW}
        record.allow(set(PlanState.values()) - undecided)
    review = record.plan.review
    if not review.HasField("acknowledge_time"):
        review.acknowledge_time.CopyFrom(moment())
        if not review.HasField("deliver_time"):
            review.deliver_time.CopyFrom(review.acknowledge_time)
        record.keep_review()
        state.tell(record, Type.REVIEW_EVENT_TYPE_DECISION_ACKNOWLEDGED, request.agent_id or AUTHOR)
    return pb.AcknowledgeDecisionResponse(review=record.plan.review)


def withdraw(state: State, request: pb.WithdrawPlanRequest) -> pb.WithdrawPlanResponse:
    record = state.record(request.plan_uri)
    record.allow(WITHDRAWABLE)
    if record.plan.review.status == ReviewStatus.REVIEW_STATUS_REQUESTED:
        record.end_review(ReviewOutcome.REVIEW_OUTCOME_WITHDRAWN)
    record.plan.state, record.approved = PlanState.PLAN_STATE_WITHDRAWN, ""
    state.tell(record, Type.REVIEW_EVENT_TYPE_PLAN_WITHDRAWN, request.agent_id or AUTHOR, request.reason)
    return pb.WithdrawPlanResponse(plan=record.shown())


def deliver(state: State, record: Record) -> None:
    """A stream of the agent carried the decision."""
    if record.is_decided and not record.plan.review.HasField("deliver_time"):
        record.plan.review.deliver_time.CopyFrom(moment())
        record.keep_review()
        state.tell(record, Type.REVIEW_EVENT_TYPE_DECISION_DELIVERED, AUTHOR)


def stale(plan: Plan, expected: int) -> Refused:
    words = f"the plan is at revision {plan.revision}: read it again"
    return Refused(
        "STALE_REVISION",
        words,
        plan_uri=plan.plan_uri,
        expected_revision=expected,
        revision=plan.revision,
        digest=plan.digest,
    )
