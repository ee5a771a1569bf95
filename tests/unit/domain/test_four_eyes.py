"""Four eyes: nobody approves what a token of theirs asked for or last edited; a no is everybody's."""

from itertools import product

import pytest
from msgspec.structs import replace

from plangate_server.domain.errors import AlreadyApproved, OwnRequest, Reason
from plangate_server.domain.events import Change, EventType
from plangate_server.domain.four_eyes import asked_for
from plangate_server.domain.lifecycle import Amendment, submit_decision
from plangate_server.domain.persons import same_person
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import Decision, Option, ReviewOptions, ReviewOutcome
from tests.helpers.domain import LATER, a_draft, a_proposal, revised
from tests.helpers.lives import types_of

APPROVE, REJECT, REQUEST_CHANGES, EDIT = Option
PEOPLE = ("ada", "bob", "eve")


def written(asker: str, editor: str = "", approvals: int = 1) -> Plan:
    """A plan that a token of one person asked for and one of another edited, if there is another."""
    options = ReviewOptions(required_approvals=approvals)
    plan = asked_for(a_proposal(options=options), asker).plan
    return asked_for(revised(plan), editor).plan if editor else plan


def decided(
    plan: Plan, person: str, option: Option = APPROVE, *, four_eyes: bool = True, break_glass: str = ""
) -> Change:
    """Somebody decides with a token that has a name of its own."""
    decision = Decision(f"{person}-laptop", option, LATER, "Why?", person=person, break_glass=break_glass)
    head = plan.revision
    edited = Amendment(a_draft("# Mine")) if option is EDIT else None
    return submit_decision(
        plan, decision, revision=head.number, seen_digest=head.digest, edited=edited, four_eyes=four_eyes
    )


@pytest.mark.parametrize(
    ("asker", "editor", "decider", "option"), list(product(PEOPLE[:2], ("", *PEOPLE[:2]), PEOPLE, Option))
)
def test_who_can_decide_what(asker: str, editor: str, decider: str, option: Option) -> None:
    """A yes needs somebody who neither asked nor last edited; a no needs nobody; an edit is never taken."""
    plan = written(asker, editor)
    own = decider in {asker, editor}
    if option is EDIT or (option is APPROVE and own):
        with pytest.raises(OwnRequest) as refused:
            decided(plan, decider, option)
        assert refused.value.reason is Reason.OWN_REQUEST
        told = {"approval_request_id": plan.review.approval_request_id, "person": decider}
        assert refused.value.metadata == told
    else:
        assert decided(plan, decider, option).plan.review.outcome is not None


@pytest.mark.parametrize(("asker", "option"), list(product(PEOPLE, Option)))
def test_without_it_everybody_decides(asker: str, option: Option) -> None:
    """The operator did not ask for it: a person's own agent is as good as another's."""
    assert decided(written(asker), "ada", option, four_eyes=False).plan.review.outcome is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ada"),
        ("ada@example.com", "Ada@Example.COM"),
        ("Zo\u00eb", "Zoe\u0308"),
        ("\uff41\uff44\uff41", "ada"),
        ("Stra\u00dfe", "STRASSE"),
        (" ada", "ada "),
        ("Ada  Byron", "ada\u00a0byron"),
    ],
)
def test_a_person_is_one_however_they_are_written(one: str, other: str) -> None:
    """Case, blanks and the Unicode form of a name do not make somebody else of anybody."""
    assert same_person(one, other)
    with pytest.raises(OwnRequest):
        decided(written(one), other)
    once = decided(written("eve", approvals=2), one).plan
    with pytest.raises(AlreadyApproved):
        decided(once, other)


@pytest.mark.parametrize(("one", "other"), [("ada", "bob"), ("ada", "adam"), ("", ""), ("", "ada")])
def test_others_are_others(one: str, other: str) -> None:
    """And nobody is the same as nobody."""
    assert not same_person(one, other)


def test_whoever_asks_again_for_the_same_text_does_not_make_it_theirs() -> None:
    """The one who wrote the text answers for it still; who asks about it now cannot approve it either."""
    rejected = decided(written("ada", "bob"), "eve", REJECT).plan
    again = asked_for(revised(rejected, rejected.revision.content.plan), "eve").plan
    assert again.state is PlanState.IN_REVIEW
    for person in PEOPLE:
        with pytest.raises(OwnRequest):
            decided(again, person)
    assert decided(again, "kim").plan.is_approved


def test_an_earlier_editor_can_approve_what_others_made_of_it() -> None:
    """Only who asked first and who edited last are bound, or a team would soon have nobody left."""
    plan = asked_for(revised(written("ada", "bob"), "# Yet others"), "eve").plan
    assert decided(plan, "bob").plan.is_approved


def test_tokens_of_one_person_count_once() -> None:
    """Two tokens are one approval; the second is told when the first was given."""
    plan = decided(written("eve", approvals=2), "ada").plan
    again = Decision("ada-phone", APPROVE, LATER, person="ada")
    with pytest.raises(AlreadyApproved) as refused:
        submit_decision(plan, again, revision=1, seen_digest=plan.revision.digest)
    assert refused.value.metadata["decided_by"] == "ada-laptop"
    assert decided(plan, "bob").plan.is_approved


def test_an_own_approval_from_before_does_not_count() -> None:
    """Where four_eyes comes while a review is open, so many others have to approve."""
    plan = decided(written("ada", approvals=2), "ada", four_eyes=False).plan
    plan = decided(plan, "bob").plan
    assert plan.state is PlanState.IN_REVIEW
    assert decided(plan, "eve").plan.is_approved


@pytest.mark.parametrize(("asker", "approvals"), [("ada", 1), ("ada", 3), ("bob", 3)])
def test_a_broken_glass_approves_at_once(asker: str, approvals: int) -> None:
    """Past four_eyes and the number of approvals, told first, with the reason kept on the decision."""
    change = decided(written(asker, approvals=approvals), "ada", break_glass="on fire")
    glass, approval = change.events
    assert types_of(change) == [EventType.BREAK_GLASS_USED, EventType.PLAN_APPROVED]
    assert (glass.message, glass.actor) == ("on fire", "ada-laptop")
    assert (glass.plan.state, approval.plan.state) == (PlanState.IN_REVIEW, PlanState.APPROVED)
    assert change.plan.review.decisions[-1].break_glass == "on fire"
    assert change.plan.review.outcome is ReviewOutcome.APPROVED


def test_who_approved_before_can_still_break_the_glass() -> None:
    """Their first approval is one of several; the second ends the wait."""
    plan = decided(written("bob", approvals=3), "ada").plan
    assert decided(plan, "ada", break_glass="on fire").plan.is_approved


def test_a_decision_without_a_person_is_its_reviewers() -> None:
    """So a record from before persons were kept counts as that of whoever it names."""
    plan = written("ada")
    old = Decision("Ada", APPROVE, LATER)
    with pytest.raises(OwnRequest):
        submit_decision(plan, old, revision=1, seen_digest=plan.revision.digest, four_eyes=True)


def test_a_plan_that_nobody_answers_for_is_not_approved() -> None:
    """It may be anybody's, also that of whoever decides."""
    plan = a_proposal().plan
    assert replace(plan, person="") == plan
    with pytest.raises(OwnRequest):
        decided(plan, "ada")
