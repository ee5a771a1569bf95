"""What people said beside the text goes along with the decision, as part of the review that it ends."""

import pytest
from msgspec.structs import replace

from plangate_server.domain.comments import SENT_COMMENTS, Comment, CommentState
from plangate_server.domain.content import Draft
from plangate_server.domain.events import Change
from plangate_server.domain.lifecycle import Amendment, submit_decision
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import Decision, Option, ReviewOptions
from tests.helpers.domain import NOW
from tests.helpers.lives import after, proposed, revising


def commented(count: int, text: str = "Why?") -> list[Comment]:
    plan_id = proposed().plan_id
    return [Comment(f"comment-{n:04}", plan_id, 1, 0, 0, text, "ada", NOW) for n in range(count)]


def deciding(plan: Plan, option: Option, comments: list[Comment], reviewer: str = "ada") -> Change:
    head, edited = plan.revision, Amendment(Draft("# Other")) if option is Option.EDIT else None
    return submit_decision(
        plan,
        Decision(reviewer, option, after(1), "See there"),
        revision=head.number,
        seen_digest=head.digest,
        edited=edited,
        comments=comments,
    )


@pytest.mark.parametrize("option", Option)
def test_open_comments_are_part_of_the_decision(option: Option) -> None:
    """Whatever was decided: as they stand on the text that was decided about, in its event as well."""
    comments = commented(3)
    comments[0] = replace(comments[0], state=CommentState.RESOLVED)
    comments[1] = replace(comments[1], state=CommentState.CARRIED)
    change = deciding(proposed(), option, comments)
    assert change.plan.review.comments == tuple(comments[1:])
    assert change.plan.review.comments_left_out == 0
    assert [event.told_review.comments for event in change.events] == [tuple(comments[1:])]
    assert change.plan.review.decisions[0].feedback_text == "See there"


def test_what_does_not_fit_is_counted() -> None:
    """By their number and by their size; the decision counts all the same."""
    plan = proposed()
    for comments, sent, left_out in (
        (commented(SENT_COMMENTS + 3), 100, 3),
        (commented(6, "x" * 60_000), 4, 2),
    ):
        review = deciding(plan, Option.APPROVE, comments).plan.review
        assert (review.comments, review.comments_left_out) == (tuple(comments[:sent]), left_out)
        assert review.outcome is not None


def test_the_last_of_several_approvals_takes_the_comments_along() -> None:
    """An approval that decides nothing yet takes none."""
    first = deciding(proposed(options=ReviewOptions(required_approvals=2)), Option.APPROVE, commented(2))
    assert first.plan.review.comments == ()
    last = deciding(first.plan, Option.APPROVE, commented(3), "bob")
    assert last.plan.review.comments == tuple(commented(3))


def test_the_next_question_begins_without_comments() -> None:
    """What went along with an answer belongs to that answer."""
    asked = deciding(proposed(), Option.REQUEST_CHANGES, commented(1)).plan
    assert asked.review.comments
    assert revising(asked).plan.review.comments == ()
