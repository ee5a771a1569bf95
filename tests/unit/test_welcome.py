"""What a gate that opens says to whoever started it."""

from pathlib import Path

import pytest

from plangate_server.settings import DEFAULT_LISTEN, SETTINGS, Settings
from plangate_server.welcome import Addresses, welcome

DEFAULTS = {each.name: each.default_here() or "" for each in SETTINGS}
USERS, PLANS = DEFAULTS["token_dir"], DEFAULTS["database"]


@pytest.mark.parametrize(
    ("listen", "tokens", "database", "exports"),
    [
        (DEFAULT_LISTEN, USERS, PLANS, []),
        ("127.0.0.1:7", USERS, PLANS, ["PLANGATE_TARGET=127.0.0.1:7"]),
        ("0.0.0.0:7", USERS, PLANS, ["PLANGATE_TARGET=127.0.0.1:7"]),
        ("[::]:7", USERS, PLANS, ["PLANGATE_TARGET='[::1]:7'"]),
        (DEFAULT_LISTEN, "/its own", PLANS, ["PLANGATE_TOKEN_DIR='/its own'"]),
        (DEFAULT_LISTEN, "own", PLANS, [f"PLANGATE_TOKEN_DIR={Path.cwd() / 'own'}"]),
        ("unix:/gate", "/own", PLANS, ["PLANGATE_TARGET=unix:/gate", "PLANGATE_TOKEN_DIR=/own"]),
        (DEFAULT_LISTEN, USERS, "sqlite:///x", [f"PLANGATE_DATABASE=sqlite:///{Path.cwd() / 'x'}"]),
        (DEFAULT_LISTEN, USERS, "postgresql://ada:secret@db/gate", []),
    ],
)
def test_what_commands_do_not_find_by_themselves(
    listen: str, tokens: str, database: str, exports: list[str]
) -> None:
    """Every line for the shell that is needed is there, and no other one."""
    said = welcome(Settings(listen, database, Path(tokens)), Addresses(listen, "w", "http://w/"), None)
    assert [line.strip() for line in said.splitlines() if "export " in line] == [
        f"export {each}" for each in exports
    ]
