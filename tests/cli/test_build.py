"""`plangate build`: what an agent does with an approved plan."""

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from plangate import Client
from plangate._client import Build
from plangate.cli import _build_run
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus
from tests.helpers.cable import cable
from tests.helpers.command_line import MAIN, CommandLine, Done
from tests.helpers.conditions import PATIENCE
from tests.helpers.terminal import at_terminal

# The time of the lease is always about to end: a sign of life is due, however long it holds at the gate.
ANXIOUS = f"""
from plangate.cli import _build_run
_build_run._seconds_left = lambda build: 0.0
_build_run.DEADLINE_SECONDS = {PATIENCE}
{MAIN}"""
UNTIL_TOLD = """
import os, time
print('at work', flush=True)
while not os.path.exists('end'):
    time.sleep(0.01)
"""
TELL = "import os; print(os.environ['PLANGATE_TODO_ID'], os.environ['PLANGATE_TODO'], flush=True)"


@pytest.fixture
def plan(client: Client) -> Plan:
    todos = [
        TodoItem(id="sweep", content="sweep; $(the floor)", dependencies=["sort"]),
        TodoItem(id="sort", content="sort"),
        TodoItem(id="paint", content="paint", dependencies=["sort"]),
    ]
    plan = client.create_plan("# Tidy the cellar", todos=todos, agent_id="tidier")
    client.decide(plan, "approve")
    return client.get_plan(plan)


def command(code: str) -> tuple[str, ...]:
    return ("--", sys.executable, "-c", code)


def test_start_prints_what_can_be_done_when(plangate: CommandLine, plan: Plan) -> None:
    """The id of the build, its todos in waves, and until when they are the agent's."""
    done = plangate("build", "start", plan.plan_uri, "--lease", "2h")
    first, *waves, last = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert first.startswith("build ")
    assert first.endswith(" of revision 1")
    assert waves == ["wave 1", "  [sort] sort", "wave 2", "  [sweep] sweep; $(the floor)", "  [paint] paint"]
    assert last.startswith("the todos go back if nobody is heard from until ")


def test_start_some_of_them(plangate: CommandLine, plan: Plan) -> None:
    """Only the todos that were named are taken, by the agent that was named."""
    options = ("--todo", "sort", "--agent", "sorter", "--json")
    build = json.loads(plangate("build", "start", plan.plan_uri, *options).out)
    assert build["waves"] == [{"todoIds": ["sort"]}]
    held = plangate("build", "start", plan.plan_uri, "--todo", "sort", "--agent", "another")
    assert f"in the hands of build {build['buildId']}" in held.complaint


