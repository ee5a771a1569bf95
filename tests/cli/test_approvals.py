"""`plangate approvals`: tool calls that wait, and the answer to the very call that was looked at."""

import json
import re

import pytest

from plangate import Client
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval, ApprovalState
from tests.helpers.asking import ask_for, new_session
from tests.helpers.command_line import CommandLine, Done
from tests.helpers.terminal import CTRL_D, at_terminal, typed_beside
from tests.helpers.tool_calls import PATCH, decision_of, state_of


@pytest.fixture
def session() -> str:
    return new_session()


@pytest.fixture
def first(client: Client, session: str) -> Approval:
    """The call that is asked about, with another one behind it."""
    ask_for(client, session, "make test", agent_id="coder", call_id=f"{session}-first", prompt="to be sure")
    ask_for(client, session, PATCH, "apply_patch", kind="edit", agent_id="coder", call_id=f"{session}-second")
    return call_of(client, session, "first")


def call_of(client: Client, session: str, which: str) -> Approval:
    every = [state for state in ApprovalState.values() if state]
    (call,) = (
        each for each in client.tool_calls(*every, session_id=session) if each.call_id == f"{session}-{which}"
    )
    return call


def test_calls_are_a_table(plangate: CommandLine, session: str, first: Approval) -> None:
    """The oldest first, each with the exact command or the beginning of it, who asks, and its place."""
    done = plangate("approvals", "--session", session)
    rows = [re.split(r" {2,}", line) for line in done.out.splitlines()]
    assert rows[0] == ["CALL", "SESSION", "TOOL", "COMMAND", "BY", "ASKED", "STATE"]
    assert [[*row[:5], row[6]] for row in rows[1:]] == [
        [first.call_id, session, "bash", "make test", "coder", "waits"],
        [
            f"{session}-second",
            session,
            "apply_patch",
            "--- a/cellar.txt … (+5 lines)",
            "coder",
            "behind 1",
        ],
    ]


def test_nothing_waits(plangate: CommandLine) -> None:
    """An empty list says so."""
    assert plangate("approvals", "--session", "nobody").out == "no tool call waits for an answer\n"
    assert plangate("approvals", "list", "--all", "--session", "nobody").out == "no tool call was asked for\n"


def test_answered_calls_are_listed_on_demand(
    plangate: CommandLine, client: Client, session: str, first: Approval
) -> None:
    """With what was answered, and by whom."""
    client.answer(next(client.prompts(session)).prompt, "denied")
    assert first.call_id not in plangate("approvals", "--session", session).out
    assert "denied by ada" in plangate("approvals", "--all", "--session", session).out


def test_one_call_in_full(plangate: CommandLine, session: str, first: Approval) -> None:
    """A patch to its last line, with the digest that a script names, and what to type."""
    shown = plangate("approvals", "show", f"{session}-second").out
    assert "   4 │ -dusty\n   5 │ +clean\n" in shown
    assert "to decide" not in shown
    shown = re.sub(r"\d+ (s|min) ago", "… s ago", plangate("approvals", "show", first.call_id).out)
    assert shown.splitlines() == [
        f"bash  (terminal, asked for by coder, … s ago, session {session})",
        "",
        "   1 │ make test",
        "",
        "  > to be sure",
        f"call    {first.call_id}",
        f"digest  {first.digest}",
        "state   waits",
        "",
        "to decide",
        f"  plangate approvals answer {first.call_id} approved",
        f"  plangate approvals answer {first.call_id} denied 'what to do differently'",
    ]


@pytest.mark.parametrize("answer", ["approved", "denied"])
def test_answering_by_digest(
    plangate: CommandLine, client: Client, session: str, first: Approval, answer: str
) -> None:
    """A script names the digest of the call it saw; the answer is recorded with its words."""
    done = plangate("approvals", "answer", first.call_id, answer, "as you said", "--digest", first.digest[:8])
    assert done == Done(0, f"{first.call_id}: {answer} by ada\n", "")
    answered = call_of(client, session, "first")
    assert (decision_of(answered), answered.feedback_text) == (answer.upper(), "as you said")
    assert state_of(call_of(client, session, "second")) == "ACTIVE"


def test_another_digest_answers_nothing(
    plangate: CommandLine, client: Client, session: str, first: Approval
) -> None:
    """Also if it is that of another call of the same session."""
    second = call_of(client, session, "second")
    done = plangate("approvals", "answer", first.call_id, "approved", "--digest", second.digest)
    again = "look at it again ('plangate approvals show')"
    assert done.complaint == f"the call's digest is {first.digest}: {again}"
    assert state_of(call_of(client, session, "first")) == "ACTIVE"


