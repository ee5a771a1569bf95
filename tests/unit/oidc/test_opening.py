"""From the operator's file to a gate that takes tokens, with keys in a real file and from a real server."""

import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from plangate_server.domain.errors import InvalidCredentials
from plangate_server.oidc import JwtTokens, keyring, open_oidc, sources
from plangate_server.oidc.fetching import fetched
from plangate_server.oidc.sources import MOST_BYTES
from plangate_server.plainyaml import FileProblems
from tests.helpers.conditions import PATIENCE
from tests.helpers.oidc import Signer, claims, ec_signer, ed_signer, events, jwks, rsa_signer
from tests.helpers.web_server import web_server

OLD, NEW = rsa_signer("old"), ec_signer("new")
FILE = """\
issuer: https://login.example.com
audience: plangate
jwks: {place}
roles:
  - {{claim: groups, has: reviewers, role: reviewer}}
"""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The web server has time to answer, and is not asked again only because time has passed."""
    monkeypatch.setattr(sources, "fetched", partial(fetched, seconds=PATIENCE))
    monkeypatch.setattr(keyring, "BETWEEN_SECONDS", PATIENCE)


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    keys = tmp_path / "keys.json"
    keys.write_bytes(jwks(OLD))
    return keys


def write(keys: Path, content: bytes | None) -> None:
    keys.unlink() if content is None else keys.write_bytes(content)


def opened(folder: Path, place: str = "keys.json") -> JwtTokens:
    path = folder / "oidc.yaml"
    path.write_text(FILE.format(place=place), encoding="utf-8")
    return open_oidc(path)


def fresh(signer: Signer) -> str:
    now = time.time()
    return signer.token(claims(iat=now, exp=now + 600))


async def takes(tokens: JwtTokens, signer: Signer) -> bool:
    try:
        caller = await tokens.caller(fresh(signer))
    except InvalidCredentials:
        return False
    return caller.principal.person == "4711"


async def test_keys_in_a_file(keys: Path, tmp_path: Path) -> None:
    """It is found beside the operator's."""
    tokens = opened(tmp_path)
    assert await takes(tokens, OLD)
    assert not await takes(tokens, NEW)


async def test_a_file_of_keys_that_changed_is_read_again(keys: Path, tmp_path: Path) -> None:
    """By the next call: the new keys are taken, the old ones are not."""
    tokens = opened(tmp_path)
    token = fresh(OLD)
    assert (await tokens.caller(token)).principal.name == "4711"
    write(keys, jwks(NEW))
    assert await takes(tokens, NEW)
    with pytest.raises(InvalidCredentials):
        await tokens.caller(token)


@pytest.mark.parametrize("broken", [b"", b'{"keys": [', None, b" " * (MOST_BYTES + 1)])
async def test_a_broken_file_of_keys_changes_nothing(
    keys: Path, tmp_path: Path, broken: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    """The keys from before go on, and those of a mended file are taken at once."""
    tokens = opened(tmp_path)
    write(keys, broken)
    assert await takes(tokens, OLD)
    assert events(caplog)[-1] == "oidc_keys_kept"
    write(keys, jwks(NEW))
    assert await takes(tokens, NEW)
    assert not await takes(tokens, OLD)


async def test_without_a_file_of_keys_the_gate_starts(
    keys: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It warns, and takes tokens when the file is there."""
    write(keys, None)
    tokens = opened(tmp_path)
    assert caplog.messages == [
        f"{keys} cannot be read: No such file or directory; JWTs are refused until it has keys"
    ]
    assert not await takes(tokens, OLD)
    write(keys, jwks(OLD))
    assert await takes(tokens, OLD)


async def test_a_place_of_keys_that_is_no_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A folder is told apart from a file that cannot be read."""
    (tmp_path / "keys.json").mkdir()
    assert not await takes(opened(tmp_path), OLD)
    assert f"{tmp_path / 'keys.json'} is not a file" in caplog.text


async def test_keys_from_a_server(tmp_path: Path) -> None:
    """They are fetched once, at the start."""
    with web_server() as web:
        web.content(jwks(OLD, ed_signer()))
        tokens = opened(tmp_path, f"{web.url}/keys")
        for signer in (OLD, ed_signer(), OLD):
            assert await takes(tokens, signer)
        assert not await takes(tokens, NEW)
        assert web.paths == ["/keys"]


async def test_a_server_that_is_down_keeps_nobody_from_starting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its tokens are refused, and the log says why."""
    with web_server() as web:
        web.content(b"", 503)
        tokens = opened(tmp_path, web.url)
        assert not await takes(tokens, OLD)
    assert f"{web.url} answered with status 503; JWTs are refused until it has keys" in caplog.messages


def test_a_bad_file_starts_nothing(tmp_path: Path) -> None:
    """It is a mistake of the operator's, and told as one."""
    with pytest.raises(FileProblems, match="cannot be read"):
        open_oidc(tmp_path / "none.yaml")
    with pytest.raises(FileProblems, match="jwks is"):
        opened(tmp_path, "http://login.example.com/keys")


@pytest.mark.parametrize("missing", ["jwt", "cryptography"])
def test_without_its_packages_it_says_what_to_install(
    keys: Path, tmp_path: Path, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the gate does not need them."""
    monkeypatch.delitem(sys.modules, "plangate_server.oidc.signatures")
    found: dict[str, Any] = {name: None for name in sys.modules if name.split(".")[0] == missing}
    for name in found:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(FileProblems, match=r"OIDC needs PyJWT and .*: pip install 'plangate\[oidc\]'"):
        opened(tmp_path)
