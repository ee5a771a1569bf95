"""A decision that is refused stands in the log: who, what, about which text, and why; no more."""

import logging
from collections.abc import Callable, Sequence
from contextlib import aclosing
from datetime import timedelta
from typing import Any, cast

import pytest
from msgspec.structs import replace

from plangate_server.domain.approvals import Approval, ApprovalDecision
from plangate_server.domain.content import Draft
from plangate_server.domain.errors import AlreadyDecided, Reason, Refusal, StaleRevision, StoreUnavailable
from plangate_server.domain.events import RefusedDecision
from plangate_server.domain.identity import Principal, Role
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import ReviewOptions
from plangate_server.domain.sessions import SessionMode
from plangate_server.domain.tools import ToolKind
from plangate_server.ports import EventFilter, RequestKey, Result, Store, Writing
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.refusals import UNRECORDED, Attempt, decide_once, record_role_refusal
from plangate_server.usecases.request_approval import RequestApproval, request_approval
from plangate_server.usecases.resolve_approval import ResolveApproval, resolve_approval
from plangate_server.usecases.session_modes import change_mode, confirm, report_event
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from plangate_server.usecases.work_of_call import Work
from tests.helpers.backends import ALL
from tests.helpers.domain import NOW, a_draft
from tests.helpers.error_reasons import promises
from tests.helpers.world import AGENT, PERSON, Sandbox
from tests.unit.usecases.steps import about, decide

OTHER_DIGEST = "0" * 64
HOUR = timedelta(hours=1)
TWO_DAYS = timedelta(days=2)
BOB = Principal("bob", "acme", Role.REVIEWER, "bob")
KEY = RequestKey(PERSON.name, "r-1", "same")

IN_THE_DECISION = frozenset({"FAILED_PRECONDITION", "ABORTED", "PERMISSION_DENIED"})
"""The statuses of refusals about things that there are: as they stand, or as the caller is, it cannot be."""


class RoleNotAllowed(Refusal):
    """As the boundary refuses a caller whose role may not decide."""

    reason = cast(Reason, "ROLE_NOT_ALLOWED")


async def refusals(sandbox: Sandbox, which: EventFilter | None = None) -> Sequence[RefusedDecision]:
    look = which or EventFilter()
    log = await sandbox.store.read("acme", lambda reading: reading.events(look, after=0, limit=ALL))
    return [event for event in log if isinstance(event, RefusedDecision)]


async def refused(sandbox: Sandbox, command: SubmitReview, who: Principal = PERSON) -> Refusal:
    with pytest.raises(Refusal) as found:
        await submit_review(sandbox.world, who, command)
    return found.value


async def a_call(sandbox: Sandbox, plan: Plan | None = None) -> Approval:
    """A call that waits for a yes."""
    call = Approval("", "", "s", "c-1", ToolKind.TERMINAL, "bash", "make", NOW, "")
    command = RequestApproval(call, Work(plan.uri if plan else ""))
    async with aclosing(request_approval(sandbox.world, AGENT, command)) as stream:
        return (await anext(stream)).approval


@pytest.mark.parametrize("reason", Reason)
def test_which_refusals_are_recorded(reason: Reason) -> None:
    """Those about things that there are; not what is malformed, names nothing, or failed with the service."""
    assert (reason not in UNRECORDED) == (promises()[reason].status in IN_THE_DECISION)


@pytest.mark.parametrize("reason", Reason)
async def test_a_refusal_is_recorded_by_its_reason(sandbox: Sandbox, reason: Reason) -> None:
    """Whatever refuses the work of a decision, the caller gets that very refusal."""
    refusal = type("SomeRefusal", (Refusal,), {"reason": reason})("no", field="digest", part="one")

    def work(writing: Writing) -> Any:
        raise refusal

    with pytest.raises(Refusal) as got:
        await decide_once(sandbox.world, PERSON, None, Attempt("SubmitReview", "approve"), work)
    assert got.value is refusal
    assert [each.reason for each in await refusals(sandbox)] == [reason] * (reason not in UNRECORDED)


@pytest.mark.parametrize("option", ["approve", "rejectAndTellWhatToDoDifferently", "requestChanges", "edit"])
@pytest.mark.parametrize("seen", [{"revision": 2}, {"revision": -1}, {"digest": OTHER_DIGEST}])
async def test_a_stale_decision_is_recorded(
    sandbox: Sandbox, plan: Plan, option: str, seen: dict[str, Any]
) -> None:
    """With what its maker chose, the revision and digest that they said they saw, and their request's id."""
    edited = Amendment(Draft("# Mine")) if option == "edit" else None
    command = replace(about(plan, option, "Why?"), **seen, edited=edited, key=KEY)
    sandbox.clock.advance(HOUR)
    assert isinstance(await refused(sandbox, command), StaleRevision)
    assert await refusals(sandbox) == [
        RefusedDecision(
            time=NOW + HOUR,
            actor="ada",
            workspace="acme",
            person="ada",
            method="SubmitReview",
            reason="STALE_REVISION",
            selected_option=option,
            plan_id=plan.plan_id,
            approval_request_id=plan.review.approval_request_id,
            revision=command.revision,
            digest=command.digest,
            request_id="r-1",
            sequence=3,
        )
    ]


