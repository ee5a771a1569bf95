"""Which token a client shows, and to whom never."""

from pathlib import Path

import pytest

from plangate import Client
from plangate._config import Destination, find_destination
from plangate._line import Line
from plangate._tokens import Role, find_token, is_here, token_folder

ROLES = ["agent", "reviewer", "admin"]
HERE = [
    "127.0.0.1:50061",
    "127.8.9.1:1",
    "[::1]:1",
    "localhost:1",
    "localhost",
    "unix:/run/plangate.sock",
    "unix:relative",
]
ELSEWHERE = [
    "gate.test:50061",
    "10.0.0.7:1",
    "0.0.0.0:1",
    "[2001:db8::1]:1",
    "localhost.evil.test:1",
    "127.0.0.1.evil.test:1",
    "evil.test/127.0.0.1:1",
    "dns:///gate.test:1",
    "ipv4:10.0.0.7:1",
    "xunix:/run/plangate.sock",
]


@pytest.fixture
def left(tmp_path: Path) -> dict[str, str]:
    """The environment of a user whose server left tokens."""
    for role in ROLES:
        (tmp_path / f"{role}.token").write_text(f"the {role}'s\n")
    return {"PLANGATE_TOKEN_DIR": str(tmp_path)}


def gate(target: str) -> Destination:
    return find_destination(target, environment={})


@pytest.mark.parametrize("target", HERE)
def test_on_this_machine_each_role_has_its_own(left: dict[str, str], target: str) -> None:
    """What a server of this user left is found, without any setup."""
    assert is_here(gate(target))
    assert [find_token(role, gate(target), None, left) for role in ROLES] == [
        f"the {role}'s" for role in ROLES
    ]


@pytest.mark.parametrize(
    ("role", "shown"),
    [
        (None, ROLES),
        ("agent", ROLES),
        ("reviewer", ["reviewer", "reviewer", "admin"]),
        ("admin", ["admin", "admin", "admin"]),
    ],
)
def test_a_persons_client_calls_as_that_person(
    left: dict[str, str], monkeypatch: pytest.MonkeyPatch, role: Role | None, shown: list[str]
) -> None:
    """What an agent could call, too, is called as the client's role; what needs a higher one, as that."""
    monkeypatch.setenv("PLANGATE_TOKEN_DIR", left["PLANGATE_TOKEN_DIR"])
    line = Line("127.0.0.1:1", (None, None, None), None, role, has_own_channel=False)
    said = [dict(line.metadata(each))["authorization"] for each in ROLES]
    assert said == [f"Bearer the {each}'s" for each in shown]


def test_a_role_that_is_none_is_refused_at_once() -> None:
    """The words have those that there are."""
    with pytest.raises(ValueError, match="'owner' is none of agent, reviewer, admin"):
        Client("127.0.0.1:1", role="owner")  # type: ignore[arg-type]


@pytest.mark.parametrize("target", ELSEWHERE)
def test_what_was_left_here_goes_nowhere_else(left: dict[str, str], target: str) -> None:
    """Not even over TLS: another machine's gate does not know it, and need not see it."""
    assert not is_here(gate(target))
    for destination in (gate(target), gate(f"insecure://{target}")):
        assert find_token("agent", destination, None, left) == ""
    assert find_token("agent", gate("https://gate.test:1"), None, left) == ""


def test_the_environment_wins_over_what_was_left(left: dict[str, str]) -> None:
    """For every role: whoever sets it has one token."""
    environment = {**left, "PLANGATE_TOKEN": "mine"}
    assert {find_token(role, gate("127.0.0.1:1"), None, environment) for role in ROLES} == {"mine"}
    empty = {**left, "PLANGATE_TOKEN": ""}
    assert find_token("agent", gate("127.0.0.1:1"), None, empty) == "the agent's"


def test_what_is_given_wins_over_the_environment(left: dict[str, str]) -> None:
    environment = {**left, "PLANGATE_TOKEN": "mine"}
    assert {find_token(role, gate("127.0.0.1:1"), "given", environment) for role in ROLES} == {"given"}


@pytest.mark.parametrize("target", ELSEWHERE)
@pytest.mark.parametrize("how", ["given", "environment"])
def test_no_token_travels_in_the_open(target: str, how: str) -> None:
    """The words say where it would go, and both ways out; the token is not in them."""
    given, environment = ("s3cret", {}) if how == "given" else (None, {"PLANGATE_TOKEN": "s3cret"})
    with pytest.raises(ValueError, match="would travel to") as refused:
        find_token("agent", gate(target), given, environment)
    said = str(refused.value)
    assert (
        f"the token would travel to {target} in the open: use https://{target}, or insecure://{target} "
        in said
    )
    assert "s3cret" not in said


def test_over_tls_it_travels() -> None:
    assert find_token("agent", gate("https://gate.test:1"), "given", {}) == "given"


def test_whoever_says_insecure_has_said_so() -> None:
    """Something on the way adds TLS; the address is what comes behind it."""
    destination = gate("insecure://gate.test:1/")
    assert (destination.address, destination.tls) == ("gate.test:1", None)
    assert find_token("agent", destination, "given", {}) == "given"


def test_a_client_is_not_even_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mistake shows where it is made, before anything is sent."""
    monkeypatch.setenv("PLANGATE_TOKEN", "s3cret")
    with pytest.raises(ValueError, match="in the open"):
        Client("gate.test:50061")
    monkeypatch.delenv("PLANGATE_TOKEN")
    with pytest.raises(ValueError, match="in the open"):
        Client("gate.test:50061", token="s3cret")
    Client("insecure://gate.test:50061", token="s3cret").close()
    Client("https://gate.test:50061", token="s3cret").close()
    Client("gate.test:50061").close()


def test_without_any_the_gate_says_what_is_missing(tmp_path: Path) -> None:
    """Files that are not there, or not for this client to read, are no mistake of the client."""
    assert find_token("agent", gate("127.0.0.1:1"), None, {"PLANGATE_TOKEN_DIR": str(tmp_path)}) == ""
    (tmp_path / "agent.token").mkdir()
    assert find_token("agent", gate("127.0.0.1:1"), None, {"PLANGATE_TOKEN_DIR": str(tmp_path)}) == ""
    (tmp_path / "admin.token").write_bytes(b"\xff\xfe")
    assert find_token("admin", gate("127.0.0.1:1"), None, {"PLANGATE_TOKEN_DIR": str(tmp_path)}) == ""


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, "/home/ada/.local/share/plangate/tokens"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/plangate/tokens"),
        ("linux", {"XDG_DATA_HOME": ""}, "/home/ada/.local/share/plangate/tokens"),
        ("darwin", {}, "/home/ada/Library/Application Support/plangate/tokens"),
        ("linux", {"PLANGATE_TOKEN_DIR": "/run/tokens", "XDG_DATA_HOME": "/data"}, "/run/tokens"),
    ],
)
def test_where_a_server_leaves_them(
    monkeypatch: pytest.MonkeyPatch, platform: str, environment: dict[str, str], folder: str
) -> None:
    """The same place as the server's default, without asking it."""
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setattr("sys.platform", platform)
    assert token_folder(environment) == Path(folder)
