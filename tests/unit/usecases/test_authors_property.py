"""Whatever agents and people do to each other's plans: an agent is told yes only to its own words.

Several authors of two tokens, two of them without a name, work in one session beside two persons. Everybody
looks in one step and acts in a later one, when what they saw may be gone. Every yes that an author is told,
in either vocabulary, is held to what this author sent and to what people saw.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Sequence
from contextlib import aclosing, suppress
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams, CreatePlanResult
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_proto.aiserver.v1.plan_review_service_pb2 import SubmitReviewRequest, SubmitReviewResponse
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest, CreatePlanResponse
from plangate_proto.aiserver.v1.plan_service_pb2 import ReviewPlanRequest as AiserverReviewPlanRequest
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem
from plangate_server.domain.building import BuildOrder
from plangate_server.domain.content import Content, Draft
from plangate_server.domain.errors import Refusal
from plangate_server.domain.identity import Caller, Principal
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.plan import Plan, is_draft
from plangate_server.domain.review import Option, ReviewOptions
from plangate_server.domain.todo_lists import TodoWrite
from plangate_server.domain.todos import Todo, TodoEdit
from plangate_server.ports import PlanFilter, Reading, RequestKey
from plangate_server.rpc.aiserver_plan_servicer import AiserverPlanServicer
from plangate_server.rpc.plan_servicer import PlanServicer
from plangate_server.rpc.principal import answer_to
from plangate_server.rpc.review_servicer import ReviewServicer
from plangate_server.rpc.streaming import Encoder
from plangate_server.usecases.build_todos import build_todos
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.draft_plan import DraftPart, draft_plan
from plangate_server.usecases.ownership import hand_of
from plangate_server.usecases.read_plans import get_plan
from plangate_server.usecases.todo_tools import update_todos
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from plangate_server.usecases.withdraw_plan import withdraw_plan
from tests.helpers.backends import ALL
from tests.helpers.profiles import examples
from tests.helpers.world import make_world
from tests.unit.usecases.persons import agent, reviewer
from tests.unit.usecases.what_was_said import NAME, Named, Place, Said, Text, check_words, content_of

Answer = TypeVar("Answer")

NO_CONTEXT: Any = None
"""No method of these looks at it."""

ONE, TWO = agent("ada"), agent("bob")
EVERYBODY = (Named(ONE, "left"), Named(ONE, "right"), Named(ONE, ""), Named(TWO, "left"), Named(TWO, ""))
STRANGERS = (Named(ONE, "stranger"), Named(agent("eve"), ""))
"""They write nothing."""
AUTHORS = st.sampled_from(EVERYBODY)
PEOPLE = st.sampled_from([reviewer("ada"), reviewer("bob")])
PLACES = st.sampled_from([0, 0, 0, 1, 2])
"""Which of the plans that there are: most of what happens, happens to one."""
BACK = st.sampled_from([0, 0, 0, 1, 2])
"""Which of the last looks is acted on."""


class Seen(NamedTuple):
    """What everybody saw who looked at a plan then."""

    approval_request_id: str
    text: Text


class Decided(NamedTuple):
    """A decision that was sent, and the answer if it counted."""

    person: Principal
    request: SubmitReviewRequest
    seen: Text
    answer: SubmitReviewResponse | None


class Told(NamedTuple):
    """What a stream said; about which text, if it is a result; and to whom, if it asked as an author."""

    author: Named | None
    event: ReviewEvent | CreatePlanResult
    about: Place


def draft_of(content: Content) -> Draft:
    return Draft(content.plan, NAME, todos=content.todos)


def params_of(content: Content) -> CreatePlanParams:
    todos = [TodoItem(id=todo.id, content=todo.content) for todo in content.todos]
    return CreatePlanParams(plan=content.plan, name=NAME, todos=todos)


def last_line(content: Content) -> str:
    """Words that stand in a text once."""
    return content.plan.splitlines()[-1]


def text_of(plan: Plan) -> Text:
    return Text(plan.uri, plan.revision.number, plan.revision.content)


async def one(part: DraftPart) -> AsyncIterator[DraftPart]:
    yield part


class Session(RuleBasedStateMachine):
    """Several authors in a session, and what each of them was told."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.sandbox = make_world()
        self.world = self.sandbox.world
        encoder = Encoder(self.world.store.cursors, self.world.clock)
        self.plans = PlanServicer(self.world, encoder)
        self.aiserver = AiserverPlanServicer(self.world, encoder)
        self.reviews = ReviewServicer(self.world, encoder)
        self.said = Said()
        self.uris: list[str] = []
        self.texts = 0
        self.seen: list[Seen] = []
        self.created: list[tuple[Named, CreatePlan]] = []
        self.decided: list[Decided] = []
        self.told: list[Told] = []
        """What is still to be looked at."""
        self.waits: list[asyncio.Task[None]] = []

    def teardown(self) -> None:
        async def end() -> None:
            for wait in self.waits:
                wait.cancel()
            await asyncio.gather(*self.waits, return_exceptions=True)

        self.loop.run_until_complete(end())
        self.loop.close()

    def call(self, made: Coroutine[None, None, Answer], caller: Principal = ONE) -> Answer | None:
        """What is refused has not happened."""

        async def answered() -> Answer:
            answer_to(Caller(caller, ""))
            return await made

        with suppress(Refusal):
            return self.loop.run_until_complete(answered())
        return None

    def words(self) -> str:
        """A text unlike any other, of which the last line can be replaced."""
        self.texts += 1
        return f"# Text {self.texts}.\n\nDo {self.texts}."

    def at(self, place: int) -> str:
        return self.uris[place % len(self.uris)]

    def now(self, uri: str) -> Plan:
        found = self.call(get_plan(self.world, ONE, uri))
        assert found is not None
        return found

    def world_plans(self) -> dict[str, Plan]:
        def look(reading: Reading) -> Sequence[Plan]:
            return reading.plans(PlanFilter(), after="", limit=ALL)

        return {plan.uri: plan for plan in self.call(self.world.store.read("acme", look)) or ()}

    def last_seen(self, back: int) -> Seen:
        return self.seen[-1 - back % len(self.seen)]

    def wrote(self, author: Named, plan: Plan | None, needed: int = 0) -> None:
        """Where what the author sent stands now, if anywhere."""
        if plan is None:
            return
        if plan.uri not in self.uris:
            self.uris.append(plan.uri)
        if is_draft(plan):
            self.said.sketched[plan.uri] = author
        else:
            self.said.asked(author, plan.uri, needed)
        self.show(plan.uri)

    def show(self, uri: str) -> None:
        """To everybody. Whoever acts on it does so later."""
        plan = self.now(uri)
        self.seen.append(Seen(plan.review.approval_request_id, text_of(plan)))

    def everybody_asks(self, uri: str, cursor: str) -> None:
        """In both vocabularies, whoever wrote there and whoever did not, and an observer of any text."""
        if is_draft(self.now(uri)):
            return  # which some of them would submit
        for author in (*EVERYBODY, *STRANGERS):
            self.begin(author, self.agent_stream(author, uri, cursor))
            self.begin(author, self.aiserver_stream(author, uri, cursor))
        self.begin(None, self.aiserver_stream(STRANGERS[0], uri, cursor, any_author=True))

    def agent_stream(
        self, author: Named, uri: str, cursor: str, *, follow: bool = False
    ) -> AsyncGenerator[Any]:
        request = ReviewPlanRequest(plan_uri=uri, cursor=cursor, follow=follow, agent_id=author.agent_id)
        return self.plans.ReviewPlan(request, NO_CONTEXT)

    def aiserver_stream(
        self, author: Named, uri: str, cursor: str, *, any_author: bool = False
    ) -> AsyncGenerator[Any]:
        request = AiserverReviewPlanRequest(
            plan_uri=uri, cursor=cursor, agent_id=author.agent_id, any_author=any_author
        )
        return self.aiserver.ReviewPlan(request, NO_CONTEXT)

    def begin(self, author: Named | None, answers: AsyncGenerator[Any]) -> None:
        async def listen() -> None:
            answer_to(Caller((author or STRANGERS[0]).caller, ""))
            last = None
            with suppress(Refusal):
                async with aclosing(answers):
                    async for answer in answers:
                        # Both streams have the same first field.
                        sent = answer if isinstance(answer, bytes) else answer.SerializeToString()
                        message = CreatePlanResponse.FromString(sent)
                        if message.HasField("event"):
                            last = message.event
                            self.told.append(Told(author, last, Place("", 0, "")))
                        else:
                            self.told.append(Told(author, message.result, await self.about(message, last)))

        self.waits.append(self.loop.create_task(listen()))
        self.settle()

    async def about(self, message: CreatePlanResponse, last: ReviewEvent | None) -> Place:
        """A result is of what was told last; of a stream that told nothing, of what stands there."""
        if last is not None:
            return Place(last.plan_uri, last.revision, last.digest)
        return text_of(await get_plan(self.world, ONE, message.result.plan_uri)).place

    def settle(self) -> None:
        async def turns() -> None:
            for _ in range(30):
                await asyncio.sleep(0)

        self.loop.run_until_complete(turns())

    @invariant()
    def a_yes_is_to_words_of_the_author_that_a_person_saw(self) -> None:
        self.settle()
        told, self.told = self.told, []
        for author, said, about in told:
            meant = self.said.meant_by(author, self.now(said.plan_uri)) if author else None
            if isinstance(said, ReviewEvent):
                self.said.check_event(said, meant)
            else:
                self.said.check_result(said, about, meant)
        ended = [wait for wait in self.waits if wait.done()]
        self.waits = [wait for wait in self.waits if not wait.done()]
        for wait in ended:
            assert wait.exception() is None


