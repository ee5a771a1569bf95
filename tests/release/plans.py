"""Plans in every state, with everything that can hang on one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome, Plan, TodoHint
from plangate_proto.agent.v1.plan_service_pb2 import (
    AcknowledgeDecisionRequest,
    BuildTodosRequest,
    CreatePlanRequest,
    DraftPlanRequest,
    FinishBuildRequest,
    UpdatePlanRequest,
    UpdateTodosRequest,
    WithdrawPlanRequest,
)
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.agent.v1.todo_tools_pb2 import UpdateTodosArgs
from plangate_proto.aiserver.v1 import plan_service_pb2 as aiserver_pb
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AddCommentRequest,
    ResolveCommentRequest,
)
from tests.helpers.gate import Gate, decision, proposal
from tests.helpers.plans import filled_request
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of
from tests.helpers.tool_calls import span
from tests.release.people import MOMENT, Cast
from tests.rpc.steps import (
    CANCELLED,
    COMPLETED,
    IN_PROGRESS,
    build,
    now,
    until,
    updated,
    waiting,
    with_todos,
    write,
)

SOON = span(60)
"""Longer than it takes to make a dump, and mostly over when it is loaded; a test waits for the rest."""
A_WHILE = span(5)
"""Over before the dump is made, and not before a write that comes at once."""
COMPLETE, FAILED = BuildOutcome.BUILD_OUTCOME_COMPLETED, BuildOutcome.BUILD_OUTCOME_FAILED

POLICY = """\
deny:
  - name: no-secrets
    paths: [".env"]
allow:
  - name: tests
    tools: [bash]
    commands: ["pytest **"]
plans:
  auto_approve:
    - {name: small-docs, max_todos: 3, labels: [docs]}
