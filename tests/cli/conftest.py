"""What the tests of the command line share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from plangate import Client
from tests.helpers.command_line import CommandLine
from tests.helpers.gate_process import gate_process


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A gate that all tests here share: each makes plans of its own."""
    with gate_process(tmp_path_factory.mktemp("gate")) as address:
        yield address


@pytest.fixture(scope="session")
def client(address: str) -> Iterator[Client]:
    """The same gate from Python, to prepare what a command finds and to see what it did."""
    with Client(address) as client:
        yield client


@pytest.fixture
def plangate(address: str, tmp_path: Path) -> CommandLine:
    """The command line."""
    return CommandLine(address, tmp_path)
