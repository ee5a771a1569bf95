"""The token files of whoever runs the server: made once, whole, for this user alone, or refused in words."""

import getpass
import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plangate_server.domain.credentials import Credential, read_token_text
from plangate_server.domain.identity import OPERATORS_WORKSPACE, Role
from plangate_server.identity import local_credentials
from plangate_server.identity.local_tokens import LOCAL_ROLES, TokenFileProblem
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import NOW

NAMES = ["admin.token", "agent.token", "reviewer.token"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tokens"


def made(folder: Path) -> dict[Role, Credential]:
    return {each.principal.role: each for each in local_credentials(folder, NOW)}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def texts(folder: Path) -> list[str]:
    return [(folder / name).read_text() for name in NAMES]


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_they_are_for_this_user_alone(folder: Path, mask: int) -> None:
    """Files of mode 0600 in a folder of mode 0700, whatever the umask is, and nothing else beside them."""
    before = os.umask(mask)
    try:
        made(folder)
    finally:
        os.umask(before)
    assert mode(folder) == 0o700
    assert names(folder) == NAMES
    assert {mode(path) for path in folder.iterdir()} == {0o600}


def test_each_is_a_token_of_its_role(folder: Path) -> None:
    """What a file holds is what the credential fits; no two are alike, and an observer has none."""
    known = made(folder)
    assert sorted(known) == sorted(LOCAL_ROLES) == ["admin", "agent", "reviewer"]
    for role, credential in known.items():
        parts = read_token_text((folder / f"{role}.token").read_text().removesuffix("\n"))
        assert parts is not None
        assert (credential.credential_id, credential.fits(parts[1])) == (parts[0], True)
        assert parts[1] not in repr(credential)
        assert credential.principal.workspace == OPERATORS_WORKSPACE
    assert len(set(texts(folder))) == 3


def test_they_are_of_one_person(folder: Path) -> None:
    """Whoever runs the server answers for all of them; only the reviewer's is called after them."""
    known = made(folder)
    assert {each.principal.person for each in known.values()} == {"ada"}
    called = {str(role): each.principal.name for role, each in known.items()}
    assert called == {"admin": "local-admin", "agent": "local-agent", "reviewer": "ada"}


def test_a_user_without_a_name_has_tokens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose user is a number."""

    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found: 4711")

    monkeypatch.setattr(getpass, "getuser", nameless)
    assert made(folder)[Role.REVIEWER].principal.person == f"user-{os.geteuid()}"


@pytest.mark.parametrize(
    ("user", "person"), [("plangate", "user-plangate"), ("4711", "user-4711"), ("plangate2", "plangate2")]
)
def test_nobody_is_called_like_the_gate(
    folder: Path, monkeypatch: pytest.MonkeyPatch, user: str, person: str
) -> None:
    """As where the server has a user of its own: what it does by itself is told apart from what they do."""
    monkeypatch.setenv("LOGNAME", user)
    reviewer = made(folder)[Role.REVIEWER].principal
    assert (reviewer.name, reviewer.person) == (person, person)


def test_they_are_kept(folder: Path) -> None:
    """Another start reads what the first one made; one that was removed is made anew, the others stay."""
    first, before = made(folder), texts(folder)
    assert made(folder) == first
    (folder / "agent.token").unlink()
    again = made(folder)
    assert texts(folder)[0::2] == before[0::2]
    assert again[Role.AGENT].credential_id != first[Role.AGENT].credential_id
    assert again[Role.ADMIN] == first[Role.ADMIN]


def test_servers_that_start_at_once_make_one(folder: Path) -> None:
    """All of them know the tokens that are in the files in the end, and nothing is left over."""
    together = threading.Barrier(8)

    def start(_: int) -> list[Credential]:
        together.wait()
        return local_credentials(folder, NOW)

    for _ in range(20):
        with ThreadPoolExecutor(8) as pool:
            every = list(pool.map(start, range(8)))
        assert all(each == every[0] for each in every)
        assert names(folder) == NAMES
        for name in NAMES:
            (folder / name).unlink()


def test_no_half_of_a_file_is_ever_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token has its name only once all of it is written, and for its user alone by then."""
    link, seen = os.link, []

    def watched(draft: str, path: Path) -> None:
        assert not path.exists()
        assert mode(Path(draft)) == 0o600
        seen.append(read_token_text(Path(draft).read_text().strip()))
        link(draft, path)

    monkeypatch.setattr(os, "link", watched)
    made(folder)
    assert len(seen) == 3
    assert None not in seen


def test_a_full_disk_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be written is no token, and the words say where."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", full)
    with pytest.raises(TokenFileProblem) as problem:
        made(folder)
    assert str(problem.value) == f"cannot keep tokens in {folder}: No space left on device"
    assert names(folder) == []


