"""UpdatePlan: a new revision by an agent or a reviewer, and people are asked anew."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.errors import InvalidField, MissingField, NoReviewer
from plangate_server.domain.events import Change
from plangate_server.domain.identity import Principal, Role
from plangate_server.domain.lifecycle import Amendment, check_edit, revise
from plangate_server.domain.plan import Plan, is_draft, plan_id_of
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.create_plan import check_asker, in_review, lacks_reviewer
from plangate_server.usecases.draft_plan import check_submits_alone
from plangate_server.usecases.lookup import the_plan
from plangate_server.usecases.once import write_once
from plangate_server.usecases.ownership import check_draft, proposer_of


class UpdatePlan(Struct, frozen=True):
    plan_uri: str
    expected_revision: int
    amendment: Amendment
    agent_id: str = ""
    require_reviewer: bool = False
    key: RequestKey | None = None


async def update_plan(world: World, principal: Principal, command: UpdatePlan) -> Plan:
    """The plan after the change."""
    plan_id_of(command.plan_uri)
    check_asker("", command.agent_id)
    amendment = command.amendment
    if principal.role is Role.REVIEWER:
        _check_edit(command)
    else:
        # An agent sends its whole list; what it says there of how far it is has UpdateTodos of its own.
        amendment = replace(amendment, statuses=())
    nobody = lacks_reviewer(world, principal, demanded=command.require_reviewer)
    review_id, now = world.ids.new(), world.clock.now()

    def store(writing: Writing) -> Change:
        plan = the_plan(writing, command.plan_uri)
        if not command.expected_revision and not is_draft(plan):
            raise MissingField("expected_revision", "send the revision that the change was based on")
        if nobody:
            raise NoReviewer(plan.session_id)
        check_draft(principal, command.agent_id, plan)
        check_submits_alone(world, writing, plan)
        proposer = proposer_of(principal, command.agent_id, plan)
        options = world.policies.current.plans.applied_to(amendment.options or plan.options)
        change = revise(
            plan,
            replace(amendment, options=options),
            author=command.agent_id or principal.name,
            approval_request_id=review_id,
            now=now,
            expected_revision=command.expected_revision,
            limits=world.limits,
            proposer=proposer,
        )
        return in_review(world, principal, change, by_person=proposer is None)

    return (await write_once(world, principal, command.key, store)).plan


def _check_edit(command: UpdatePlan) -> None:
    """What a person changes is theirs, and is asked about as the plan was."""
    if command.agent_id:
        raise InvalidField("agent_id", "names an agent, and this change is yours: leave it out")
    if command.amendment.options is not None:
        raise InvalidField("review", "is for whoever proposes the plan: leave it out")
    check_edit(command.amendment)
