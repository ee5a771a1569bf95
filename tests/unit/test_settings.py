"""What an operator sets by flag or environment is taken as meant, or refused in a sentence."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import platformdirs
import pytest

from plangate_server.settings import DEFAULT_LISTEN, Settings, read_settings
from plangate_server.settings.values import PLAINTEXT_WORDS

Capture = pytest.CaptureFixture[str]

TOKENS = platformdirs.user_data_path("plangate", appauthor=False) / "tokens"


def refusal(capsys: Capture, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """What is printed when the settings are refused."""
    with pytest.raises(SystemExit) as left:
        read_settings(arguments, environment or {})
    printed = capsys.readouterr()
    assert left.value.code == 2
    assert printed.out == ""
    return printed.err


def test_nothing_needs_to_be_set() -> None:
    """Without flags and environment the server listens on this machine and keeps plans in the user's data."""
    settings = read_settings([], {})
    folder = platformdirs.user_data_path("plangate", appauthor=False)
    assert settings == Settings(DEFAULT_LISTEN, f"sqlite:///{folder / 'plangate.db'}", folder / "tokens")
    assert settings.sqlite_path == folder / "plangate.db"
    assert settings.listen == "127.0.0.1:50061"


def test_the_environment_sets_what_no_flag_does() -> None:
    """Each setting has a variable of its own."""
    environment = {"PLANGATE_LISTEN": "localhost:7", "PLANGATE_DATABASE": "sqlite:////var/p.db"}
    assert read_settings([], environment) == Settings("localhost:7", "sqlite:////var/p.db", TOKENS)


def test_a_flag_wins_over_the_environment() -> None:
    """What was typed for this start counts more than what was set for all of them."""
    environment = {"PLANGATE_LISTEN": "localhost:7", "PLANGATE_DATABASE": "sqlite:////var/p.db"}
    flags = ["--listen", "localhost:8", "--database", "sqlite:////var/q.db"]
    assert read_settings(flags, environment) == Settings("localhost:8", "sqlite:////var/q.db", TOKENS)


def test_a_flag_mends_an_environment_that_is_wrong() -> None:
    """A variable that is not used is not checked."""
    assert read_settings(["--listen", "localhost:8"], {"PLANGATE_LISTEN": "nonsense"}).listen == "localhost:8"


@pytest.mark.parametrize(
    "listen",
    [
        "127.0.0.1:0",
        "127.0.0.1:65535",
        "127.0.0.2:50061",
        "127.255.255.254:1",
        "[::1]:50061",
        "localhost:50061",
    ],
)
def test_every_loopback_address_will_do(listen: str) -> None:
    """The whole of 127.0.0.0/8, ::1 in brackets and localhost are this machine."""
    assert read_settings(["--listen", listen], {}).listen == listen


@pytest.mark.parametrize(
    "listen",
    [
        "0.0.0.0:50061",
        "[::]:50061",
        "192.168.1.1:50061",
        "128.0.0.1:50061",
        "example.com:50061",
        "localhost.example.com:50061",
        "127.0.0.1.example.com:50061",
        "*:50061",
    ],
)
def test_nobody_but_this_machine_is_let_in(listen: str, capsys: Capture) -> None:
    """An address that others can reach is refused without TLS, with the reason, unless in so many words."""
    assert f"--listen {listen!r} can be reached from other machines" in refusal(capsys, ["--listen", listen])
    for more in (["--tls-cert", "c", "--tls-key", "k"], ["--plaintext", PLAINTEXT_WORDS]):
        assert read_settings(["--listen", listen, *more], {}).listen == listen


def test_a_yes_is_not_enough(capsys: Capture) -> None:
    """Who wants to be reached without TLS must have read what that means."""
    said = refusal(capsys, ["--listen", "0.0.0.0:1", "--plaintext", "yes"])
    assert f"--plaintext does not say {PLAINTEXT_WORDS!r}" in said


def test_a_unix_socket_will_do() -> None:
    """It is a file, which has an owner."""
    assert read_settings(["--listen", "unix:/run/gate.sock"], {}).listen == "unix:/run/gate.sock"


@pytest.mark.parametrize(
    "listen",
    [
        "",
        "localhost",
        "50061",
        ":50061",
        "localhost:",
        "localhost:x",
        "localhost:-1",
        "localhost:65536",
        "[::1]",
    ],
)
def test_an_address_without_a_proper_port_is_refused(listen: str, capsys: Capture) -> None:
    """The refusal shows what was given and what would be right."""
    assert f"--listen {listen!r} is not HOST:PORT, like 127.0.0.1:50061, nor" in refusal(
        capsys, ["--listen", listen]
    )