@pytest.mark.parametrize("open_to", [0o640, 0o604, 0o660, 0o644, 0o610, 0o601, 0o777])
def test_a_file_that_is_open_to_others_is_refused(folder: Path, open_to: int) -> None:
    """By whatever right: somebody may have read it, so it is not made safe behind the user's back."""
    made(folder)
    path = folder / "agent.token"
    path.chmod(open_to)
    with pytest.raises(TokenFileProblem) as problem:
        made(folder)
    assert str(problem.value).startswith(f"{path} is open to others than its user: ")
    assert "chmod 600" in str(problem.value)
    assert mode(path) == open_to


def test_a_file_of_somebody_else_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever put it there knows what it holds."""
    made(folder)
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    with pytest.raises(TokenFileProblem, match="is open to others than its user"):
        made(folder)


RUBBISH = {
    "nothing": b"",
    "blank": b"\n\n",
    "words": b"my token\n",
    "half": b"plangate_" + b"0" * 32,
    "upper case": b"PLANGATE_" + b"0" * 32 + b"_" + b"0" * 32,
    "two": (b"plangate_" + b"0" * 32 + b"_" + b"0" * 32 + b"\n") * 2,
    "bytes": bytes(range(256)),
    "much": b"0" * 10_000_000,
}


@pytest.mark.parametrize("name", RUBBISH)
def test_a_file_without_a_token_is_refused(folder: Path, name: str) -> None:
    """It is named, left as it is, and nothing of it is told."""
    made(folder)
    path = folder / "reviewer.token"
    path.write_bytes(RUBBISH[name])
    with pytest.raises(TokenFileProblem) as problem:
        made(folder)
    assert str(problem.value) == f"{path} holds no token: remove it, so that a new one is made"
    assert path.read_bytes() == RUBBISH[name]


def test_what_is_no_file_is_refused(folder: Path) -> None:
    """A folder in the place of a token, a file in the place of the folder, a link that leads nowhere."""
    made(folder)
    path = folder / "agent.token"
    path.unlink()
    path.mkdir()
    with pytest.raises(TokenFileProblem, match=r"agent\.token is no file"):
        made(folder)
    path.rmdir()
    path.symlink_to(folder / "none")
    with pytest.raises(TokenFileProblem, match=r"agent\.token is no file"):
        made(folder)
    assert not (folder / "none").exists()
    with pytest.raises(TokenFileProblem, match="File exists"):
        made(folder / "reviewer.token")


def test_a_link_is_refused(tmp_path: Path) -> None:
    """A token elsewhere is not in a folder that is for its user alone."""
    local_credentials(tmp_path / "tokens", NOW)
    path = tmp_path / "tokens" / "agent.token"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TokenFileProblem):
        local_credentials(tmp_path / "tokens", NOW)


def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    """They could put one role's file in the place of another's."""
    folder = tmp_path / "tokens"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(TokenFileProblem):
        local_credentials(folder, NOW)


def test_one_token_is_not_of_two_roles(tmp_path: Path) -> None:
    """A copy of the agent's file in the admin's place does not make every agent an admin."""
    local_credentials(tmp_path, NOW)
    (tmp_path / "admin.token").write_text((tmp_path / "agent.token").read_text())
    with pytest.raises(TokenFileProblem):
        local_credentials(tmp_path, NOW)


def test_a_pipe_does_not_hold_the_server(tmp_path: Path) -> None:
    """It is refused, too: nobody would ever write to it."""
    path = tmp_path / "agent.token"
    os.mkfifo(path, 0o600)
    found: list[str] = []

    def start() -> None:
        try:
            local_credentials(tmp_path, NOW)
        except TokenFileProblem as problem:
            found.append(str(problem))

    starting = threading.Thread(target=start)
    starting.start()
    starting.join(PATIENCE)
    hangs = starting.is_alive()
    if hangs:
        path.write_text("let go")
    starting.join()
    assert (hangs, len(found)) == (False, 1)
