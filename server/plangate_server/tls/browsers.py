"""The same certificates for browsers, who show none of their own: they sign in with a token."""

from __future__ import annotations

import ssl
import tempfile
from pathlib import Path

from plangate_server.tls.certificates import Certificates
from plangate_server.tls.reading import Material


class BrowserTls:
    """The context that a web server hands to each connection; a renewed certificate is in the next one."""

    def __init__(self, certificates: Certificates) -> None:
        self._certificates = certificates
        self._material = certificates.now()
        self._current = _context(self._material)
        self.context = _context(self._material)
        self.context.sni_callback = self._renew

    def _renew(self, connection: ssl.SSLObject | ssl.SSLSocket, _: str | None, __: ssl.SSLContext) -> None:
        material = self._certificates.now()
        if material is not self._material:
            self._current, self._material = _context(material), material
        connection.context = self._current


def _context(material: Material) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # What was checked, and not what the files may hold by now; OpenSSL reads it from a file only.
    with tempfile.TemporaryDirectory() as folder:
        both = Path(folder) / "both.pem"
        both.touch(mode=0o600)
        both.write_bytes(material.key + b"\n" + material.certificate)
        context.load_cert_chain(both)
    return context
