"""Commands load only what they need, so that each starts fast."""

import pytest

from plangate import Client
from tests.helpers.asking import new_session
from tests.helpers.command_line import CommandLine, Done
from tests.helpers.conditions import PATIENCE

MAIN = """
import sys
from plangate.cli import main
code = main()
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""
PATIENT_DOCTOR = f"from plangate.cli import _checks_gate; _checks_gate.SECONDS = {PATIENCE}"
SERVER = {"plangate_server", "sqlalchemy", "msgspec", "platformdirs", "starlette", "uvicorn"}
SCREEN = {"textual", "rich"}


def loaded(done: Done) -> set[str]:
    assert done.code == 0, done.err
    return {name.partition(".")[0] for name in done.err.split()}


@pytest.mark.parametrize(
    "command",
    [
        *("propose", "pending", "show", "approve", "comment", "approvals", "remembered", "sessions", "mode"),
        *("doctor", "todos", "build", "import", "export", "completion"),
    ],
)
def test_no_command_loads_the_server(plangate: CommandLine, client: Client, command: str) -> None:
    """Whoever talks to a gate loads the client, and nothing that only a server needs."""
    plan = client.create_plan("# Tidy the cellar", session_id=new_session())
    arguments = {
        "propose": ("-",),
        "pending": (),
        "show": (plan.plan_uri,),
        "approve": (plan.plan_uri, "--digest", plan.digest),
        "comment": ("list", plan.plan_uri),
        "approvals": (),
        "remembered": (),
        "sessions": (),
        "mode": (plan.session_id,),
        "doctor": (),
        "todos": (plan.plan_uri,),
        "build": ("start", plan.plan_uri),
        "import": ("-",),
        "export": (plan.plan_uri,),
        "completion": ("plans",),
    }
    if command == "build":
        client.decide(plan, "approve")
    main = f"{PATIENT_DOCTOR}{MAIN}" if command == "doctor" else MAIN
    modules = loaded(plangate.process(command, *arguments[command], stdin=b"# Tidy the attic", main=main))
    assert "grpc" in modules
    assert modules & (SERVER | SCREEN) == set()


def test_an_export_is_verified_without_grpc(plangate: CommandLine, client: Client) -> None:
    """An auditor needs neither a gate nor what it takes to talk to one."""
    client.create_plan("# Tidy the cellar")
    assert plangate("audit", "export", "--output", "audit.jsonl").code == 0
    modules = loaded(plangate.process("audit", "verify", "audit.jsonl", main=MAIN))
    assert "plangate" in modules
    assert modules & {*SERVER, "grpc", "google", "plangate_proto"} == set()


def test_version_loads_no_grpc(plangate: CommandLine) -> None:
    """A command that needs no gate does not load the client either."""
    modules = loaded(plangate.process("version", main=MAIN))
    assert "plangate" in modules
    assert modules & {*SERVER, "grpc", "google", "plangate_proto"} == set()


def test_only_who_reads_plan_files_loads_their_reader(plangate: CommandLine, client: Client) -> None:
    """To list, show and decide needs the names of files, and nothing else about them."""
    plan = client.create_plan("# Tidy the cellar")
    for arguments in (
        ("pending",),
        ("show", plan.plan_uri),
        ("approve", plan.plan_uri, "--digest", plan.digest),
    ):
        done = plangate.process(*arguments, main=MAIN)
        assert done.code == 0
        assert "plangate.planfile.names" in done.err.split()
        assert "plangate.planfile.reader" not in done.err.split()
