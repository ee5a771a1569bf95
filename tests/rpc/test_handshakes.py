"""A handshake that fails says which of the usual causes it is, over real sockets."""

import asyncio
import ssl
from pathlib import Path

from tests.helpers.certificates import Certificates
from tests.helpers.gate import Gate
from tests.rpc.tls_gates import failure_at, plans_at, tls_gate, unchecked_server


async def test_tls(tmp_path: Path, certificates: Certificates) -> None:
    """A client that trusts the CA is served, by address and by name."""
    async with tls_gate(tmp_path, certificates.server) as address:
        assert await plans_at(f"https://{address}", ca=certificates.ca) == 0
        port = address.rpartition(":")[2]
        assert await plans_at(f"https://localhost:{port}/", ca=certificates.ca) == 0


async def test_a_ca_alone_means_tls(tmp_path: Path, certificates: Certificates) -> None:
    """Whoever names a CA does not speak in the open, whatever the target looks like."""
    async with tls_gate(tmp_path, certificates.server) as address:
        assert await plans_at(address, ca=certificates.ca) == 0


async def test_mutual_tls(tmp_path: Path, certificates: Certificates) -> None:
    """A client with a certificate of the gate's CA is served."""
    async with tls_gate(tmp_path, certificates.server, certificates.ca) as address:
        assert await plans_at(f"https://{address}", ca=certificates.ca, pair=certificates.client) == 0


async def test_strict_clients_of_another_make(tmp_path: Path, certificates: Certificates) -> None:
    """OpenSSL, told to be strict, finds nothing wrong with what `plangate certs` makes."""
    strict = ssl.create_default_context(cafile=str(certificates.ca))
    strict.verify_flags |= ssl.VERIFY_X509_STRICT
    strict.set_alpn_protocols(["h2"])
    async with tls_gate(tmp_path, certificates.server) as address:
        port = int(address.rpartition(":")[2])
        _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=strict, server_hostname="localhost")
        assert writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2"
        writer.close()


async def test_an_unknown_ca(tmp_path: Path, certificates: Certificates) -> None:
    """The text names the file that does not hold the CA."""
    async with tls_gate(tmp_path, certificates.server) as address:
        said = await failure_at(f"https://{address}", ca=certificates.other_ca)
        assert f"a CA that {certificates.other_ca} does not hold: set PLANGATE_CA" in said
        assert f"https://{address}" in said


async def test_no_ca_at_all(tmp_path: Path, certificates: Certificates) -> None:
    """Without a file, only the public CAs are trusted."""
    async with tls_gate(tmp_path, certificates.server) as address:
        assert "a CA that is none of the public ones: set PLANGATE_CA" in await failure_at(
            f"https://{address}"
        )


async def test_an_expired_certificate(certificates: Certificates) -> None:
    """The gate's certificate ended while it ran."""
    async with unchecked_server(certificates.expired) as address:
        said = await failure_at(f"https://{address}", ca=certificates.ca)
        assert "its certificate, or that of its CA, has expired" in said


async def test_a_wrong_name(tmp_path: Path, certificates: Certificates) -> None:
    """The text says which name the certificate does not have."""
    async with tls_gate(tmp_path, certificates.elsewhere) as address:
        said = await failure_at(f"https://{address}", ca=certificates.ca)
        assert "its certificate is for other names than 127.0.0.1: " in said


async def test_no_client_certificate(tmp_path: Path, certificates: Certificates) -> None:
    """Who shows none where one is asked for is told what to set."""
    async with tls_gate(tmp_path, certificates.server, certificates.ca) as address:
        said = await failure_at(f"https://{address}", ca=certificates.ca)
        assert "asks for a client certificate, and got none: set PLANGATE_CERT and PLANGATE_KEY" in said


async def test_a_client_certificate_that_is_not_accepted(tmp_path: Path, certificates: Certificates) -> None:
    """Signed by another CA, expired, or a server's: the text names the file."""
    async with tls_gate(tmp_path, certificates.server, certificates.ca) as address:
        for pair in (certificates.stranger, certificates.old_client, certificates.renewed):
            said = await failure_at(f"https://{address}", ca=certificates.ca, pair=pair)
            assert f"does not accept the client certificate {pair.cert}: " in said


async def test_no_tls_at_a_port_with_tls(tmp_path: Path, certificates: Certificates) -> None:
    """A client that speaks in the open is told to speak TLS."""
    async with tls_gate(tmp_path, certificates.server) as address:
        said = await failure_at(address)
        assert f"most likely speaks TLS: set PLANGATE_TARGET to https://{address}" in said


async def test_tls_at_a_port_without(gate: Gate, certificates: Certificates) -> None:
    """A client that speaks TLS is told that the gate does not."""
    said = await failure_at(f"https://{gate.address}", ca=certificates.ca)
    assert "it speaks no TLS: leave out https://" in said