async def test_the_loser_of_a_race_is_recorded(sandbox: Sandbox, plan: Plan) -> None:
    """Who came second stands in the log with what they wanted; older words count as the newer."""
    await decide(sandbox, plan)
    assert isinstance(await refused(sandbox, about(plan, "reject"), BOB), AlreadyDecided)
    (found,) = await refusals(sandbox)
    assert (found.actor, found.reason) == ("bob", "ALREADY_DECIDED")
    assert found.selected_option == "rejectAndTellWhatToDoDifferently"
    assert (found.revision, found.digest) == (1, plan.revision.digest)
    assert found.request_id == ""


async def test_a_decision_under_an_old_reviews_name_is_recorded(sandbox: Sandbox, plan: Plan) -> None:
    """It was about the plan's older revision, and stands with the review that it named."""
    change = UpdatePlan(plan.uri, 1, Amendment(Draft("# Other words")), "builder-bot")
    newer = await update_plan(sandbox.world, AGENT, change)
    await refused(sandbox, about(plan))
    (found,) = await refusals(sandbox)
    assert (found.plan_id, found.approval_request_id) == (plan.plan_id, plan.review.approval_request_id)
    assert (found.reason, found.revision, found.digest) == ("STALE_REVISION", 1, plan.revision.digest)
    assert newer.review.approval_request_id != found.approval_request_id


async def test_a_decision_that_came_too_late_is_recorded(sandbox: Sandbox) -> None:
    """Also before anybody noticed that the time is over."""
    options = ReviewOptions(expires_after=HOUR)
    plan = await create_plan(sandbox.world, AGENT, CreatePlan(a_draft(), session_id="s", options=options))
    sandbox.clock.advance(HOUR)
    await refused(sandbox, about(plan))
    (found,) = await refusals(sandbox)
    assert (found.reason, found.plan_id, found.session_id) == ("ALREADY_DECIDED", plan.plan_id, "s")


async def test_a_second_approval_of_one_person_is_recorded(sandbox: Sandbox) -> None:
    """Where several must agree, nobody agrees twice; and the approvals that are still needed can come."""
    options = ReviewOptions(required_approvals=2)
    plan = await create_plan(sandbox.world, AGENT, CreatePlan(a_draft(), options=options))
    await submit_review(sandbox.world, PERSON, about(plan))
    await refused(sandbox, about(plan))
    assert [each.reason for each in await refusals(sandbox)] == ["ALREADY_DECIDED"]
    done = await submit_review(sandbox.world, BOB, about(plan))
    assert done.approved is not None


async def test_an_answer_to_a_prompt_that_is_not_active_is_recorded(sandbox: Sandbox) -> None:
    """With the digest of the call, and not with the token that was shown."""
    call = await a_call(sandbox)
    command = ResolveApproval("s", "c-1", "guessed", ApprovalDecision.APPROVED_FOR_SESSION, key=KEY)
    with pytest.raises(Refusal) as got:
        await resolve_approval(sandbox.world, PERSON, command)
    (found,) = await refusals(sandbox)
    assert got.value.reason == found.reason == "PROMPT_NOT_ACTIVE"
    assert (found.session_id, found.call_id, found.digest) == ("s", "c-1", call.digest)
    assert (found.method, found.selected_option) == ("ResolveApproval", "APPROVED_FOR_SESSION")
    assert (found.plan_id, found.request_id) == ("", "r-1")
    assert "guessed" not in repr(found)


async def test_a_late_answer_to_a_call_of_a_plan_is_recorded(sandbox: Sandbox, plan: Plan) -> None:
    """It is found with the plan, like the call itself."""
    call = await a_call(sandbox, plan)
    command = ResolveApproval("s", "c-1", call.authority_token, ApprovalDecision.DENIED)
    await resolve_approval(sandbox.world, PERSON, command)
    with pytest.raises(Refusal):
        await resolve_approval(sandbox.world, BOB, replace(command, decision=ApprovalDecision.APPROVED))
    which = EventFilter(plan_id=plan.plan_id)
    (found,) = await refusals(sandbox, which)
    assert (found.reason, found.plan_id) == ("ALREADY_DECIDED", plan.plan_id)
    log = await sandbox.store.read("acme", lambda reading: reading.events(which, after=2, limit=ALL))
    assert [event.type for event in log] == ["tool_call_requested", "tool_call_decided", "decision_refused"]


