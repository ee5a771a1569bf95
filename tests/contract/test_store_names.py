"""Everything that belongs to a plan is found by its own name: reviews, revisions, builds, comments."""

from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from plangate_server.domain.building import Hand, finish_build
from plangate_server.domain.builds import BuildOutcome
from plangate_server.domain.comments import CommentState
from plangate_server.domain.events import Change
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import Option, ReviewOptions, ReviewOutcome, ReviewStatus
from plangate_server.ports import Reading, ReviewFilter, Store
from tests.helpers.backends import ALL, Backend, every_backend, go_on, save
from tests.helpers.domain import (
    LATER,
    a_draft,
    a_proposal,
    a_todo,
    commented,
    decided,
    plan_id,
    revised,
    started,
)

pytestmark = every_backend

BUILD = "b" * 32


async def listed(store: Store, which: ReviewFilter) -> list[str]:
    """The ids of the reviews that fit."""
    found = await store.read("acme", lambda reading: reading.reviews(which, after="", limit=ALL))
    return [review.approval_request_id for _, review in found]


async def test_a_build_leads_to_its_plan(backend: Backend, tmp_path: Path) -> None:
    """While it is under way and when it is over, and only under its own name."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1, a_draft(todos=[a_todo("a")])))
        await go_on(node.store, plan, decided)
        building = await go_on(node.store, plan, lambda stored: started(stored, BUILD))
        assert await node.store.read("acme", lambda reading: reading.plan_of_build(BUILD)) == building
        finished = await go_on(
            node.store,
            plan,
            lambda stored: finish_build(stored, BUILD, BuildOutcome.COMPLETED, "Done", LATER, hand=Hand()),
        )
        assert await node.store.read("acme", lambda reading: reading.plan_of_build(BUILD)) == finished
        assert await node.store.read("acme", lambda reading: reading.plan_of_build("c" * 32)) is None


async def test_every_review_of_a_plan_is_kept(backend: Backend, tmp_path: Path) -> None:
    """Superseded and decided ones stay as they ended, with their plan's id, in the order of asking."""
    async with backend.open(tmp_path) as node:
        first = await save(node.store, a_proposal(1))
        second = await go_on(node.store, first, revised)
        last = await go_on(node.store, second, decided)
        await save(node.store, a_proposal(2))
        kept = await node.store.read(
            "acme", lambda reading: reading.reviews_of_plan(plan_id(1), after="", limit=ALL)
        )
        assert [review.revision for review in kept] == [1, 2]
        assert [review.outcome for review in kept] == [ReviewOutcome.SUPERSEDED, ReviewOutcome.APPROVED]
        assert kept[1] == last.review
        for review in kept:
            asked = review.approval_request_id
            found = await node.store.read("acme", lambda reading: reading.review(asked))  # noqa: B023
            assert found == (plan_id(1), review)
        assert await node.store.read("acme", lambda reading: reading.review("f" * 32)) is None


async def test_reviews_are_filtered_and_paged(backend: Backend, tmp_path: Path) -> None:
    """All parts of a filter hold at once, and pages of any size cover the list once and in order."""

    def turn_pages(reading: Reading) -> list[str]:
        found: list[str] = []
        while page := reading.reviews(ReviewFilter(), after=found[-1] if found else "", limit=2):
            assert len(page) <= 2
            found += [review.approval_request_id for _, review in page]
        return found

    async with backend.open(tmp_path) as node:
        plans = [await save(node.store, a_proposal(n, session_id=f"s-{n % 2}")) for n in range(1, 6)]
        await go_on(node.store, plans[0], decided)
        await go_on(node.store, plans[3], lambda plan: decided(plan, Option.REJECT))
        ids = [plan.review.approval_request_id for plan in plans]
        requested, done = (ReviewStatus.REQUESTED,), (ReviewStatus.DONE,)
        for which, expected in [
            (ReviewFilter(), ids),
            (ReviewFilter(session_id="s-1"), [ids[0], ids[2], ids[4]]),
            (ReviewFilter(statuses=requested), [ids[1], ids[2], ids[4]]),
            (ReviewFilter("s-1", done), [ids[0]]),
            (ReviewFilter(statuses=(*requested, *done)), ids),
            (ReviewFilter("s"), []),
        ]:
            assert await listed(node.store, which) == expected
        assert await node.store.read("acme", turn_pages) == ids


