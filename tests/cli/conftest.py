"""What the tests of the command line share."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from plangate import Client
from tests.helpers.audit_logs import fill_log
from tests.helpers.command_line import CommandLine
from tests.helpers.gate_process import gate_process


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A gate that all tests here share: each makes plans of its own."""
    with gate_process(tmp_path_factory.mktemp("gate")) as address:
        yield address


@pytest.fixture(scope="session")
def client(address: str) -> Iterator[Client]:
    """The same gate from Python, to prepare what a command finds and see what it did; nameless, like it."""
    with Client(address, agent_id="") as client:
        yield client


@pytest.fixture
def plangate(address: str, tmp_path: Path) -> CommandLine:
    """The command line."""
    return CommandLine(address, tmp_path)


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a gate left that has stopped, with something in its log."""

    database: Path
    head: str

    def copy_to(self, folder: Path) -> None:
        """As the database that a gate in this folder would have."""
        shutil.copyfile(self.database, folder / self.database.name)


@pytest.fixture(scope="session")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Stopped:
    """Each test takes a copy of it."""
    folder = tmp_path_factory.mktemp("stopped")
    with gate_process(folder) as address:
        fill_log(address)
        head = CommandLine(address, folder)("audit", "verify").out.split()[-1]
    return Stopped(folder / "plangate.db", head)
