"""`plangate certs`: what it makes, for whom, and that it never harms what is there."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from plangate_server.tls import Certificates, TlsFiles
from tests.cli.test_startup import MAIN, SERVER, loaded
from tests.helpers.command_line import MAIN as PLAIN_MAIN
from tests.helpers.command_line import CommandLine

WITHOUT_CRYPTOGRAPHY = f"import sys\nsys.modules['cryptography'] = None\n{PLAIN_MAIN}"


@pytest.fixture
def plangate(tmp_path: Path) -> CommandLine:
    """The command line where no gate is: nothing here may need one."""
    return CommandLine("127.0.0.1:1", tmp_path)


def read(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_is_made(plangate: CommandLine, tmp_path: Path) -> None:
    """A CA, a certificate for every name of the server, and one per client; all for their owner only."""
    done = plangate("certs", "trial", "--name", "gate.test", "--client", "ada", "--client", "bob")
    assert (done.code, done.err) == (0, "")
    trial = tmp_path / "trial"
    stems = ["ca", "client-ada", "client-bob", "server"]
    assert sorted(files(trial)) == sorted(f"{stem}.{end}" for stem in stems for end in ("pem", "key"))
    assert {path.stat().st_mode & 0o777 for path in trial.iterdir()} == {0o600}
    assert trial.stat().st_mode & 0o777 == 0o700
    names = read(trial / "server.pem").extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost", "gate.test"]
    assert list(map(str, names.get_values_for_type(x509.IPAddress))) == ["127.0.0.1", "::1"]
    assert read(trial / "client-ada.pem").subject.rfc4514_string() == "CN=ada"
    for stem in stems:
        key = read(trial / f"{stem}.pem").public_key()
        assert isinstance(key, ec.EllipticCurvePublicKey)
        assert key.curve.name == "secp256r1"


def test_the_server_takes_them(plangate: CommandLine, tmp_path: Path) -> None:
    """They are what `plangate serve` wants, and the CA signed them."""
    assert plangate("certs", "trial", "--client", "ada").code == 0
    trial = tmp_path / "trial"
    Certificates(TlsFiles(trial / "server.pem", trial / "server.key", trial / "ca.pem"))
    for stem in ("server", "client-ada"):
        read(trial / f"{stem}.pem").verify_directly_issued_by(read(trial / "ca.pem"))


def test_what_to_do_next_is_printed(plangate: CommandLine) -> None:
    """The very commands, with names quoted for the shell."""
    lines = plangate("certs", "my trial", "--client", "ada").out.splitlines()
    assert (
        "  plangate serve --tls-cert 'my trial/server.pem' --tls-key 'my trial/server.key' "
        "--tls-client-ca 'my trial/ca.pem'"
    ) in lines
    assert (
        "  export PLANGATE_TARGET=https://localhost:50061 PLANGATE_CA='my trial/ca.pem' "
        "PLANGATE_CERT='my trial/client-ada.pem' PLANGATE_KEY='my trial/client-ada.key'"
    ) in lines


def test_without_clients_the_gate_asks_for_no_certificate(plangate: CommandLine) -> None:
    """What is printed fits what was made."""
    out = plangate("certs", "trial").out
    assert "--tls-client-ca" not in out
    assert "  export PLANGATE_TARGET=https://localhost:50061 PLANGATE_CA=trial/ca.pem\n" in out


def test_days(plangate: CommandLine, tmp_path: Path) -> None:
    """How long they are valid; nothing outlives the CA that signed it."""
    assert plangate("certs", "trial", "--days", "3").code == 0
    assert plangate("certs", "trial", "--client", "ada", "--days", "30").code == 0
    for stem in ("ca", "server", "client-ada"):
        left = read(tmp_path / "trial" / f"{stem}.pem").not_valid_after_utc - datetime.now(UTC)
        assert timedelta(days=2, hours=23) < left <= timedelta(days=3)


def test_the_ca_that_is_there_signs_what_is_missing(plangate: CommandLine, tmp_path: Path) -> None:
    """Another client, or the server's certificate that was removed to be renewed; the rest stays."""
    trial = tmp_path / "trial"
    assert plangate("certs", "trial").code == 0
    before = files(trial)
    assert plangate("certs", "trial", "--client", "ada").code == 0
    assert {name: files(trial)[name] for name in before} == before
    for end in ("pem", "key"):
        (trial / f"server.{end}").unlink()
    again = plangate("certs", "trial")
    assert again.code == 0
    assert "--tls-client-ca" in again.out, "there is a client by now"
    assert files(trial)["ca.pem"] == before["ca.pem"]
    assert files(trial)["server.pem"] != before["server.pem"]


def test_nothing_is_overwritten(plangate: CommandLine, tmp_path: Path) -> None:
    """What is there stays, and then nothing else is made either."""
    trial = tmp_path / "trial"
    assert plangate("certs", "trial", "--client", "ada").code == 0
    before = files(trial)
    cases = {
        (): "has a CA and the server's certificate",
        ("--client", "bob", "--client", "ada"): "client-ada.pem is there",
        ("--name", "gate.test"): "server.pem is there",
    }
    for more, said in cases.items():
        assert said in plangate("certs", "trial", *more).complaint
    assert files(trial) == before


def test_half_of_a_pair(plangate: CommandLine, tmp_path: Path) -> None:
    """A key without its certificate may be somebody's: it is named, and nothing is made."""
    assert plangate("certs", "trial").code == 0
    (tmp_path / "trial" / "server.pem").unlink()
    assert "server.key is there without server.pem" in plangate("certs", "trial").complaint
    (tmp_path / "trial" / "ca.key").write_bytes((tmp_path / "trial" / "server.key").read_bytes())
    assert "are no CA of 'plangate certs'" in plangate("certs", "trial").complaint


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--days", "0"), "--days 0 is not from 1 to 825"),
        (("--days", "826"), "--days 826 is not from 1 to 825"),
        (("--name", "gate.test:50061"), "is no address: give the host alone, without a port"),
        (("--name", "https://gate"), "is no address"),
        (("--name", "gäte.test"), "is neither a host name in ASCII nor an address"),
        (("--name", ""), "is neither a host name"),
        (("--client", "../ada"), "is not made of letters, digits"),
        (("--client", ""), "is not made of letters, digits"),
        (("--client", "ada", "--client", "ada"), "--client names somebody twice"),
    ],
)
def test_wrong_arguments(
    plangate: CommandLine, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    """One line says what is wrong, and no folder is made."""
    assert said in plangate("certs", "trial", *arguments).complaint
    assert not (tmp_path / "trial").exists()


def test_a_folder_that_will_not_do(plangate: CommandLine, tmp_path: Path) -> None:
    """Keys go into no folder that is open to others, nor into a file."""
    (tmp_path / "open").mkdir(mode=0o755)
    assert "open is open to others, mode 0755: chmod 700 open" in plangate("certs", "open").complaint
    (tmp_path / "file").touch()
    assert plangate("certs", "file").complaint == "file cannot be used: File exists"


def test_without_the_extra(plangate: CommandLine, tmp_path: Path) -> None:
    """It says what to install, with exit code 2."""
    done = plangate.process("certs", "trial", main=WITHOUT_CRYPTOGRAPHY)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("pip install 'plangate[certs]'\n")
    assert not (tmp_path / "trial").exists()


def test_it_loads_no_grpc(plangate: CommandLine) -> None:
    """Neither the client nor the server is needed to make certificates."""
    assert loaded(plangate.process("certs", "trial", main=MAIN)) & {*SERVER, "grpc", "google"} == set()
