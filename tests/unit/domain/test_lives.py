"""Whole lives of a plan: every verb in any order, in turn and out of turn."""

import graphlib
from collections.abc import Callable
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from plangate_server.domain.building import BuildOrder, Hand, finish_build, return_overdue, start_build
from plangate_server.domain.builds import BuildOutcome
from plangate_server.domain.content import Draft
from plangate_server.domain.errors import Refusal
from plangate_server.domain.events import Change
from plangate_server.domain.lifecycle import (
    Amendment,
    acknowledge,
    approve_by_rule,
    deliver,
    expire,
    propose,
    propose_again,
    revise,
    sketch,
    sketch_on,
    submit_decision,
    submit_draft,
    withdraw,
)
from plangate_server.domain.plan import Approved, Plan, PlanState
from plangate_server.domain.review import Decision, Option, ReviewOptions, ReviewStatus
from plangate_server.domain.todo_lists import TodoWrite, write_todos
from plangate_server.domain.todos import TodoEdit, TodoStatus
from tests.helpers.domain import NOW, a_draft, a_todo
from tests.helpers.ledger import Ledger
from tests.helpers.lives import A_DRAFT, ORIGIN
from tests.helpers.profiles import examples

OVER = {PlanState.COMPLETED, PlanState.WITHDRAWN}
BUILDABLE = {PlanState.APPROVED, PlanState.BUILDING, PlanState.COMPLETED, PlanState.FAILED}
PLAIN = ReviewOptions()
BRIEF = ReviewOptions(timedelta(minutes=9))
QUORUM = ReviewOptions(timedelta(minutes=9), 2)
TWO_STEPS = a_draft("# Two steps", todos=[a_todo("move", "Move it"), a_todo("ship", needs=["move"])])
A_CIRCLE = a_draft("# A circle", todos=[a_todo("move", needs=["tidy"]), a_todo("tidy", needs=["move"])])

contents = st.sampled_from(
    [
        (A_DRAFT, None),
        (A_DRAFT, PLAIN),
        (TWO_STEPS, None),
        (TWO_STEPS, QUORUM),
        (A_CIRCLE, None),
        (Draft(""), None),
    ]
)
beginnings = st.sampled_from(["proposed", "approved", "sketched"])
agents = st.sampled_from(["coder", "tidier"])
writes = st.sampled_from(
    [
        (True, TodoEdit("measure", "Weigh it")),
        (True, TodoEdit("ship", "Ship it", TodoStatus.IN_PROGRESS, ("move",))),
        (True, TodoEdit("measure", dependencies=("ship",))),
        (True, TodoEdit(content="Without an id")),
        (False, TodoEdit("tidy", "Tidy up")),
        (False, TodoEdit("tidy", "Tidy up", TodoStatus.COMPLETED)),
    ]
)


