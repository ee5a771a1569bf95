"""Where a gate listens, for whom, and what it refuses to do in the open."""

import asyncio
import os
import signal
import stat
from pathlib import Path

import pytest

from plangate import Client
from plangate_server.identity import local_credentials
from plangate_server.settings.values import PLAINTEXT_WORDS
from tests.e2e.processes import Exit, run, serving
from tests.helpers.certificates import Certificates
from tests.helpers.command_line import CommandLine
from tests.helpers.domain import NOW
from tests.helpers.tokens import local_token

BEYOND = ["0.0.0.0:0", "[::]:0", "gate.test:0"]


def database(folder: Path) -> list[str]:
    return ["--database", f"sqlite:///{folder / 'plangate.db'}"]


def refusal_in(ended: Exit, code: int, folder: Path) -> str:
    """The one line of a server that did not start, and touched nothing."""
    assert (ended.code, ended.output) == (code, "")
    assert "Traceback" not in ended.errors
    assert not (folder / "plangate.db").exists()
    return ended.errors.splitlines()[-1]


@pytest.mark.parametrize("listen", BEYOND)
async def test_beyond_this_machine_it_needs_tls(tmp_path: Path, listen: str) -> None:
    """Else it does not start, and says what to set, word for word."""
    ended = await run("--listen", listen, *database(tmp_path))
    said = refusal_in(ended, 2, tmp_path)
    assert f"--listen '{listen}' can be reached from other machines, which needs TLS: set --tls-cert" in said
    assert f"or say --plaintext '{PLAINTEXT_WORDS}'" in said


@pytest.mark.parametrize("words", ["yes", "true", "1", "", PLAINTEXT_WORDS.upper(), PLAINTEXT_WORDS + "."])
async def test_other_words_open_nothing(tmp_path: Path, words: str) -> None:
    """Whoever opens it must have read what it means."""
    ended = await run("--listen", "0.0.0.0:0", "--plaintext", words, *database(tmp_path))
    assert f"does not say '{PLAINTEXT_WORDS}'" in refusal_in(ended, 2, tmp_path)


async def test_with_the_very_words_it_opens(tmp_path: Path) -> None:
    """And serves; who calls is asked there, too."""
    options = ("--listen", "0.0.0.0:0", "--plaintext", PLAINTEXT_WORDS)
    async with serving(tmp_path / "plangate.db", *options) as server:
        port = server.address.rpartition(":")[2]

        def plans(token: str | None) -> int:
            with Client(f"127.0.0.1:{port}", token=token) as client:
                return len(list(client.list_plans()))

        assert await asyncio.to_thread(plans, local_token("agent")) == 0
        assert (await server.exit(signal.SIGTERM)).code == 0


async def test_with_tls_it_opens(tmp_path: Path, certificates: Certificates) -> None:
    """To everyone who has a token."""
    pair = certificates.server
    options = ("--listen", "0.0.0.0:0", "--tls-cert", str(pair.cert), "--tls-key", str(pair.key))
    async with serving(tmp_path / "plangate.db", *options) as server:
        port = server.address.rpartition(":")[2]

        def plans() -> int:
            with Client(f"https://localhost:{port}", ca=certificates.ca) as client:
                return len(list(client.list_plans()))

        assert await asyncio.to_thread(plans) == 0


@pytest.mark.parametrize("problem", ["open", "rubbish", "folder"])
async def test_a_bad_token_file_opens_no_gate(tmp_path: Path, problem: str) -> None:
    """It ends with 1 and one line that says what is wrong, and the file stays as it is."""
    folder = tmp_path / "tokens"
    folder.mkdir(mode=0o700)
    path = folder / "admin.token"
    path.touch(mode=0o600)
    if problem == "open":
        path.write_text(f"plangate_{'0' * 32}_{'1' * 32}")
        path.chmod(0o644)
    elif problem == "folder":
        path.unlink()
        path.mkdir()
    ended = await run("--listen", "127.0.0.1:0", "--token-dir", str(folder), *database(tmp_path))
    said = refusal_in(ended, 1, tmp_path)
    assert len(ended.errors.splitlines()) == 1
    words = {
        "open": "is open to others than its user",
        "rubbish": "holds no token",
        "folder": "is no file",
    }
    assert said.startswith("plangate: ")
    assert str(folder) in said
    assert words[problem] in said
    assert "1" * 32 not in ended.errors


async def test_tokens_are_where_the_operator_says(tmp_path: Path) -> None:
    """In a folder of the server's own, which a restart keeps."""
    folder, others = tmp_path / "tokens", tmp_path / "others"
    local_credentials(others, NOW)
    seen = []
    for _ in range(2):
        async with serving(tmp_path / "plangate.db", "--token-dir", str(folder)) as server:
            seen.append((folder / "agent.token").read_text())
            plangate = CommandLine(server.address, tmp_path, {"PLANGATE_TOKEN_DIR": str(folder)})
            assert (await asyncio.to_thread(plangate.process, "pending")).code == 0
            stranger = CommandLine(server.address, tmp_path, {"PLANGATE_TOKEN_DIR": str(others)})
            refused = await asyncio.to_thread(stranger.process, "pending")
            assert "the credentials are unknown" in refused.complaint
    assert seen[0] == seen[1]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize("mask", [0o000, 0o022])
async def test_a_unix_socket_is_for_its_user(tmp_path: Path, mask: int) -> None:
    """Its file has mode 0600, whatever the umask is; local tokens and the command line work over it."""
    path = tmp_path / "gate.sock"
    before = os.umask(mask)
    try:
        async with serving(tmp_path / "plangate.db", "--listen", f"unix:{path}") as server:
            assert server.address == f"unix:{path}"
            assert stat.S_ISSOCK(path.stat().st_mode)
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            plangate = CommandLine(server.address, tmp_path)
            done = await asyncio.to_thread(plangate.process, "pending")
            assert (done.code, done.out) == (0, "nothing waits for a decision\n"), done.err
    finally:
        os.umask(before)


async def test_a_unix_socket_knows_nobody_without_a_token(tmp_path: Path) -> None:
    """Being this user is not enough to be somebody."""
    async with serving(tmp_path / "plangate.db", "--listen", f"unix:{tmp_path / 'gate.sock'}") as server:
        nobody = CommandLine(server.address, tmp_path, {"PLANGATE_TOKEN_DIR": str(tmp_path / "none")})
        assert "set PLANGATE_TOKEN" in (await asyncio.to_thread(nobody.process, "pending")).complaint


async def test_a_killed_gates_socket_can_be_had_again(tmp_path: Path) -> None:
    """The file that it leaves behind is in nobody's way."""
    path = tmp_path / "gate.sock"
    async with serving(tmp_path / "plangate.db", "--listen", f"unix:{path}") as server:
        await server.exit(signal.SIGKILL)
    async with serving(tmp_path / "plangate.db", "--listen", f"unix:{path}") as server:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        done = await asyncio.to_thread(CommandLine(server.address, tmp_path).process, "pending")
        assert done.code == 0, done.err
