"""What whoever starts the gate reads first: where it is, and what to do next."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

from msgspec import Struct

from plangate_server.identity import LOCAL_ROLES
from plangate_server.settings import DEFAULT_LISTEN, SETTINGS, UNIX, Settings
from plangate_server.settings.database import SQLITE
from plangate_server.tls import Certificates

EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}
"""What listens at all addresses, and one of them that leads there from this machine."""


class Addresses(Struct, frozen=True):
    """Where a gate is to be found."""

    grpc: str
    web: str
    page: str
    """The link that signs one browser in."""


def welcome(settings: Settings, addresses: Addresses, certificates: Certificates | None) -> str:
    plangate = _command()
    policy = f"\n  policy    {settings.policy}" if settings.policy else ""
    needs = _needs(settings, addresses.grpc, certificates)
    plans = f"\n  plans     {settings.plans_dir} (files, in step)" if settings.plans_dir else ""
    if settings.approved_to:
        plans += f"\n  approved  {settings.approved_to} (what was approved last)"
    return f"""\
Plangate is open.
  gRPC      {addresses.grpc}
  review    {addresses.page}  (signs one browser in)
  database  {settings.shown_database}
  tokens    {settings.token_dir} ({", ".join(LOCAL_ROLES)}){policy}{plans}{_tls_line(certificates)}

In another terminal, be the agent, then the person:
{needs}  echo '# Say hello' | {plangate} propose - --todo 'write it' --todo 'send it' --wait
  {plangate} pending
  {plangate} approve hello
Ctrl-C stops it."""


def _tls_line(certificates: Certificates | None) -> str:
    if certificates is None:
        return ""
    files = certificates.files
    clients = f", for clients with a certificate of {files.client_ca}" if files.client_ca else ""
    return f"\n  TLS       {files.certificate}, until {certificates.end:%Y-%m-%d}{clients}"


def _needs(settings: Settings, address: str, certificates: Certificates | None) -> str:
    """What the commands do not find by themselves, as lines for a shell."""
    lines = []
    target = _reached(address) if certificates is None else f"https://{_reached(address)}"
    if target != DEFAULT_LISTEN:
        lines.append(f"export PLANGATE_TARGET={shlex.quote(target)}")
    folder = settings.token_dir.absolute()
    if str(folder) != _default("token_dir"):
        lines.append(f"export PLANGATE_TOKEN_DIR={shlex.quote(str(folder))}")
    if settings.sqlite_path is not None:  # a server's database is copied by its own tools, and has a password
        database = f"{SQLITE}{settings.sqlite_path.absolute()}"
        if database != _default("database"):
            lines.append(f"export PLANGATE_DATABASE={shlex.quote(database)}")
    if certificates is not None:
        pair = ", PLANGATE_CERT and PLANGATE_KEY" if certificates.files.client_ca else ""
        lines.append(f"# and PLANGATE_CA{pair}: see 'plangate certs --help'")
    return "".join(f"  {line}\n" for line in lines)


def _default(name: str) -> str | None:
    return next(each.default_here() for each in SETTINGS if each.name == name)


def _reached(address: str) -> str:
    """Where others on this machine find it, in whatever folder they are."""
    if address.startswith(UNIX):
        return f"{UNIX}{Path(address.removeprefix(UNIX)).absolute()}"
    host, _, port = address.rpartition(":")
    return f"{EVERYWHERE.get(host, host)}:{port}"


def _command() -> str:
    """How to call the command line of this very installation."""
    beside = Path(sys.executable).with_name("plangate")
    found = shutil.which("plangate")
    if found is not None and Path(found).resolve() == beside.resolve():
        return "plangate"
    return os.path.relpath(beside) if beside.is_relative_to(Path.cwd()) else str(beside)
