"""A person edits a plan: what they wrote is approved at once, and both vocabularies say so."""

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions, ReviewOutcome, ReviewStatus
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest, ReviewPlanRequest
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem
from tests.helpers.gate import Gate, decision
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of, rest_of, types
from tests.helpers.tokens import ADMIN
from tests.rpc.steps import build, edited, told, waiting, with_todos

EDIT = CreatePlanParams(
    plan="# Tidy the cellar, slowly", todos=[TodoItem(id="a", content="Sort"), TodoItem(content="Rest")]
)


async def test_an_edit_is_approved_as_edited(gate: Gate) -> None:
    """A new revision by the person, approved without another round, with all that they left alone."""
    plan = await gate.propose(with_todos(agent_id="agent-1"))
    answer = await edited(gate, plan, EDIT)
    now = await gate.get(plan.plan_uri)
    assert (now.revision, now.plan, now.name) == (2, EDIT.plan, plan.name)
    assert [(todo.id, todo.content) for todo in now.todos] == [("a", "Sort"), ("todo-2", "Rest")]
    assert (now.state, now.review.status) == (
        PlanState.PLAN_STATE_APPROVED,
        ReviewStatus.REVIEW_STATUS_DONE,
    )
    assert now.review.outcome == ReviewOutcome.REVIEW_OUTCOME_MODIFIED
    assert answer.review == now.review
    assert list(now.edited_by) == ["agent-1", ADMIN]
    assert answer.result.modified.new_plan == EDIT.plan
    assert [(todo.id, todo.status) for todo in answer.result.modified.final_todos] == [
        ("a", "pending"),
        ("todo-2", "pending"),
    ]


async def test_the_edited_text_may_be_built_and_no_other(gate: Gate) -> None:
    """The digest of the edit is the approved one."""
    plan = await gate.propose(with_todos())
    await edited(gate, plan, EDIT)
    refusal = await refused(build(gate, plan, expected_digest=plan.digest))
    assert refusal.reason == "STALE_APPROVAL"
    now = await gate.get(plan.plan_uri)
    started = await build(gate, plan, expected_digest=now.digest)
    assert (started.revision, started.digest) == (2, now.digest)


async def test_both_streams_tell_of_an_edit(gate: Gate) -> None:
    """agent.v1 gets the edited plan in the event, aiserver.v1 the text and todos in the result."""
    plan = await gate.propose(with_todos())
    ours = waiting(gate, plan)
    theirs = gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    await next_of(ours)
    await next_of(theirs)
    answer = await edited(gate, plan, EDIT)
    event = (await rest_of(ours))[0].event
    assert types([event]) == ["PLAN_EDITED"]
    assert (event.plan.plan, event.revision) == (EDIT.plan, 2)
    result = (await rest_of(theirs))[-1].result
    assert result == answer.result


async def test_an_edit_can_be_the_whole_plan(gate: Gate) -> None:
    """Whoever approves as edited can take todos away, all of them; without whole they stay."""
    plan = await gate.propose(with_todos(is_spec=True))
    request = decision(plan, "edit")
    request.edited.CopyFrom(CreatePlanParams(plan="# Leave the cellar", overview="Why not"))
    request.edited_whole = True
    answer = await gate.reviews.SubmitReview(request)
    now = await gate.get(plan.plan_uri)
    assert (now.name, now.overview, len(now.todos), now.is_spec) == ("Leave the cellar", "Why not", 0, False)
    assert (answer.result.modified.new_plan, len(answer.result.modified.final_todos)) == (now.plan, 0)
    kept = await gate.propose(with_todos())
    await edited(gate, kept, CreatePlanParams(plan="# Leave the cellar"))
    assert len((await gate.get(kept.plan_uri)).todos) == 3


async def test_an_edit_needs_the_edited_plan(gate: Gate) -> None:
    """The choice to edit without a plan is refused, and so is a plan that is not sound."""
    plan = await gate.propose(with_todos())
    refusal = await refused(gate.reviews.SubmitReview(decision(plan, "edit")))
    assert (refusal.reason, refusal.metadata["field"]) == ("MISSING_FIELD", "edited")
    unsound = CreatePlanParams(todos=[TodoItem(id="a", content="A", dependencies=["b"])])
    refusal = await refused(edited(gate, plan, unsound))
    assert refusal.reason == "UNKNOWN_DEPENDENCY"
    assert refusal.metadata["field"] == "edited.todos[0].dependencies[0]"
    assert await gate.get(plan.plan_uri) == plan


async def test_one_person_is_no_quorum(gate: Gate) -> None:
    """Of two approvals that are needed, the same person gives one, however often they say yes."""
    plan = await gate.propose(with_todos(review=ReviewOptions(required_approvals=2)))
    answer = await gate.decide(plan, "approve")
    assert answer.review.status == ReviewStatus.REVIEW_STATUS_REQUESTED
    assert answer.result.WhichOneof("result") is None
    refusal = await refused(gate.reviews.SubmitReview(decision(plan, "approve")))
    assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "ALREADY_DECIDED")
    now = await gate.get(plan.plan_uri)
    assert (now.state, len(now.review.decisions)) == (PlanState.PLAN_STATE_IN_REVIEW, 1)
    assert (await told(gate, plan))[-2:] == ["APPROVAL_RECORDED", "DECISION_REFUSED"]
    assert (await refused(build(gate, plan))).reason == "NOT_APPROVED"


async def test_one_no_ends_it(gate: Gate) -> None:
    """However many approvals are needed, one rejection is enough, also after a first yes."""
    plan = await gate.propose(with_todos(review=ReviewOptions(required_approvals=2)))
    await gate.decide(plan, "approve")
    answer = await gate.decide(plan, "reject")
    assert answer.review.outcome == ReviewOutcome.REVIEW_OUTCOME_REJECTED


@pytest.mark.parametrize("needed", [-1, 101])
async def test_a_quorum_that_no_review_could_keep(gate: Gate, needed: int) -> None:
    """A number of approvals out of bounds is refused by name in both vocabularies."""
    options = ReviewOptions(required_approvals=needed)
    stream = gate.aiserver.CreatePlan(CreatePlanRequest(params=EDIT, review=options))
    for call in (gate.propose(with_todos(review=options)), rest_of(stream)):
        refusal = await refused(call)
        assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "review.required_approvals")
