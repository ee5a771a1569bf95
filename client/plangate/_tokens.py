"""The token to show: the one that is given, the environment's, or the one that a server of this user left."""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from plangate._config import Destination

Role = Literal["agent", "reviewer", "admin"]
AGENT: Final = "agent"
REVIEWER: Final = "reviewer"
ADMIN: Final = "admin"
ROLES: Final[tuple[Role, ...]] = (AGENT, REVIEWER, ADMIN)
"""From the one that may do least on a person's side to the one that may do all."""
UNIX: Final = "unix:"


def find_token(
    role: str, gate: Destination, token: str | None = None, environment: Mapping[str, str] = os.environ
) -> str:
    """What is given, else ``PLANGATE_TOKEN``, else that of the role in the files of a server on this machine.

    Empty if there is none. A ValueError, if it would travel to another machine for everyone to read.
    """
    given = given_token(token, environment)
    if given and not is_here(gate) and gate.tls is None and not gate.insecure:
        raise ValueError(
            f"the token would travel to {gate.target} in the open: use https://{gate.address}, "
            f"or insecure://{gate.address} if something on the way adds TLS"
        )
    return given or (_left_here(role, environment) if is_here(gate) else "")


def given_token(token: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """What is given, else ``PLANGATE_TOKEN``; empty if there is none. A ValueError, if it cannot be one."""
    text = (token or environment.get("PLANGATE_TOKEN", "")).strip()
    if not (text.isascii() and text.isprintable()):
        raise ValueError("the token has characters that no token has: copy it once more")
    return text


def is_here(gate: Destination) -> bool:
    """Whether the gate is on this machine."""
    if gate.address.startswith(UNIX) or gate.host == "localhost":
        return True
    try:
        return ipaddress.ip_address(gate.host).is_loopback
    except ValueError:
        return False


def token_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where ``plangate serve`` leaves tokens for its user."""
    if folder := environment.get("PLANGATE_TOKEN_DIR"):
        return Path(folder)
    home = Path.home()
    if sys.platform == "darwin":
        data = home / "Library" / "Application Support"
    else:
        data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    return data / "plangate" / "tokens"


def _left_here(role: str, environment: Mapping[str, str]) -> str:
    try:
        return (token_folder(environment) / f"{role}.token").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""  # another user's, or no server ran here yet: the gate will say what is missing
