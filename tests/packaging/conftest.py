"""What the packaging tests share; each build and environment is made once."""

from pathlib import Path

import pytest

from tests.packaging.environments import ROOT, Environment, Uv, find_uv


@pytest.fixture(scope="session")
def uv() -> Uv:
    found = find_uv()
    if found is None:
        pytest.skip("uv is not installed: pip install uv")
    return found


@pytest.fixture(scope="session")
def dist(uv: Uv, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, both built from the source tree."""
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--wheel", "--sdist", "--out-dir", folder, ROOT)
    return folder


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    return next(dist.glob("*.whl"))


@pytest.fixture(scope="session")
def base(uv: Uv, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel without extras: what a user of the client installs."""
    environment = Environment.create(tmp_path_factory.mktemp("base") / "venv", uv)
    environment.install(wheel)
    return environment


@pytest.fixture(scope="session")
def testing(uv: Uv, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel with the testing extra: what the tests of a user's program install."""
    environment = Environment.create(tmp_path_factory.mktemp("testing") / "venv", uv)
    environment.install(f"plangate[testing] @ {wheel.as_uri()}")
    return environment


@pytest.fixture(scope="session")
def server(uv: Uv, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel with the server extra: what an operator installs."""
    environment = Environment.create(tmp_path_factory.mktemp("server") / "venv", uv)
    environment.install(f"plangate[server] @ {wheel.as_uri()}")
    return environment


@pytest.fixture(scope="session")
def editable(uv: Uv, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The source tree, installed so that edits show at once: what a contributor has."""
    environment = Environment.create(tmp_path_factory.mktemp("editable") / "venv", uv)
    environment.install("--editable", ROOT)
    return environment
