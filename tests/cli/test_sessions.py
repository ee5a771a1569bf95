"""`plangate sessions` and `plangate mode`: what agents at work may do, and who says so."""

import json
import re

import pytest

from plangate import Client
from plangate_proto.agent.v1.agent_session_service_pb2 import SessionMode
from tests.helpers.asking import ask_for, new_session
from tests.helpers.command_line import CommandLine, Done
from tests.helpers.terminal import at_terminal
from tests.helpers.tokens import local_token

QUESTION = "without asking, for the calls that wait now, too? [y/N] "


@pytest.fixture
def session(client: Client) -> str:
    """A session with a plan in review and a call that waits."""
    name = new_session()
    client.create_plan("# Tidy", session_id=name)
    ask_for(client, name, "make test")
    return name


def mode_of(client: Client, session: str) -> str:
    return SessionMode.Name(client.session(session).mode).removeprefix("SESSION_MODE_")


def test_sessions_are_a_table(plangate: CommandLine, client: Client, session: str) -> None:
    """Each with its mode, where it stands, how many calls wait, and its plan."""
    rows = [re.split(r" {2,}", line) for line in plangate("sessions").out.splitlines()]
    plan = client.session(session).plan_uri[-8:]
    assert rows[0] == ["SESSION", "MODE", "STATE", "CALLS", "PLAN"]
    assert [session, "agent", "plan review", "1", plan] in rows


def test_one_session_in_full(plangate: CommandLine, client: Client, session: str) -> None:
    """With its last answer, and what to type for the calls that wait."""
    ask_for(client, session, "make install")
    client.answer(next(client.prompts(session)).prompt, "denied", "no")
    shown = re.sub(r"\d{4}-\S+ \S+Z", "TIME", plangate("sessions", session).out)
    assert shown.splitlines() == [
        f"session  {session}",
        "mode     agent",
        "state    plan review, a plan is in review",
        f"plan     {client.session(session).plan_uri}",
        "waiting  1 tool call",
        "last     bash make test: denied by ada",
        "began    TIME",
        "changed  TIME",
        "",
        "to answer the tool calls",
        f"  plangate approvals list --session {session}",
    ]


def test_json(plangate: CommandLine, session: str) -> None:
    """An array of all, or the one that is named."""
    one = json.loads(plangate("sessions", session, "--json").out)
    assert one["sessionId"] == session
    assert one in json.loads(plangate("sessions", "--json").out)
    assert json.loads(plangate("mode", session, "--json").out) == one


def test_a_session_that_is_not_there(plangate: CommandLine, client: Client) -> None:
    """It is refused, and a name that was typed wrongly does not become a session."""
    for arguments in (("sessions", "nobody"), ("mode", "nobody"), ("mode", "nobody", "plan")):
        assert "names no session" in plangate(*arguments).complaint
    assert "nobody" not in [each.session_id for each in client.sessions()]


def test_a_person_sets_the_mode(plangate: CommandLine, client: Client, session: str) -> None:
    """Stricter and looser again, which no agent may."""
    assert plangate("mode", session, "plan") == Done(0, f"{session}: plan\n", "")
    assert plangate("mode", session) == Done(0, f"{session}: plan\n", "")
    assert plangate("mode", session, "agent") == Done(0, f"{session}: agent\n", "")
    assert mode_of(client, session) == "AGENT"


def test_an_agent_does_not_loosen_its_own_mode(plangate: CommandLine, client: Client, session: str) -> None:
    """PLANGATE_TOKEN counts, as everywhere, and the refusal is in words."""
    client.set_mode(session, "plan")
    agent = CommandLine(plangate.target, plangate.folder, {"PLANGATE_TOKEN": local_token("agent")})
    assert "agent" in agent("mode", session, "agent").complaint
    assert mode_of(client, session) == "PLAN"


def test_full_access_needs_a_person(plangate: CommandLine, client: Client, session: str) -> None:
    """Without a terminal somebody has to say that a person confirms it."""
    done = plangate("mode", session, "full-access", stdin=b"y\n")
    assert done.complaint == "nobody is there to ask: give --confirm, if a person wants full access for it"
    assert mode_of(client, session) == "AGENT"
    assert plangate("mode", session, "full-access", "--confirm").out == f"{session}: full-access\n"
    assert mode_of(client, session) == "FULL_ACCESS"


@pytest.mark.parametrize("answer", ["y", "n"])
def test_full_access_is_asked_for_at_a_terminal(
    plangate: CommandLine, client: Client, session: str, answer: str
) -> None:
    """The person sees the session first, and only a yes gives it."""
    with at_terminal(plangate, "mode", session, "full-access") as terminal:
        terminal.wait_for(QUESTION)
        assert "waiting  1 tool call\n" in terminal.screen
        assert mode_of(client, session) == "AGENT"
        terminal.type(f"{answer}\n")
        code = terminal.exit_code()
    assert (code, mode_of(client, session)) == ((0, "FULL_ACCESS") if answer == "y" else (1, "AGENT"))


def test_a_request_for_full_access(plangate: CommandLine, client: Client, session: str) -> None:
    """It is seen in the list, and any other mode declines it."""
    with Client(plangate.target, role="reviewer") as person:
        person.set_mode(session, "full_access")
    (row,) = (line for line in plangate("sessions").out.splitlines() if line.startswith(session))
    assert "agent, asks for full-access" in row
    shown = plangate("sessions", session).out
    assert f"  plangate mode {session} full-access\n  plangate mode {session} agent\n" in shown
    assert plangate("mode", session, "agent").out == f"{session}: agent\n"
    assert plangate("mode", session).out == f"{session}: agent\n"


def test_confirm_is_for_full_access(plangate: CommandLine, client: Client, session: str) -> None:
    """With any other mode it is a mistake, and nothing changes."""
    complaint = plangate("mode", session, "plan", "--confirm").complaint
    assert complaint == "--confirm is for full-access: nothing else needs it"
    assert mode_of(client, session) == "AGENT"
