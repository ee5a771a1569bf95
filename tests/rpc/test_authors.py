"""An answer belongs to whoever asked: an author is told yes only to its own text, over the socket.

An author is a caller, by its token, together with the agent_id that it gives.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import (
    BuildTodosRequest,
    ReviewPlanRequest,
    ReviewPlanResponse,
    WithdrawPlanRequest,
)
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions, ReviewOutcome, ReviewStatus
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_review_service_pb2 import ListEventsRequest
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest as AiserverCreatePlanRequest
from plangate_proto.aiserver.v1.plan_service_pb2 import ReviewPlanRequest as AiserverReviewPlanRequest
from tests.helpers.gate import Gate, connected, decision, open_gate, proposal
from tests.helpers.people import People, people_at
from tests.helpers.refusals import refused
from tests.helpers.streams import cut_off, next_of, rest_of, types
from tests.helpers.tokens import local_token
from tests.rpc.steps import edited, updated, with_todos, write
from tests.rpc.test_drafts_rpc import draft, part

REVIEW = PlanState.PLAN_STATE_IN_REVIEW
APPROVED, MODIFIED, SUPERSEDED = (
    ReviewOutcome.REVIEW_OUTCOME_APPROVED,
    ReviewOutcome.REVIEW_OUTCOME_MODIFIED,
    ReviewOutcome.REVIEW_OUTCOME_SUPERSEDED,
)


class Named(NamedTuple):
    """An agent as it calls: over the connection of its token, under a name or none."""

    gate: Gate
    agent_id: str

    async def propose(self, text: str, **fields: Any) -> Plan:
        fields.setdefault("session_id", "s")
        return await self.gate.propose(proposal(text, agent_id=self.agent_id, **fields))

    async def update(self, plan: Plan, text: str) -> Plan:
        return await updated(self.gate, plan, text, agent_id=self.agent_id)

    def waiting(self, plan: Plan, **fields: Any) -> Any:
        request = ReviewPlanRequest(plan_uri=plan.plan_uri, agent_id=self.agent_id, **fields)
        return self.gate.agent.ReviewPlan(request)

    def results(self, plan: Plan, cursor: str = "", **fields: Any) -> Any:
        """The same wait in the words of aiserver.v1."""
        request = AiserverReviewPlanRequest(
            plan_uri=plan.plan_uri, agent_id=self.agent_id, cursor=cursor, **fields
        )
        return self.gate.aiserver.ReviewPlan(request)

    async def told(self, plan: Plan, **fields: Any) -> ReviewEvent:
        """The last that it hears of a plan whose stream must end."""
        answers: list[ReviewPlanResponse] = await rest_of(self.waiting(plan, **fields))
        return answers[-1].event


@pytest.fixture
async def people(tmp_path: Path) -> AsyncIterator[People]:
    """Two agents with a token each, and a person who decides."""
    async with people_at(tmp_path / "plangate.db", tmp_path, "four_eyes: false\n") as people:
        yield people


@pytest.fixture
async def person(people: People) -> Gate:
    return await people.reviewer("eve")


@pytest.fixture(params=["two tokens", "two names", "a name and none"])
async def two(people: People, request: pytest.FixtureRequest) -> tuple[Named, Named]:
    """Two authors, told apart by the token or by the name only."""
    ada = await people.agent("ada")
    if request.param == "two tokens":
        return Named(ada, "coder"), Named(await people.agent("bob"), "coder")
    return Named(ada, "coder"), Named(ada, "tidier" if request.param == "two names" else "")


def assert_superseded(event: ReviewEvent, mine: Plan, theirs: Plan) -> None:
    """It is told what became of its own text, and nothing of the other."""
    assert (event.review.outcome, event.review.superseded_by) == (
        SUPERSEDED,
        theirs.review.approval_request_id,
    )
    assert (event.digest, event.revision) == (mine.digest, mine.revision)
    assert event.review.approval_request_id == mine.review.approval_request_id
    assert not event.HasField("plan")
    assert theirs.plan not in str(event)


async def test_another_authors_plan_is_a_plan_of_its_own(two: tuple[Named, Named], person: Gate) -> None:
    """In the same session; and the answer about one is not that about the other."""
    first, second = two
    mine = await first.propose("# Mine")
    stream = first.waiting(mine)
    await next_of(stream)
    theirs = await second.propose("# Theirs")
    assert theirs.plan_uri != mine.plan_uri
    await person.decide(theirs, "approve")
    assert (await person.get(mine.plan_uri)).state == REVIEW
    await person.decide(mine, "reject", "No")
    assert types([each.event for each in await rest_of(stream)]) == ["PLAN_REJECTED"]
    assert (await second.told(theirs)).review.outcome == APPROVED


@pytest.mark.parametrize("agent_id", ["", "coder"])
async def test_the_same_author_goes_on_with_its_plan(people: People, agent_id: str) -> None:
    """One token under one name, or twice without a name, is one author, also after a restart."""
    first = Named(await people.agent("ada"), agent_id)
    plan = await first.propose("# First")
    async with connected(people.gate.address, token=await people.secret("ada", "agent", "agent")) as again:
        assert again.channel is not first.gate.channel
        after = await Named(again, agent_id).propose("# Second")
    assert (after.plan_uri, after.revision) == (plan.plan_uri, 2)


async def test_a_wait_ends_when_another_authors_text_takes_the_place(
    two: tuple[Named, Named], person: Gate
) -> None:
    """Whatever is decided about that text then is not told, live or later."""
    first, second = two
    mine = await first.propose("# Mine")
    stream = first.waiting(mine)
    await next_of(stream)
    theirs = await second.update(mine, "# Theirs")
    (last,) = await rest_of(stream)
    assert_superseded(last.event, mine, theirs)
    assert types([last.event]) == ["PLAN_UPDATED"]
    await person.decide(theirs, "approve")
    assert_superseded(await first.told(mine), mine, theirs)
    assert (await second.told(theirs)).review.outcome == APPROVED


async def test_no_cursor_leads_to_another_authors_yes(two: tuple[Named, Named], person: Gate) -> None:
    """From any place in the log, in either vocabulary: no event with that yes, and none of that type."""
    first, second = two
    mine = await first.propose("# Mine")
    theirs = await second.update(mine, "# Theirs")
    await person.decide(theirs, "approve")
    everything = [each.event for each in await rest_of(second.waiting(theirs, any_author=True, cursor=""))]
    assert types(everything) == ["SNAPSHOT"]
    start = (await next_of(first.waiting(mine, any_author=True))).event.cursor
    cursor, seen = await first_cursor(person, mine), []
    assert cursor != start
    for _ in range(4):
        event = await first.told(mine, cursor=cursor)
        seen.append(event)
        cursor = event.cursor
        if cursor == start:
            break
    assert {event.review.outcome for event in seen} == {SUPERSEDED}
    assert "PLAN_APPROVED" not in types(seen)
    request = AiserverReviewPlanRequest(plan_uri=mine.plan_uri, agent_id=first.agent_id)
    _, refusal = await cut_off(first.gate.aiserver.ReviewPlan(request))
    assert refusal.reason == "REVIEW_SUPERSEDED"


async def first_cursor(person: Gate, plan: Plan) -> str:
    """The place right after the plan was created."""
    answer = await person.reviews.ListEvents(ListEventsRequest(plan_uri=plan.plan_uri, page_size=1000))
    return answer.entries[0].event.cursor


async def test_a_plan_that_was_taken_back_answers_nobody_else(two: tuple[Named, Named], person: Gate) -> None:
    """The yes to another author's text stays that author's after the plan was withdrawn."""
    first, second = two
    mine = await first.propose("# Mine")
    theirs = await second.update(mine, "# Theirs")
    await person.decide(theirs, "approve")
    await second.gate.agent.WithdrawPlan(WithdrawPlanRequest(plan_uri=mine.plan_uri))
    assert_superseded(await first.told(mine), mine, theirs)


async def test_the_same_words_of_another_author_are_another_question(
    two: tuple[Named, Named], person: Gate
) -> None:
    """Whoever sends what stands there already is asked about, and is told the answer."""
    first, second = two
    mine = await first.propose("# The same")
    theirs = await second.update(mine, "# The same")
    assert (theirs.revision, theirs.digest) == (2, mine.digest)
    assert_superseded(await first.told(mine), mine, theirs)
    await person.decide(theirs, "approve")
    assert (await second.told(theirs)).review.outcome == APPROVED


@pytest.mark.parametrize("option", ["edit", "save"])
async def test_a_persons_edit_is_an_answer_to_the_author(
    two: tuple[Named, Named], person: Gate, option: str
) -> None:
    """Approved with it, or saved and approved then: by whom it was proposed stays."""
    first, _ = two
    mine = await first.propose("# Mine")
    if option == "edit":
        await edited(person, mine, CreatePlanParams(plan="# Mine, edited"))
    else:
        await person.decide(await updated(person, mine, "# Mine, edited"), "approve")
    event = await first.told(mine)
    assert event.review.outcome == (MODIFIED if option == "edit" else APPROVED)
    assert (await first.gate.get(mine.plan_uri)).plan == "# Mine, edited"


async def test_whoever_waits_for_a_plan_of_others_says_so(people: People, person: Gate) -> None:
    """Without any_author it is refused and told nothing; with it, it is told the decision."""
    first, second = Named(await people.agent("ada"), "coder"), Named(await people.agent("bob"), "builder")
    plan = await first.propose("# Mine")
    refusal = await refused(next_of(second.waiting(plan)))
    assert (refusal.reason, refusal.metadata["field"], refusal.metadata["author"]) == (
        "NOT_AUTHOR",
        "any_author",
        "coder",
    )
    request = AiserverReviewPlanRequest(plan_uri=plan.plan_uri, agent_id="builder")
    assert (await refused(next_of(second.gate.aiserver.ReviewPlan(request)))).reason == "NOT_AUTHOR"
    await person.decide(plan, "approve")
    assert (await second.told(plan, any_author=True)).review.outcome == APPROVED


async def test_whoever_leaves_its_name_out_waits_for_the_creator(people: People, person: Gate) -> None:
    """With the same credentials, as release 0.1.0 did; but once it has a text of its own, for that."""
    coder, nameless = Named(await people.agent("ada"), "coder"), Named(await people.agent("ada"), "")
    plan = await coder.propose("# Mine")
    await person.decide(plan, "approve")
    assert (await nameless.told(plan)).review.outcome == APPROVED
    theirs = await nameless.update(plan, "# Theirs")
    mine = await coder.propose("# Mine again")
    await person.decide(mine, "approve")
    assert_superseded(await nameless.told(plan), theirs, mine)


async def test_a_reviewer_is_told_of_every_text(two: tuple[Named, Named], person: Gate) -> None:
    """People follow the plan, and name no agent."""
    first, second = two
    mine = await first.propose("# Mine")
    await person.decide(await second.update(mine, "# Theirs"), "approve")
    request = ReviewPlanRequest(plan_uri=mine.plan_uri)
    assert (await rest_of(person.agent.ReviewPlan(request)))[-1].event.review.outcome == APPROVED
    request = ReviewPlanRequest(plan_uri=mine.plan_uri, agent_id="coder")
    refusal = await refused(rest_of(person.agent.ReviewPlan(request)))
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "agent_id")


async def test_aiserver_ends_with_the_answer_to_its_own_text(two: tuple[Named, Named], person: Gate) -> None:
    """The stream of CreatePlan: another author's text ends it with a reason, and no result."""
    first, second = two
    request = AiserverCreatePlanRequest(
        params=CreatePlanParams(plan="# Mine"), session_id="s", agent_id=first.agent_id
    )
    stream = first.gate.aiserver.CreatePlan(request)
    mine = (await next_of(stream)).event.plan
    theirs = await second.update(mine, "# Theirs")
    answers, refusal = await cut_off(stream)
    assert refusal.reason == "REVIEW_SUPERSEDED"
    assert refusal.metadata["superseded_by"] == theirs.review.approval_request_id
    assert refusal.metadata["approval_request_id"] == mine.review.approval_request_id
    assert not any(answer.HasField("result") for answer in answers)
    await person.decide(theirs, "approve")


