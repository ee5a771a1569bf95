"""The files of TLS, read and checked: better to say what is wrong here than to let every handshake fail."""

from __future__ import annotations

import ssl
import time
from datetime import UTC, datetime
from pathlib import Path
from stat import S_IMODE
from typing import Final

from msgspec import Struct

from plangate_server.tls.rehearsal import Refused, rehearse

OWNER_ONLY: Final = 0o600
OWNER_AND_GROUP: Final = 0o640
"""For a key that root owns and hands to a group, as clusters mount it."""


class BadCertificates(Exception):
    """Files that cannot be used; its words say which, why, and what to do."""


class TlsFiles(Struct, frozen=True):
    certificate: Path
    """The server's, followed by what leads to the CA if anything does."""
    key: Path
    client_ca: Path | None = None
    """Who signs the certificates that clients must show; None if they need none."""

    @property
    def all(self) -> list[Path]:
        return [self.certificate, self.key, *([self.client_ca] if self.client_ca else [])]


class Material(Struct, frozen=True):
    """What the files hold, and it fits together."""

    certificate: bytes
    key: bytes
    client_ca: bytes | None
    end: datetime


def read_material(files: TlsFiles) -> Material:
    """Raises BadCertificates if there is anything that would make handshakes fail, or give the key away."""
    certificate = _read(files.certificate, "tls_cert", "CERTIFICATE-----")
    key = _read(files.key, "tls_key", "PRIVATE KEY-----")
    _check_private(files.key)
    client_ca = None
    if files.client_ca is not None:
        client_ca = _read(files.client_ca, "tls_client_ca", "CERTIFICATE-----")
        _check_authority(files.client_ca, client_ca)
    end = _rehearsed(files, certificate)
    if (_bytes(files.certificate), _bytes(files.key)) != (certificate, key):
        raise BadCertificates(f"{files.certificate} or {files.key} changed while it was read: read it again")
    return Material(certificate, key, client_ca, end)


def _read(path: Path, setting: str, mark: str) -> bytes:
    content = _bytes(path, setting)
    if not content.isascii() or mark.encode() not in content:
        kind = "private key" if "KEY" in mark else "certificate"
        raise BadCertificates(f"{path} ({setting}) holds no {kind} in PEM: name the file that does")
    return content


def _bytes(path: Path, setting: str = "TLS") -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadCertificates(
            f"{path} ({setting}) cannot be read: {error.strerror}; 'plangate certs' makes files for a trial"
        ) from None


def _check_private(key: Path) -> None:
    found = key.stat()
    allowed = OWNER_AND_GROUP if found.st_uid == 0 else OWNER_ONLY
    mode = S_IMODE(found.st_mode)
    if mode & 0o077 & ~allowed:
        raise BadCertificates(f"{key} (tls_key) is open to others, mode {mode:04o}: chmod 600 {key}")


def _check_authority(path: Path, content: bytes) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_verify_locations(cadata=content.decode("ascii"))
    except ssl.SSLError:
        raise BadCertificates(f"{path} (tls_client_ca) holds a certificate that cannot be read") from None
    ends = [ssl.cert_time_to_seconds(str(each["notAfter"])) for each in context.get_ca_certs()]
    if not ends:
        raise BadCertificates(f"{path} (tls_client_ca) holds no CA: name the file of who signs for clients")
    if max(ends) < time.time():
        raise BadCertificates(f"{path} (tls_client_ca) has expired, on {_day(max(ends))}: renew it")


def _rehearsed(files: TlsFiles, certificate: bytes) -> datetime:
    try:
        end = rehearse(files.certificate, files.key, certificate.decode("ascii"))
    except Refused as problem:
        raise BadCertificates(str(problem)) from None
    except OSError as error:
        raise BadCertificates(f"{files.certificate} cannot be read: {error.strerror}") from None
    return datetime.fromtimestamp(end, UTC)


def _day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
