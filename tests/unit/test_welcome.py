"""What a gate that opens says to whoever started it."""

from pathlib import Path

import pytest

from plangate_server.settings import DEFAULT_LISTEN, SETTINGS, Settings
from plangate_server.welcome import Addresses, welcome

(USERS,) = (each.default_here() or "" for each in SETTINGS if each.name == "token_dir")


@pytest.mark.parametrize(
    ("listen", "tokens", "exports"),
    [
        (DEFAULT_LISTEN, USERS, []),
        ("127.0.0.1:7", USERS, ["PLANGATE_TARGET=127.0.0.1:7"]),
        ("0.0.0.0:7", USERS, ["PLANGATE_TARGET=127.0.0.1:7"]),
        ("[::]:7", USERS, ["PLANGATE_TARGET='[::1]:7'"]),
        (DEFAULT_LISTEN, "/its own", ["PLANGATE_TOKEN_DIR='/its own'"]),
        (DEFAULT_LISTEN, "own", [f"PLANGATE_TOKEN_DIR={Path.cwd() / 'own'}"]),
        ("unix:/gate", "/own", ["PLANGATE_TARGET=unix:/gate", "PLANGATE_TOKEN_DIR=/own"]),
    ],
)
def test_what_commands_do_not_find_by_themselves(listen: str, tokens: str, exports: list[str]) -> None:
    """Every line for the shell that is needed is there, and no other one."""
    said = welcome(Settings(listen, "sqlite:///x", Path(tokens)), Addresses(listen, "w", "http://w/"), None)
    assert [line.strip() for line in said.splitlines() if "export " in line] == [
        f"export {each}" for each in exports
    ]