def test_a_wrong_environment_is_refused_like_a_wrong_flag(capsys: Capture) -> None:
    """Where a setting came from does not change what is allowed."""
    assert "can be reached from other" in refusal(capsys, [], {"PLANGATE_LISTEN": "0.0.0.0:1"})


@pytest.mark.parametrize("listen", ["::1:50061", "]::1[:50061", "127.0.0.1:\N{ARABIC-INDIC DIGIT ONE}"])
def test_an_address_that_reads_in_two_ways_is_refused(listen: str, capsys: Capture) -> None:
    """IPv6 addresses need brackets, brackets need to match, and ports are written in ASCII digits."""
    refusal(capsys, ["--listen", listen])


def test_a_relative_path_stays_relative() -> None:
    """Three slashes and a name mean a file in the working folder."""
    assert read_settings(["--database", "sqlite:///plans.db"], {}).sqlite_path == Path("plans.db")


def test_a_tilde_means_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The shell does not expand a tilde inside a URL, so the server does."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read_settings(["--database", "sqlite:///~/plans.db"], {}).sqlite_path == tmp_path / "plans.db"


@pytest.mark.parametrize("database", ["", "plans.db", "sqlite://", "sqlite:///", "mysql://host/db"])
def test_a_database_of_another_kind_is_refused(database: str, capsys: Capture) -> None:
    """The refusal says which forms a database has."""
    said = refusal(capsys, ["--database", database])
    assert "is neither sqlite:///PATH nor postgresql://" in said


def test_a_database_server_is_taken_as_it_is() -> None:
    """The whole URL reaches the driver, and there is no file."""
    url = "postgresql://gate:hunter2@db.example.com:6432/plans?sslmode=require"
    settings = read_settings(["--database", url], {})
    assert (settings.database, settings.sqlite_path) == (url, None)


def test_where_plans_are_kept_is_shown_without_a_password() -> None:
    """A file is shown as its path, a database server by its kind alone."""
    shown = Settings(DEFAULT_LISTEN, "sqlite:////var/p.db", TOKENS).shown_database
    assert shown == str(Path("/var/p.db"))
    url = "postgresql://gate:hunter2@db.example.com/plans?password=hunter2"
    assert "hunter2" not in Settings(DEFAULT_LISTEN, url, TOKENS).shown_database


def test_a_database_that_is_not_kept_is_refused(capsys: Capture) -> None:
    """Plans are kept in a file: a database in memory is refused at once."""
    refusal(capsys, ["--database", "sqlite:///:memory:"])


@pytest.mark.parametrize(
    "database",
    [
        "postgres://gate:hunter2@db.example.com/plans",
        "postgresql+psycopg://gate:hunter2@db.example.com/plans?password=hunter2",
        "sqlite://gate:hunter2@host/plans.db",
        "gate:hunter2@db.example.com/plans",
    ],
)
def test_a_password_is_never_shown(database: str, capsys: Capture) -> None:
    """A refused database URL appears without anything that may be a secret, wherever it came from."""
    assert "hunter2" not in refusal(capsys, ["--database", database])
    assert "hunter2" not in refusal(capsys, [], {"PLANGATE_DATABASE": database})


def test_the_help_shows_no_password(capsys: Capture) -> None:
    """Asking for help does not print what the environment holds."""
    with pytest.raises(SystemExit) as left:
        read_settings(["--help"], {"PLANGATE_DATABASE": "postgresql://gate:hunter2@db/plans"})
    assert left.value.code == 0
    assert "hunter2" not in capsys.readouterr().out


def test_the_help_names_every_setting(capsys: Capture) -> None:
    """Help lists each flag with its variable."""
    with pytest.raises(SystemExit):
        read_settings(["--help"], {})
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("--listen", "PLANGATE_LISTEN", "--database", "PLANGATE_DATABASE"))


@pytest.mark.parametrize("arguments", [["--port", "1"], ["extra"], ["--listen"]])
def test_an_unknown_flag_is_refused(arguments: list[str], capsys: Capture) -> None:
    """A typing error does not start a server with other settings than meant."""
    assert "error:" in refusal(capsys, arguments)
