"""A gate on a Unix socket."""

import asyncio
from pathlib import Path

from tests.e2e.processes import serving
from tests.helpers.command_line import CommandLine


async def test_the_doctor_takes_a_unix_socket(tmp_path: Path) -> None:
    """As every other command does."""
    async with serving(tmp_path / "plangate.db", "--listen", f"unix:{tmp_path / 'gate.sock'}") as server:
        doctor = await asyncio.to_thread(CommandLine(server.address, tmp_path).process, "doctor")
    assert doctor.code == 0, doctor.out
