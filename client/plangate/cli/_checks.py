"""What the checks of ``plangate doctor`` find."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check, in one line; what is not good says what to do."""

    good: bool
    about: str
    said: str


def addresses_of(address: str) -> list[str]:
    """Each HOST:PORT that gRPC is given at once, or the one."""
    for kind in ("ipv4:", "ipv6:"):
        if address.startswith(kind):
            return address.removeprefix(kind).split(",")
    return [address]


def installed(package: str) -> str:
    """The version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"
