"""Certificates for tests, good and bad, as files."""

from __future__ import annotations

import shutil
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from plangate.cli._certificates import CLIENT, SERVER, Issued, issue, make_authority
from tests.helpers.conditions import PATIENCE

HERE = ("localhost", "127.0.0.1", "::1")


class Pair(NamedTuple):
    cert: Path
    key: Path

    def put(self, place: Pair) -> None:
        """Copy the files there as renewals do: whoever reads one sees the old or the new, never a half."""
        for mine, theirs in zip(self, place, strict=True):
            replace(mine, theirs)


@dataclass(frozen=True, slots=True)
class Certificates:
    ca: Path
    other_ca: Path
    server: Pair
    renewed: Pair
    elsewhere: Pair
    """A server's, for another host."""
    expired: Pair
    """A server's."""
    client: Pair
    stranger: Pair
    """A client's, signed by the other CA."""
    old_client: Pair
    """A client's that has expired."""


def make_certificates(folder: Path) -> Certificates:
    ca, other = make_authority("Test CA", 30), make_authority("Other CA", 30)
    now = datetime.now(UTC)
    end, past, long_ago = now + timedelta(days=1), now - timedelta(hours=1), now - timedelta(days=1)
    return Certificates(
        _saved(folder, "ca", ca).cert,
        _saved(folder, "other_ca", other).cert,
        _saved(folder, "server", issue(ca, "gate", SERVER, end=end, hosts=HERE)),
        _saved(folder, "renewed", issue(ca, "gate", SERVER, end=end, hosts=HERE)),
        _saved(folder, "elsewhere", issue(ca, "gate", SERVER, end=end, hosts=("elsewhere.test",))),
        _saved(folder, "expired", issue(ca, "gate", SERVER, begin=long_ago, end=past, hosts=HERE)),
        _saved(folder, "client", issue(ca, "alice", CLIENT, end=end)),
        _saved(folder, "stranger", issue(other, "mallory", CLIENT, end=end)),
        _saved(folder, "old_client", issue(ca, "alice", CLIENT, begin=long_ago, end=past)),
    )


def replace(source: Path, target: Path) -> None:
    part = target.with_suffix(".part")
    shutil.copy(source, part)
    part.replace(target)


def shown_at(address: str) -> str:
    """The certificate that a new handshake gets, in PEM."""
    host, _, port = address.rpartition(":")
    return ssl.get_server_certificate((host, int(port)), timeout=PATIENCE)


def _saved(folder: Path, name: str, issued: Issued) -> Pair:
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    for path, content in zip(pair, (issued.certificate_pem, issued.key_pem), strict=True):
        path.write_bytes(content)
        path.chmod(0o600)
    return pair
