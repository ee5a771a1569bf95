"""What gRPC says about a failed handshake, in both versions at the ends of our range, put into words."""

import pytest

from plangate._config import Destination
from plangate._handshake import explained
from plangate._tls import Tls

PLAIN = Destination("gate.test:1")
SECURE = Destination("https://gate.test:1", Tls("ca.pem", "", b"", None, None))
PUBLIC = Destination("https://gate.test:1", Tls("", "", None, None, None))
WITH_CERTIFICATE = Destination("https://gate.test:1", Tls("ca.pem", "alice.pem", b"", b"", b""))

CONNECT = "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: "
OLD, NEW = (
    f"{CONNECT}{kind} handshake failed (TSI_PROTOCOL_FAILURE): SSL_ERROR_SSL: " for kind in ("Ssl", "Tls")
)
VERIFY = "error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED: "
VERSION = "error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER: Invalid certificate"
HOSTNAME = "Hostname Verification Check failed."
CLOSED = "failed to connect to all addresses; last error: UNAVAILABLE: ipv4:127.0.0.1:1: Socket closed"
RESET = f"{CONNECT}recvmsg:Connection reset by peer"


@pytest.mark.parametrize(
    ("gate", "details", "words"),
    [
        (SECURE, f"{OLD}{VERSION}", "it speaks no TLS: leave out https://"),
        (SECURE, f"{NEW}{VERSION}: OK", "it speaks no TLS: leave out https://"),
        (SECURE, f"{OLD}{VERIFY}certificate has expired", "has expired: whoever runs"),
        (SECURE, f"{NEW}{VERIFY}certificate has expired: OK", "has expired: whoever runs"),
        (SECURE, f"{NEW}{VERIFY}certificate is not yet valid: OK", "is the clock right"),
        (SECURE, f"{CONNECT}Peer name gate.test is not in peer certificate", "other names than gate.test"),
        (
            SECURE,
            f"{CONNECT}Custom verification check failed with error: UNAUTHENTICATED: {HOSTNAME}",
            "other names than gate.test",
        ),
        (SECURE, f"{OLD}{VERIFY}unable to get local issuer certificate", "a CA that ca.pem does not hold"),
        (SECURE, f"{NEW}{VERIFY}self signed certificate in certificate chain: OK", "ca.pem does not hold"),
        (PUBLIC, f"{NEW}{VERIFY}unable to get local issuer certificate: OK", "none of the public ones"),
        (SECURE, f"{NEW}{VERIFY}unsuitable certificate purpose: OK", "(unsuitable certificate purpose)"),
        (SECURE, f"{NEW}error:1:SSL routines::TLSV1_ALERT_CERTIFICATE_REQUIRED", "and got none"),
        (WITH_CERTIFICATE, f"{NEW}error:1:SSL routines::TLSV1_ALERT_UNKNOWN_CA", "not accept the client"),
        (
            SECURE,
            f"{NEW}error:1:SSL routines::NO_SHARED_CIPHER",
            "the handshake failed (TSI_PROTOCOL_FAILURE)",
        ),
        (SECURE, CLOSED, "most likely asks for a client certificate, and got none"),
        (SECURE, RESET, "most likely asks for a client certificate, and got none"),
        (WITH_CERTIFICATE, CLOSED, "does not accept the client certificate alice.pem: it must be signed"),
        (PLAIN, CLOSED, "most likely speaks TLS: set PLANGATE_TARGET to https://gate.test:1"),
        (PLAIN, RESET, "most likely speaks TLS: set PLANGATE_TARGET to https://gate.test:1"),
    ],
)
def test_the_cause_is_told(gate: Destination, details: str, words: str) -> None:
    """With the target, and with what to do."""
    said = explained(details, gate)
    assert said is not None
    assert said.startswith(f"no connection to the gate at {gate.target}: ")
    assert words in said


@pytest.mark.parametrize("gate", [PLAIN, SECURE, WITH_CERTIFICATE])
@pytest.mark.parametrize(
    "details",
    [
        f"{CONNECT}connect: Connection refused (111)",
        "DNS resolution failed for gate.test:1",
        "Socket closed",
        "",
    ],
)
def test_other_failures_are_no_handshakes(gate: Destination, details: str) -> None:
    """Nobody is there, or a connection that was fine has ended."""
    assert explained(details, gate) is None


def test_braces_in_words_do_no_harm() -> None:
    """What the other side says is filled in, and never a template itself."""
    said = explained(f"{NEW}{{host}} {{", SECURE)
    assert said is not None
    assert "{host} {" in said
