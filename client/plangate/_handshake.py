"""Why no connection came about that both sides trust, in words, from the little that gRPC tells."""

from __future__ import annotations

import re
from typing import Final

from plangate._config import Destination

# It took the connection, and closed it before it said anything that a gate says.
HUNG_UP: Final = re.compile(
    r"failed to connect to all addresses.*(Socket closed|reset by peer|Broken pipe)", re.DOTALL
)
# Of grpcio 1.76 up to 1.85, which differ; the first that fits wins.
SIGNS: Final = (
    (
        r"WRONG_VERSION_NUMBER|HTTP_REQUEST",
        "it speaks no TLS: leave out https:// and PLANGATE_CA, _CERT and _KEY, or start it with --tls-cert",
    ),
    (
        r"certificate has expired",
        "its certificate, or that of its CA, has expired: whoever runs the gate must renew it",
    ),
    (
        r"certificate is not yet valid",
        "its certificate is not valid yet: is the clock right, here and there?",
    ),
    (
        r"Hostname Verification Check failed|is not in peer certificate",
        "its certificate is for other names than {host}: use one of those, or have {host} put into it",
    ),
    (
        r"unable to get (local )?issuer|self[- ]signed|verify the first certificate|signature failure",
        "its certificate was signed by a CA that {roots}: {trust}",
    ),
    (
        r"CERTIFICATE_REQUIRED",
        "it asks for a client certificate, and got none: set PLANGATE_CERT and PLANGATE_KEY",
    ),
    (
        r"ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)",
        "it does not accept the client certificate {certificate}: {needed}",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED: (?P<why>[^:]+)",
        "its certificate cannot be trusted ({why}): whoever runs the gate must make another",
    ),
    (r"(Ssl|Tls|TLS) handshake failed(?P<why>.*)", "the handshake failed{why}"),
)
NO_CERTIFICATE: Final = (
    "it hangs up right after the handshake: it most likely asks for a client certificate, and got none: set "
    "PLANGATE_CERT and PLANGATE_KEY"
)
BAD_CERTIFICATE: Final = (
    "it hangs up right after the handshake: it most likely does not accept the client certificate "
    "{certificate}: {needed}"
)
PLAIN: Final = (
    "it hangs up when spoken to without TLS: it most likely speaks TLS: set PLANGATE_TARGET to "
    "https://{address}, and PLANGATE_CA to the file of its CA"
)


def explained(details: str, gate: Destination) -> str | None:
    """What to tell a person about a failed connection; None if TLS has nothing to do with it."""
    found = _cause(details, gate)
    if found is None:
        return None
    words, more = found
    tls = gate.tls
    known = tls.authority if tls else ""
    reason = words.format(
        address=gate.address,
        host=gate.host,
        certificate=tls.certificate if tls else "",
        roots=f"{known} does not hold" if known else "is none of the public ones",
        needed="it must be signed by the CA that the gate was given, and not have expired",
        trust="set PLANGATE_CA to the file of the CA that signed it",
        **more,
    )
    return f"no connection to the gate at {gate.target}: {reason}"


def _cause(details: str, gate: Destination) -> tuple[str, dict[str, str]] | None:
    if gate.tls is None:
        return (PLAIN, {}) if HUNG_UP.search(details) else None
    for sign, words in SIGNS:
        if found := re.search(sign, details):
            return words, found.groupdict()
    if HUNG_UP.search(details):
        return (BAD_CERTIFICATE if gate.tls.certificate else NO_CERTIFICATE), {}
    return None
