"""The server with a policy file: it opens with a sound one only, and takes another when told."""

import asyncio
import json
import signal
from pathlib import Path

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import ToolAccess
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from tests.e2e.processes import ServerProcess, run, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected
from tests.helpers.refusals import refused
from tests.helpers.tool_calls import tool

ASKING = "calls: {expires_after: 1h}\n"
PASSING = "plans: {auto_approve: [{name: no-todos, max_todos: 0}]}\n"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.yaml"
    write(path, ASKING)
    return path


def write(policy: Path, text: str) -> None:
    policy.write_text(text, encoding="utf-8")


async def hang_up(server: ServerProcess, until: str) -> list[str]:
    """Send SIGHUP; the messages of the log about the policy, up to the one that ends with the words."""
    assert server.process.stderr
    server.process.send_signal(signal.SIGHUP)
    said: list[str] = []
    async with asyncio.timeout(PATIENCE):
        while not (said and said[-1].endswith(until)):
            line = await server.process.stderr.readline()
            assert line, said
            event = json.loads(line)
            if event["event"].startswith("policy_"):
                said.append(event["message"])
    return said


async def state_of_a_new_plan(gate: Gate) -> str:
    return PlanState.Name((await gate.propose()).state).removeprefix("PLAN_STATE_")


async def test_the_policy_is_shown_and_applied(tmp_path: Path, policy: Path) -> None:
    """The welcome names the file, and what it says holds from the first call."""
    write(policy, PASSING)
    async with (
        serving(tmp_path / "plangate.db", "--policy", str(policy)) as server,
        connected(server.address) as gate,
    ):
        assert f"policy    {policy}" in server.welcome
        assert await state_of_a_new_plan(gate) == "APPROVED"


async def test_sighup_reads_the_policy_again(tmp_path: Path, policy: Path) -> None:
    """A sound file takes the place of the one before, without a restart."""
    async with (
        serving(tmp_path / "plangate.db", "--policy", str(policy)) as server,
        connected(server.address) as gate,
    ):
        assert await state_of_a_new_plan(gate) == "IN_REVIEW"
        write(policy, PASSING)
        await hang_up(server, until="read again: 0 deny, 0 allow, 1 auto_approve, 0 tool rules")
        assert await state_of_a_new_plan(gate) == "APPROVED"


async def test_a_broken_policy_changes_nothing(tmp_path: Path, policy: Path) -> None:
    """The last sound one goes on, every problem is logged on its own line, and a mended file is taken."""
    write(policy, PASSING)
    async with (
        serving(tmp_path / "plangate.db", "--policy", str(policy)) as server,
        connected(server.address) as gate,
    ):
        write(policy, "dney: []\ncalls: {expires_after: soon}\n")
        said = await hang_up(server, until="the policy from before goes on")
        assert [message.partition(" ")[0] for message in said] == [
            f"{policy}:1:",
            f"{policy}:2:",
            f"{policy}:",
        ]
        assert await state_of_a_new_plan(gate) == "APPROVED"
        write(policy, ASKING)
        await hang_up(server, until="tool rules")
        assert await state_of_a_new_plan(gate) == "IN_REVIEW"
        ended = await server.exit(signal.SIGTERM)
        assert (ended.code, ended.output) == (0, "plangate: stopping\n")


async def test_sighup_without_a_policy_file(tmp_path: Path) -> None:
    """There is nothing to read again: the server says so and goes on."""
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        await hang_up(
            server, until="there is no policy file to read again: start with --policy FILE to have one"
        )
        assert await state_of_a_new_plan(gate) == "IN_REVIEW"


async def test_a_policy_that_is_not_sound_opens_no_gate(tmp_path: Path, policy: Path) -> None:
    """The server exits with 1 and every problem on its own line, and has touched nothing."""
    write(policy, "dney: []\ncalls: {expires_after: soon}\n")
    database = tmp_path / "plangate.db"
    arguments = ("--listen", "127.0.0.1:0", "--database", f"sqlite:///{database}")
    ended = await run(*arguments, "--policy", str(policy))
    assert (ended.code, ended.output) == (1, "")
    assert [line.partition(" ")[0] for line in ended.errors.splitlines()] == [f"{policy}:1:", f"{policy}:2:"]
    assert not database.exists()


async def test_a_policy_that_is_not_there_opens_no_gate(tmp_path: Path) -> None:
    """A wrong path is no reason to go on without rules."""
    missing = tmp_path / "policy.yaml"
    database = f"sqlite:///{tmp_path / 'plangate.db'}"
    ended = await run("--listen", "127.0.0.1:0", "--database", database, "--policy", str(missing))
    assert ended == (1, "", f"{missing}: cannot be read: No such file or directory\n")


async def test_sighup_switches_four_eyes(tmp_path: Path, policy: Path) -> None:
    """For a review that is open already, in both directions; the log says which way."""
    async with (
        serving(tmp_path / "plangate.db", "--policy", str(policy)) as server,
        connected(server.address) as gate,
    ):
        plan = await gate.propose()
        write(policy, "four_eyes: true\n")
        await hang_up(server, until="0 tool rules, four_eyes")
        assert (await refused(gate.decide(plan, "approve"))).reason == "OWN_REQUEST"
        write(policy, ASKING)
        await hang_up(server, until="0 tool rules")
        await gate.decide(plan, "approve")


async def test_a_file_of_patterns_is_read_again_at_sighup(tmp_path: Path, policy: Path) -> None:
    """Not before; and once it is gone, the log names it, the rule denies every path, and the rest is read."""
    patterns = tmp_path / ".agentignore"
    patterns.write_text("old\n", encoding="utf-8")
    write(policy, "deny:\n- {name: theirs, paths_from: .agentignore}\n")
    async with (
        serving(tmp_path / "plangate.db", "--policy", str(policy)) as server,
        connected(server.address) as gate,
    ):

        async def rule_for(path: str) -> str:
            request = tool("write_file", access=ToolAccess.TOOL_ACCESS_WRITE)
            request.arguments.update({"path": path})
            return (await gate.sessions.AuthorizeTool(request)).rule

        patterns.write_text("new\n", encoding="utf-8")
        assert [await rule_for("old"), await rule_for("new")] == ["deny:theirs", "default"]
        await hang_up(server, until="read again: 1 deny, 0 allow, 0 auto_approve, 0 tool rules")
        assert [await rule_for("old"), await rule_for("new")] == ["default", "deny:theirs"]
        patterns.unlink()
        write(policy, "deny:\n- {name: ours, paths: [secret]}\n- {name: theirs, paths_from: .agentignore}\n")
        said = await hang_up(server, until="the rule denies every path")
        assert f"deny:theirs names {patterns}, which cannot be read: No such file or directory" in said[-1]
        assert [await rule_for("secret"), await rule_for("old")] == ["deny:ours", "deny:theirs"]
