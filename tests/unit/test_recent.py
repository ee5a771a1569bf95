"""What a node knows by heart is believed for a while."""

from plangate_server.domain.sessions import begin
from plangate_server.storage.recent import BELIEVED_SECONDS, Recent
from plangate_server.storage.staging import session_key
from tests.helpers.domain import NOW, a_proposal


def test_what_was_stored_long_ago_is_not_believed() -> None:
    """Neither a session nor a plan, by whatever name, until it is stored again."""
    time = [0.0]
    recent = Recent(now=lambda: time[0])
    session, plan = begin("acme", "s-1", NOW), a_proposal(1).plan
    key, review = session_key("acme", "s-1"), plan.review.approval_request_id

    def known() -> list[bool]:
        found = recent.session(key), recent.plan(plan.plan_id, "acme"), recent.plan_named(review, "acme")
        return [each is not None for each in found]

    recent.add({key: session, plan.plan_id: plan})
    time[0] = BELIEVED_SECONDS - 1
    assert known() == [True, True, True]
    time[0] = BELIEVED_SECONDS
    assert known() == [False, False, False]
    recent.add({key: session})
    assert known() == [True, False, False]
