"""Any sequence of decisions, right and wrong ones mixed, leaves a plan with at most one outcome."""

from functools import partial

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from plangate_server.domain.errors import AlreadyDecided, MissingField, Refusal, StaleRevision
from plangate_server.domain.events import Event
from plangate_server.domain.lifecycle import AFTER_REVIEW, Amendment, submit_decision
from plangate_server.domain.plan import PlanState
from plangate_server.domain.review import OUTCOMES, Decision, Option, ReviewStatus
from tests.helpers.domain import LATER, a_draft, a_plan
from tests.helpers.examples import repeatable


class Deciding(RuleBasedStateMachine):
    """People decide about a plan; ``winner`` is the first decision that ought to count."""

    def __init__(self) -> None:
        super().__init__()
        self.plan = a_plan()
        self.told: list[Event] = []
        self.winner: Decision | None = None

    @rule(
        reviewer=st.sampled_from(["ada", "bob"]),
        option=st.sampled_from(Option),
        feedback=st.sampled_from(["", " ", "Measure first"]),
        ahead=st.sampled_from([0, 0, 0, -1, 1]),
        right_digest=st.sampled_from([True, True, True, False]),
    )
    def decide(self, reviewer: str, option: Option, feedback: str, ahead: int, right_digest: bool) -> None:
        decision = Decision(reviewer, option, LATER, feedback)
        head = self.plan.revision
        expected = self._refusal_of(decision, is_stale=ahead != 0 or not right_digest)
        submit = partial(
            submit_decision,
            self.plan,
            decision,
            revision=head.number + ahead,
            seen_digest=head.digest if right_digest else "0" * 64,
            edited=Amendment(a_draft("# Other words")) if option is Option.EDIT else None,
        )
        if expected is not None:
            with pytest.raises(expected):
                submit()
            return
        change = submit()
        self.plan, self.winner = change.plan, decision
        self.told += change.events

    def _refusal_of(self, decision: Decision, *, is_stale: bool) -> type[Refusal] | None:
        if is_stale:
            return StaleRevision
        if self.winner is not None:
            return AlreadyDecided
        needs_words = decision.option is Option.REQUEST_CHANGES
        return MissingField if needs_words and not decision.feedback_text.strip() else None

    @invariant()
    def the_first_decision_is_the_only_one(self) -> None:
        review = self.plan.review
        if self.winner is None:
            assert (self.plan, self.told) == (a_plan(), [])
            return
        outcome = OUTCOMES[self.winner.option]
        assert (review.status, review.outcome) == (ReviewStatus.DONE, outcome)
        assert review.decisions == (self.winner,)
        assert (self.plan.state, self.told[0].type) == AFTER_REVIEW[outcome]
        assert len(self.told) == 1

    @invariant()
    def nothing_but_a_yes_approves(self) -> None:
        approved = self.winner is not None and self.winner.option in {Option.APPROVE, Option.EDIT}
        assert (self.plan.state is PlanState.APPROVED) == self.plan.is_approved == approved

    @invariant()
    def only_an_edit_writes(self) -> None:
        edited = self.winner is not None and self.winner.option is Option.EDIT
        assert self.plan.revision.number == (2 if edited else 1)
        assert (self.plan.revision == a_plan().revision) != edited


TestDeciding = Deciding.TestCase
TestDeciding.settings = settings(repeatable, stateful_step_count=10)