async def test_revisions_come_in_their_order(backend: Backend, tmp_path: Path) -> None:
    """After a number, as many as asked for, and none of another plan."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        await save(node.store, a_proposal(2))
        made = [plan.revision]
        for number in range(2, 6):
            text = f"# Words {number}"
            plan = await go_on(node.store, plan, lambda stored: revised(stored, text))  # noqa: B023
            made.append(plan.revision)
        for after, limit, expected in [(0, ALL, made), (0, 2, made[:2]), (2, 2, made[2:4]), (5, ALL, [])]:
            found = await node.store.read(
                "acme",
                lambda reading: reading.revisions(plan_id(1), after=after, limit=limit),  # noqa: B023
            )
            assert found == expected


async def test_comments_are_kept_and_changed(backend: Backend, tmp_path: Path) -> None:
    """Oldest first, each under its own name, and a change replaces what was there."""

    def resolving(plan: Plan) -> Change:
        made = commented(plan, "c1" * 16)
        resolved = replace(made.comments[0], state=CommentState.RESOLVED, resolved_by="bob")
        return replace(made, comments=(resolved,))

    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        other = await save(node.store, a_proposal(2))
        for comment_id in ("c1" * 16, "c2" * 16):
            await go_on(node.store, plan, lambda stored: commented(stored, comment_id))  # noqa: B023
        await go_on(node.store, other, lambda stored: commented(stored, "c3" * 16))
        await go_on(node.store, plan, resolving)
        first, second = await node.store.read("acme", lambda reading: reading.comments(plan_id(1)))
        assert (first.comment_id, first.state, first.resolved_by) == ("c1" * 16, "resolved", "bob")
        assert (second.comment_id, second.state) == ("c2" * 16, CommentState.OPEN)
        assert await node.store.read("acme", lambda reading: reading.comment("c1" * 16)) == first
        assert await node.store.read("acme", lambda reading: reading.comment("cc" * 16)) is None


async def test_a_snapshot_is_the_plan_and_its_place(backend: Backend, tmp_path: Path) -> None:
    """It shows what a look would show, with the newest number of the workspace."""
    async with backend.open(tmp_path) as node:
        assert await node.store.snapshot("acme", plan_id(1)) is None
        plan = await save(node.store, a_proposal(1))
        assert await node.store.snapshot("acme", plan_id(1)) == (plan, 2)
        await save(node.store, a_proposal(2))
        plan = await go_on(node.store, plan, decided)
        assert await node.store.snapshot("acme", plan_id(1)) == (plan, 5)
        assert await node.store.snapshot("elsewhere", plan_id(1)) is None


async def test_what_is_overdue_is_found(backend: Backend, tmp_path: Path) -> None:
    """Open reviews and live builds whose time is over, of every workspace, and nothing else."""
    soon = ReviewOptions(expires_after=timedelta(hours=2))
    todos = a_draft(todos=[a_todo("a")])
    async with backend.open(tmp_path) as node:
        waiting = await save(node.store, a_proposal(1, options=soon))
        decided_in_time = await save(node.store, a_proposal(2, options=soon))
        await go_on(node.store, decided_in_time, decided)
        await save(node.store, a_proposal(3))
        building = await save(node.store, a_proposal(4, todos, workspace="elsewhere"))
        await go_on(node.store, building, decided)
        await go_on(node.store, building, lambda stored: started(stored, BUILD, lease=timedelta(minutes=90)))
        assert waiting.review.expire_time is not None
        both = {("acme", plan_id(1)), ("elsewhere", plan_id(4))}
        for moment, expected in [
            (waiting.review.expire_time - timedelta(microseconds=1), set()),
            (waiting.review.expire_time, {("acme", plan_id(1))}),
            (LATER + timedelta(minutes=90), both),
        ]:
            assert set(await node.store.overdue(moment, ALL)) == expected
        assert len(await node.store.overdue(LATER + timedelta(days=1), 1)) == 1
