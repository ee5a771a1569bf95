"""THE table of settings. Flags, variables, the file, the help and the docs all follow from it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import platformdirs
from msgspec import Struct

from plangate_server.domain.identity import OPERATORS_WORKSPACE
from plangate_server.domain.limit_table import SETTABLE
from plangate_server.domain.limits import Limits
from plangate_server.logs import Level
from plangate_server.plainyaml.values import choice, number
from plangate_server.settings.database import SQLITE, database, scheme_alone
from plangate_server.settings.values import (
    PLAINTEXT_WORDS,
    address,
    days,
    file_name,
    id_text,
    plaintext_words,
    web_address,
)
from plangate_server.traces import Sink

DEFAULT_LISTEN: Final = "127.0.0.1:50061"
DEFAULT_WEB_LISTEN: Final = "127.0.0.1:50062"


class Settings(Struct, frozen=True):
    listen: str
    database: str
    """sqlite:///PATH or postgresql://…"""
    token_dir: Path
    """Where the tokens of whoever runs the server are kept."""
    web_listen: str = DEFAULT_WEB_LISTEN
    keep_events: timedelta | None = None
    """How long the content of events is kept; None for ever."""
    policy: Path | None = None
    """The file with the operator's rules; None for none."""
    log_level: Level = Level.INFO
    tls_cert: Path | None = None
    """The server's certificate; None to serve without TLS."""
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    """Who signs what clients must show; None if they need not show anything."""
    oidc: Path | None = None
    """The file that says which provider's tokens are taken; None for none."""
    plaintext: str | None = None
    """The words with which an operator listens beyond this machine without TLS."""
    traces: Sink = Sink.OFF
    plans_dir: Path | None = None
    """The folder of plan files that is kept in step; None for none."""
    approved_to: Path | None = None
    """The file that gets the text that was approved last; None for none."""
    approved_workspace: str = OPERATORS_WORKSPACE
    """Whose approvals count for that file."""
    approved_session: str | None = None
    """The one session of that workspace whose approvals do; None for all."""
    limits: Limits = Limits()
    """Each of them has a setting of its own."""

    @property
    def sqlite_path(self) -> Path | None:
        """The file of an embedded database; None for a server's."""
        path = self.database.removeprefix(SQLITE)
        return None if path == self.database else Path(path).expanduser()

    @property
    def shown_database(self) -> str:
        """Where plans are kept, without a password."""
        return str(self.sqlite_path or scheme_alone(self.database))


class Setting(Struct, frozen=True):
    name: str
    """Its key in the file, and its field in Settings."""
    placeholder: str
    default: str | None
    """As an operator would write it, {data} being the user's data folder; None for nothing."""
    read: Callable[[str], Any]
    """A ValueError says what is wrong with a text, and what to do."""
    help: str
    absent: str = ""
    """What holds when there is neither a value nor a default."""

    @property
    def flag(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    @property
    def variable(self) -> str:
        return f"PLANGATE_{self.name.upper()}"

    def default_here(self) -> str | None:
        data = platformdirs.user_data_path("plangate", appauthor=False)
        return self.default.format(data=data) if self.default else None


SETTINGS: Final = (
    Setting(
        "listen",
        "HOST:PORT",
        DEFAULT_LISTEN,
        address,
        "address for gRPC, port 0 for a free one, or unix:PATH; beyond this machine it needs TLS",
    ),
    Setting(
        "database",
        "URL",
        "sqlite:///{data}/plangate.db",
        database,
        "where plans are kept: sqlite:///PATH or postgresql://…",
    ),
    Setting(
        "token_dir",
        "DIR",
        "{data}/tokens",
        file_name,
        "where the tokens of whoever runs the server are kept, one file for each role",
    ),
    Setting(
        "web_listen",
        "HOST:PORT",
        DEFAULT_WEB_LISTEN,
        web_address,
        "address for the review page, metrics and health, port 0 for a free one; "
        "beyond this machine it needs TLS",
    ),
    Setting(
        "keep_events",
        "DAYS",
        "forever",
        days,
        "how long the content of events is kept, in days or forever; their hashes stay",
    ),
    Setting(
        "policy",
        "FILE",
        None,
        file_name,
        "what is denied, allowed and approved without asking, in YAML; SIGHUP reads it again",
        absent="no rules",
    ),
    Setting(
        "log_level",
        "LEVEL",
        "info",
        choice(Level),
        "how much is logged: debug, info (every call), warning or error",
    ),
    Setting(
        "tls_cert",
        "FILE",
        None,
        file_name,
        "the server's certificate in PEM, with its chain; renewed files are taken without a restart",
        absent="no TLS",
    ),
    Setting(
        "tls_key",
        "FILE",
        None,
        file_name,
        "the key of that certificate, which only the server's user can read",
        absent="no TLS",
    ),
    Setting(
        "tls_client_ca",
        "FILE",
        None,
        file_name,
        "the CA that must have signed the certificate of every client",
        absent="clients need no certificate",
    ),
    Setting(
        "oidc",
        "FILE",
        None,
        file_name,
        "the OpenID Connect provider whose tokens are taken, too, in YAML",
        absent="only Plangate's own tokens",
    ),
    Setting(
        "plaintext",
        "WORDS",
        None,
        plaintext_words,
        f"listen beyond this machine without TLS, behind something that adds it: {PLAINTEXT_WORDS!r}",
        absent="refused",
    ),
    Setting(
        "traces",
        "WHERE",
        "off",
        choice(Sink),
        "off, or otlp: a span of every call, to where the OTEL_EXPORTER_OTLP_… variables say",
    ),
    Setting(
        "plans_dir",
        "DIR",
        None,
        file_name,
        "a folder of plan files that is kept in step with the gate, in both directions",
        absent="no folder",
    ),
    Setting(
        "approved_to",
        "FILE",
        None,
        file_name,
        "a file, like PLAN.md, that always has the text that was approved last, whole",
        absent="no file",
    ),
    Setting(
        "approved_workspace",
        "NAME",
        OPERATORS_WORKSPACE,
        id_text,
        "the workspace whose approvals count for approved_to",
    ),
    Setting(
        "approved_session",
        "SESSION",
        None,
        id_text,
        "the only session of that workspace whose approvals count for approved_to",
        absent="all of them",
    ),
    *(
        Setting(
            limit.setting,
            "NUMBER",
            str(limit.default),
            number(span.least, span.most),
            f"the most {limit.what}, from {span.least} to {span.most}",
        )
        for limit, span in SETTABLE.items()
    ),
)
