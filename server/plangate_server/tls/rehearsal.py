"""A handshake in memory with a certificate and its key, to find out before any client does that it fails."""

from __future__ import annotations

import ssl
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

ROUNDS: Final = 4
"""More often than either side has something to say."""
EXPIRED: Final = 10
NOT_YET: Final = 9
# As OpenSSL counts what it finds about a certificate.
FOUND: Final = {
    EXPIRED: "has expired: renew it",
    NOT_YET: "is not valid yet: is the clock right?",
    26: "is not made for servers: make one with the extended key usage serverAuth",
}


class Refused(Exception):
    """The handshake would fail; its words say why, and what to do."""


def rehearse(certificate: Path, key: Path, certificate_text: str) -> int:
    """When the certificate ends, in seconds; or Refused."""
    server = _server(certificate, key)
    client = _client(certificate, certificate_text)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    asking = client.wrap_bio(to_client, to_server)
    answering = server.wrap_bio(to_server, to_client, server_side=True)
    try:
        for _ in range(ROUNDS):
            for side in (asking, answering):
                with suppress(ssl.SSLWantReadError):  # it is the other's turn
                    side.do_handshake()
    except ssl.SSLCertVerificationError as error:
        found = FOUND.get(error.verify_code, f"cannot be used: {error.verify_message}")
        raise Refused(f"{certificate} (tls_cert) {found}") from None
    except ssl.SSLError as error:
        raise Refused(f"{certificate} (tls_cert) cannot be used: {error.reason}") from None
    shown = asking.getpeercert()
    assert shown
    return ssl.cert_time_to_seconds(str(shown["notAfter"]))


def _server(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

    def no_password() -> NoReturn:
        # Or OpenSSL would ask for one at the terminal.
        raise Refused(f"{key} (tls_key) is encrypted, which is not taken: give the key without a password")

    try:
        context.load_cert_chain(certificate, key, no_password)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            words = (
                f"{key} (tls_key) is not the key of {certificate} (tls_cert): name two that belong together"
            )
            raise Refused(words) from None
        why = error.reason or "they are no PEM"
        raise Refused(f"{certificate} (tls_cert) and {key} (tls_key) cannot be used: {why}") from None
    return context


def _client(certificate: Path, text: str) -> ssl.SSLContext:
    """One that trusts the certificate itself: who signed it is for real clients to judge."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_verify_locations(cadata=text)
    except ssl.SSLError:
        raise Refused(f"{certificate} (tls_cert) holds a certificate that cannot be read") from None
    return context