@pytest.mark.parametrize(("yes", "word"), [(True, "confirm"), (False, "decline")])
async def test_an_answer_about_full_access_that_nobody_asked_for_is_recorded(
    sandbox: Sandbox, yes: bool, word: str
) -> None:
    """With the session; of changes of its mode, and of what agents report, nothing is."""
    await change_mode(sandbox.world, PERSON, "s", SessionMode.PLAN, None)
    with pytest.raises(Refusal):
        await confirm(sandbox.world, PERSON, "s", confirm=yes, key=KEY)
    with pytest.raises(Refusal):
        await report_event(sandbox.world, AGENT, "s", None, None)
    (found,) = await refusals(sandbox)
    assert (found.reason, found.session_id) == ("FULL_ACCESS_NOT_PENDING", "s")
    assert (found.method, found.selected_option, found.request_id) == ("ConfirmFullAccess", word, "r-1")


@pytest.mark.parametrize(
    "changes",
    [
        {"approval_request_id": ""},
        {"approval_request_id": "f" * 32},
        {"selected_option": "yes"},
        {"selected_option": "edit"},
        {"selected_option": "requestChanges"},
        {"digest": ""},
        {"feedback_text": "x" * 65_537},
    ],
    ids=lambda changes: next(iter(changes)),
)
async def test_what_is_no_decision_is_not_recorded(
    sandbox: Sandbox, plan: Plan, changes: dict[str, Any]
) -> None:
    """Requests that are not whole, or name nothing."""
    await refused(sandbox, replace(about(plan), **changes))
    assert await refusals(sandbox) == []
    with pytest.raises(Refusal):
        await confirm(sandbox.world, PERSON, "nobody", confirm=True, key=None)
    command = ResolveApproval("s", "nothing", "", ApprovalDecision.DENIED)
    with pytest.raises(Refusal):
        await resolve_approval(sandbox.world, PERSON, command)
    assert await sandbox.last_sequence() == 2


async def test_a_refusal_leaves_the_request_id_free(sandbox: Sandbox, plan: Plan) -> None:
    """The mended request is taken under it, and both entries name it."""
    await refused(sandbox, replace(about(plan), revision=2, key=KEY))
    mended = replace(about(plan), key=replace(KEY, fingerprint="mended"))
    assert (await submit_review(sandbox.world, PERSON, mended)).approved is not None
    log = await sandbox.store.read("acme", lambda reading: reading.events(EventFilter(), after=2, limit=ALL))
    assert [(event.type, event.request_id) for event in log] == [
        ("decision_refused", "r-1"),
        ("plan_approved", "r-1"),
    ]


async def test_the_same_refusal_is_recorded_once(sandbox: Sandbox, plan: Plan) -> None:
    """However often it is repeated, under whatever request_id; after a day or two it is news again."""
    await decide(sandbox, plan)
    for number in range(50):
        await refused(sandbox, replace(about(plan), key=RequestKey("ada", f"r-{number}", "x")))
    assert [each.request_id for each in await refusals(sandbox)] == ["r-0"]
    sandbox.clock.advance(TWO_DAYS)
    await sandbox.store.forget(events_before=None, requests_before=sandbox.clock.now() + TWO_DAYS * 1000)
    await refused(sandbox, about(plan))
    assert len(await refusals(sandbox)) == 2


async def test_every_other_refusal_is_recorded(sandbox: Sandbox, plan: Plan) -> None:
    """Another person, choice, revision or reason makes another entry."""
    twice = [about(plan), about(plan)]
    change = UpdatePlan(plan.uri, 1, Amendment(Draft("# Other words")), "builder-bot")
    newer = await update_plan(sandbox.world, AGENT, change)
    stale = replace(about(newer), revision=1)
    for command in (*twice, about(plan, "reject"), stale, replace(about(newer), digest=OTHER_DIGEST)):
        await refused(sandbox, command)
    await refused(sandbox, about(plan), BOB)
    await decide(sandbox, newer)
    await refused(sandbox, about(newer))
    assert [(each.actor, each.reason, each.revision) for each in await refusals(sandbox)] == [
        ("ada", "STALE_REVISION", 1),
        ("ada", "STALE_REVISION", 1),
        ("ada", "STALE_REVISION", 1),
        ("ada", "STALE_REVISION", 2),
        ("bob", "STALE_REVISION", 1),
        ("ada", "ALREADY_DECIDED", 2),
    ]


