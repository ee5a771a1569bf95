"""TLS files that would make handshakes fail, or give the key away, are refused with what to do."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from plangate_server.tls import BadCertificates, Certificates, TlsFiles
from tests.helpers import certificates as made
from tests.helpers.certificates import Pair


@pytest.fixture
def place(tmp_path: Path, certificates: made.Certificates) -> Pair:
    place = Pair(tmp_path / "server.pem", tmp_path / "server.key")
    certificates.server.put(place)
    return place


def problem(place: Pair, client_ca: Path | None = None) -> str:
    with pytest.raises(BadCertificates) as refused:
        Certificates(TlsFiles(place.cert, place.key, client_ca))
    return str(refused.value)


def test_good_files_are_taken(place: Pair, certificates: made.Certificates) -> None:
    """With and without a CA for clients."""
    for client_ca in (None, certificates.ca):
        Certificates(TlsFiles(place.cert, place.key, client_ca))


def test_a_missing_file(place: Pair, tmp_path: Path) -> None:
    """Each is named, with its setting."""
    said = problem(place, tmp_path / "none.pem")
    assert said.startswith(f"{tmp_path / 'none.pem'} (tls_client_ca) cannot be read: No such file")
    place.key.unlink()
    assert problem(place).startswith(f"{place.key} (tls_key) cannot be read: No such file or directory")
    place.cert.unlink()
    assert "'plangate certs' makes files for a trial" in problem(place)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xfe"])
def test_what_is_no_pem(place: Pair, tmp_path: Path, content: bytes) -> None:
    """Also a file that is empty, as one that is just being written may be."""
    bad = tmp_path / "bad"
    bad.write_bytes(content)
    bad.chmod(0o600)
    assert (
        problem(Pair(bad, place.key))
        == f"{bad} (tls_cert) holds no certificate in PEM: name the file that does"
    )
    assert "(tls_key) holds no private key in PEM" in problem(Pair(place.cert, bad))
    assert "(tls_client_ca) holds no certificate in PEM" in problem(place, bad)


def test_swapped_files(place: Pair) -> None:
    """The certificate for the key is no PEM of the right kind."""
    assert "(tls_cert) holds no certificate in PEM" in problem(Pair(place.key, place.cert))


@pytest.mark.parametrize("length", [60, 200, 400])
def test_half_of_a_file(place: Pair, length: int) -> None:
    """Wherever it is cut off."""
    whole = [path.read_bytes() for path in place]
    place.cert.write_bytes(whole[0][:length])
    assert str(place.cert) in problem(place)
    place.cert.write_bytes(whole[0])
    place.key.write_bytes(whole[1][: min(length, 200)])
    assert str(place.key) in problem(place)


def test_a_key_of_another_certificate(place: Pair, certificates: made.Certificates) -> None:
    """Both files are named."""
    said = problem(Pair(place.cert, certificates.renewed.key))
    assert said.startswith(f"{certificates.renewed.key} (tls_key) is not the key of {place.cert} (tls_cert)")


@pytest.mark.parametrize("mode", [0o604, 0o644, 0o660, 0o777])
def test_a_key_that_is_open_to_others(place: Pair, mode: int) -> None:
    """It is refused with the command that mends it."""
    place.key.chmod(mode)
    assert (
        problem(place) == f"{place.key} (tls_key) is open to others, mode {mode:04o}: chmod 600 {place.key}"
    )


def test_a_key_with_a_password(place: Pair) -> None:
    """Nobody is asked for it in the middle of a start."""
    key = serialization.load_pem_private_key(place.key.read_bytes(), None)
    place.key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"hunter2"),
        )
    )
    assert f"{place.key} (tls_key) is encrypted, which is not taken" in problem(place)


def test_an_expired_certificate(certificates: made.Certificates) -> None:
    """A gate that nobody could reach does not start."""
    assert problem(certificates.expired) == f"{certificates.expired.cert} (tls_cert) has expired: renew it"


def test_a_certificate_for_clients(certificates: made.Certificates) -> None:
    """No client would accept it from a server."""
    assert "(tls_cert) is not made for servers" in problem(certificates.client)


def test_a_client_ca_that_is_none(place: Pair, certificates: made.Certificates) -> None:
    """A certificate that signs nothing would let nobody in."""
    said = problem(place, certificates.client.cert)
    assert said.startswith(f"{certificates.client.cert} (tls_client_ca) holds no CA")