async def test_a_retry_is_the_authors_own(two: tuple[Named, Named]) -> None:
    """The same request_id of the same author is answered as before; of another, it is another's."""
    first, second = two
    mine = await first.propose("# Mine", request_id="r1")
    assert await first.propose("# Mine", request_id="r1") == mine
    if first.gate is second.gate:
        assert (await refused(second.propose("# Mine", request_id="r1"))).reason == "REQUEST_ID_REUSED"
    else:
        assert (await second.propose("# Mine", request_id="r1")).plan_uri != mine.plan_uri


async def test_nobody_changes_a_part_of_words_it_never_saw(two: tuple[Named, Named]) -> None:
    """After another author's revision: not by a todo, nor by words to replace; by the revision, it may."""
    first, second = two
    mine = await first.propose("# Mine")
    theirs = await second.update(mine, "# Theirs, not Mine")
    todo = TodoItem(content="Paint")
    refusal = await refused(write(first.gate, mine, todo, agent_id=first.agent_id))
    assert (refusal.reason, refusal.metadata["superseded_by"]) == (
        "REVIEW_SUPERSEDED",
        theirs.review.approval_request_id,
    )
    replaced = AiserverCreatePlanRequest(
        params=CreatePlanParams(old_str="Mine", new_str="My own"), session_id="s", agent_id=first.agent_id
    )
    refusal = await refused(rest_of(first.gate.aiserver.CreatePlan(replaced)))
    assert refusal.reason == "REVIEW_SUPERSEDED"
    assert await first.gate.get(mine.plan_uri) == theirs
    own = await updated(first.gate, theirs, args=CreatePlanArgs(todos=[todo]), agent_id=first.agent_id)
    assert (own.plan, own.review.agent_id) == ("# Theirs, not Mine", first.agent_id)


