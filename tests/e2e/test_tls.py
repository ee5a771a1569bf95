"""The server and the command line with TLS, as processes."""

import asyncio
import json
import signal
from pathlib import Path

import pytest

from plangate import Client
from tests.e2e.processes import ServerProcess, run, serving
from tests.helpers.certificates import Certificates, Pair
from tests.helpers.command_line import CommandLine, Done
from tests.helpers.conditions import PATIENCE


@pytest.fixture
def place(tmp_path: Path, certificates: Certificates) -> Pair:
    """Where the gate's files are, with good ones in it."""
    place = Pair(tmp_path / "server.pem", tmp_path / "server.key")
    certificates.server.put(place)
    return place


def options(place: Pair) -> list[str]:
    return ["--tls-cert", str(place.cert), "--tls-key", str(place.key)]


async def logged(server: ServerProcess, event: str) -> str:
    """The message of the next such event in the log."""
    assert server.process.stderr
    async with asyncio.timeout(PATIENCE):
        while True:
            line = json.loads(await server.process.stderr.readline())
            if line["event"] == event:
                return str(line["message"])


async def test_the_welcome_tells_of_it(tmp_path: Path, place: Pair, certificates: Certificates) -> None:
    """Which certificate it is, until when, and what its clients need."""
    arguments = [*options(place), "--tls-client-ca", str(certificates.ca)]
    async with serving(tmp_path / "plangate.db", *arguments) as server:
        assert f"  TLS       {place.cert}, until " in server.welcome
        assert f", for clients with a certificate of {certificates.ca}\n" in server.welcome
        assert f"  export PLANGATE_TARGET=https://{server.address}\n" in server.welcome
        assert (
            "  # and PLANGATE_CA, PLANGATE_CERT and PLANGATE_KEY: see 'plangate certs --help'\n"
            in server.welcome
        )


async def test_bad_files_open_no_gate(tmp_path: Path, place: Pair) -> None:
    """It ends with 1 and one line for a person, and has touched nothing."""
    place.key.chmod(0o644)
    database = tmp_path / "plangate.db"
    ended = await run("--listen", "127.0.0.1:0", "--database", f"sqlite:///{database}", *options(place))
    said = f"{place.key} (tls_key) is open to others, mode 0644: chmod 600 {place.key}"
    assert ended == (1, "", f"plangate: {said}\n")
    assert not database.exists()


async def test_sighup_looks_at_once(tmp_path: Path, place: Pair, certificates: Certificates) -> None:
    """An operator hears whether renewed files are good before anybody connects."""
    async with serving(tmp_path / "plangate.db", *options(place)) as server:
        place.cert.write_text("half of it")
        server.process.send_signal(signal.SIGHUP)
        assert str(place.cert) in await logged(server, "tls_kept")
        certificates.renewed.put(place)
        server.process.send_signal(signal.SIGHUP)
        await logged(server, "tls_read")
        assert (await server.exit(signal.SIGTERM)).code == 0


async def test_the_command_line_takes_it_from_the_environment(
    tmp_path: Path, place: Pair, certificates: Certificates
) -> None:
    """One line says what is wrong with a file, and what to do when the gate is not trusted."""
    async with serving(tmp_path / "plangate.db", *options(place)) as server:
        target = f"https://{server.address}"

        async def pending(**variables: str) -> Done:
            plangate = CommandLine(target, tmp_path, variables)
            return await asyncio.to_thread(plangate.process, "pending")

        good = await pending(PLANGATE_CA=str(certificates.ca))
        assert (good.code, good.out) == (0, "nothing waits for a decision\n"), good.err
        wrong = await pending(PLANGATE_CA=str(certificates.other_ca))
        assert wrong.complaint.startswith(f"no connection to the gate at {target}: its certificate was")
        missing = await pending(PLANGATE_CA="none.pem")
        assert missing.complaint == "PLANGATE_CA 'none.pem' cannot be read: No such file or directory"
        lonely = await pending(PLANGATE_CERT=str(certificates.client.cert))
        assert "needs PLANGATE_KEY, too" in lonely.complaint


async def test_a_gate_outlives_its_files(tmp_path: Path, place: Pair, certificates: Certificates) -> None:
    """What was read is enough: files that vanish while the gate runs end nothing."""
    async with serving(tmp_path / "plangate.db", *options(place)) as server:
        place.cert.unlink()

        def proposed() -> str:
            with Client(f"https://{server.address}", ca=certificates.ca) as client:
                plan = client.create_plan("# Tidy")
                client.decide(plan, "approve")
                return client.wait(plan).outcome

        assert await asyncio.to_thread(proposed) == "APPROVED"


async def test_the_doctor_finds_what_stands_between(
    tmp_path: Path, place: Pair, certificates: Certificates
) -> None:
    """With the CA all is well; without TLS, with another CA or a file that is not there it says which."""
    async with serving(tmp_path / "plangate.db", *options(place)) as server:

        async def doctor(target: str, **variables: str) -> Done:
            return await asyncio.to_thread(CommandLine(target, tmp_path, variables).process, "doctor")

        secure = f"https://{server.address}"
        good = await doctor(secure, PLANGATE_CA=str(certificates.ca))
        assert good.code == 0, good.out
        assert "answers over TLS" in good.out
        for wrong, words in (
            (await doctor(server.address), "it most likely speaks TLS"),
            (await doctor(secure, PLANGATE_CA=str(certificates.other_ca)), "does not hold"),
            (await doctor(secure, PLANGATE_CA="none.pem"), "PLANGATE_CA 'none.pem' cannot be read"),
        ):
            assert (wrong.code, words in wrong.out) == (1, True), wrong.out
