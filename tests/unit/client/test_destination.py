"""Where a client connects to, whether over TLS, and what is wrong with what it was given."""

from pathlib import Path

import grpc
import pytest

from plangate import Client
from plangate._config import Destination, find_destination
from tests.helpers.certificates import Certificates


def test_a_plain_target_is_plain() -> None:
    """Without any file, host:port means no TLS, and so does what else gRPC takes."""
    assert find_destination("gate.test:1", environment={}) == Destination("gate.test:1", None)
    assert find_destination("dns:///gate.test:1", environment={}).tls is None


@pytest.mark.parametrize(
    ("target", "address", "host"),
    [
        ("https://gate.test:1", "gate.test:1", "gate.test"),
        ("https://gate.test:1/", "gate.test:1", "gate.test"),
        ("https://[::1]:1", "[::1]:1", "::1"),
        ("https://gate.test", "gate.test", "gate.test"),
    ],
)
def test_https_means_tls(target: str, address: str, host: str) -> None:
    """The address is what gRPC takes, the target stays as it was given."""
    gate = find_destination(target, environment={})
    assert gate.tls is not None
    assert (gate.target, gate.address, gate.host) == (target, address, host)


def test_the_environment_names_the_files(certificates: Certificates) -> None:
    """Each has a variable, and naming any means TLS."""
    pair = certificates.client
    environment = {
        "PLANGATE_TARGET": "gate.test:1",
        "PLANGATE_CA": str(certificates.ca),
        "PLANGATE_CERT": str(pair.cert),
        "PLANGATE_KEY": str(pair.key),
    }
    tls = find_destination(environment=environment).tls
    assert tls is not None
    assert (tls.roots, tls.chain) == (certificates.ca.read_bytes(), pair.cert.read_bytes())
    assert tls.key == pair.key.read_bytes()
    assert "PRIVATE" not in repr(tls)


def test_arguments_win_over_the_environment(certificates: Certificates) -> None:
    """A certificate and its key are given together: half of each is never mixed."""
    environment = {"PLANGATE_CA": "/none", "PLANGATE_CERT": "/none", "PLANGATE_KEY": "/none"}
    pair = certificates.client
    tls = find_destination("gate.test:1", certificates.ca, *pair, environment=environment).tls
    assert tls is not None
    assert (tls.authority, tls.certificate) == (str(certificates.ca), str(pair.cert))
    with pytest.raises(ValueError, match="needs key, too"):
        find_destination("gate.test:1", certificates.ca, pair.cert, environment=environment)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("http://gate.test:1", "write 'gate.test:1' without http://"),
        ("https://", "is not https://HOST:PORT"),
        ("https://gate.test:1/plans", "is not https://HOST:PORT"),
    ],
)
def test_a_wrong_target(target: str, said: str) -> None:
    """It is refused when the client is made."""
    with pytest.raises(ValueError, match=said):
        find_destination(target, environment={})


@pytest.mark.parametrize("name", ["PLANGATE_CA", "PLANGATE_CERT", "PLANGATE_KEY"])
def test_an_empty_variable(name: str, certificates: Certificates) -> None:
    """A variable that somebody forgot to fill does not mean less safety."""
    pair = certificates.client
    good = {
        "PLANGATE_CA": str(certificates.ca),
        "PLANGATE_CERT": str(pair.cert),
        "PLANGATE_KEY": str(pair.key),
    }
    with pytest.raises(ValueError, match=f"{name} is empty: name a file, or leave it out"):
        find_destination("gate.test:1", environment={**good, name: ""})


def test_wrong_files(tmp_path: Path, certificates: Certificates) -> None:
    """The text says which, why and where it was named."""
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("nonsense")
    cases = {
        (tmp_path / "none", None, None): f"ca '{tmp_path / 'none'}' cannot be read: No such file",
        (nonsense, None, None): f"ca '{nonsense}' holds no certificates in PEM",
        (None, certificates.client.cert, certificates.stranger.key): "is not the key of cert",
        (None, nonsense, certificates.client.key): "are not a certificate and its key in PEM",
    }
    for files, said in cases.items():
        with pytest.raises(ValueError, match=said):
            find_destination("gate.test:1", *files, environment={})


def test_a_channel_has_its_own_tls(certificates: Certificates) -> None:
    """What would not be used is not taken in silence."""
    with grpc.insecure_channel("gate.test:1") as channel, pytest.raises(ValueError, match="leave out ca"):
        Client("gate.test:1", ca=certificates.ca, channel=channel)


def test_the_client_takes_them(certificates: Certificates) -> None:
    """By name, and as str or Path."""
    pair = certificates.client
    with Client("https://gate.test:1", ca=str(certificates.ca), cert=pair.cert, key=pair.key) as client:
        assert client.target == "https://gate.test:1"
