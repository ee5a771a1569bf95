"""Whatever agents, people and the operator do: while four_eyes is on, nobody approves their own."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing, suppress
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from plangate_server.domain.content import Draft
from plangate_server.domain.errors import Refusal
from plangate_server.domain.identity import Principal
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.policy import Policy
from plangate_server.domain.review import DecisionSource, Option, ReviewOptions
from plangate_server.domain.todo_lists import TodoWrite
from plangate_server.domain.todos import TodoEdit
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.draft_plan import DraftPart, draft_plan
from plangate_server.usecases.read_plans import get_plan
from plangate_server.usecases.review_plan import Waiter, review_plan
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from plangate_server.usecases.todo_tools import update_todos
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.profiles import examples
from tests.helpers.world import make_world
from tests.unit.usecases.persons import FOUR_EYES, admin, agent, reviewer, switch

Answer = TypeVar("Answer")
PEOPLE = st.sampled_from(["ada", "Ada", "bob", "eve"])
TEXTS = st.sampled_from(["# One", "# Two"])
OPTIONS = st.sampled_from(["approve", "reject", "requestChanges", "edit"])


async def one(part: DraftPart) -> AsyncIterator[DraftPart]:
    yield part


class FourEyes(RuleBasedStateMachine):
    """One plan, and what everybody tries with it; ``approved_under`` is the policy of its last approval."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.sandbox = make_world(policy=FOUR_EYES)
        self.world = self.sandbox.world
        self.plan: Plan | None = None
        self.approved_under = FOUR_EYES

    def teardown(self) -> None:
        self.loop.close()

    def call(self, made: Coroutine[None, None, Answer]) -> Answer | None:
        """What is refused has not happened."""
        with suppress(Refusal):
            return self.loop.run_until_complete(made)
        return None

    def look(self) -> Plan:
        assert self.plan is not None
        found = self.call(get_plan(self.world, agent("ada"), self.plan.uri))
        assert found is not None
        self.plan = found
        return found

    @initialize(person=PEOPLE, needed=st.integers(1, 2), drafted=st.booleans(), text=TEXTS)
    def begin(self, person: str, needed: int, drafted: bool, text: str) -> None:
        options, draft = ReviewOptions(required_approvals=needed), a_draft(text, todos=[a_todo("a")])
        if drafted:
            part = DraftPart(draft, session_id="s")
            self.plan = self.call(draft_plan(self.world, agent(person), one(part)))
        else:
            command = CreatePlan(draft, session_id="s", options=options)
            self.plan = self.call(create_plan(self.world, agent(person), command))

    @rule(person=PEOPLE, text=TEXTS, agent_id=st.sampled_from(["", "ada-desk"]))
    def create_again(self, person: str, text: str, agent_id: str) -> None:
        command = CreatePlan(a_draft(text), session_id="s", agent_id=agent_id)
        self.call(create_plan(self.world, agent(person), command))

    @rule(person=PEOPLE, text=TEXTS, needed=st.sampled_from([None, 1, 2]))
    def draft_on(self, person: str, text: str, needed: int | None) -> None:
        """The last part says how many must approve."""
        options = None if needed is None else ReviewOptions(required_approvals=needed)
        part = DraftPart(a_draft(text), plan_uri=self.look().uri, submit=needed is not None, options=options)
        self.call(draft_plan(self.world, agent(person), one(part)))

    @rule(person=PEOPLE)
    def wait(self, person: str) -> None:
        """Which submits a draft."""

        async def first() -> None:
            async with aclosing(review_plan(self.world, agent(person), Waiter(plan.uri))) as stream:
                await anext(stream)

        plan = self.look()
        self.call(first())

    @rule(person=PEOPLE, text=TEXTS)
    def update(self, person: str, text: str) -> None:
        plan = self.look()
        command = UpdatePlan(plan.uri, plan.revision.number, Amendment(Draft(text)))
        self.call(update_plan(self.world, agent(person), command))

    @rule(person=PEOPLE, content=TEXTS)
    def write_todos(self, person: str, content: str) -> None:
        write = TodoWrite((TodoEdit("a", content),), merge=True, actor="builder")
        self.call(update_todos(self.world, agent(person), self.look().uri, write, None))

    @rule(person=PEOPLE, option=OPTIONS)
    def decide(self, person: str, option: str) -> None:
        self.submit(reviewer(person), option)

    @rule(person=PEOPLE)
    def approve(self, person: str) -> None:
        self.submit(reviewer(person))

    @rule(person=PEOPLE, glass=st.sampled_from(["", "on fire"]))
    def approve_as_admin(self, person: str, glass: str) -> None:
        self.submit(admin(person), glass=glass)

    def submit(self, who: Principal, option: str = "approve", glass: str = "") -> None:
        plan = self.look()
        command = SubmitReview(
            plan.review.approval_request_id,
            option,
            plan.revision.number,
            plan.revision.digest,
            "Why?",
            edited=Amendment(Draft("# Mine")) if option == "edit" else None,
            break_glass=glass,
        )
        if self.call(submit_review(self.world, who, command)) is not None:
            self.approved_under = self.world.policies.current

    @rule(four_eyes=st.booleans())
    def reload(self, four_eyes: bool) -> None:
        switch(self.sandbox, Policy(four_eyes=four_eyes))

    @invariant()
    def nobody_approved_their_own(self) -> None:
        if self.plan is None:
            return
        plan = self.look()
        review = plan.review
        if plan.state is not PlanState.APPROVED or not self.approved_under.four_eyes:
            return
        assert review.source is DecisionSource.MANUAL
        if review.decisions[-1].break_glass:
            return
        own = {each.casefold() for each in (plan.person, plan.revision.person, review.person)}
        approvers = {each.by.casefold() for each in review.decisions if each.option is Option.APPROVE}
        assert review.decisions[-1].by.casefold() not in own
        assert len(approvers - own) >= review.required_approvals


TestFourEyes = FourEyes.TestCase
TestFourEyes.settings = examples(300, stateful_step_count=25)
