"""The files that TLS needs at the client's side. What is wrong with one is said when it is read.

gRPC itself would say nothing until a call fails, and then not which file it was.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FileName = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class File:
    """A file that somebody named, or did not."""

    said: str
    """Where it is named: an argument or a variable."""
    name: FileName | None

    def __str__(self) -> str:
        return f"{self.said} {os.fspath(self.name)!r}" if self.name is not None else self.said

    def read(self) -> bytes:
        """What is in it; a ValueError says why that is not to be had."""
        if self.name is None or not os.fspath(self.name):
            raise ValueError(f"{self.said} is empty: name a file, or leave it out")
        try:
            return Path(self.name).read_bytes()
        except OSError as error:
            raise ValueError(f"{self} cannot be read: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class Tls:
    """What a client trusts, and what it shows."""

    authority: str
    """The file with the CA, for people; empty for the public ones."""
    certificate: str
    """The file with the certificate that is shown, for people; empty for none."""
    roots: bytes | None
    chain: bytes | None
    key: bytes | None

    def __repr__(self) -> str:
        return f"Tls({self.authority!r}, {self.certificate!r})"  # without the key


def read_tls(ca: File, cert: File, key: File) -> Tls:
    """What the files hold, checked. A ValueError says which file is wrong, and what to do."""
    roots = None if ca.name is None else ca.read()
    if roots is not None:
        _check_roots(ca, roots)
    if (cert.name is None) != (key.name is None):
        given, missing = (cert, key) if key.name is None else (key, cert)
        raise ValueError(f"{given} needs {missing.said}, too: a certificate and its key belong together")
    if cert.name is None:
        return Tls(_shown(ca), "", roots, None, None)
    chain, secret = cert.read(), key.read()
    _check_pair(cert, key)
    return Tls(_shown(ca), _shown(cert), roots, chain, secret)


def _shown(file: File) -> str:
    return "" if file.name is None else os.fspath(file.name)


def _check_roots(ca: File, roots: bytes) -> None:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=roots.decode("ascii"))
    except (ssl.SSLError, ValueError):
        raise ValueError(f"{ca} holds no certificates in PEM: it must be the CA's, like ca.pem") from None


def _check_pair(cert: File, key: File) -> None:
    assert cert.name is not None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(cert.name, key.name, _no_password(key))
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise ValueError(
                f"{key} is not the key of {cert}: name the two that were made together"
            ) from None
        raise ValueError(f"{cert} and {key} are not a certificate and its key in PEM") from None


def _no_password(key: File) -> Callable[[], str]:
    """Or OpenSSL would ask for one at the terminal, in the middle of a program."""

    def refuse() -> str:
        raise ValueError(f"{key} is encrypted, which is not taken: give the key without a password")

    return refuse
