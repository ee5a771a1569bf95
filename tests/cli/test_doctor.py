"""`plangate doctor`: what is wrong, and what to do about it."""

import asyncio
import importlib.metadata
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import grpc
import pytest

from plangate import Client
from plangate.cli import _checks_gate
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2_grpc import PlanReviewServiceStub
from plangate_server.rpc.calls import CallLog
from plangate_server.rpc.server import RpcServer
from tests.helpers.command_line import MAIN, CommandLine, Done
from tests.helpers.conditions import PATIENCE, look_until
from tests.helpers.gate_process import gate_process
from tests.helpers.listeners import nobody, other_service, silent, web_server
from tests.helpers.policies import FULL
from tests.helpers.tokens import admin
from tests.helpers.world import make_world

VERSION = importlib.metadata.version("plangate")
TOKENS = ["token", "token"]
SECONDS = _checks_gate.SECONDS
PATIENT = f"from plangate.cli import _checks_gate; _checks_gate.SECONDS = {PATIENCE}\n{MAIN}"
WITHOUT_SERVER = f"import sys; sys.modules['plangate_server'] = None\n{PATIENT}"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside the tests, each answer is waited for as long as it takes."""
    monkeypatch.setattr(_checks_gate, "SECONDS", PATIENCE)


def lines(done: Done) -> list[tuple[str, str, str]]:
    """Mark, subject and text of each line; nothing else is printed."""
    assert done.err == ""
    found = [re.fullmatch(r"([✓✗]) (\w+) +(.+)", line) for line in done.out.splitlines()]
    assert all(found), done.out
    return [(each[1], each[2], each[3]) for each in found if each]


def crosses(done: Done) -> list[tuple[str, str]]:
    """What was found wrong, by a command that says so with its exit code, too."""
    found = [(about, said) for mark, about, said in lines(done) if mark == "✗"]
    assert done.code == (1 if found else 0)
    return found


def said_of(done: Done, subject: str) -> str:
    (said,) = [said for _, about, said in lines(done) if about == subject]
    return said


def test_all_is_well(plangate: CommandLine, client: Client) -> None:
    """Every check has its line and its tick: packages, target, port, gRPC, services, version, clock."""
    plan = client.create_plan("# Tidy the cellar")
    look_until(lambda: not client.get_plan(plan).review.reviewers_watching)
    done = plangate("doctor")
    assert crosses(done) == []
    subjects = [
        "packages",
        "target",
        "port",
        "gRPC",
        *["health"] * 6,
        "version",
        "clock",
        *TOKENS,
        "reviewers",
    ]
    assert [about for _, about, _ in lines(done)] == subjects
    assert f"plangate {VERSION}," in said_of(done, "packages")
    assert said_of(done, "version") == f"the server is {VERSION}, this is {VERSION}"
    assert said_of(done, "target") == f"{plangate.target}, from PLANGATE_TARGET"
    assert said_of(done, "reviewers").startswith("nobody watches")


def test_who_watches_is_counted(tmp_path: Path) -> None:
    """Somebody who watches for plans is a reviewer; the doctor is none."""
    with gate_process(tmp_path) as target, grpc.insecure_channel(target) as channel:
        plangate = CommandLine(target, tmp_path)
        assert said_of(plangate("doctor"), "reviewers") == "how many watch is told once there is a plan"
        with Client(target) as client:
            client.create_plan("# Tidy the cellar")
        watching = PlanReviewServiceStub(admin(channel)).WatchReviews(WatchReviewsRequest(), timeout=PATIENCE)
        next(watching)
        assert said_of(plangate("doctor"), "reviewers") == "1 watches"
        watching.cancel()


def test_it_needs_no_server_package(plangate: CommandLine) -> None:
    """Where only the client is installed, everything is checked but the policy file."""
    done = plangate.process("doctor", main=WITHOUT_SERVER)
    assert crosses(done) == []
    assert said_of(done, "packages").endswith("without the server")
    ((about, said),) = crosses(plangate.process("doctor", "--policy", "policy.yaml", main=WITHOUT_SERVER))
    assert (about, said) == ("policy", "only the server can read it: pip install 'plangate[server]'")


def test_without_a_token_nothing_else_is_blamed(plangate: CommandLine, tmp_path: Path) -> None:
    """What cannot be asked without one is not asked, and the one line says what to do."""
    stranger = CommandLine(plangate.target, tmp_path, {"PLANGATE_TOKEN_DIR": str(tmp_path / "none")})
    ((about, said),) = crosses(stranger("doctor"))
    assert about == "token"
    assert "set PLANGATE_TOKEN" in said


def test_where_the_target_comes_from(plangate: CommandLine, tmp_path: Path) -> None:
    """A flag wins over the variable, and that over the default."""
    elsewhere = CommandLine("127.0.0.1:1", tmp_path)
    done = elsewhere("doctor", "--target", plangate.target)
    assert (done.code, said_of(done, "target")) == (0, f"{plangate.target}, from --target")
    assert said_of(elsewhere("doctor"), "target") == "127.0.0.1:1, from PLANGATE_TARGET"
    assert said_of(CommandLine("", tmp_path)("doctor"), "target") == "127.0.0.1:50061, from the default"


@pytest.mark.parametrize("target", ["localhost", "127.0.0.1:http", "127.0.0.1:70000", "http://gate:50061"])
def test_a_target_that_is_none(plangate: CommandLine, target: str) -> None:
    """It is not tried, and the line says how to write one."""
    ((about, said),) = crosses(plangate("doctor", "--target", target))
    assert about == "target"
    assert said == f"{target}, from --target, is not HOST:PORT: write it like 127.0.0.1:50061"


def test_several_nodes(plangate: CommandLine) -> None:
    """Each is looked at; those that are there are asked, also if another is away."""
    with nobody() as away:
        target = f"insecure://ipv4:{plangate.target},{away}"
        done = plangate("doctor", "--target", target)
    assert said_of(done, "target") == f"{target}, from --target"
    found = [(mark, said) for mark, about, said in lines(done) if about == "port"]
    assert found[0] == ("✓", f"something listens at {plangate.target}")
    assert found[1][0] == "✗"
    assert said_of(done, "gRPC") == "answers"


@pytest.mark.parametrize("host", ["gate.invalid", "gate..invalid"])
def test_a_host_that_nobody_knows(plangate: CommandLine, host: str) -> None:
    """The name is repeated; one that cannot be a name at all is no other case."""
    ((about, said),) = crosses(plangate("doctor", "--target", f"{host}:50061"))
    assert (about, said) == ("port", f"nobody knows a machine called {host}: set PLANGATE_TARGET")


@pytest.mark.parametrize(
    ("listening", "about", "problem"),
    [
        (nobody, "port", "nothing listens there: start 'plangate serve', or set PLANGATE_TARGET"),
        (silent, "gRPC", "does not speak gRPC, or hangs: is it 'plangate serve'?"),
        (web_server, "gRPC", "does not speak gRPC, or hangs: is it 'plangate serve'?"),
        (partial(other_service, healthy=False), "gRPC", "speaks gRPC and is no gate (UNIMPLEMENTED)"),
    ],
    ids=["nobody", "silent", "web server", "another service"],
)
def test_what_listens_is_no_gate(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    listening: Callable[[], AbstractContextManager[str]],
    about: str,
    problem: str,
) -> None:
    """The first thing that is wrong is the last that is looked at."""
    if listening in {silent, web_server}:
        monkeypatch.setattr(_checks_gate, "SECONDS", SECONDS)
    with listening() as target:
        done = CommandLine(target, tmp_path)("doctor")
    ((found, said),) = crosses(done)
    assert found == about
    assert problem in said
    assert lines(done)[-1][1] == about


def test_another_service_with_health(tmp_path: Path) -> None:
    """It lacks every service of a gate, says neither version nor time, and is not asked for plans."""
    with other_service(healthy=True) as target:
        found = crosses(CommandLine(target, tmp_path)("doctor"))
    assert [about for about, _ in found] == [
        *["health"] * 6,
        "version",
        "clock",
        *TOKENS,
    ]
    assert found[0][1].startswith("agent.v1.PlanService is not there: update the server")


async def test_a_gate_that_does_not_serve(tmp_path: Path) -> None:
    """Each service says so, and a clock that stands somewhere else is found."""
    server = RpcServer(make_world().world, CallLog())
    port = await server.start("127.0.0.1:0")
    plangate = CommandLine(f"127.0.0.1:{port}", tmp_path)
    done = await asyncio.to_thread(partial(plangate.process, "doctor", main=PATIENT))
    await server.stop(0)
    found = crosses(done)
    assert [about for about, _ in found] == [*["health"] * 6, "clock", *TOKENS]
    assert "does not serve: it starts, stops, or cannot use its database" in found[0][1]
    assert re.fullmatch(r"the server's is \d+ s behind ours: set both by NTP", dict(found)["clock"])


def test_a_policy_file(plangate: CommandLine) -> None:
    """It is checked as the server would; the first problem is told, and how many more there are."""
    (plangate.folder / "policy.yaml").write_text(FULL, encoding="utf-8")
    (plangate.folder / "bad.yaml").write_text("dney: []\ncalls:\n  expires_after: soon\n", encoding="utf-8")
    done = plangate("doctor", "--policy", "policy.yaml")
    assert crosses(done) == []
    assert said_of(done, "policy").endswith(": fine")
    ((about, said),) = crosses(plangate("doctor", "--policy", "bad.yaml"))
    assert about == "policy"
    assert said.startswith("bad.yaml:1: ")
    assert said.endswith("(and 1 more): see 'plangate policy check'")
    ((_, said),) = crosses(plangate("doctor", "--policy", ""))
    assert said == "--policy (or PLANGATE_POLICY) is empty: name a file, or leave it out"


def test_a_terminal_without_ticks(plangate: CommandLine) -> None:
    """Marks are words where they cannot be drawn."""
    done = plangate.process("doctor", main=f"import sys; sys.stdout.reconfigure(encoding='ascii')\n{PATIENT}")
    assert done.code == 0
    assert {line.split()[0] for line in done.out.splitlines()} == {"ok"}
