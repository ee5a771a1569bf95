"""`plangate watch`: what happens, as it happens."""

import json
import re
import signal
from contextlib import ExitStack
from pathlib import Path

from plangate import Client
from tests.helpers.asking import ask_for, new_session
from tests.helpers.command_line import CommandLine, Done, Running
from tests.helpers.gate_process import gate_process

TIME = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ  "


def told(watching: Running) -> str:
    """The next line, without its time, which must be there."""
    line, times = re.subn(TIME, "", watching.line())
    assert times == 1
    return line


def test_a_plan_from_its_review_to_its_build(plangate: CommandLine, client: Client) -> None:
    """One line each: the plan, what happened, who did it, and the words that go with it."""
    plan = client.create_plan("# Tidy", todos=["sort"])
    named = f"{plan.plan_id[-8:]} Tidy"
    with plangate.started("watch", "--plan", plan.plan_id) as watching:
        assert told(watching) == f"{named}  waits for a decision"
        client.comment(plan, "why?")
        assert told(watching) == f"{named}  comment added by ada: why?"
        client.decide(plan, "approve", "go on")
        assert told(watching) == f"{named}  plan approved by ada: go on"
        decision = client.wait(plan)
        assert told(watching) == f"{named}  decision delivered by local-agent"
        build = client.build(decision, agent_id="coder")
        assert told(watching) == f"{named}  build started by coder: by coder, todo-1"
        build.start(build.todos[0])
        assert told(watching) == f"{named}  todos changed by coder: todo-1 in progress"
        build.fail("no broom")
        assert told(watching) == f"{named}  execution failed by coder: by coder, todo-1; no broom"


def test_only_what_happens_in_a_session(plangate: CommandLine, client: Client) -> None:
    """Tool calls and modes are told, too, and nothing of other sessions."""
    session = new_session()
    client.create_plan("# Tidy", session_id=session)
    with plangate.started("watch", "--session", session) as watching:
        assert told(watching).endswith("waits for a decision")
        ask_for(client, new_session(), "make other")
        ask_for(client, session, "make test\nmake install", agent_id="coder")
        asked = f"session {session}  tool call requested by coder: bash make test … (+1 line)"
        assert told(watching) == asked
        client.set_mode(session, "plan")
        assert told(watching) == f"session {session}  session mode changed by local-agent: PLAN"


def test_json_is_one_event_a_line(plangate: CommandLine, client: Client) -> None:
    """Each as protobuf writes it, the snapshot first."""
    plan = client.create_plan("# Tidy")
    with plangate.started("watch", "--plan", plan.plan_uri, "--json") as watching:
        snapshot = json.loads(watching.line())
        client.decide(plan, "reject", "no")
        rejected = json.loads(watching.line())
    assert (snapshot["type"], snapshot["planUri"]) == ("REVIEW_EVENT_TYPE_SNAPSHOT", plan.plan_uri)
    assert (rejected["type"], rejected["message"]) == ("REVIEW_EVENT_TYPE_PLAN_REJECTED", "no")


def test_ctrl_c_ends_it(plangate: CommandLine, client: Client) -> None:
    """As shells expect, without a traceback."""
    plan = client.create_plan("# Tidy")
    with plangate.started("watch", "--plan", plan.plan_uri) as watching:
        watching.line()
        watching.process.send_signal(signal.SIGINT)
        assert watching.done() == Done(130, "", "")


def test_it_goes_on_over_a_restart_of_the_gate(tmp_path: Path) -> None:
    """What happens afterwards is told, nothing is told twice, and that the gate was away is told, too."""
    with ExitStack() as stack:
        with gate_process(tmp_path) as address:
            client = stack.enter_context(Client(address))
            plan = client.create_plan("# Tidy")
            watching = stack.enter_context(CommandLine(address, tmp_path).started("watch"))
            assert told(watching).endswith("waits for a decision")
            client.comment(plan, "why?")
            assert told(watching).endswith("comment added by ada: why?")
        stack.enter_context(gate_process(tmp_path, listen=address))
        client.decide(plan, "reject", "no")
        assert told(watching).endswith("plan rejected by ada: no")
        watching.process.send_signal(signal.SIGINT)
        lost, back = watching.done().err.splitlines()
        assert lost == f"plangate: the gate at {address} ended the connection; trying again"
        assert back == "plangate: the gate answers again"
