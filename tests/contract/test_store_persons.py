"""Who answers for what is kept by every store, and is still known when the gate starts again."""

from pathlib import Path

from msgspec.structs import replace

from plangate_server.domain.approvals import Approval, ApprovalDecision, ApprovalState
from plangate_server.domain.events import Change, Event, EventType, LogEvent, SessionChange, SessionEvent
from plangate_server.domain.four_eyes import asked_for
from plangate_server.domain.lifecycle import submit_decision
from plangate_server.domain.plan import Plan
from plangate_server.domain.remembering import Remembered, Scope
from plangate_server.domain.review import Decision, Option, ReviewOptions
from plangate_server.domain.sessions import FullAccessState, SessionMode, begin
from plangate_server.domain.tools import Call, ToolKind
from plangate_server.ports import EventFilter, Reading, Store
from tests.helpers.backends import ALL, Backend, every_backend, every_database, go_on, save
from tests.helpers.domain import LATER, NOW, a_proposal, revised

MEMORY = Remembered(
    "d" * 32,
    ToolKind.TERMINAL,
    "bash",
    "make",
    is_pattern=False,
    allows=True,
    scope=Scope.WORKSPACE,
    reviewer="bob-desk",
    create_time=NOW,
    person="bob",
)
CALL = Approval(
    "a" * 32,
    "acme",
    "s",
    "c-1",
    ToolKind.TERMINAL,
    "bash",
    "make",
    NOW,
    "bot",
    ApprovalState.DECIDED,
    person="ada",
    decision=ApprovalDecision.APPROVED,
    reviewer="root",
    end_time=LATER,
    break_glass="the other one",
)
SESSION = replace(
    begin("acme", "s", NOW),
    mode=SessionMode.FULL_ACCESS,
    full_access=FullAccessState.ACTIVE,
    full_access_confirmed=True,
    full_access_by="bob",
)


def approving(plan: Plan) -> Change:
    glass = Decision("root", Option.APPROVE, LATER, person="eve", break_glass="on fire")
    head = plan.revision
    return submit_decision(plan, glass, revision=head.number, seen_digest=head.digest, four_eyes=True)


async def filled(store: Store) -> Plan:
    """A plan of ada's that bob's agent edited and an admin let pass; and a session with all that it has."""
    options = ReviewOptions(required_approvals=2)
    plan = await save(store, asked_for(a_proposal(session_id="s", options=options), "ada"))
    await go_on(store, plan, lambda stored: asked_for(revised(stored), "bob"))
    told = SessionEvent(EventType.BREAK_GLASS_USED, LATER, "root", "acme", SESSION, CALL, message="again")
    token = SessionEvent(EventType.TOKEN_CREATED, LATER, "root", "acme", message="for eve")
    change = SessionChange((SESSION,), (told, token), (CALL,), (MEMORY,))
    await store.write("acme", lambda writing: writing.save(change))
    return await go_on(store, plan, approving)


async def check_everything(store: Store, plan: Plan) -> None:
    def look(reading: Reading) -> None:
        stored = reading.plan(plan.plan_id)
        assert stored == plan
        assert (stored.person, stored.revision.person, stored.review.person) == ("ada", "bob", "bob")
        (decision,) = stored.review.decisions
        assert (decision.person, decision.break_glass) == ("eve", "on fire")
        revisions = reading.revisions(plan.plan_id, after=0, limit=ALL)
        assert [revision.person for revision in revisions] == ["ada", "bob"]
        reviews = reading.reviews_of_plan(plan.plan_id, after="", limit=ALL)
        assert [review.person for review in reviews] == ["ada", "bob"]
        assert reading.approval("s", "c-1") == CALL
        assert reading.memory("s") == [MEMORY]
        session = reading.session("s")
        assert session is not None
        assert session.full_access_by == "bob"

    await store.read("acme", look)
    gate = await store.gate("acme", "s")
    assert gate.session is not None
    assert gate.session.full_access_by == "bob"
    make = Call("bash", "make", kind=ToolKind.TERMINAL)
    assert gate.memory.allowing(make, LATER, not_by="ada") == MEMORY
    assert gate.memory.allowing(make, LATER, not_by="bob") is None


async def check_the_log(store: Store, plan: Plan) -> None:
    """A broken glass of a plan is an event of plans, one of a call is not."""

    async def told(which: EventFilter) -> list[LogEvent]:
        return [*await store.read("acme", lambda reading: reading.events(which, after=0, limit=ALL))]

    broken = await told(EventFilter(types=frozenset({EventType.BREAK_GLASS_USED})))
    of_call, of_plan = broken
    assert isinstance(of_call, SessionEvent)
    assert (of_call.approval, of_call.message) == (CALL, "again")
    assert isinstance(of_plan, Event)
    assert (of_plan.plan.plan_id, of_plan.message) == (plan.plan_id, "on fire")
    assert [each for each in await told(EventFilter(only_plans=True)) if each in broken] == [of_plan]
    (token,) = await told(EventFilter(types=frozenset({EventType.TOKEN_CREATED})))
    assert isinstance(token, SessionEvent)
    assert token.message == "for eve"


@every_backend
async def test_persons_are_kept(backend: Backend, tmp_path: Path) -> None:
    """Of plans, revisions, reviews, decisions, calls, remembered answers and full access."""
    async with backend.open(tmp_path) as node:
        plan = await filled(node.store)
        await check_everything(node.store, plan)
        await check_the_log(node.store, plan)


@every_database
async def test_persons_survive_a_restart(backend: Backend, tmp_path: Path) -> None:
    """And with them who cannot approve what."""
    async with backend.open(tmp_path) as node:
        plan = await filled(node.store)
    async with backend.open(tmp_path) as node:
        await check_everything(node.store, plan)
        await check_the_log(node.store, plan)
