"""What is in the wheel and in the sdist."""

import zipfile
from pathlib import Path

import pytest

from tests.packaging.environments import ROOT, Uv

PACKAGES = {"plangate", "plangate_server", "plangate_proto"}
PAGE = "plangate_server/web/static"

pytestmark = pytest.mark.xdist_group("packaging")


def contents(wheel: Path) -> dict[str, int]:
    """Name → checksum of every file."""
    with zipfile.ZipFile(wheel) as archive:
        return {file.filename: file.CRC for file in archive.infolist()}


def test_wheel_installs_three_names(wheel: Path) -> None:
    """Installing Plangate takes three top-level names and no others."""
    tops = {name.split("/")[0] for name in contents(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_wheel_is_typed(wheel: Path, package: str) -> None:
    """A type checker uses the annotations of each installed package."""
    assert f"{package}/py.typed" in contents(wheel)


def test_wheel_carries_the_page(wheel: Path) -> None:
    """Whoever installs the server has the whole review page: every file of it, and nothing to build."""
    names = {name.removeprefix(f"{PAGE}/") for name in contents(wheel) if name.startswith(f"{PAGE}/")}
    here = ROOT / "server" / PAGE
    assert names == {file.relative_to(here).as_posix() for file in here.rglob("*") if file.is_file()}
    assert {"index.html", "js/main.js"} <= names


def test_wheel_carries_the_license(wheel: Path) -> None:
    """Whoever has the wheel has the license text."""
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in contents(wheel))


def test_sdist_builds_the_same_wheel(dist: Path, wheel: Path, uv: Uv, tmp_path: Path) -> None:
    """A wheel built from the sdist has the same files with the same bytes."""
    uv("build", "--wheel", "--out-dir", tmp_path, next(dist.glob("*.tar.gz")))
    assert contents(next(tmp_path.glob("*.whl"))) == contents(wheel)