async def test_a_draft_in_a_session_becomes_its_authors_next_revision(two: tuple[Named, Named]) -> None:
    """As with CreatePlan, so that one author has one plan in review; another's is left alone."""
    first, second = two
    mine, theirs = await first.propose("# Mine"), await second.propose("# Theirs")
    begun = await draft(first.gate, part("# Mi", session_id="s", agent_id=first.agent_id))
    last = part("# Mine, newer", plan_uri=begun.plan_uri, agent_id=first.agent_id, submit=True)
    after = await draft(first.gate, last)
    assert (after.plan_uri, after.revision, after.plan) == (mine.plan_uri, 2, "# Mine, newer")
    states = {plan.plan_uri: plan.state for plan in await first.gate.plans()}
    assert states == {
        mine.plan_uri: REVIEW,
        theirs.plan_uri: REVIEW,
        begun.plan_uri: PlanState.PLAN_STATE_WITHDRAWN,
    }


async def test_a_draft_whose_author_has_a_plan_is_submitted_in_one_way(people: People) -> None:
    """Waiting for it or changing it would leave two plans in review: it is refused, and says how."""
    coder = Named(await people.agent("ada"), "coder")
    begun = await draft(coder.gate, part("# Mi", session_id="s", agent_id="coder"))
    other = await coder.propose("# Other", multi_plan=True)
    for attempt in (next_of(coder.waiting(begun)), coder.update(begun, "# Mine")):
        refusal = await refused(attempt)
        assert (refusal.reason, refusal.metadata["plan_uri"]) == ("SESSION_HAS_PLAN", other.plan_uri)
    assert (await coder.gate.get(begun.plan_uri)).state == PlanState.PLAN_STATE_DRAFT


