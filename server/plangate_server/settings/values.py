"""Texts of settings read as what they stand for. A ValueError says what is wrong with one, and what to do."""

from __future__ import annotations

import ipaddress
import re
from datetime import timedelta
from pathlib import Path


def loopback(listen: str) -> str:
    """Callers are not told apart yet, so nobody but this machine may be let in."""
    host, _, port = listen.rpartition(":")
    if not host or not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > 65535:
        raise ValueError(f"{listen!r} is not HOST:PORT, like 127.0.0.1:50061")
    if host != "localhost" and not _is_loopback(host):
        raise ValueError(
            f"{listen!r} is not a loopback address: this version cannot tell callers "
            "apart, so it serves only this machine"
        )
    return listen


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


def file_name(text: str) -> Path:
    """Empty is not left out: a variable that somebody forgot to set must not mean that there is no file."""
    if not text:
        raise ValueError("is empty: name a file, or leave it out")
    return Path(text)
