"""A person edits a plan: what they wrote is approved at once, and both vocabularies say so."""

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions, ReviewOutcome, ReviewStatus
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams, PlanPhase, Step
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


async def test_a_part_of_the_text_is_replaced(gate: Gate) -> None:
    """What a person edits by old_str and new_str is approved, and nothing else."""
    plan = await gate.propose(with_todos())
    answer = await edited(gate, plan, CreatePlanParams(old_str="the cellar", new_str="the attic"))
    now = await gate.get(plan.plan_uri)
    assert now.plan == answer.result.modified.new_plan == "# Tidy the attic"
    assert [todo.id for todo in now.todos] == ["a", "b", "c"]


FULL = CreatePlanParams(plan="# Rest", name="Rest", overview="All day", todos=[TodoItem(content="Rest")])
UNUSABLE = {
    "text that is not there": (CreatePlanParams(old_str="Barn", new_str="Keep"), False, "edited.old_str"),
    "text that is there twice": (CreatePlanParams(old_str="l", new_str="a"), False, "edited.old_str"),
    "new text alone": (CreatePlanParams(new_str="Keep"), False, "edited.old_str"),
    "a part of the whole": (CreatePlanParams(plan="# Rest", old_str="Burn"), True, "edited.old_str"),
    "text and a part": (CreatePlanParams(plan="# Rest", old_str="Burn"), False, "edited.old_str"),
    "text and a part to put in": (CreatePlanParams(plan="# Rest", new_str="x"), False, "edited.new_str"),
    "two names": (CreatePlanParams(name="Rest", title="Work"), False, "edited.title"),
    "two overviews": (CreatePlanParams(overview="Rest", summary="Work"), False, "edited.summary"),
    "todos and steps": (
        CreatePlanParams(todos=[TodoItem(content="Rest")], steps=[Step(title="Work")]),
        False,
        "edited.steps",
    ),
    "progress": (
        CreatePlanParams(plan="# Rest", todos=[TodoItem(id="a", content="Sort", status="completed")]),
        False,
        "edited.todos[0].status",
    ),
    "progress in a phase": (
        CreatePlanParams(
            plan="# Rest",
            phases=[PlanPhase(name="One", todos=[TodoItem(content="x", status="in_progress")])],
        ),
        False,
        "edited.phases[0].todos[0].status",
    ),
    "a step without words": (CreatePlanParams(steps=[Step(id="a")]), False, "edited.steps[0].title"),
    "too many steps": (CreatePlanParams(steps=[Step(title="x")] * 501), False, "edited.steps"),
    "a phase beside steps": (
        CreatePlanParams(
            steps=[Step(id="s", title="x")],
            phases=[PlanPhase(name="One", todos=[TodoItem(id="p")])],
        ),
        False,
        "edited.phases[0].todos[0].content",
    ),
    "nothing": (CreatePlanParams(), False, "edited"),
    "the text that was shown": (CreatePlanParams(plan="# Tidy the cellar"), False, "edited"),
    "the name that was shown": (CreatePlanParams(title="Cellar"), False, "edited"),
}


@pytest.mark.parametrize("what", UNUSABLE)
async def test_no_field_of_an_edit_is_ignored(gate: Gate, what: str) -> None:
    """What cannot be applied is refused with its field, and the plan waits as it was."""
    params, whole, field = UNUSABLE[what]
    plan = await gate.propose(with_todos())
    request = decision(plan, "edit")
    request.edited.CopyFrom(params)
    request.edited_whole = whole
    refusal = await refused(gate.reviews.SubmitReview(request))
    assert refusal.status in {"INVALID_ARGUMENT", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED"}
    assert refusal.metadata["field"] == field
    assert await gate.get(plan.plan_uri) == plan


async def test_too_many_steps_of_a_plan_are_named_as_they_were_sent(gate: Gate) -> None:
    """Whoever proposes steps is refused by that word, before anything is made of them."""
    params = CreatePlanParams(plan="# Plan", steps=[Step(title="x")] * 501)
    refusal = await refused(rest_of(gate.aiserver.CreatePlan(CreatePlanRequest(params=params))))
    assert (refusal.reason, refusal.metadata["field"]) == ("LIMIT_EXCEEDED", "params.steps")
    assert await gate.plans() == []


@pytest.mark.parametrize("option", ["approve", "reject", "requestChanges", "modify"])
@pytest.mark.parametrize("whole", [False, True])
async def test_only_an_edit_comes_with_a_text(gate: Gate, option: str, whole: bool) -> None:
    """Whoever sends a text and another choice is not taken at either: the field is named."""
    plan = await gate.propose()
    for params in (FULL, CreatePlanParams()):
        request = decision(plan, option, "Because")
        request.edited.CopyFrom(params)
        request.edited_whole = whole
        refusal = await refused(gate.reviews.SubmitReview(request))
        assert (refusal.status, refusal.metadata["field"]) == ("INVALID_ARGUMENT", "edited")
    assert await gate.get(plan.plan_uri) == plan


async def test_whole_says_nothing_without_a_text(gate: Gate) -> None:
    """It is refused, whatever was chosen."""
    plan = await gate.propose()
    for option in ("approve", "edit"):
        request = decision(plan, option)
        request.edited_whole = True
        assert (await refused(gate.reviews.SubmitReview(request))).metadata["field"] == "edited_whole"
    assert await gate.get(plan.plan_uri) == plan


async def test_statuses_that_were_shown_may_come_along(gate: Gate) -> None:
    """Whoever sends the todos back as they were shown changes none of their progress."""
    plan = await gate.propose(with_todos())
    todos = [TodoItem(id=todo.id, content=f"{todo.content}!", status="pending") for todo in plan.todos]
    await edited(gate, plan, CreatePlanParams(todos=todos))
    assert [todo.content for todo in (await gate.get(plan.plan_uri)).todos] == [
        todo.content for todo in todos
    ]


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