def test_a_call_that_is_not_asked_about_yet(
    plangate: CommandLine, client: Client, session: str, first: Approval
) -> None:
    """Calls are answered in their order: the refusal names the one whose turn it is."""
    second = call_of(client, session, "second")
    done = plangate("approvals", "answer", second.call_id, "approved", "--digest", second.digest)
    assert done.complaint == f"{second.call_id} waits behind others: {first.call_id} is the one to answer now"
    assert state_of(call_of(client, session, "second")) == "QUEUED"


@pytest.mark.parametrize("keys", ["y\n", "\n", CTRL_D], ids=["yes", "Enter", "Ctrl-D"])
def test_answering_at_a_terminal(
    plangate: CommandLine, client: Client, session: str, first: Approval, keys: str
) -> None:
    """The person sees exactly what would be done, and only a clear yes is an answer."""
    with at_terminal(plangate, "approvals", "answer", first.call_id, "approved") as terminal:
        terminal.wait_for("Approve this call? [y/N] ")
        assert "   1 │ make test\n" in terminal.screen
        assert "1 more call of the session after it\n" in terminal.screen
        terminal.type(keys)
        code = terminal.exit_code()
    outcome = (code, state_of(call_of(client, session, "first")))
    assert outcome == ((0, "DECIDED") if keys == "y\n" else (1, "ACTIVE"))


def test_the_question_says_how_far_the_answer_reaches(plangate: CommandLine, first: Approval) -> None:
    """Nobody says yes to more than they know."""
    options = ("--remember", "workspace", "--pattern", "make *", "--for", "2h")
    with at_terminal(plangate, "approvals", "answer", first.call_id, "denied", *options) as terminal:
        reach = "every 'make *' in every session of the workspace for 2 h"
        terminal.wait_for(f"Deny this call, and {reach}? [y/N] ")


def test_a_call_that_was_answered_meanwhile(
    plangate: CommandLine, client: Client, session: str, first: Approval
) -> None:
    """A yes to a call that somebody else has answered changes nothing, and never reaches the next one."""
    with at_terminal(plangate, "approvals", "answer", first.call_id, "approved") as terminal:
        terminal.wait_for("[y/N] ")
        client.answer(next(client.prompts(session)).prompt, "denied")
        terminal.type("y\n")
        assert terminal.exit_code() == 1
    assert decision_of(call_of(client, session, "first")) == "DENIED"
    assert state_of(call_of(client, session, "second")) == "ACTIVE"


def test_nobody_to_ask(plangate: CommandLine, client: Client, session: str, first: Approval) -> None:
    """Without a terminal and without a digest nothing is answered, even if the input says yes."""
    done = plangate("approvals", "answer", first.call_id, "approved", stdin=b"y\n")
    assert done.complaint == "nobody is there to ask: give --digest, at least 8 digits of it"
    assert state_of(call_of(client, session, "first")) == "ACTIVE"


@pytest.mark.parametrize("options", [("--pattern", "make *"), ("--for", "2h")])
def test_what_to_remember_without_remembering(
    plangate: CommandLine, client: Client, session: str, first: Approval, options: tuple[str, str]
) -> None:
    """An option that would do nothing is a mistake."""
    done = plangate("approvals", "answer", first.call_id, "approved", "--digest", first.digest, *options)
    assert done.complaint == "--pattern and --for say what to remember: give --remember, too"
    assert state_of(call_of(client, session, "first")) == "ACTIVE"


def test_names_that_fit_no_call_or_several(plangate: CommandLine, session: str, first: Approval) -> None:
    """The complaint says what to do."""
    unknown = plangate("approvals", "answer", "nothing", "denied").complaint
    assert unknown == "no tool call that waits is called 'nothing': see 'plangate approvals'"
    several = plangate("approvals", "show", session).complaint
    assert several == f"'{session}' fits 2 tool calls: give more of the id, or --session"


def test_json(plangate: CommandLine, session: str, first: Approval) -> None:
    """An array of all, or the one that is shown or answered."""
    listed = json.loads(plangate("approvals", "--json", "--session", session).out)
    assert [each["callId"] for each in listed] == [first.call_id, f"{session}-second"]
    assert json.loads(plangate("approvals", "show", first.call_id, "--json").out) == listed[0]
    done = plangate("approvals", "answer", first.call_id, "denied", "--digest", first.digest, "--json")
    assert json.loads(done.out)["decision"] == "APPROVAL_DECISION_DENIED"


def test_with_json_the_question_stands_beside_it(plangate: CommandLine, first: Approval) -> None:
    """Standard output is JSON and nothing else: the call and the question are on standard error."""
    done = typed_beside(plangate, "approvals", "answer", first.call_id, "denied", "--json", keys="y\n")
    assert done.code == 0
    assert "make test" in done.err
    assert json.loads(done.out)["callId"] == first.call_id
