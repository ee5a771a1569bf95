"""Settings in a file, which of all the places wins, and what --print-config says of it."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest

from plangate_server.domain.limits import Limits
from plangate_server.logs import Level
from plangate_server.settings import SETTINGS, Settings, read_settings
from plangate_server.settings.database import without_secrets
from plangate_server.settings.values import PLAINTEXT_WORDS
from plangate_server.traces import Sink
from tests.unit.test_settings import Capture, refusal

WHOLE = """\
# What this machine's gate is like
listen: localhost:7
database: sqlite:////var/p.db
token_dir: /etc/plangate/tokens
web_listen: localhost:8
keep_events: 90
policy: /etc/plangate/policy.yaml
log_level: warning
tls_cert: /etc/plangate/server.pem
tls_key: /etc/plangate/server.key
tls_client_ca: /etc/plangate/clients.pem
oidc: /etc/plangate/oidc.yaml
plaintext: tokens and plans may be read on their way
traces: otlp
max_message_bytes: 1000000
max_plan_bytes: 100000
max_todos: 5000
max_todo_bytes: 1000
max_name_characters: 80
max_page_size: 20
max_open_reviews: 3
max_calls_per_second: 5
max_streams_per_principal: 6
max_streams: 7
"""
# For each setting: what a flag, the environment and a file could say.
SAID = {
    "listen": ("localhost:1", "localhost:2", "localhost:3"),
    "database": ("sqlite:////1.db", "sqlite:////2.db", "sqlite:////3.db"),
    "token_dir": ("1", "2", "3"),
    "web_listen": ("localhost:4", "localhost:5", "localhost:6"),
    "keep_events": ("1", "2", "3"),
    "policy": ("1.yaml", "2.yaml", "3.yaml"),
    "log_level": ("debug", "warning", "error"),
    "tls_cert": ("1.pem", "2.pem", "3.pem"),
    "tls_key": ("1.key", "2.key", "3.key"),
    "tls_client_ca": ("1.pem", "2.pem", "3.pem"),
    "oidc": ("1.yaml", "2.yaml", "3.yaml"),
    "plaintext": (PLAINTEXT_WORDS,) * 3,
    "traces": ("otlp", "off", "otlp"),
    "plans_dir": ("1", "2", "3"),
    "approved_to": ("1.md", "2.md", "3.md"),
    "approved_workspace": ("1", "2", "3"),
    "approved_session": ("1", "2", "3"),
    "max_message_bytes": ("200001", "200002", "200003"),
    "max_plan_bytes": ("1", "2", "3"),
    "max_todos": ("1", "2", "3"),
    "max_todo_bytes": ("1", "2", "3"),
    "max_name_characters": ("1", "2", "3"),
    "max_page_size": ("1", "2", "3"),
    "max_open_reviews": ("1", "2", "3"),
    "max_calls_per_second": ("1", "2", "3"),
    "max_streams_per_principal": ("1", "2", "3"),
    "max_streams": ("1", "2", "3"),
}
# What has to be set, too, so that a setting may be.
PARTNERS = {
    "tls_cert": ["--tls-key", "key"],
    "tls_key": ["--tls-cert", "cert"],
    "tls_client_ca": ["--tls-key", "key", "--tls-cert", "cert"],
    "approved_workspace": ["--approved-to", "PLAN.md"],
    "approved_session": ["--approved-to", "PLAN.md"],
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "plangate.yaml"
    path.write_text(WHOLE, encoding="utf-8")
    return path


def print_config(
    capsys: Capture, arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> str:
    """What is printed, and that it is a success."""
    with pytest.raises(SystemExit) as left:
        read_settings([*arguments, "--print-config"], environment or {})
    printed = capsys.readouterr()
    assert (left.value.code, printed.err) == (0, "")
    return printed.out


def test_everything_can_be_set_in_a_file(config: Path) -> None:
    """Its keys are the flags' names, with underscores."""
    settings = read_settings(["--config", str(config)], {})
    assert settings == Settings(
        "localhost:7",
        "sqlite:////var/p.db",
        Path("/etc/plangate/tokens"),
        "localhost:8",
        timedelta(days=90),
        Path("/etc/plangate/policy.yaml"),
        Level.WARNING,
        Path("/etc/plangate/server.pem"),
        Path("/etc/plangate/server.key"),
        Path("/etc/plangate/clients.pem"),
        Path("/etc/plangate/oidc.yaml"),
        PLAINTEXT_WORDS,
        Sink.OTLP,
        None,  # which goes without TLS only, as does the next
        None,
        "default",
        None,
        Limits(1_000_000, 100_000, 5000, 1000, 80, 20, 3, 5, 6, 7),
    )
    assert read_settings([], {"PLANGATE_CONFIG": str(config)}) == settings


def test_the_table_is_that_of_the_settings() -> None:
    """Each has a row, and a test of who wins."""
    names = [setting.name for setting in SETTINGS]
    *others, limits = Settings.__struct_fields__
    assert limits == "limits"
    assert names == [*others, *(f"max_{name}" for name in Limits.__struct_fields__)] == list(SAID)