async def test_a_session_with_a_single_plan_takes_no_other(tmp_path: Path) -> None:
    """The operator's policy: refused for another author, and for a second plan of the same one."""
    policy = "plans:\n  single_plan: true\n"
    async with people_at(tmp_path / "single.db", tmp_path, policy) as people:
        first, second = Named(await people.agent("ada"), "coder"), Named(await people.agent("bob"), "coder")
        begun = await draft(first.gate, part("# Mi", session_id="s", agent_id="coder"))
        for attempt in (second.propose("# Theirs"), draft(second.gate, part("# T", session_id="s"))):
            refusal = await refused(attempt)
            assert (refusal.reason, refusal.metadata["plan_uri"]) == ("SESSION_HAS_PLAN", begun.plan_uri)
        mine = await first.propose("# Mine")
        assert mine.plan_uri == begun.plan_uri
        assert (await refused(first.propose("# More", multi_plan=True))).reason == "SESSION_HAS_PLAN"
        assert (await first.propose("# Mine, newer")).plan_uri == mine.plan_uri
        assert (await second.propose("# Elsewhere", session_id="t")).state == REVIEW


async def test_a_draft_that_was_begun_before_the_rule_is_not_submitted_beside_another(tmp_path: Path) -> None:
    """What the operator allows is looked at when people are asked, not only when the draft was begun."""
    policy = tmp_path / "policy.yaml"
    async with open_gate(tmp_path / "late.db") as gate:
        begun = await draft(gate, part("# Mi", session_id="s", agent_id="coder"))
        other = await gate.propose(proposal("# Theirs", session_id="s", agent_id="tidier"))
    policy.write_text("plans:\n  single_plan: true\n", encoding="utf-8")
    async with open_gate(tmp_path / "late.db", policy) as gate:
        again = part("# Mine", plan_uri=begun.plan_uri, agent_id="coder", submit=True)
        refusal = await refused(draft(gate, again))
        assert (refusal.reason, refusal.metadata["plan_uri"]) == ("SESSION_HAS_PLAN", other.plan_uri)