"""


async def play_plans(cast: Cast) -> None:
    """Every state in which a plan can stay without anybody doing anything."""
    for scene in (
        drafts,
        in_review,
        revised,
        commented,
        decided,
        by_several,
        past_the_rules,
        refused_decisions,
        received,
        ended_without_an_answer,
        built,
        built_in_part,
        given_back,
        in_the_other_vocabulary,
    ):
        await scene(cast)


async def said_yes(cast: Cast, request: CreatePlanRequest | None = None) -> Plan:
    plan = await cast.agent.propose(request or with_todos())
    await cast.bob.decide(plan, "approve")
    return await cast.agent.get(plan.plan_uri)


async def drafts(cast: Cast) -> None:
    """One that grows, one that was submitted, one that was taken back."""
    await _draft(cast.agent, "# Ti", "# Tidy", session_id="drafting")
    await _draft(cast.agent, "# Tidy", "# Tidy the attic", session_id="drafted", submit=True)
    left = await _draft(cast.agent, "# Never mind")
    await cast.agent.agent.WithdrawPlan(WithdrawPlanRequest(plan_uri=left.plan_uri, reason="not needed"))


async def _draft(gate: Gate, *texts: str, submit: bool = False, session_id: str = "") -> Plan:
    async def send() -> AsyncIterator[DraftPlanRequest]:
        for text in texts:
            args = CreatePlanArgs(plan=text)
            yield DraftPlanRequest(args=args, session_id=session_id, submit=submit and text == texts[-1])

    return (await gate.agent.DraftPlan(send())).plan


async def in_review(cast: Cast) -> None:
    """With something in every field; and one under a request id, which a rule approves at once."""
    await cast.agent.propose(filled_request())
    docs = with_todos(request_id="create", session_id="documented")
    for todo in ("a", "b", "c"):
        docs.todo_hints[todo].CopyFrom(TodoHint(labels=["docs"]))
    await cast.again("PlanService/CreatePlan", docs)


async def revised(cast: Cast) -> None:
    """Before anybody decided, and after changes were asked for."""
    plan = await cast.agent.propose(with_todos(session_id="revised"))
    request = UpdatePlanRequest(
        plan_uri=plan.plan_uri,
        expected_revision=1,
        old_str="cellar",
        new_str="whole cellar, Zoë",
        request_id="update",
    )
    plan = (await cast.again("PlanService/UpdatePlan", request)).plan
    await cast.bob.decide(plan, "requestChanges", "Sweep twice")
    await updated(cast.agent, plan, "# Sweep twice")
    other = await cast.agent.propose(proposal("# Paint the roof", session_id="to-change"))
    await cast.carol.decide(other, "requestChanges", "In which colour?")


async def commented(cast: Cast) -> None:
    """One comment is open, one resolved, and one was made on a text that is not the newest."""
    plan = await cast.agent.propose(proposal("# Dig\n\n- a hole\n- a moat\n", session_id="commented"))
    comments = []
    for line in (3, 4):
        said = AddCommentRequest(
            plan_uri=plan.plan_uri, revision=1, first_line=line, text="How deep?", request_id=f"say-{line}"
        )
        comments.append((await cast.again("PlanReviewService/AddComment", said)).comment)
    done = ResolveCommentRequest(comment_id=comments[-1].comment_id, request_id="resolve")
    await cast.again("PlanReviewService/ResolveComment", done)
    plan = await updated(cast.agent, plan, "# Dig\n\nFirst:\n\n- a hole\n- a moat, 2 m\n")
    await cast.carol.reviews.AddComment(AddCommentRequest(plan_uri=plan.plan_uri, revision=2, text="Better"))


async def decided(cast: Cast) -> None:
    """Rejected, approved, and approved with edits."""
    plan = await cast.agent.propose(proposal("# Burn it", session_id="rejected"))
    no = decision(plan, "reject", "Why?")
    no.human_review.submit_feedback_as_new_message = True
    no.human_review.bubble_id = "bubble-1"
    await cast.bob.reviews.SubmitReview(no)
    await said_yes(cast, proposal("# Air it", session_id="approved"))
    plan = await cast.agent.propose(with_todos(session_id="edited"))
    edit = decision(plan, "edit", request_id="edit")
    edit.edited.CopyFrom(CreatePlanParams(plan="# Tidy the cellar, gently"))
    await cast.again("PlanReviewService/SubmitReview", edit)


async def by_several(cast: Cast) -> None:
    """Two have to say yes: of one plan both did, of the other one."""
    both, one = [
        await cast.agent.propose(proposal(text, review=ReviewOptions(required_approvals=2)))
        for text in ("# Sell the house", "# Sell the car")
    ]
    await cast.bob.decide(both, "approve")
    await cast.carol.decide(both, "approve", "If we must")
    await cast.bob.decide(one, "approve")


async def past_the_rules(cast: Cast) -> None:
    plan = await cast.agent.propose(proposal("# Put it out", review=ReviewOptions(required_approvals=3)))
    yes = decision(plan, "approve")
    yes.break_glass_reason = "on fire"
    await cast.admin.reviews.SubmitReview(yes)


async def refused_decisions(cast: Cast) -> None:
    """By somebody who may not, about another text, and after somebody else."""
    plan = await cast.agent.propose(proposal("# Move out", session_id="refused"))
    await refused(cast.agent.decide(plan, "approve"))
    stale = decision(plan, "approve")
    stale.digest = "0" * 64
    await refused(cast.bob.reviews.SubmitReview(stale))
    await cast.bob.decide(plan, "reject", "No")
    await refused(cast.carol.decide(plan, "approve"))


async def received(cast: Cast) -> None:
    """The agent hears the decision on its stream and says that it has it."""
    plan = await cast.agent.propose(proposal("# Listen", session_id="received"))
    stream = waiting(cast.agent, plan)
    await cast.bob.decide(plan, "approve")
    await until(stream, "PLAN_APPROVED")
    stream.cancel()
    receipt = AcknowledgeDecisionRequest(
        approval_request_id=plan.review.approval_request_id, request_id="acknowledge"
    )
    await cast.again("PlanService/AcknowledgeDecision", receipt)


async def ended_without_an_answer(cast: Cast) -> None:
    """Expired, and withdrawn."""
    options = ReviewOptions(expires_after=MOMENT)
    plan = await cast.agent.propose(proposal("# Hurry", session_id="expired", review=options))
    await _happened(cast.agent, plan, "REVIEW_EXPIRED")
    plan = await cast.agent.propose(proposal("# Wait", session_id="withdrawn"))
    back = WithdrawPlanRequest(plan_uri=plan.plan_uri, reason="no need", request_id="withdraw")
    await cast.again("PlanService/WithdrawPlan", back)


async def _happened(gate: Gate, plan: Plan, event: str) -> None:
    stream = waiting(gate, plan, follow=True)
    await until(stream, event)
    stream.cancel()


async def built(cast: Cast) -> None:
    """Completed, with a todo that was left out; and failed."""
    plan = await said_yes(cast, with_todos(session_id="completed"))
    start = BuildTodosRequest(plan_uri=plan.plan_uri, agent_id="builder", request_id="build")
    begun = await cast.again("PlanService/BuildTodos", start)
    done = [now("a", COMPLETED), now("b", COMPLETED), now("c", CANCELLED)]
    wrote = UpdateTodosRequest(
        plan_uri=plan.plan_uri,
        args=UpdateTodosArgs(todos=done, merge=True),
        build_id=begun.build_id,
        request_id="write",
    )
    await cast.again("PlanService/UpdateTodos", wrote)
    end = FinishBuildRequest(build_id=begun.build_id, outcome=COMPLETE, summary="Clean", request_id="finish")
    await cast.again("PlanService/FinishBuild", end)
    plan = await said_yes(cast, with_todos(session_id="failed"))
    await finish(cast.agent, await build(cast.agent, plan), FAILED, "The door is locked")


async def built_in_part(cast: Cast) -> None:
    """One todo is done and its build has ended; nobody has the others, of which one was begun."""
    plan = await said_yes(cast, with_todos(session_id="in-part"))
    begun = await build(cast.agent, plan, todo_ids=["a"])
    await write(cast.agent, plan, now("a", COMPLETED), build_id=begun.build_id)
    await finish(cast.agent, begun, COMPLETE, "Sorted")
    await write(cast.agent, plan, now("b", IN_PROGRESS))


async def given_back(cast: Cast) -> None:
    """The agent was not heard from: its lease ran out."""
    plan = await said_yes(cast, with_todos(session_id="given-back"))
    stream = waiting(cast.agent, plan, follow=True)
    await next_of(stream)  # where the plan stands, which nobody did
    begun = await build(cast.agent, plan, lease=A_WHILE)
    await write(cast.agent, plan, now("a", IN_PROGRESS), build_id=begun.build_id)
    while (await next_of(stream)).event.actor != "plangate":
        pass
    stream.cancel()


async def finish(gate: Gate, begun: Any, outcome: BuildOutcome.ValueType, summary: str) -> None:
    await gate.agent.FinishBuild(
        FinishBuildRequest(build_id=begun.build_id, outcome=outcome, summary=summary)
    )


async def in_the_other_vocabulary(cast: Cast) -> None:
    params = CreatePlanParams(plan="# Wash the car", name="Car", overview="Outside only")
    stream = cast.agent.aiserver.CreatePlan(
        aiserver_pb.CreatePlanRequest(params=params, session_id="aiserver", agent_id="agent-2")
    )
    await next_of(stream)
    stream.cancel()


async def leave_running(cast: Cast) -> None:
    """What a server has under way when it is killed, and what is over before the next one starts."""
    soon = ReviewOptions(expires_after=SOON)
    plan = await said_yes(cast, with_todos(session_id="building"))
    begun = await build(cast.agent, plan, lease=SOON)
    await write(cast.agent, plan, now("a", IN_PROGRESS), build_id=begun.build_id)
    await cast.agent.propose(proposal("# Before noon", session_id="due", review=soon))