async def test_made_up_revisions_and_digests_do_not_make_the_log_grow(sandbox: Sandbox, plan: Plan) -> None:
    """What a caller can vary without end counts as one; and of what they say they saw, little is kept."""
    for number in range(2, 50):
        await refused(sandbox, replace(about(plan), revision=number))
        await refused(sandbox, replace(about(plan), revision=1, digest=f"{number}" * 1000))
    assert [(each.revision, len(each.digest)) for each in await refusals(sandbox)] == [(2, 64), (1, 64)]


async def test_nobody_can_use_up_what_a_refusal_is_known_by(sandbox: Sandbox, plan: Plan) -> None:
    """Requests are told apart by who made them; these are the service's own."""
    names: list[str] = []

    class Listening:
        async def write(self, workspace: str, work: Callable[[Writing], Result]) -> Result:
            def listening(writing: Writing) -> Result:
                class Overheard:
                    def __getattr__(self, name: str) -> Any:
                        return getattr(writing, name)

                    def remember(self, key: RequestKey, answer: Any) -> None:
                        names.append(key.principal)
                        writing.remember(key, answer)

                return work(cast(Writing, Overheard()))

            return await sandbox.store.write(workspace, listening)

    world = replace(sandbox.world, store=cast(Store, Listening()))
    await record_role_refusal(world, PERSON, "SubmitReview", RoleNotAllowed("no"))
    assert names == ["plangate\nada"]


class FailingStore:
    """Refuses as the real one does, and then cannot be written."""

    def __init__(self, store: Store, failure: Exception) -> None:
        self._store = store
        self._failure = failure
        self._writes = 0

    async def write(
        self, workspace: str, work: Callable[[Writing], Result], key: RequestKey | None = None
    ) -> Result:
        self._writes += 1
        if self._writes > 1:
            raise self._failure
        return await self._store.write(workspace, work, key)


@pytest.mark.parametrize("failure", [StoreUnavailable(), RuntimeError("a secret")])
async def test_a_refusal_that_cannot_be_recorded_is_still_the_answer(
    sandbox: Sandbox, plan: Plan, failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is approved, the caller learns why, and the operator learns that the entry is missing."""
    world = replace(sandbox.world, store=cast(Store, FailingStore(sandbox.store, failure)))
    with caplog.at_level(logging.ERROR), pytest.raises(StaleRevision):
        await submit_review(world, PERSON, replace(about(plan), revision=2))
    assert await refusals(sandbox) == []
    (record,) = caplog.records
    assert record.getMessage() == "a decision was refused, and that could not be recorded"
    told = vars(record)["plangate"]
    assert (told.event, told.fields) == (
        "refusal_unrecorded",
        {"method": "SubmitReview", "reason": "STALE_REVISION"},
    )


DECIDING = {
    "/aiserver.v1.PlanReviewService/SubmitReview": "SubmitReview",
    "/agent.v1.ApprovalService/ResolveApproval": "ResolveApproval",
    "ConfirmFullAccess": "ConfirmFullAccess",
}


@pytest.mark.parametrize("method", DECIDING)
async def test_a_caller_whose_role_may_not_decide_is_recorded(sandbox: Sandbox, method: str) -> None:
    """With the call and the person who answers for the caller: more was not read."""
    await record_role_refusal(sandbox.world, AGENT, method, RoleNotAllowed("reviewers decide"))
    (found,) = await refusals(sandbox)
    assert found == RefusedDecision(
        time=NOW,
        actor="builder-bot",
        workspace="acme",
        person="ada",
        method=DECIDING[method],
        reason="ROLE_NOT_ALLOWED",
        sequence=1,
    )


async def test_a_caller_whose_role_may_not_decide_is_recorded_once_for_each_call(sandbox: Sandbox) -> None:
    """However often it tries; another caller has an entry of its own."""
    other = replace(AGENT, name="other-bot")
    for _ in range(20):
        for principal in (AGENT, other):
            for method in DECIDING:
                await record_role_refusal(sandbox.world, principal, method, RoleNotAllowed("no"))
    assert len(await refusals(sandbox)) == 2 * len(DECIDING)


async def test_a_role_refusal_that_cannot_be_recorded_raises_nothing(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever records it has a refusal to give, and gives that."""
    store = FailingStore(sandbox.store, StoreUnavailable())
    world = replace(sandbox.world, store=cast(Store, store))
    for method in list(DECIDING)[:2]:
        await record_role_refusal(world, AGENT, method, RoleNotAllowed("no"))
    assert len(await refusals(sandbox)) == 1
    assert [vars(record)["plangate"].event for record in caplog.records] == ["refusal_unrecorded"]