class Life(RuleBasedStateMachine):
    """One plan and the clock; the ledger refuses any change that should never be."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.ids = 0
        self.plan: Plan

    @initialize(how=beginnings)
    def begin_first(self, how: str) -> None:
        self.begin(how)

    @precondition(lambda self: self.plan.state in OVER)
    @rule(how=beginnings)
    def begin(self, how: str) -> None:
        self.ledger = Ledger()
        origin = replace(ORIGIN, plan_id=self._id("plan"))
        if how == "sketched":
            self._keep(sketch(origin, A_CIRCLE, self.now))
            return
        self._keep(propose(origin, A_DRAFT, BRIEF, self._id("review"), self.now))
        if how == "approved":
            self._keep(self.decided(self.plan, Option.APPROVE, "ada"))

    @rule(minutes=st.sampled_from([1, 11, 12, -7]), is_swept=st.booleans())
    def time_passes(self, minutes: int, is_swept: bool) -> None:
        self.now += timedelta(minutes=minutes)
        if is_swept:
            self._try(lambda plan: expire(plan, self.now))
            self._try(lambda plan: return_overdue(plan, self.now))

    @precondition(lambda self: self.plan.state is PlanState.DRAFT)
    @rule(content=contents, is_last=st.booleans())
    def write_draft(self, content: tuple[Draft, ReviewOptions | None], is_last: bool) -> None:
        draft, options = content
        if is_last:
            self._try(lambda plan: submit_draft(plan, draft, options or PLAIN, self._id("review"), self.now))
        else:
            self._try(lambda plan: sketch_on(plan, draft, self.now))

    @precondition(lambda self: self.plan.state not in OVER)
    @rule(way=st.sampled_from(["propose", "revise", "rule"]), content=contents, author=agents)
    def change(self, way: str, content: tuple[Draft, ReviewOptions | None], author: str) -> None:
        review_id = self._id("review")

        def verb(plan: Plan) -> Change:
            draft, options = content
            if way == "propose":
                terms = options or PLAIN
                return propose_again(
                    plan, draft, terms, author=author, approval_request_id=review_id, now=self.now
                )
            change = self.revised(plan, draft, options, author=author)
            applies = way == "rule" and change.events
            return approve_by_rule(change, "small plans", self.now) if applies else change

        self._try(verb)

    @precondition(lambda self: self.plan.review.status is ReviewStatus.REQUESTED)
    @rule(option=st.sampled_from([Option.APPROVE, *Option]), reviewer=st.sampled_from(["ada", "bob"]))
    def decide(self, option: Option, reviewer: str) -> None:
        due = self.plan.review.expire_time
        done = self._try(lambda plan: self.decided(plan, option, reviewer))
        assert not done or due is None or self.now < due

    @precondition(lambda self: self.plan.is_approved)
    @rule(agent=agents, places=st.lists(st.integers(0, 2), max_size=2))
    def start_build(self, agent: str, places: list[int]) -> None:
        todos = self.plan.revision.content.todos
        wanted = tuple(todos[place].id for place in places if place < len(todos))
        order = BuildOrder(agent, wanted, self.plan.revision.digest)
        self._try(lambda plan: start_build(plan, order, self._id("build"), self.now))

    @precondition(lambda self: self.plan.builds)
    @rule(place=st.integers(0, 2), status=st.sampled_from(TodoStatus))
    def mark(self, place: int, status: TodoStatus) -> None:
        build = self.plan.builds[place % len(self.plan.builds)]
        edits = tuple(TodoEdit(id, status=status) for id in build.todo_ids[: place + 1])
        write = TodoWrite(edits, True, build.agent_id, Hand(build_id=build.build_id))
        self._try(lambda plan: write_todos(plan, write, self._id("review"), self.now))

    @precondition(lambda self: self.plan.state is not PlanState.APPROVED)
    @rule(write=writes, agent=agents)
    def write_todos(self, write: tuple[bool, TodoEdit], agent: str) -> None:
        merge, edit = write
        written = TodoWrite((edit,), merge, agent, Hand(agent_id=agent))
        self._try(lambda plan: write_todos(plan, written, self._id("review"), self.now))

    @precondition(lambda self: self.plan.builds)
    @rule(outcome=st.sampled_from(BuildOutcome))
    def finish_build(self, outcome: BuildOutcome) -> None:
        build_id = self.plan.builds[0].build_id
        self._try(lambda plan: finish_build(plan, build_id, outcome, "", self.now, hand=Hand()))

    @precondition(lambda self: self.plan.review.status is ReviewStatus.DONE)
    @rule(verb=st.sampled_from([deliver, acknowledge]))
    def receive(self, verb: Callable[..., Change | None]) -> None:
        self._try(lambda plan: verb(plan, "coder", self.now))

    @precondition(lambda self: self.ids > 20)
    @rule()
    def withdraw(self) -> None:
        self._try(lambda plan: withdraw(plan, "", "coder", self.now))

    @rule()
    def speak_out_of_turn(self) -> None:
        """What is stale is refused in every state, and nothing that is too early or too late does harm."""
        head = self.plan.revision
        stale: list[Callable[[Plan], Change]] = [
            lambda plan: self.revised(plan, TWO_STEPS, None, expected=head.number - 1),
            lambda plan: self.decided(plan, Option.APPROVE, "eve", revision=head.number - 1),
            lambda plan: self.decided(plan, Option.EDIT, "eve", digest="0" * 64),
            lambda plan: start_build(plan, BuildOrder("eve", (), "0" * 64), self._id("build"), self.now),
            lambda plan: finish_build(plan, "no build", BuildOutcome.COMPLETED, "", self.now, hand=Hand()),
            lambda plan: write_todos(
                plan, TodoWrite((), True, "eve", Hand(build_id="no build")), "", self.now
            ),
        ]
        assert not any(self._try(verb) for verb in stale)
        if self.plan.state is not PlanState.DRAFT:
            assert not self._try(lambda plan: sketch_on(plan, A_DRAFT, self.now))
            assert not self._try(lambda plan: submit_draft(plan, A_DRAFT, PLAIN, "", self.now))
        if self.plan.state not in BUILDABLE:
            order = BuildOrder("eve")
            assert not self._try(lambda plan: start_build(plan, order, self._id("build"), self.now))
        if self.plan.review.status is ReviewStatus.DONE:
            assert not self._try(lambda plan: self.decided(plan, Option.APPROVE, "eve"))
            assert not self._try(lambda plan: expire(plan, self.now))

    @invariant()
    def the_plan_is_approved_exactly_as_it_was_decided(self) -> None:
        head = self.plan.revision
        assert self.plan.is_approved == (self.ledger.approved == Approved(head.number, head.digest))
        assert self.plan.is_approved == (self.plan.state in BUILDABLE)

    @invariant()
    def only_the_approved_text_is_being_built(self) -> None:
        builds = self.plan.builds
        assert (self.plan.state is PlanState.BUILDING) == bool(builds)
        assert {build.build_id: build for build in builds} == self.ledger.live
        for build in builds:
            assert Approved(build.revision, build.digest) == self.plan.approved == self.ledger.approved

    @invariant()
    def no_todo_is_in_two_hands(self) -> None:
        held = [id for build in self.plan.builds for id in build.todo_ids]
        assert len(held) == len(set(held))
        assert self.plan.progress.keys() >= set(held)

    @invariant()
    def progress_is_that_of_the_todos(self) -> None:
        todos = self.plan.revision.content.todos
        assert set(self.plan.progress) == {todo.id for todo in todos}

    @invariant()
    def what_people_see_can_be_done(self) -> None:
        if self.plan.revision.number:
            needs = {todo.id: todo.dependencies for todo in self.plan.revision.content.todos}
            assert set(graphlib.TopologicalSorter(needs).static_order()) == set(needs)

    @invariant()
    def a_question_is_open_exactly_while_in_review(self) -> None:
        head, review = self.plan.revision, self.plan.review
        is_open = review.status is ReviewStatus.REQUESTED
        assert is_open == (self.plan.state is PlanState.IN_REVIEW)
        assert not is_open or (review.revision, review.digest) == (head.number, head.digest)

    def revised(
        self,
        plan: Plan,
        changes: Draft,
        options: ReviewOptions | None,
        *,
        author: str = "coder",
        expected: int | None = None,
    ) -> Change:
        return revise(
            plan,
            Amendment(changes, options=options),
            author=author,
            approval_request_id=self._id("review"),
            now=self.now,
            expected_revision=plan.revision.number if expected is None else expected,
        )

    def decided(
        self, plan: Plan, option: Option, reviewer: str, *, revision: int | None = None, digest: str = ""
    ) -> Change:
        head = plan.revision
        return submit_decision(
            plan,
            Decision(reviewer, option, self.now, "Measure twice"),
            revision=head.number if revision is None else revision,
            seen_digest=digest or head.digest,
            edited=Amendment(TWO_STEPS),
        )

    def _try(self, verb: Callable[[Plan], Change | None]) -> bool:
        """Whether something happened; what is refused, and what a verb was given, stays as it was."""
        before = _copy(self.plan)
        try:
            change = verb(self.plan)
        except Refusal:
            change = None
        assert self.plan == before
        if change is not None:
            self._keep(change)
        return change is not None

    def _keep(self, change: Change) -> None:
        self.ledger.record(change)
        self.plan = change.plan

    def _id(self, kind: str) -> str:
        self.ids += 1
        return f"{kind}-{self.ids}"


def _copy(plan: Plan) -> Plan:
    """The plan with copies of everything in it that could be written to."""
    revision = replace(plan.revision, hints=dict(plan.revision.hints))
    return replace(plan, revision=revision, progress=dict(plan.progress), built_by=dict(plan.built_by))


TestLife = Life.TestCase
TestLife.settings = examples(100, stateful_step_count=30)
