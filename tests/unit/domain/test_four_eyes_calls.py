"""Four eyes at the gate for tool calls: a person's yes, given now or before, is for agents of others."""

import pytest
from msgspec.structs import replace

from plangate_server.domain.approval_queue import Answer, by_person
from plangate_server.domain.approvals import Approval, ApprovalDecision, ApprovalState
from plangate_server.domain.authorization import Situation, authorize
from plangate_server.domain.errors import OwnRequest
from plangate_server.domain.policy import Policy
from plangate_server.domain.remembering import Memory, Remembered, Scope
from plangate_server.domain.sessions import SessionMode
from plangate_server.domain.tools import Call, ToolKind
from tests.helpers.domain import LATER, NOW

YES, FOR_SESSION, NO = ApprovalDecision
FOUR_EYES, USUAL = Policy(four_eyes=True), Policy()
SPELLINGS = ("ada", "Ada", " ADA ")


def a_call(person: str) -> Approval:
    kind = ToolKind.TERMINAL
    active = ApprovalState.ACTIVE
    asked = Approval("a" * 32, "acme", "s", "c-1", kind, "bash", "make", NOW, "bot", active)
    return replace(asked, authority_token="t", person=person)


def answered(asker: str, decider: str, decision: ApprovalDecision, glass: str = "") -> Approval:
    answer = Answer(decision, "t", "laptop", person=decider, break_glass=glass)
    return by_person(a_call(asker), answer, LATER, four_eyes=True)


def said(
    person: str,
    policy: Policy = FOUR_EYES,
    *,
    mode: SessionMode = SessionMode.AGENT,
    confirmed_by: str = "",
    memory: tuple[Remembered, ...] = (),
) -> str:
    """The name of the rule that answers a call of an agent of the person."""
    call = Call("bash", "make", kind=ToolKind.TERMINAL, person=person)
    situation = Situation(call, mode, policy, Memory(memory), LATER, confirmed_by)
    return authorize(situation).rule.partition(":")[0]


def a_memory(person: str, *, allows: bool = True, scope: Scope = Scope.WORKSPACE) -> Remembered:
    return Remembered(
        "d" * 32,
        ToolKind.TERMINAL,
        "bash",
        "make",
        is_pattern=False,
        allows=allows,
        scope=scope,
        reviewer="laptop",
        create_time=NOW,
        person=person,
    )


@pytest.mark.parametrize("decider", SPELLINGS)
@pytest.mark.parametrize("decision", [YES, FOR_SESSION])
def test_nobody_says_yes_to_their_own_call(decider: str, decision: ApprovalDecision) -> None:
    """Once or for the session, however the name is written; the refusal names the call."""
    with pytest.raises(OwnRequest) as refused:
        answered("ada", decider, decision)
    assert refused.value.metadata == {"approval_request_id": "a" * 32, "person": decider}


@pytest.mark.parametrize(
    ("decider", "decision"), [("ada", NO), ("bob", YES), ("bob", NO), ("bob", FOR_SESSION)]
)
def test_a_no_is_everybodys_and_a_yes_that_of_others(decider: str, decision: ApprovalDecision) -> None:
    """These are taken."""
    assert answered("ada", decider, decision).decision is decision


def test_a_broken_glass_is_kept_on_the_call() -> None:
    """With its reason."""
    assert answered("ada", "ada", YES, "on fire").break_glass == "on fire"


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("who", SPELLINGS)
def test_a_remembered_yes_is_for_agents_of_others(who: str, scope: Scope) -> None:
    """Whichever its scope; and for everybody's, where the operator does not ask for four eyes."""
    memory = (a_memory("ada", scope=scope),)
    assert said(who, memory=memory) == "default"
    assert said("bob", memory=memory) == "remembered"
    assert said(who, USUAL, memory=memory) == "remembered"


def test_another_persons_yes_is_found_behind_ones_own() -> None:
    """The first that may count does."""
    assert said("ada", memory=(a_memory("ada"), a_memory("bob"))) == "remembered"


def test_a_remembered_no_is_for_everybody() -> None:
    """Also for an agent of whoever said it."""
    assert said("ada", memory=(a_memory("ada", allows=False),)) == "remembered_deny"


def test_what_was_remembered_before_persons_were_kept_is_its_reviewers() -> None:
    """A yes under a person's own name does not answer that person's agents."""
    old = replace(a_memory(""), reviewer="Ada")
    assert said("ada", memory=(old,)) == "default"
    assert said("bob", memory=(old,)) == "remembered"


@pytest.mark.parametrize("who", SPELLINGS)
def test_a_yes_that_was_restored_is_also_that_of_whoever_restored_it(who: str) -> None:
    """They could have written it themselves: it answers calls of neither, and only those of others."""
    restored = replace(a_memory("bob"), restored_by=("carol", "Ada"))
    assert said(who, memory=(restored,)) == said("bob", memory=(restored,)) == "default"
    assert said("dan", memory=(restored,)) == "remembered"


@pytest.mark.parametrize("who", SPELLINGS)
def test_full_access_is_for_agents_of_others(who: str) -> None:
    """Than of the person who confirmed it; and not for those of anybody if nobody knows who did."""
    full = SessionMode.FULL_ACCESS
    assert said(who, mode=full, confirmed_by="ada") == "default"
    assert said("bob", mode=full, confirmed_by="ada") == "full_access"
    assert said("bob", mode=full) == "default"
    assert said(who, USUAL, mode=full, confirmed_by="ada") == "full_access"


def test_a_call_of_another_person_is_another_call() -> None:
    """Or whoever approved a call could have an agent of their own ask for it under the same id."""
    assert a_call("ada").is_same(a_call("Ada"))
    assert not a_call("ada").is_same(a_call("bob"))