async def test_a_quorum_counts_for_one_text(people: People) -> None:
    """Half of the approvals go with the text that was replaced; the other author begins with none."""
    first, second = Named(await people.agent("ada"), "coder"), Named(await people.agent("bob"), "coder")
    one, two = await people.reviewer("eve"), await people.reviewer("dan")
    mine = await first.propose("# Mine", review=ReviewOptions(required_approvals=2))
    await one.decide(mine, "approve")
    theirs = await second.update(mine, "# Theirs")
    assert (await refused(two.decide(mine, "approve"))).reason == "STALE_REVISION"
    await two.decide(theirs, "approve")
    assert (await one.get(mine.plan_uri)).review.status == ReviewStatus.REVIEW_STATUS_REQUESTED
    await one.decide(theirs, "approve")
    assert_superseded(await first.told(mine), mine, theirs)


async def test_the_digest_of_the_decision_is_what_is_built(two: tuple[Named, Named], person: Gate) -> None:
    """An agent that sends the digest it was told builds its own text or nothing."""
    first, second = two
    mine = await first.propose("# Mine")
    await person.decide(mine, "approve")
    told = await first.told(mine)
    await person.decide(await second.update(mine, "# Theirs"), "approve")
    request = BuildTodosRequest(plan_uri=mine.plan_uri, agent_id="coder", expected_digest=told.digest)
    assert (await refused(first.gate.agent.BuildTodos(request))).reason == "STALE_APPROVAL"


async def test_the_receipt_of_a_decision_names_who_waited(people: People, person: Gate) -> None:
    """By the name that it gave, or else by that of its token."""
    first = Named(await people.agent("ada"), "coder")
    plan = await first.propose("# Mine")
    await person.reviews.SubmitReview(decision(plan, "approve"))
    await first.told(plan)
    event = (await rest_of(first.waiting(plan, cursor=await first_cursor(person, plan), follow=False)))[-1]
    assert event.event.review.outcome == APPROVED
    answer = await person.reviews.ListEvents(ListEventsRequest(plan_uri=plan.plan_uri, page_size=1000))
    delivered = [each.event for each in answer.entries if types([each.event]) == ["DECISION_DELIVERED"]]
    assert [event.actor for event in delivered] == ["coder"]


async def test_an_admin_who_names_no_agent_edits_as_a_person_does(people: People, person: Gate) -> None:
    """It stays the author's proposal, as with a reviewer's edit; under a name, it is that agent's text."""
    first = Named(await people.agent("ada"), "coder")
    async with connected(people.gate.address, token=local_token("admin")) as admin:
        mine = await first.propose("# Mine")
        await person.decide(await updated(admin, mine, "# Mine, edited"), "approve")
        assert (await first.told(mine)).review.outcome == APPROVED
        head = await admin.get(mine.plan_uri)
        theirs = await Named(admin, "bot").update(head, "# Theirs")
        assert (await first.told(mine)).review.superseded_by == theirs.review.approval_request_id


async def last_cursor(gate: Gate) -> str:
    """The end of the log, with what is delivered to whom."""
    answer = await gate.reviews.ListEvents(ListEventsRequest(page_size=1000))
    return answer.next_cursor


