"""Where a provider's keys may be fetched from."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from plangate_server.plainyaml.notes import shown
from plangate_server.plainyaml.values import plain


def key_address(text: str) -> str:
    """The name of a file, or a URL that nobody on the way can answer for; or ValueError."""
    if "://" not in plain(text):
        return text
    if "@" in text.split("://", 1)[1].split("/", 1)[0]:  # not shown: there may be a password
        raise ValueError("has a user in it: keys are public, leave it out")
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise ValueError(f"is {shown(text)}, which is no URL: look at its host and its port") from None
    for found, advice in (
        (parts.scheme not in {"https", "http"}, "is neither a file nor https://"),
        (not parts.hostname, "names no host"),
        ("#" in text, "has a # in it: leave out what follows"),
        (not text.isascii() or " " in text, "has characters that a URL cannot have: write them as %XX"),
        (parts.scheme == "http" and not _is_loopback(parts), "can be altered on its way: use https://"),
    ):
        if found:
            raise ValueError(f"is {shown(text)}, which {advice}")
    return text


def origin(parts: SplitResult) -> tuple[str, str, int]:
    """Who answers at a URL."""
    return parts.scheme, parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _is_loopback(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
