"""Where the gate is and how it is trusted, if nobody says: the environment, then the local default."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from plangate._tls import File, FileName, Tls, read_tls

DEFAULT_TARGET: Final = "127.0.0.1:50061"
SECURE: Final = "https://"
INSECURE: Final = "insecure://"


@dataclass(frozen=True, slots=True)
class Destination:
    """A gate to connect to."""

    target: str
    """As it was given, for people."""
    tls: Tls | None = None
    """None to speak without TLS."""

    @property
    def address(self) -> str:
        """As gRPC takes it."""
        if self.insecure:
            return self.target.removeprefix(INSECURE).removesuffix("/")
        return self.target.removeprefix(SECURE).removesuffix("/") if self.tls else self.target

    @property
    def insecure(self) -> bool:
        """Whether somebody wants it without TLS, wherever it is."""
        return self.target.startswith(INSECURE)

    @property
    def host(self) -> str:
        """The name that the gate's certificate must have."""
        host, colon, port = self.address.rpartition(":")
        return host.strip("[]") if colon and port.isdigit() else self.address


def find_target(environment: Mapping[str, str] = os.environ) -> str:
    """``PLANGATE_TARGET``, or the place where ``plangate serve`` listens by default."""
    return environment.get("PLANGATE_TARGET") or DEFAULT_TARGET


def find_destination(
    target: str | None = None,
    ca: FileName | None = None,
    cert: FileName | None = None,
    key: FileName | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Destination:
    """What is given, else what the environment says. A ValueError says what is wrong with it.

    TLS is spoken if the target is an https:// one, or if a file for it is named: whoever names one never
    speaks in the open.
    """
    target = target or find_target(environment)
    _check(target)
    if cert is not None or key is not None:
        pair = File("cert", cert), File("key", key)
    else:
        pair = _set("PLANGATE_CERT", environment), _set("PLANGATE_KEY", environment)
    authority = File("ca", ca) if ca is not None else _set("PLANGATE_CA", environment)
    wanted = target.startswith(SECURE) or any(file.name is not None for file in (authority, *pair))
    return Destination(target, read_tls(authority, *pair) if wanted else None)


def _check(target: str) -> None:
    scheme, found, rest = target.partition("://")
    if not found:
        return
    if scheme == "http":
        raise ValueError(
            f"the target {target!r} is a web address: write {rest.rstrip('/')!r} without http://"
        )
    if scheme == "https" and (not rest.strip("/") or "/" in rest.removesuffix("/")):
        raise ValueError(f"the target {target!r} is not https://HOST:PORT")


def _set(variable: str, environment: Mapping[str, str]) -> File:
    return File(variable, environment.get(variable))