class Deciding(Session):
    """People look, decide later, and whoever asks is told."""

    @precondition(lambda self: self.uris)
    @rule(place=PLACES)
    def look(self, place: int) -> None:
        self.show(self.at(place))

    @precondition(lambda self: self.seen)
    @rule(person=PEOPLE, back=BACK, newest=st.booleans())
    def approve(self, person: Principal, back: int, newest: bool) -> None:
        """What they saw; now and then under the name of the newest question about the plan."""
        self.submit(person, *self.decision(Option.APPROVE, back, newest=newest))

    @precondition(lambda self: self.seen)
    @rule(
        person=PEOPLE,
        back=BACK,
        newest=st.booleans(),
        how=st.sampled_from(["text and todos", "part", "whole"]),
    )
    def approve_as_edited(self, person: Principal, back: int, newest: bool, how: str) -> None:
        request, seen = self.decision(Option.EDIT, back, newest=newest)
        content, edit = content_of(self.words()), request.edited
        if how == "part":
            edit.old_str, edit.new_str = last_line(seen.content), last_line(content)
        elif how == "text and todos":
            edit.CopyFrom(params_of(content))
        else:
            edit.plan, edit.name, request.edited_whole = content.plan, NAME, True
        self.submit(person, request, seen)

    @precondition(lambda self: self.seen)
    @rule(person=PEOPLE, back=BACK)
    def edit(self, person: Principal, back: int) -> None:
        """A person changes the text that they saw without approving anything."""
        seen = self.last_seen(back).text
        content = replace(seen.content, plan=self.words())
        command = UpdatePlan(seen.uri, seen.revision, Amendment(Draft(content.plan)))
        if self.call(update_plan(self.world, person, command)) is not None:
            self.said.edited(seen, content)
            self.show(seen.uri)

    @precondition(lambda self: self.uris)
    @rule(place=PLACES, ago=st.integers(0, 20))
    def resume(self, place: int, ago: int) -> None:
        """From any place in the log of the workspace, the last included, and before the first."""
        last = self.loop.run_until_complete(self.sandbox.last_sequence())
        self.everybody_asks(self.at(place), self.sandbox.cursor(last - last * ago // 20))

    def decision(
        self, option: Option, back: int, *, newest: bool = False
    ) -> tuple[SubmitReviewRequest, Text]:
        """What a person sends who saw this, and has something to say about it."""
        review_id, seen = self.last_seen(back)
        request = SubmitReviewRequest(
            approval_request_id=self.now(seen.uri).review.approval_request_id if newest else review_id,
            human_review=HumanReview(selected_option=option, feedback_text="Measure first"),
            revision=seen.revision,
            digest=seen.digest,
            request_id=f"d{len(self.decided)}",
        )
        return request, seen

    def submit(self, person: Principal, request: SubmitReviewRequest, seen: Text) -> None:
        answer = self.call(self.reviews.SubmitReview(request, NO_CONTEXT), person)
        self.decided.append(Decided(person, request, seen, answer))
        option = request.human_review.selected_option
        if answer is None or option not in {Option.APPROVE, Option.EDIT}:
            return
        content = seen.content
        if option == Option.EDIT:
            content = edited(content, request)
            self.said.approved_as_edited(seen, content)
        elif not self.said.approved(person, seen):
            assert answer.result.WhichOneof("result") is None
            return
        assert answer.result.HasField("modified" if option == Option.EDIT else "accepted")
        check_words(answer.result, content)
        for cursor in ("", self.sandbox.cursor(0)):
            self.everybody_asks(seen.uri, cursor)


class Proposing(Session):
    """Authors propose, and write over each other."""

    @rule(
        author=AUTHORS,
        needed=st.sampled_from([1, 1, 2]),
        multi=st.booleans(),
        again=st.booleans(),
        place=PLACES,
    )
    def create(self, author: Named, needed: int, multi: bool, again: bool, place: int) -> None:
        """Now and then with the very words of a plan that is there."""
        copied = again and self.uris
        content = self.now(self.at(place)).revision.content if copied else content_of(self.words())
        command = CreatePlan(
            draft_of(content),
            session_id="s",
            agent_id=author.agent_id,
            options=ReviewOptions(required_approvals=needed),
            multi_plan=multi,
            key=RequestKey(author.caller.key, f"c{len(self.created)}", content.plan),
        )
        self.said.sent(author, content)
        self.wrote(author, self.call(create_plan(self.world, author.caller, command)), needed)
        self.created.append((author, command))

    @precondition(lambda self: self.seen)
    @rule(author=AUTHORS, back=BACK, again=st.booleans())
    def update(self, author: Named, back: int, again: bool) -> None:
        """The revision that it saw; now and then to the very words that stand there."""
        seen = self.last_seen(back).text
        content = replace(seen.content, plan=seen.content.plan if again else self.words())
        amendment = Amendment(Draft(content.plan))
        command = UpdatePlan(seen.uri, seen.revision, amendment, author.agent_id)
        updated = self.call(update_plan(self.world, author.caller, command))
        if updated is not None:
            self.said.sent(author, content)
            self.wrote(author, updated)

    @precondition(lambda self: self.uris)
    @rule(author=AUTHORS, place=PLACES)
    def write_todos(self, author: Named, place: int) -> None:
        """Whatever else the plan says by now."""
        plan, hand = self.now(self.at(place)), hand_of(author.caller, author.agent_id)
        words = self.words()
        todo = Todo(f"t{self.texts}", words)
        edits = (TodoEdit(todo.id, words),)
        write = TodoWrite(edits, merge=True, actor=author.agent_id or author.caller.name, hand=hand)
        written = self.call(update_todos(self.world, author.caller, plan.uri, write, None))
        if written is not None:
            before = plan.revision.content
            self.said.sent_part(author, plan, replace(before, todos=(*before.todos, todo)))
            self.wrote(author, written.plan)

    @precondition(lambda self: self.seen)
    @rule(author=AUTHORS, back=BACK)
    def change_a_part_and_wait(self, author: Named, back: int) -> None:
        """The same, with a few words of what the author saw, whatever else its plan says by now."""
        old, new = last_line(self.last_seen(back).text.content), last_line(content_of(self.words()))
        before = self.world_plans()
        request = CreatePlanRequest(
            params=CreatePlanParams(old_str=old, new_str=new), session_id="s", agent_id=author.agent_id
        )
        self.begin(author, self.aiserver.CreatePlan(request, NO_CONTEXT))
        for uri, plan in self.world_plans().items():
            if new in plan.revision.content.plan:
                content = before[uri].revision.content
                content = replace(content, plan=content.plan.replace(old, new))
                self.said.sent_part(author, before[uri], content)
                self.wrote(author, plan, 1)


class Drafting(Session):
    """Authors write drafts, go on with those of others, and submit them in one way or another."""

    @rule(author=AUTHORS, new=st.booleans(), place=PLACES, submit=st.booleans())
    def draft(self, author: Named, new: bool, place: int, submit: bool) -> None:
        """A draft is begun, or it is gone on with one that is there."""
        content = content_of(self.words())
        begins = new or not self.uris
        part = DraftPart(
            draft_of(content),
            plan_uri="" if begins else self.at(place),
            session_id="s" if begins else "",
            agent_id=author.agent_id,
            submit=submit,
        )
        self.said.sent(author, content)
        self.wrote(author, self.call(draft_plan(self.world, author.caller, one(part))), 1)

    @precondition(lambda self: self.uris)
    @rule(author=AUTHORS, place=PLACES, follow=st.booleans())
    def wait(self, author: Named, place: int, follow: bool) -> None:
        """In the background, while others go on. Whoever waits for its draft submits it."""
        uri = self.at(place)
        was_draft = is_draft(self.now(uri))
        self.begin(author, self.agent_stream(author, uri, "", follow=follow))
        if was_draft and not is_draft(self.now(uri)):
            self.said.asked(self.said.sketched[uri], uri, 1)
            self.show(uri)


class Insisting(Deciding, Proposing):
    """Requests are sent twice, plans are taken back and built, and people say no."""

    @precondition(lambda self: self.created)
    @rule(place=PLACES)
    def create_again(self, place: int) -> None:
        """A request that was sent before, with its id: it is done once."""
        author, command = self.created[place % len(self.created)]
        self.call(create_plan(self.world, author.caller, command))

    @rule(author=AUTHORS, new=st.booleans())
    def create_and_wait(self, author: Named, new: bool) -> None:
        """With aiserver.v1, which answers with the result."""
        content = content_of(self.words())
        self.said.sent(author, content)
        request = CreatePlanRequest(
            params=params_of(content), session_id="s", agent_id=author.agent_id, multi_plan=new
        )
        self.begin(author, self.aiserver.CreatePlan(request, NO_CONTEXT))
        found = [plan for plan in self.world_plans().values() if plan.revision.content == content]
        self.wrote(author, found[0] if found else None, 1)

    @precondition(lambda self: self.uris)
    @rule(author=AUTHORS, place=PLACES, begins=st.booleans())
    def build_or_withdraw(self, author: Named, place: int, begins: bool) -> None:
        uri, agent_id = self.at(place), author.agent_id
        if begins:
            order = BuildOrder(agent_id or "nameless")
            self.call(build_todos(self.world, author.caller, uri, order, None))
        else:
            withdrawn = withdraw_plan(self.world, author.caller, uri, reason="", agent_id=agent_id, key=None)
            self.call(withdrawn)

    @precondition(lambda self: self.seen)
    @rule(person=PEOPLE, back=BACK, option=st.sampled_from([Option.REJECT, Option.REQUEST_CHANGES]))
    def say_no(self, person: Principal, back: int, option: Option) -> None:
        self.submit(person, *self.decision(option, back))

    @precondition(lambda self: self.decided)
    @rule(back=BACK, known=st.booleans())
    def decide_again(self, back: int, known: bool) -> None:
        """What was sent before: with its id it is answered as then, without it is a decision of its own."""
        person, request, seen, answer = self.decided[-1 - back % len(self.decided)]
        if not known:
            request = SubmitReviewRequest.FromString(request.SerializeToString())
            request.request_id = ""
        if not known or answer is None:
            self.submit(person, request, seen)
        else:
            assert self.call(self.reviews.SubmitReview(request, NO_CONTEXT), person) == answer


class Rivals(Deciding, Proposing):
    """Plans that several authors write over."""


class Drafters(Deciding, Drafting):
    """Drafts that several authors write over."""


class Everything(Insisting, Drafting):
    """All that authors and people do."""


def edited(content: Content, request: SubmitReviewRequest) -> Content:
    """What a person made of the text that they saw."""
    edit = request.edited
    if request.edited_whole:
        return Content(NAME, "", edit.plan, ())
    if edit.plan:
        return content_of(edit.plan)
    return replace(content, plan=content.plan.replace(edit.old_str, edit.new_str))


TestRivals, TestDrafters, TestEverything = Rivals.TestCase, Drafters.TestCase, Everything.TestCase
TestRivals.settings = examples(160, stateful_step_count=30)
TestDrafters.settings = examples(160, stateful_step_count=20)
TestEverything.settings = examples(280, stateful_step_count=30)