@pytest.mark.parametrize("option", ["approve", "edit"])
async def test_at_the_end_of_the_log_an_author_is_told_of_its_own_text(
    two: tuple[Named, Named], person: Gate, option: str
) -> None:
    """In both vocabularies: what became of it, and no result of another's; whose text it is, the result."""
    first, second = two
    mine = await first.propose("# Mine")
    theirs = await second.update(mine, "# Theirs")
    if option == "approve":
        await person.decide(theirs, "approve")
    else:
        await edited(person, theirs, CreatePlanParams(plan="# Theirs, edited"))
    await second.told(theirs)
    cursor = await last_cursor(person)
    assert_superseded(await first.told(mine, cursor=cursor), mine, theirs)
    answers, refusal = await cut_off(first.results(mine, cursor))
    assert refusal.reason == "REVIEW_SUPERSEDED"
    assert not any(answer.HasField("result") for answer in answers)
    assert not await rest_of(second.waiting(mine, cursor=cursor))
    (answer,) = await rest_of(second.results(mine, cursor))
    assert answer.result.WhichOneof("result") == ("accepted" if option == "approve" else "modified")
    assert answer.result.modified.new_plan == ("" if option == "approve" else "# Theirs, edited")


async def test_at_the_end_of_the_log_a_stranger_is_told_nothing(people: People, person: Gate) -> None:
    """Who has no text in the plan is refused there, too, in both vocabularies, unless it says any_author."""
    first, stranger = Named(await people.agent("ada"), "coder"), Named(await people.agent("bob"), "builder")
    mine = await first.propose("# Mine")
    await person.decide(mine, "approve")
    cursor = await last_cursor(person)
    for stream in (stranger.waiting(mine, cursor=cursor), stranger.results(mine, cursor)):
        answers, refusal = await cut_off(stream)
        assert (refusal.reason, answers) == ("NOT_AUTHOR", [])
    (answer,) = await rest_of(stranger.results(mine, cursor, any_author=True))
    assert answer.result.HasField("accepted")


@pytest.mark.parametrize("option", ["approve", "edit"])
async def test_a_result_is_of_the_text_that_was_told_last(
    two: tuple[Named, Named], person: Gate, option: str
) -> None:
    """From an old cursor, where another author's text and todos stand there by now."""
    first, second = two
    mine = await first.gate.propose(with_todos(session_id="s", agent_id=first.agent_id))
    cursor = await first_cursor(person, mine)
    if option == "approve":
        await person.decide(mine, "approve")
    else:
        await edited(person, mine, CreatePlanParams(plan="# Mine, edited"))
    head = await first.gate.get(mine.plan_uri)
    args = CreatePlanArgs(plan="# Theirs", todos=[TodoItem(id="theirs", content="Paint")])
    theirs = await updated(second.gate, head, args=args, agent_id=second.agent_id)
    await edited(person, theirs, CreatePlanParams(plan="# Theirs, edited"))
    result = (await rest_of(first.results(mine, cursor)))[-1].result
    told = result.accepted if option == "approve" else result.modified
    assert result.HasField("accepted" if option == "approve" else "modified")
    assert [todo.content for todo in told.final_todos] == [todo.content for todo in mine.todos]
    assert result.modified.new_plan == ("" if option == "approve" else "# Mine, edited")


async def test_whoever_resumes_before_its_own_first_text_is_told_from_there_on(
    two: tuple[Named, Named], person: Gate
) -> None:
    """Nothing of what was decided before, also without a name; and then the answer to its own."""
    first, second = two
    mine = await first.propose("# Mine")
    cursor = await first_cursor(person, mine)
    await person.decide(mine, "approve")
    theirs = await second.update(mine, "# Theirs")
    await person.decide(theirs, "reject", "No")
    told = [each.event for each in await rest_of(second.waiting(mine, cursor=cursor))]
    assert types(told)[0] == "PLAN_UPDATED"
    assert types(told)[-1] == "PLAN_REJECTED"
    assert {event.digest for event in told} == {theirs.digest}
    assert (await rest_of(second.results(mine, cursor)))[-1].result.HasField("rejected")