def held(settings: Settings, name: str) -> object:
    """What a setting is set to."""
    limit = name.removeprefix("max_")
    return getattr(settings, name) if limit == name else getattr(settings.limits, limit)


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("said", list(product([True, False], repeat=3)))
def test_who_wins(name: str, said: tuple[bool, bool, bool], tmp_path: Path, capsys: Capture) -> None:
    """A flag, then the environment, then the file, then the default; --print-config says which it was."""
    flag, variable, written = SAID[name]
    config = tmp_path / "plangate.yaml"
    config.write_text(f"# settings\n{name}: {written}\n" if said[2] else "", encoding="utf-8")
    dashed = f"--{name.replace('_', '-')}"
    arguments = ["--config", str(config), *([dashed, flag] if said[0] else [])]
    arguments += PARTNERS.get(name, []) if any(said) else []
    environment = {f"PLANGATE_{name.upper()}": variable} if said[1] else {}
    setting = next(each for each in SETTINGS if each.name == name)
    wins = [
        *([(flag, dashed)] if said[0] else []),
        *([(variable, f"PLANGATE_{name.upper()}")] if said[1] else []),
        *([(written, f"{config}:2")] if said[2] else []),
        (setting.default_here(), "default"),
    ]
    text, source = wins[0]
    expected = None if text is None else setting.read(text)
    assert held(read_settings(arguments, environment), name) == expected
    printed = print_config(capsys, arguments, environment)
    (line,) = [each for each in printed.splitlines() if each.removeprefix("# ").startswith(f"{name}:")]
    assert f"  # {source}" in line
    assert text is None or f'{name}: "{text}"' in line


def test_a_flag_names_another_file_than_the_environment(config: Path, tmp_path: Path) -> None:
    """Also of the file itself, a flag wins; the other file is not even looked for."""
    settings = read_settings(["--config", str(config)], {"PLANGATE_CONFIG": str(tmp_path / "none")})
    assert settings.listen == "localhost:7"


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "{}\n"])
def test_a_file_may_leave_everything_out(config: Path, text: str) -> None:
    """The defaults hold then."""
    config.write_text(text, encoding="utf-8")
    assert read_settings(["--config", str(config)], {}) == read_settings([], {})


PROBLEMS = {
    "listn: localhost:1": "1: the file has 'listn': did you mean listen?",
    "\nkeep-events: 1": "2: the file has 'keep-events': did you mean keep_events?",
    "colour: red": "1: the file has 'colour': known are listen, database, token_dir, web_listen, keep_events",
    "config: other.yaml": "1: the file has 'config': known are",
    "listen: nonsense": "1: listen 'nonsense' is not HOST:PORT",
    "\n\nlog_level: inf": "3: log_level is 'inf': did you mean info?",
    "log_level: [info]": "1: log_level is a list: write a text",
    "keep_events: 0": "1: keep_events '0' is not a number of days, like 90, nor forever",
    "max_todos: 5001": "1: max_todos is '5001': write a whole number from 1 to 5000",
    "keep_events: {days: 3}": "1: keep_events is a table: write a text",
    "policy:": "1: policy is empty: fill it in, or remove it",
    "database: plans.db": "1: database '…' is neither sqlite:///PATH nor postgresql://…",
    "- listen": "1: the file holds no settings: write a table of listen, database",
    "listen: localhost:1\nlisten: localhost:2": "2: 'listen' stands here twice, first in line 1: keep one",
    "listen: &a localhost:1": "1: &a is an anchor, which is not taken",
    "listen: [": "this is not YAML",
    "listen: \x07": "1: the control character U+0007 is in the text: remove it",
}


@pytest.mark.parametrize("text", PROBLEMS)
def test_a_problem_has_its_place(config: Path, text: str, capsys: Capture) -> None:
    """What is wrong, on which line, and what to do."""
    config.write_text(text, encoding="utf-8")
    (said,) = refusal(capsys, ["--config", str(config)]).splitlines()
    assert said.startswith(f"{config}:")
    assert PROBLEMS[text] in said


def test_every_problem_is_told(config: Path, capsys: Capture) -> None:
    """At once, in the order of the file; also of what a flag would set otherwise."""
    config.write_text("listn: x\nlisten: x\nlog_level: loud\n", encoding="utf-8")
    said = refusal(capsys, ["--config", str(config), "--listen", "localhost:1"])
    assert [line.split(" ")[0] for line in said.splitlines()] == [f"{config}:{line}:" for line in (1, 2, 3)]


@pytest.mark.parametrize(
    ("arguments", "environment"), [(["--config", ""], {}), ([], {"PLANGATE_CONFIG": ""})]
)
def test_an_empty_name_is_refused(arguments: list[str], environment: dict[str, str], capsys: Capture) -> None:
    """A variable that somebody forgot to set does not mean that there is no file."""
    said = refusal(capsys, arguments, environment)
    assert f"{[*arguments, *environment][0]} is empty: name a file, or leave it out" in said