def test_the_prompt_alone(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """What to tell a model is on standard output, and the build's id is not lost."""
    done = plangate("build", "start", plan.plan_uri, "--prompt")
    assert done.code == 0
    assert done.out.startswith('Implement 3 todos of the approved plan "Tidy the cellar"')
    build_id = done.err.split()[1]
    assert client.finish_build(build_id).total == 3


@pytest.mark.parametrize(
    ("more", "ending"),
    [((), "completed"), (("--failed", "--summary", "wet"), "failed")],
    ids=["well", "badly"],
)
def test_finish(
    plangate: CommandLine, client: Client, plan: Plan, more: tuple[str, ...], ending: str
) -> None:
    """A build that was begun in another process ends as it is told, with how much was done."""
    build = client.build(plan)
    build.done("sort")
    done = plangate("build", "finish", build.build_id, *more)
    state = client.get_plan(plan).state
    told = {PlanState.PLAN_STATE_APPROVED: "approved", PlanState.PLAN_STATE_FAILED: "failed"}
    told[PlanState.PLAN_STATE_COMPLETED] = "completed"
    assert done == Done(0, f"{plan.file_name}: {told[state]}, 1 of 3 todos done\n", "")
    assert (told[state] == "failed") == (ending == "failed")
    assert plangate("build", "finish", build.build_id).complaint


def test_run_a_command_for_each_todo(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """Without a shell, in dependency order, with the todo in variables; then all is done."""
    done = plangate.process("build", "run", plan.plan_uri, *command(TELL))
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "sort sort\n● [sort] sort\nsweep sweep; $(the floor)\n● [sweep] sweep; $(the floor)\n"
        f"paint paint\n● [paint] paint\n{plan.file_name}: completed, 3 of 3 todos done\n"
    )
    assert client.get_plan(plan).state == PlanState.PLAN_STATE_COMPLETED


def test_a_command_that_fails_ends_the_build(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """What came before stays done, the rest is not begun, and the gate knows why."""
    fail = "import os, sys; sys.exit(7 if os.environ['PLANGATE_TODO_ID'] == 'sweep' else 0)"
    done = plangate("build", "run", plan.plan_uri, *command(fail))
    assert done.code == 1
    assert done.out.endswith(
        f"✕ [sweep] {sys.executable} exited with 7\n{plan.file_name}: failed, 1 of 3 todos done\n"
    )
    statuses = {todo.id: todo.status for todo in client.read_todos(plan)}
    assert statuses["sort"] == TodoStatus.TODO_STATUS_COMPLETED
    assert statuses["paint"] == TodoStatus.TODO_STATUS_PENDING
    assert client.get_plan(plan).state == PlanState.PLAN_STATE_FAILED


def test_a_command_that_is_not_there(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """It is named, and the build has failed."""
    done = plangate("build", "run", plan.plan_uri, "--", "no-such-command")
    assert done.code == 1
    assert "no-such-command cannot be run: No such file or directory" in done.out
    assert client.get_plan(plan).state == PlanState.PLAN_STATE_FAILED


def test_a_long_command_keeps_its_todos(
    plangate: CommandLine, client: Client, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a command runs, the gate hears of the agent before the lease ends, and makes it last longer."""
    renew, made_longer = Build.renew, []

    def renew_and_end(build: Build) -> None:
        before = build.lease_expire_time
        renew(build)
        made_longer.append(build.lease_expire_time > before)
        (plangate.folder / "end").touch()

    monkeypatch.setattr(_build_run, "_seconds_left", lambda _: 0.0)
    monkeypatch.setattr(Build, "renew", renew_and_end)
    lease = ("--todo", "sort", "--lease", "1h")
    done = plangate("build", "run", plan.plan_uri, *lease, *command(UNTIL_TOLD))
    assert done.code == 0, done.out
    assert made_longer
    assert all(made_longer)
    assert [todo.status for todo in client.read_todos(plan, "sort")] == [TodoStatus.TODO_STATUS_COMPLETED]


async def test_a_gate_that_is_away_at_a_sign_of_life(address: str, plan: Plan, tmp_path: Path) -> None:
    """The command goes on, and the gate is told of its end when it is back: the todos were still ours."""
    run = ("build", "run", plan.plan_uri, "--todo", "sort", "--lease", "1h", *command(UNTIL_TOLD))
    async with cable(address) as line:
        with CommandLine(line.address, tmp_path).started(*run, main=ANXIOUS) as running:
            assert await asyncio.to_thread(running.line) == "at work"
            line.pull()
            assert (await asyncio.to_thread(running.error_line)).endswith("; trying again")
            (tmp_path / "end").touch()
            line.plug_in()
            done = await asyncio.to_thread(running.done)
    assert (done.code, done.err) == (0, "plangate: the gate answers again\n")
    assert done.out.startswith("● [sort] sort\n")


def test_an_interrupted_build_has_failed(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """Ctrl-C ends the command that runs; the gate is told, and shells get the exit code that they expect."""
    wait = "import signal; print('at work', flush=True); signal.pause()"
    with plangate.started("build", "run", plan.plan_uri, *command(wait)) as running:
        assert running.line() == "at work"
        running.process.send_signal(signal.SIGINT)
        done = running.done()
    assert (done.code, "Traceback" in done.err) == (130, False)
    assert "✕ [sort] interrupted\n" in done.out
    assert client.get_plan(plan).state == PlanState.PLAN_STATE_FAILED


def test_the_bar_moves_on_a_terminal(plangate: CommandLine, plan: Plan) -> None:
    """It shows what is being done and how many are; in the end it is full."""
    with at_terminal(plangate, "build", "run", plan.plan_uri, "--", "true") as terminal:
        assert terminal.exit_code() == 0
    assert f"{'░' * 24} 0/3  [sort] sort" in terminal.screen
    assert f"{'█' * 8}{'░' * 16} 1/3  [sweep] sweep" in terminal.screen
    assert f"{'█' * 24} 3/3\n" in terminal.screen


def test_what_was_not_approved_is_not_built(plangate: CommandLine, client: Client) -> None:
    """Nothing is run, and the complaint says what to wait for."""
    plan = client.create_plan("# Tidy the attic", todos=["sort"])
    for action in (("start", plan.plan_uri), ("run", plan.plan_uri, "--", "true")):
        assert "not approved" in plangate("build", *action).complaint
