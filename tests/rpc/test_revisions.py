"""A plan changes: every change of content is a revision of its own, and people are asked anew."""

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState, RevisionInfo
from plangate_proto.agent.v1.plan_service_pb2 import (
    DiffRevisionsRequest,
    GetPlanRequest,
    ListRevisionsRequest,
    UpdatePlanRequest,
)
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome, ReviewStatus
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.helpers.gate import Gate, decision, proposal
from tests.helpers.refusals import refused
from tests.rpc.steps import approved, build, told, updated, with_todos


async def test_an_update_is_a_new_revision_in_review(gate: Gate) -> None:
    """Text, revision, digest and review are new; name, todos, session and uri stay."""
    plan = await gate.propose(with_todos(session_id="s", agent_id="agent-1"))
    new = await updated(gate, plan, "# Tidy the attic", agent_id="agent-2")
    assert await gate.get(plan.plan_uri) == new
    assert (new.plan, new.name, new.todos) == ("# Tidy the attic", plan.name, plan.todos)
    assert (new.revision, new.state) == (2, PlanState.PLAN_STATE_IN_REVIEW)
    assert new.digest != plan.digest
    assert new.review.approval_request_id != plan.review.approval_request_id
    assert (new.review.revision, new.review.digest) == (2, new.digest)
    assert (new.session_id, new.created_by, list(new.edited_by)) == ("s", "agent-1", ["agent-1", "agent-2"])
    assert (await told(gate, plan))[2:] == ["PLAN_UPDATED", "PLAN_APPROVAL_REQUIRED"]


async def test_an_update_needs_the_revision_it_was_based_on(gate: Gate) -> None:
    """What was based on an older revision is refused with where the plan stands, and changes nothing."""
    plan = await gate.propose()
    new = await updated(gate, plan, "# Second")
    request = UpdatePlanRequest(
        plan_uri=plan.plan_uri, expected_revision=1, args=CreatePlanArgs(plan="# Third")
    )
    refusal = await refused(gate.agent.UpdatePlan(request))
    assert (refusal.status, refusal.reason) == ("ABORTED", "STALE_REVISION")
    assert refusal.metadata["expected_revision"] == "1"
    assert (refusal.metadata["revision"], refusal.metadata["digest"]) == ("2", new.digest)
    request.expected_revision = 0
    assert (await refused(gate.agent.UpdatePlan(request))).metadata["field"] == "expected_revision"
    assert await gate.get(plan.plan_uri) == new


async def test_a_decision_about_an_older_revision_is_refused(gate: Gate) -> None:
    """Nobody decides about a text that they did not see."""
    plan = await gate.propose()
    new = await updated(gate, plan, "# Second")
    refusal = await refused(gate.reviews.SubmitReview(decision(plan, "approve")))
    assert (refusal.status, refusal.reason) == ("ABORTED", "STALE_REVISION")
    assert await gate.get(plan.plan_uri) == new


async def test_text_is_replaced_where_it_stands(gate: Gate) -> None:
    """old_str that occurs once is replaced by new_str, and the rest of the text stays."""
    plan = await gate.propose(proposal("# Cellar\n\nsort, sweep, sort"))
    new = await updated(gate, plan, old_str="sweep", new_str="burn")
    assert new.plan == "# Cellar\n\nsort, burn, sort"


@pytest.mark.parametrize(
    ("old_str", "reason"), [("sort", "TEXT_NOT_UNIQUE"), ("paint", "TEXT_NOT_FOUND"), ("", "TEXT_NOT_FOUND")]
)
async def test_text_that_does_not_stand_there_once_is_refused(gate: Gate, old_str: str, reason: str) -> None:
    """Text that is not there, or there twice, or not given, is refused by name, and nothing changes."""
    plan = await gate.propose(proposal("# Cellar\n\nsort, sweep, sort"))
    request = UpdatePlanRequest(plan_uri=plan.plan_uri, expected_revision=1, old_str=old_str, new_str="burn")
    refusal = await refused(gate.agent.UpdatePlan(request))
    assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", reason)
    assert refusal.metadata["field"] == "old_str"
    assert await gate.get(plan.plan_uri) == plan


async def test_a_whole_text_wins_over_a_replacement(gate: Gate) -> None:
    """With a text and a replacement, the text counts."""
    plan = await gate.propose()
    new = await updated(gate, plan, "# Whole", old_str="nowhere", new_str="at all")
    assert new.plan == "# Whole"


async def test_a_session_has_one_plan(gate: Gate) -> None:
    """CreatePlan in a session whose plan nobody builds yet is that plan's next revision."""
    first = await gate.propose(proposal("# First", session_id="s"))
    second = await gate.propose(proposal("# Second", session_id="s"))
    assert second.plan_uri == first.plan_uri
    assert (second.revision, second.plan) == (2, "# Second")
    assert await gate.plans() == [second]


async def test_a_session_whose_plan_is_built_gets_another(gate: Gate) -> None:
    """Once somebody has begun to build, a proposal is a plan of its own."""
    plan = await approved(gate, with_todos(session_id="s"))
    await build(gate, plan)
    other = await gate.propose(proposal("# Next", session_id="s"))
    assert other.plan_uri != plan.plan_uri
    assert other.revision == 1


async def test_a_session_can_have_many_plans(gate: Gate) -> None:
    """With multi_plan, and without a session, every proposal is a plan of its own."""
    asked = [proposal(session_id="s", multi_plan=True), proposal(session_id="s", multi_plan=True)]
    plans = [await gate.propose(request) for request in [*asked, proposal(), proposal()]]
    assert len({plan.plan_uri for plan in plans}) == 4


