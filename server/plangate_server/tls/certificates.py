"""The certificates that hold now: renewed files are taken by the next handshake, without a restart."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from threading import Lock

import grpc

from plangate_server.logs import Log
from plangate_server.tls.reading import BadCertificates, Material, TlsFiles, read_material

tell = Log(__name__)

Stamp = tuple[tuple[int, ...] | None, ...]


class Certificates:
    """Keeps what the files held when they were last sound. gRPC asks before each handshake, from any thread.

    Connections that are open go on with what they began with.
    """

    def __init__(self, files: TlsFiles) -> None:
        """Raises BadCertificates if the files cannot be used."""
        self.files = files
        self._lock = Lock()
        self._looked = _stamp(files)
        self._problem = ""
        self._current = self._used = read_material(files)

    @property
    def end(self) -> datetime:
        """When the server's certificate ends."""
        return self._current.end

    def credentials(self) -> grpc.ServerCredentials:
        return grpc.dynamic_ssl_server_credentials(
            _configuration(self._used),
            self.renewed,  # type: ignore[arg-type] # gRPC takes None for no change, its types do not know
            require_client_authentication=self.files.client_ca is not None,
        )

    def look(self) -> None:
        """Read the files again if they changed. What cannot be used is logged once, and changes nothing."""
        with self._lock:
            self._look()

    def now(self) -> Material:
        """What holds at this moment."""
        with self._lock:
            self._look()
            return self._current

    def renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """What the next handshake uses; None for what the last one did."""
        with self._lock:
            self._look()
            if self._current is self._used:
                return None
            self._used = self._current
            return _configuration(self._used)

    def _look(self) -> None:
        stamp = _stamp(self.files)
        if stamp == self._looked:
            self._problem = ""
            return
        try:
            self._current = read_material(self.files)
        except BadCertificates as problem:
            self._tell_once(str(problem), f"{problem}; the certificates from before go on")
        except Exception as unforeseen:
            self._looked = stamp
            tell.fault("tls_failed", "the TLS files cannot be read: those from before go on", unforeseen)
        else:
            self._looked = stamp
            self._problem = ""
            end = self._current.end.isoformat()
            tell.info("tls_read", "renewed certificates: new connections get them", end=end)

    def _tell_once(self, problem: str, words: str) -> None:
        """What is refused is read again at the next handshake: it may be good later, and the same file."""
        if problem != self._problem:
            self._problem = problem
            tell.error("tls_kept", words)


def _configuration(material: Material) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration(
        [(material.key, material.certificate)], root_certificates=material.client_ca
    )


def _stamp(files: TlsFiles) -> Stamp:
    """Changes whenever a file is written or replaced, also behind a symbolic link."""
    return tuple(map(_file_stamp, files.all))


def _file_stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None  # reading it will say what is wrong
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