def test_a_file_that_is_not_there(tmp_path: Path, capsys: Capture) -> None:
    """The defaults are no answer to a wrong path; a folder is no file."""
    missing = tmp_path / "none.yaml"
    said = refusal(capsys, ["--config", str(missing)])
    assert said == f"{missing}: cannot be read: No such file or directory\n"
    assert "is not a file" in refusal(capsys, ["--config", str(tmp_path)])


def test_a_wrong_variable_is_named(capsys: Capture) -> None:
    """Whoever has to mend it knows where."""
    assert "error: PLANGATE_LISTEN 'x' is not" in refusal(capsys, [], {"PLANGATE_LISTEN": "x"})
    assert "error: --log-level is 'x'" in refusal(capsys, ["--log-level", "x"])
    assert "error: PLANGATE_KEEP_EVENTS ''" in refusal(capsys, [], {"PLANGATE_KEEP_EVENTS": ""})


def test_a_password_in_a_file_is_never_shown(config: Path, capsys: Capture) -> None:
    """Whatever is wrong with it."""
    for text in (
        "database: postgres://gate:hunter2@db/plans",
        "database: [postgresql://gate:hunter2@db/plans]",
        "database: {postgresql: hunter2}",
        "postgresql://gate:hunter2@db/plans",
    ):
        config.write_text(text, encoding="utf-8")
        assert "hunter2" not in refusal(capsys, ["--config", str(config)])


def test_what_is_printed_can_be_read_back(config: Path, tmp_path: Path, capsys: Capture) -> None:
    """As a file it gives the same settings, whatever they came from."""
    cases: list[tuple[list[str], dict[str, str]]] = [
        ([], {}),
        (["--config", str(config)], {}),
        (["--policy", "a b: 'c' #\"d\"\\e.yaml", "--log-level", "debug"], {"PLANGATE_KEEP_EVENTS": "3"}),
        (["--policy", "tab\tline\nbreak \u202e\u200b é 计划"], {"PLANGATE_LISTEN": "[::1]:0"}),
        (["--database", "postgresql://gate@db.example.com:6432/plans?sslmode=require"], {}),
        (["--database", "sqlite:///~/pläne %20.db"], {}),
    ]
    for arguments, environment in cases:
        again = tmp_path / "again.yaml"
        again.write_text(print_config(capsys, arguments, environment), encoding="utf-8")
        assert read_settings(["--config", str(again)], {}) == read_settings(arguments, environment)


def test_what_cannot_be_seen_is_printed_as_an_escape(tmp_path: Path, capsys: Capture) -> None:
    """Neither a value nor the name of a file can add a line, or move what is shown."""
    config = tmp_path / "a\nlisten: evil\u202e.yaml"
    config.write_text("log_level: debug", encoding="utf-8")
    printed = print_config(capsys, ["--config", str(config), "--policy", "a\nlisten: evil\x1b[2J"])
    assert len(printed.splitlines()) == 1 + len(SETTINGS)
    assert printed.replace("\n", "").isprintable()


SECRET = {
    "postgresql://gate:hunter2@db.example.com/plans": "postgresql://gate@db.example.com/plans",
    "postgresql://:hunter2@db/plans": "postgresql://db/plans",
    "postgresql://gate:hunter2@a:1,b:2/plans?sslmode=require&password=hunter2": (
        "postgresql://gate@a:1,b:2/plans?sslmode=require"
    ),
    "postgresql://db/plans?user=gate&sslpassword=hunter2": "postgresql://db/plans?user=gate",
    "postgresql://db/plans?hunter2": "postgresql://db/plans",
    "postgresql://db/plans?PassWord=hunter2&oauth_client_secret=hunter2": "postgresql://db/plans",
    "postgresql://gate:hunt%40er2@[::1]:5432/plans": "postgresql://gate@[::1]:5432/plans",
    "postgresql://gate:p@hunter2@db/plans": None,
    "postgresql://gate:p/hunter2@db/plans": None,
    "postgresql://gate:p?hunter2@db/plans": None,
    "postgresql://gate:p#hunter2@db/plans": None,
    "postgresql://gate hunter2@db/plans": None,
}


@pytest.mark.parametrize("url", SECRET)
def test_a_password_is_not_printed(url: str, capsys: Capture, tmp_path: Path) -> None:
    """The comment says clearly that something is left out; what is printed is a file all the same."""
    printed = print_config(capsys, [], {"PLANGATE_DATABASE": url})
    assert "hunter2" not in printed
    (line,) = [line for line in printed.splitlines() if "database" in line]
    assert "# PLANGATE_DATABASE; " in line
    assert "LEFT OUT" in line
    assert without_secrets(url) == SECRET[url]
    again = tmp_path / "again.yaml"
    again.write_text(printed, encoding="utf-8")
    read = read_settings(["--config", str(again)], {}).database
    assert read == (SECRET[url] or read_settings([], {}).database)


def test_a_wrong_setting_is_not_printed(capsys: Capture) -> None:
    """Only settings with which the server would start are."""
    assert "is not HOST:PORT" in refusal(capsys, ["--print-config", "--listen", "x"])
