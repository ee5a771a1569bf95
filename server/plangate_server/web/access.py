"""Who may see what is only for the operator: whoever is on this machine, and meant to come here.

A browser on this machine can be led here by a foreign name that resolves to loopback (DNS rebinding). Its
Host header then still has the foreign name.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final

from starlette.requests import Request

_HOST: Final = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:]+)\]|(?P<name>[^:\[\]]+))(?::[0-9]{1,5})?", re.ASCII)


def refusal(request: Request) -> str | None:
    """Why a request is not let in; None if it is."""
    if request.client is None or not _is_loopback(request.client.host):
        return "only this machine may see this"
    hosts = request.headers.getlist("host")
    if len(hosts) != 1 or not names_loopback(hosts[0]):
        return "ask for it by a loopback address: the Host header has another name"
    return None


def names_loopback(host: str) -> bool:
    parts = _HOST.fullmatch(host)
    if parts is None:
        return False
    if parts["six"] is not None:
        return _is_loopback(parts["six"])
    name = parts["name"]
    return name.lower() == "localhost" or _is_loopback(name)


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