async def test_an_approval_is_void_when_the_content_changes(gate: Gate) -> None:
    """What was approved may be built, what it became may not: not even under the old digest."""
    plan = await approved(gate)
    new = await updated(gate, plan, "# Burn the cellar")
    assert new.state == PlanState.PLAN_STATE_IN_REVIEW
    assert new.review.status == ReviewStatus.REVIEW_STATUS_REQUESTED
    for digest in ("", plan.digest, new.digest):
        refusal = await refused(build(gate, plan, expected_digest=digest))
        assert (refusal.status, refusal.reason) in {
            ("FAILED_PRECONDITION", "STALE_APPROVAL"),
            ("FAILED_PRECONDITION", "NOT_APPROVED"),
        }
    assert not (await gate.get(plan.plan_uri)).built_by


async def test_the_same_content_again_asks_nobody_twice(gate: Gate) -> None:
    """An update that changes nothing leaves the plan and its review as they are."""
    plan = await gate.propose()
    assert await updated(gate, plan, plan.plan) == plan


async def test_every_revision_stays_readable(gate: Gate) -> None:
    """GetPlan shows an older revision's content beside the state of now."""
    plan = await gate.propose(proposal("# First"))
    head = await updated(gate, plan, "# Second")
    request = GetPlanRequest(plan_uri=plan.plan_uri, revision=1)
    old = (await gate.agent.GetPlan(request)).plan
    assert (old.plan, old.revision, old.digest) == ("# First", 1, plan.digest)
    assert (old.state, old.review) == (head.state, head.review)
    request.revision = 3
    refusal = await refused(gate.agent.GetPlan(request))
    assert (refusal.status, refusal.reason) == ("NOT_FOUND", "REVISION_NOT_FOUND")


async def test_revisions_are_listed_in_pages(gate: Gate) -> None:
    """Oldest first, each once, with author, digest and how its review ended."""
    plan = await gate.propose(proposal("# 1", agent_id="agent-1"))
    digests = [plan.digest]
    for number in range(2, 6):
        plan = await updated(gate, plan, f"# {number}", agent_id=f"agent-{number}")
        digests.append(plan.digest)
    found: list[RevisionInfo] = []
    request = ListRevisionsRequest(plan_uri=plan.plan_uri, page_size=2)
    while True:
        page = await gate.agent.ListRevisions(request)
        assert len(page.revisions) <= 2
        found += page.revisions
        request.page_token = page.next_page_token
        if not page.next_page_token:
            break
    assert [(r.revision, r.author, r.digest) for r in found] == [
        (number, f"agent-{number}", digest) for number, digest in enumerate(digests, start=1)
    ]
    superseded = ReviewOutcome.REVIEW_OUTCOME_SUPERSEDED
    assert [r.review.outcome for r in found] == [superseded] * 4 + [0]
    assert [r.review.revision for r in found] == [1, 2, 3, 4, 5]


async def test_a_token_is_for_one_plans_revisions(gate: Gate) -> None:
    """A page token of another plan is refused."""
    plan, other = await gate.propose(), await gate.propose()
    await updated(gate, plan, "# Second")
    page = await gate.agent.ListRevisions(ListRevisionsRequest(plan_uri=plan.plan_uri, page_size=1))
    request = ListRevisionsRequest(plan_uri=other.plan_uri, page_token=page.next_page_token)
    assert (await refused(gate.agent.ListRevisions(request))).reason == "INVALID_PAGE_TOKEN"


async def test_a_difference_says_what_changed(gate: Gate) -> None:
    """The texts as a unified diff, the todos that came, changed and went, and the other fields by name."""
    plan = await gate.propose(with_todos())
    changed = [TodoItem(id="a", content="Sort all"), plan.todos[1], TodoItem(id="d", content="Paint")]
    args = CreatePlanArgs(plan="# Tidy the attic", overview="Soon", todos=changed)
    await updated(gate, plan, args=args)
    diff = await gate.agent.DiffRevisions(DiffRevisionsRequest(plan_uri=plan.plan_uri))
    assert (diff.from_revision, diff.to_revision) == (1, 2)
    assert "-# Tidy the cellar" in diff.unified_diff
    assert "+# Tidy the attic" in diff.unified_diff
    assert [(change.before.id, change.after.id) for change in diff.todo_changes] == [
        ("a", "a"),
        ("", "d"),
        ("c", ""),
    ]
    assert list(diff.changed_fields) == ["overview"]


async def test_a_difference_is_between_any_two_revisions(gate: Gate) -> None:
    """Revisions are compared in the order that was asked for; one that is not there is refused."""
    plan = await gate.propose(proposal("# 1"))
    for number in (2, 3):
        plan = await updated(gate, plan, f"# {number}")
    request = DiffRevisionsRequest(plan_uri=plan.plan_uri, from_revision=1, to_revision=3)
    diff = (await gate.agent.DiffRevisions(request)).unified_diff
    assert "-# 1" in diff
    assert "+# 3" in diff
    request.to_revision = 4
    assert (await refused(gate.agent.DiffRevisions(request))).reason == "REVISION_NOT_FOUND"


async def test_a_retried_update_is_one_revision(gate: Gate) -> None:
    """The same update under the same id gives the first answer, also after the plan went on."""
    plan = await gate.propose()
    first = await updated(gate, plan, "# Second", request_id="r1")
    assert await updated(gate, plan, "# Second", request_id="r1") == first
    await updated(gate, first, "# Third")
    assert await updated(gate, plan, "# Second", request_id="r1") == first
    assert (await gate.get(plan.plan_uri)).revision == 3
