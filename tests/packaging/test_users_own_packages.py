"""Plangate in a project whose own packages are named like our folders."""

from pathlib import Path

import pytest

from tests.packaging.environments import Environment

NAMES = ("agent", "aiserver", "client", "generated", "server")

pytestmark = pytest.mark.xdist_group("packaging")


@pytest.fixture(params=["base", "editable"])
def installed(request: pytest.FixtureRequest) -> Environment:
    environment: Environment = request.getfixturevalue(request.param)
    return environment


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's folder with packages of their own that have our folders' names."""
    for name in NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"OWNER = 'the user, {name}'\n")
    return tmp_path


def test_the_users_packages_win(installed: Environment, project: Path) -> None:
    """After Plangate is imported, `import agent` still gives the user's own package."""
    code = f"import plangate, {', '.join(NAMES)}; print({', '.join(f'{n}.OWNER' for n in NAMES)})"
    assert installed.python(code, cwd=project) == " ".join(f"the user, {n}" for n in NAMES)


def test_plangate_works_beside_them(installed: Environment, project: Path) -> None:
    """Where the user's packages come first on sys.path, Plangate still finds its own."""
    code = (
        f"import {', '.join(NAMES)}, plangate\n"
        "from plangate_proto.agent.v1 import plan_service_pb2_grpc\n"
        "from plangate_proto.aiserver.v1 import plan_review_service_pb2_grpc\n"
        "from plangate.cli import main\n"
        "raise SystemExit(main(['version']))"
    )
    assert installed.python(code, cwd=project)


def test_no_other_names_are_taken(installed: Environment, tmp_path: Path) -> None:
    """Plangate makes none of its folders importable under a name that a user may want."""
    names = (*NAMES, "bench", "cli", "rpc", "tests", "tools")
    code = f"from importlib.util import find_spec; print([n for n in {names} if find_spec(n)])"
    assert installed.python(code, cwd=tmp_path) == "[]"
