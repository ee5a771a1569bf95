"""What works after `pip install plangate`, without and with the server."""

import importlib.metadata
from pathlib import Path

import pytest

from tests.packaging.environments import Environment, must

pytestmark = pytest.mark.xdist_group("packaging")

BASE = {"grpcio", "protobuf", "googleapis-common-protos"}
# grpcio's own requirement.
TRANSITIVE = {"typing-extensions"}


def test_client_needs_three_packages(base: Environment) -> None:
    """The client brings three packages and what those need, nothing of the server's."""
    assert set(base.versions()) == {"plangate"} | BASE | TRANSITIVE


def test_client_imports_without_extras(base: Environment, tmp_path: Path) -> None:
    """`import plangate` works with the base dependencies alone."""
    assert base.python("import plangate; print(plangate.Client.__name__)", cwd=tmp_path) == "Client"


def test_the_gate_for_tests_needs_one_package_more(testing: Environment) -> None:
    """The testing extra brings msgspec, and nothing else of the server's."""
    assert set(testing.versions()) == {"plangate", "msgspec"} | BASE | TRANSITIVE


@pytest.mark.parametrize("environment", ["testing", "server"])
def test_the_gate_for_tests_works(environment: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """With its extra, and with the server's, plans and tool calls are decided in the process of a test."""
    installed: Environment = request.getfixturevalue(environment)
    code = """
import asyncio
from plangate.testing import Gate

async def main():
    gate = Gate()
    gate.approve_next()
    gate.allow_next()
    async with gate.async_client() as client:
        print((await client.wait(await client.create_plan("# Tidy the cellar"))).outcome)
    with gate.client() as client:
        print(client.request_approval("s", "bash", "make").outcome)

asyncio.run(main())
"""
    assert installed.python(code, cwd=tmp_path).split() == ["APPROVED", "APPROVED"]


def test_the_gate_for_tests_says_what_to_install(base: Environment, tmp_path: Path) -> None:
    """`import plangate.testing` without its extra names the install command."""
    done = base.run("python", "-c", "import plangate.testing", cwd=tmp_path)
    assert "pip install 'plangate[testing]'" in done.stderr


def test_client_does_not_load_the_server(server: Environment, tmp_path: Path) -> None:
    """Where the server is installed too, importing the client loads nothing of it."""
    code = "import sys, plangate; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = set(server.python(code, cwd=tmp_path).split())
    assert not loaded & {"plangate_server", "sqlalchemy", "msgspec", "grpc_health"}


@pytest.mark.parametrize("environment", ["base", "testing", "server"])
def test_version_command(environment: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """`plangate version` prints the installed version with any extra."""
    installed: Environment = request.getfixturevalue(environment)
    printed = must(installed.run("plangate", "version", cwd=tmp_path))
    assert importlib.metadata.version("plangate") in printed


def test_serve_without_the_server_says_what_to_install(base: Environment, tmp_path: Path) -> None:
    """`plangate serve` without the server extra names the install command and exits with 2."""
    done = base.run("plangate", "serve", cwd=tmp_path)
    assert done.returncode == 2
    assert "pip install 'plangate[server]'" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_sync_without_its_package_says_what_to_install(base: Environment, tmp_path: Path) -> None:
    """`plangate sync` without its extra names the install command and exits with 2; once, it needs none."""
    done = base.run("plangate", "sync", "plans", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "plangate: to watch a folder, pip install 'plangate[folder]'\n"
    once = base.run("plangate", "sync", "plans", "--once", "--target", "127.0.0.1:1", cwd=tmp_path)
    assert once.returncode == 1
    assert "127.0.0.1:1" in once.stderr


def test_the_doctor_needs_no_server(base: Environment, tmp_path: Path) -> None:
    """`plangate doctor` works with the base dependencies alone, and says what it found."""
    done = base.run("plangate", "doctor", "--target", "127.0.0.1:1", cwd=tmp_path)
    assert done.returncode == 1
    assert "without the server" in done.stdout
    assert "nothing listens there" in done.stdout
    assert done.stderr == ""


def test_certs_without_its_package_says_what_to_install(base: Environment, tmp_path: Path) -> None:
    """`plangate certs` without its extra names the install command, exits with 2 and makes nothing."""
    done = base.run("plangate", "certs", "trial", cwd=tmp_path)
    assert done.returncode == 2
    assert "pip install 'plangate[certs]'" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not (tmp_path / "trial").exists()


def test_oidc_without_its_packages_says_what_to_install(server: Environment, tmp_path: Path) -> None:
    """A file for a provider without the oidc extra names the install command; the rest does without."""
    keys = "issuer: https://login.example.com\naudience: plangate\njwks: keys.json\n"
    (tmp_path / "oidc.yaml").write_text(
        f"{keys}roles: [{{claim: azp, has: a, role: agent}}]\n", encoding="utf-8"
    )
    code = """
from pathlib import Path
from plangate_server.oidc import open_oidc
try:
    open_oidc(Path("oidc.yaml"))
except Exception as problem:
    print(problem)
"""
    words = "oidc.yaml: OIDC needs PyJWT and cryptography: pip install 'plangate[oidc]'"
    assert server.python(code, cwd=tmp_path) == words


def test_server_imports_with_its_extra(server: Environment, tmp_path: Path) -> None:
    """The server extra has everything that the server imports."""
    server.python("import plangate_server.app, plangate_server.__main__", cwd=tmp_path)
