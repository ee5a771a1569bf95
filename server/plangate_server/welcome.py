"""What whoever starts the gate reads first: where it is, and what to do next."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from msgspec import Struct

from plangate_server.identity import LOCAL_ROLES
from plangate_server.settings import DEFAULT_LISTEN, Settings
from plangate_server.tls import Certificates


class Addresses(Struct, frozen=True):
    """Where a gate is to be found."""

    grpc: str
    web: str
    page: str
    """The link that signs one browser in."""


def welcome(settings: Settings, addresses: Addresses, certificates: Certificates | None) -> str:
    plangate = _command()
    policy = f"\n  policy    {settings.policy}" if settings.policy else ""
    plans = f"\n  plans     {settings.plans_dir} (files, in step)" if settings.plans_dir else ""
    if settings.approved_to:
        plans += f"\n  approved  {settings.approved_to} (what was approved last)"
    return f"""\
Plangate is open.
  gRPC      {addresses.grpc}
  review    {addresses.page}  (signs one browser in)
  database  {settings.shown_database}
  tokens    {settings.token_dir} ({", ".join(LOCAL_ROLES)}){policy}{plans}{_tls_line(certificates)}

In another terminal, {_needs(addresses.grpc, certificates)}be the agent, then the person:
  echo '# Say hello' | {plangate} propose - --todo 'write it' --todo 'send it' --wait
  {plangate} pending
  {plangate} approve hello
Ctrl-C stops it."""


def _tls_line(certificates: Certificates | None) -> str:
    if certificates is None:
        return ""
    files = certificates.files
    clients = f", for clients with a certificate of {files.client_ca}" if files.client_ca else ""
    return f"\n  TLS       {files.certificate}, until {certificates.end:%Y-%m-%d}{clients}"


def _needs(address: str, certificates: Certificates | None) -> str:
    """What the commands do not find by themselves."""
    if certificates is None:
        return "" if address == DEFAULT_LISTEN else f"with PLANGATE_TARGET={address} set,\n"
    shown = ", PLANGATE_CERT and PLANGATE_KEY" if certificates.files.client_ca else ""
    return f"with PLANGATE_TARGET=https://{address}, PLANGATE_CA{shown} set,\n"


def _command() -> str:
    """How to call the command line of this very installation."""
    beside = Path(sys.executable).with_name("plangate")
    found = shutil.which("plangate")
    if found is not None and Path(found).resolve() == beside.resolve():
        return "plangate"
    return os.path.relpath(beside) if beside.is_relative_to(Path.cwd()) else str(beside)
