"""Texts of settings read as what they stand for. A ValueError says what is wrong with one, and what to do."""

from __future__ import annotations

import ipaddress
import re
from datetime import timedelta
from pathlib import Path
from typing import Final

from plangate_server.domain.limits import ID_BYTES

HOST: Final = re.compile(r"[^\s:\[\]]+|\[[0-9a-fA-F:.]+\]")
UNIX: Final = "unix:"
PLAINTEXT_WORDS: Final = "tokens and plans may be read on their way"


def address(listen: str) -> str:
    if listen.startswith(UNIX) and len(listen) > len(UNIX):
        return listen
    host, _, port = listen.rpartition(":")
    if not HOST.fullmatch(host) or not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > 65535:
        raise ValueError(f"{listen!r} is not HOST:PORT, like 127.0.0.1:50061, nor unix:PATH")
    return listen


def web_address(listen: str) -> str:
    """Browsers know no sockets that are files."""
    if address(listen).startswith(UNIX):
        raise ValueError(f"{listen!r} is not HOST:PORT, like 127.0.0.1:50062")
    return listen


def stays_here(listen: str) -> bool:
    """Whether only this machine can reach an address."""
    host = listen.rpartition(":")[0]
    return listen.startswith(UNIX) or host == "localhost" or _is_loopback(host)


def plaintext_words(text: str) -> str:
    """Not a yes or no: whoever sets it must have read what it means."""
    if text != PLAINTEXT_WORDS:
        raise ValueError(f"does not say {PLAINTEXT_WORDS!r}: write that, or use TLS (--tls-cert)")
    return text


def _is_loopback(host: str) -> bool:
    try:
        bracketed = re.fullmatch(r"\[(.*)\]", host)
        address = ipaddress.ip_address(bracketed[1] if bracketed else host)
        return address.is_loopback and (address.version == 6) == bool(bracketed)
    except ValueError:
        return False


def days(text: str) -> timedelta | None:
    if text == "forever":
        return None
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) == 0:
        raise ValueError(f"{text!r} is not a number of days, like 90, nor forever")
    return timedelta(days=int(text))


def id_text(text: str) -> str:
    """What names a session or a workspace."""
    if not text:
        raise ValueError("is empty: name one, or leave it out")
    if len(text.encode()) > ID_BYTES:
        raise ValueError(f"has {len(text.encode())} bytes: at most {ID_BYTES} are taken")
    return text


def file_name(text: str) -> Path:
    """Empty is not left out: a variable that somebody forgot to set must not mean that there is no file."""
    if not text:
        raise ValueError("is empty: name a file, or leave it out")
    return Path(text)