async def test_what_another_wrote_into_the_draft_of_a_nameless_agent_is_not_told_as_its_own(
    people: People, person: Gate
) -> None:
    """An admin's agent went on with it: the text is that agent's, whoever submits it."""
    nameless = Named(await people.agent("ada"), "")
    bot = Named(await people.admin("eve"), "bot")
    begun = await draft(nameless.gate, part("# Mi", session_id="s"))
    theirs = await draft(bot.gate, part("# Theirs", plan_uri=begun.plan_uri, agent_id="bot", submit=True))
    assert (theirs.plan_uri, theirs.review.agent_id) == (begun.plan_uri, "bot")
    await person.decide(theirs, "approve")
    assert (await bot.told(theirs)).review.outcome == APPROVED
    for cursor in ("", await last_cursor(person)):
        for stream in (nameless.waiting(theirs, cursor=cursor), nameless.results(theirs, cursor)):
            answers, refusal = await cut_off(stream)
            assert (refusal.reason, answers) == ("NOT_AUTHOR", [])


async def test_what_another_wrote_into_a_draft_does_not_replace_the_plan_beside_it(people: People) -> None:
    """Who left its name out, or an admin's agent, submits its words as no revision of the author's plan."""
    coder, nameless = Named(await people.agent("ada"), "coder"), Named(await people.agent("ada"), "")
    begun = await draft(coder.gate, part("# Mi", session_id="s", agent_id="coder"))
    mine = await coder.propose("# Mine", multi_plan=True)
    for other in (nameless, Named(await people.admin("eve"), "bot")):
        last = part("# Theirs", plan_uri=begun.plan_uri, agent_id=other.agent_id, submit=True)
        refusal = await refused(draft(other.gate, last))
        assert (refusal.reason, refusal.metadata["plan_uri"]) == ("SESSION_HAS_PLAN", mine.plan_uri)
    assert await coder.gate.get(mine.plan_uri) == mine
    assert await coder.gate.get(begun.plan_uri) == begun
    own = part("# Mine, newer", plan_uri=begun.plan_uri, agent_id="coder", submit=True)
    assert (await draft(coder.gate, own)).plan_uri == mine.plan_uri


async def test_a_session_with_a_single_plan_takes_no_ended_one_back(tmp_path: Path) -> None:
    """A new revision of what was rejected asks anew: not beside another plan, by text or by todos."""
    policy = "plans:\n  single_plan: true\n"
    async with people_at(tmp_path / "single.db", tmp_path, policy) as people:
        first, second = Named(await people.agent("ada"), "coder"), Named(await people.agent("bob"), "coder")
        person = await people.reviewer("eve")
        over = await first.propose("# Mine")
        await person.decide(over, "reject", "No")
        theirs = await second.propose("# Theirs")
        for attempt in (
            first.update(over, "# Mine, newer"),
            write(first.gate, over, TodoItem(content="Paint"), agent_id="coder"),
        ):
            refusal = await refused(attempt)
            assert (refusal.reason, refusal.metadata["plan_uri"]) == ("SESSION_HAS_PLAN", theirs.plan_uri)
        assert (await first.gate.get(over.plan_uri)).state == PlanState.PLAN_STATE_REJECTED
        await person.decide(theirs, "reject", "No")
        assert (await first.update(over, "# Mine, newer")).state == REVIEW


async def test_messages_of_a_draft_name_the_agent_that_began_the_stream(people: People) -> None:
    """Or none; another name in a later one is refused, and what was written stays."""
    coder = await people.agent("ada")
    first = part("# Mi", session_id="s", agent_id="coder")
    plan = await draft(coder, first, part("# Min", agent_id="coder"), part("# Mine", submit=True))
    assert (plan.created_by, plan.review.agent_id, plan.state) == ("coder", "coder", REVIEW)
    refusal = await refused(draft(coder, part("# Th", session_id="t"), part("# Theirs", agent_id="coder")))
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "agent_id")
    assert [each.plan for each in await coder.plans() if each.session_id == "t"] == ["# Th"]


async def test_the_creators_name_is_no_name_for_who_goes_on_without_one(people: People) -> None:
    """A stream that goes on with a named agent's draft and names nobody stays nobody's in particular."""
    coder = await people.agent("ada")
    begun = await draft(coder, part("# Mi", session_id="s", agent_id="coder"))
    later = part("# Theirs", agent_id="coder")
    refusal = await refused(draft(coder, part("# Th", plan_uri=begun.plan_uri), later))
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "agent_id")
    assert (await coder.get(begun.plan_uri)).plan == "# Th"
