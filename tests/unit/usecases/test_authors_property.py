"""Whatever agents and people do to each other's plans: an agent is told yes only to its own words.

Several authors of two tokens, one of them without a name, work in one session beside two persons. Everything
that a stream tells an author is held to what this author wrote and to what people said yes to.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Sequence
from contextlib import aclosing, suppress
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.review_resource_pb2 import DecisionSource, ReviewOutcome
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest, CreatePlanResponse
from plangate_server.domain.building import BuildOrder
from plangate_server.domain.content import Draft
from plangate_server.domain.errors import Refusal
from plangate_server.domain.identity import Caller, Principal
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import ReviewOptions
from plangate_server.domain.todo_lists import TodoWrite
from plangate_server.domain.todos import TodoEdit
from plangate_server.ports import PlanFilter, Reading, RequestKey
from plangate_server.rpc.aiserver_plan_servicer import AiserverPlanServicer
from plangate_server.rpc.plan_servicer import PlanServicer
from plangate_server.rpc.principal import answer_to
from plangate_server.rpc.streaming import Encoder
from plangate_server.usecases.build_todos import build_todos
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.draft_plan import DraftPart, draft_plan
from plangate_server.usecases.ownership import hand_of
from plangate_server.usecases.read_plans import get_plan
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from plangate_server.usecases.todo_tools import update_todos
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from plangate_server.usecases.withdraw_plan import withdraw_plan
from tests.helpers.backends import ALL
from tests.helpers.domain import a_draft
from tests.helpers.profiles import examples
from tests.helpers.world import make_world
from tests.unit.usecases.persons import agent, reviewer

Answer = TypeVar("Answer")

YES = {ReviewOutcome.REVIEW_OUTCOME_APPROVED, ReviewOutcome.REVIEW_OUTCOME_MODIFIED}
NO_CONTEXT: Any = None
"""No method of these looks at it."""


class Named(NamedTuple):
    """An author: a caller, and the agent that it says it is."""

    caller: Principal
    agent_id: str


ONE, TWO = agent("ada"), agent("bob")
EVERYBODY = (Named(ONE, "left"), Named(ONE, "right"), Named(ONE, ""), Named(TWO, "left"))
AUTHORS = st.sampled_from(EVERYBODY)
PEOPLE = st.sampled_from([reviewer("ada"), reviewer("bob")])
PLACES = st.sampled_from([0, 0, 0, 1, 2])
"""Which of the plans that there are: most of what happens, happens to one."""


async def one(part: DraftPart) -> AsyncIterator[DraftPart]:
    yield part


class Authors(RuleBasedStateMachine):
    """A session of several authors, and what each of them was told."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.sandbox = make_world()
        self.world = self.sandbox.world
        encoder = Encoder(self.world.store.cursors, self.world.clock)
        self.plans = PlanServicer(self.world, encoder)
        self.aiserver = AiserverPlanServicer(self.world, encoder)
        self.uris: list[str] = []
        self.texts = 0
        self.said_yes_to: set[str] = set()
        """Digests of what a person approved, or made of what was there."""
        self.own: defaultdict[Named, set[str]] = defaultdict(set)
        """Digests of what each author wrote, and of what people made of it."""
        self.wrote_in: set[tuple[Named, str]] = set()
        self.created: list[tuple[Named, CreatePlan]] = []
        self.told: list[tuple[Named, ReviewEvent]] = []
        """What is still to be looked at."""
        self.cursors: dict[Named, list[tuple[str, str]]] = defaultdict(list)
        self.waits: list[asyncio.Task[None]] = []

    def teardown(self) -> None:
        async def end() -> None:
            for wait in self.waits:
                wait.cancel()
            await asyncio.gather(*self.waits, return_exceptions=True)

        self.loop.run_until_complete(end())
        self.loop.close()

    def call(self, made: Coroutine[None, None, Answer]) -> Answer | None:
        """What is refused has not happened."""
        with suppress(Refusal):
            return self.loop.run_until_complete(made)
        return None

    def text(self) -> str:
        self.texts += 1
        return f"# Text {self.texts}"

    def look(self, place: int) -> Plan:
        uri = self.uris[place % len(self.uris)]
        found = self.call(get_plan(self.world, ONE, uri))
        assert found is not None
        return found

    def wrote(self, author: Named, plan: Plan | None) -> None:
        """The author knows what stands there: it sent all of it, or named the revision that it changed."""
        if plan is None:
            return
        self.own[author].add(plan.revision.digest)
        self.wrote_in.add((author, plan.uri))
        if plan.uri not in self.uris:
            self.uris.append(plan.uri)

    def wrote_part(self, author: Named, before: Plan, plan: Plan | None) -> None:
        """The author changed a part of what it believes to stand there."""
        mistaken = (author, before.uri) in self.wrote_in and before.revision.digest not in self.own[author]
        if plan is not None and not mistaken:
            self.wrote(author, plan)

    def person_made(self, before: Plan, plan: Plan) -> None:
        """A person's edit is good for whoever wrote what was edited."""
        for digests in self.own.values():
            if before.revision.digest in digests:
                digests.add(plan.revision.digest)

    @rule(
        author=AUTHORS,
        needed=st.sampled_from([1, 1, 2]),
        multi=st.booleans(),
        again=st.booleans(),
        place=PLACES,
    )
    def create(self, author: Named, needed: int, multi: bool, again: bool, place: int) -> None:
        """Now and then with the very words of a plan that is there."""
        text = self.look(place).revision.content.plan if again and self.uris else self.text()
        command = CreatePlan(
            a_draft(text),
            session_id="s",
            agent_id=author.agent_id,
            options=ReviewOptions(required_approvals=needed),
            multi_plan=multi,
            key=RequestKey(author.caller.key, f"r{len(self.created)}", text),
        )
        self.wrote(author, self.call(create_plan(self.world, author.caller, command)))
        self.created.append((author, command))

    @precondition(lambda self: self.created)
    @rule(place=PLACES)
    def retry(self, place: int) -> None:
        """A request that was sent before, with its id: it is done once."""
        author, command = self.created[place % len(self.created)]
        self.call(create_plan(self.world, author.caller, command))

    @rule(author=AUTHORS, submit=st.booleans())
    def draft(self, author: Named, submit: bool) -> None:
        part = DraftPart(a_draft(self.text()), session_id="s", agent_id=author.agent_id, submit=submit)
        self.wrote(author, self.call(draft_plan(self.world, author.caller, one(part))))

    @precondition(lambda self: self.uris)
    @rule(author=AUTHORS, place=PLACES, submit=st.booleans())
    def draft_on(self, author: Named, place: int, submit: bool) -> None:
        part = DraftPart(a_draft(self.text()), self.look(place).uri, agent_id=author.agent_id, submit=submit)
        self.wrote(author, self.call(draft_plan(self.world, author.caller, one(part))))

    @precondition(lambda self: self.uris)
    @rule(author=AUTHORS, place=PLACES, again=st.booleans())
    def update(self, author: Named, place: int, again: bool) -> None:
        plan = self.look(place)
        text = plan.revision.content.plan if again else self.text()
        amendment = Amendment(Draft(text))
        command = UpdatePlan(plan.uri, plan.revision.number, amendment, author.agent_id)
        self.wrote(author, self.call(update_plan(self.world, author.caller, command)))

    @precondition(lambda self: self.uris)
    @rule(author=AUTHORS, place=PLACES)
    def write_todos(self, author: Named, place: int) -> None:
        plan, hand = self.look(place), hand_of(author.caller, author.agent_id)
        actor = author.agent_id or author.caller.name
        write = TodoWrite((TodoEdit("", self.text()),), merge=True, actor=actor, hand=hand)
        written = self.call(update_todos(self.world, author.caller, plan.uri, write, None))
        self.wrote_part(author, plan, written.plan if written else None)

    @precondition(lambda self: self.uris)
    @rule(author=AUTHORS, place=PLACES)
    def withdraw(self, author: Named, place: int) -> None:
        uri, agent_id = self.look(place).uri, author.agent_id
        self.call(withdraw_plan(self.world, author.caller, uri, reason="", agent_id=agent_id, key=None))

    @precondition(lambda self: self.uris)
    @rule(author=AUTHORS, place=PLACES)
    def build(self, author: Named, place: int) -> None:
        order = BuildOrder(author.agent_id or "nameless")
        self.call(build_todos(self.world, author.caller, self.look(place).uri, order, None))

    @precondition(lambda self: self.uris)
    @rule(person=PEOPLE, place=PLACES, option=st.sampled_from(["approve", "approve", "edit", "reject"]))
    def decide(self, person: Principal, place: int, option: str) -> None:
        plan = self.look(place)
        command = SubmitReview(
            plan.review.approval_request_id,
            option,
            plan.revision.number,
            plan.revision.digest,
            edited=Amendment(Draft(self.text())) if option == "edit" else None,
        )
        decided = self.call(submit_review(self.world, person, command))
        if decided is not None and option != "reject":
            self.person_made(plan, decided)
            self.said_yes_to.add(decided.revision.digest)
            for author in EVERYBODY:
                self.start_waiting(author, plan.uri, "", follow=False)

    @precondition(lambda self: self.uris)
    @rule(person=PEOPLE, place=PLACES)
    def edit(self, person: Principal, place: int) -> None:
        """A person changes the text without approving anything."""
        plan = self.look(place)
        command = UpdatePlan(plan.uri, plan.revision.number, Amendment(Draft(self.text())))
        edited = self.call(update_plan(self.world, person, command))
        if edited is not None:
            self.person_made(plan, edited)

    @precondition(lambda self: self.uris)
    @rule(author=AUTHORS, place=PLACES, follow=st.booleans())
    def wait(self, author: Named, place: int, follow: bool) -> None:
        """In the background, while others go on. Whoever waits for its draft submits it."""
        plan = self.look(place)
        self.start_waiting(author, plan.uri, "", follow=follow)
        self.person_made(plan, self.look(place))

    @rule(author=AUTHORS, place=st.integers(0, 40), follow=st.booleans())
    def resume(self, author: Named, place: int, follow: bool) -> None:
        """From any place of which the author was ever told."""
        known = self.cursors[author]
        if known:
            uri, cursor = known[place % len(known)]
            self.start_waiting(author, uri, cursor, follow=follow)

    @rule(author=AUTHORS, new=st.booleans())
    def create_and_wait(self, author: Named, new: bool) -> None:
        """With aiserver.v1, which answers with the result."""
        request = CreatePlanRequest(
            params=CreatePlanParams(plan=self.text()),
            session_id="s",
            agent_id=author.agent_id,
            multi_plan=new,
        )
        self.begin(author, self.results_of(author, request), "")
        for plan in self.world_plans().values():
            if plan.revision.content.plan == request.params.plan:
                self.wrote(author, plan)

    @rule(author=AUTHORS)
    def change_a_part_and_wait(self, author: Named) -> None:
        """The same, with a few words of what the author believes to be its text."""
        before = self.world_plans()
        words = f"Text {self.texts}"
        params = CreatePlanParams(old_str=words, new_str=f"Part of {words}")
        request = CreatePlanRequest(params=params, session_id="s", agent_id=author.agent_id)
        self.begin(author, self.results_of(author, request), "")
        for uri, plan in self.world_plans().items():
            if uri in before and plan.revision.number > before[uri].revision.number:
                self.wrote_part(author, before[uri], plan)

    def meant_by(self, author: Named, uri: str) -> Named:
        """Who has no name, and no text in a plan, waits for its creator if that has the same credentials."""
        owner = self.world_plans()[uri].owner
        stands_in = not author.agent_id and (author, uri) not in self.wrote_in
        return Named(ONE, owner.agent_id) if stands_in and owner.principal == ONE.key else author

    def world_plans(self) -> dict[str, Plan]:
        def look(reading: Reading) -> Sequence[Plan]:
            return reading.plans(PlanFilter(), after="", limit=ALL)

        return {plan.uri: plan for plan in self.call(self.world.store.read("acme", look)) or ()}

    def start_waiting(self, author: Named, uri: str, cursor: str, *, follow: bool) -> None:
        request = ReviewPlanRequest(plan_uri=uri, cursor=cursor, follow=follow, agent_id=author.agent_id)

        async def events() -> AsyncGenerator[CreatePlanResponse]:
            answer_to(Caller(author.caller, ""))
            async with aclosing(self.plans.ReviewPlan(request, NO_CONTEXT)) as stream:
                async for answer in stream:
                    yield CreatePlanResponse.FromString(answer)

        self.begin(author, events(), uri)

    async def results_of(
        self, author: Named, request: CreatePlanRequest
    ) -> AsyncGenerator[CreatePlanResponse]:
        answer_to(Caller(author.caller, ""))
        last = ReviewEvent()
        async with aclosing(self.aiserver.CreatePlan(request, NO_CONTEXT)) as stream:
            async for answer in stream:
                message = CreatePlanResponse.FromString(answer) if isinstance(answer, bytes) else answer
                if message.HasField("event"):
                    last = message.event
                elif message.result.WhichOneof("result") in {"accepted", "modified"}:
                    assert last.review.outcome in YES
                yield message

    def begin(self, author: Named, answers: AsyncGenerator[CreatePlanResponse], uri: str) -> None:
        async def listen() -> None:
            with suppress(Refusal):
                async with aclosing(answers):
                    async for answer in answers:
                        if answer.HasField("event"):
                            self.told.append((author, answer.event))
                            self.cursors[author].append((answer.event.plan_uri or uri, answer.event.cursor))

        self.waits.append(self.loop.create_task(listen()))
        self.settle()

    def settle(self) -> None:
        async def turns() -> None:
            for _ in range(30):
                await asyncio.sleep(0)

        self.loop.run_until_complete(turns())

    @invariant()
    def a_yes_is_to_words_of_the_author_that_a_person_saw(self) -> None:
        self.settle()
        told, self.told = self.told, []
        for author, event in told:
            manual = event.review.source == DecisionSource.DECISION_SOURCE_MANUAL
            if manual and event.review.outcome in YES:
                assert event.digest in self.said_yes_to
                assert event.digest in self.own[self.meant_by(author, event.plan_uri)]
        for wait in self.waits:
            if wait.done() and not wait.cancelled():
                assert wait.exception() is None


TestAuthors = Authors.TestCase
TestAuthors.settings = examples(400, stateful_step_count=30)
