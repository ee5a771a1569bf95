"""``plangate certs``: a CA and certificates, to try TLS with."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from shlex import quote

from plangate._common.text_safety import visible

PORT = 50061


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "A CA that is in the folder signs what is missing; nothing is ever overwritten. Prints how to "
        "start the gate and its clients with them. Exits with 0 if everything was made, 1 otherwise."
    )
    parser.add_argument("folder", metavar="DIR", help="where they go; made, if it is not there")
    parser.add_argument(
        "--name",
        metavar="HOST",
        action="append",
        default=[],
        help="a host name or address of the gate, beside localhost, 127.0.0.1 and ::1; repeatable",
    )
    parser.add_argument(
        "--client",
        metavar="NAME",
        action="append",
        default=[],
        help="make a certificate for a client of this name; repeatable",
    )
    parser.add_argument("--days", type=int, default=90, help="how long they are valid (default 90)")


def run(given: argparse.Namespace) -> int:
    try:
        from plangate.cli._trial import CannotMake, Wanted, make  # noqa: PLC0415, needs an extra
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "cryptography":
            raise
        print(
            "plangate: making certificates needs one more package: pip install 'plangate[certs]'",
            file=sys.stderr,
        )
        return 2
    folder = Path(given.folder)
    try:
        made = make(folder, Wanted(tuple(given.name), tuple(given.client), given.days))
    except CannotMake as problem:
        print(f"plangate: {visible(str(problem))}", file=sys.stderr)
        return 1
    for path, what in made:
        print(f"{visible(str(path))}  {what}")
    print(*_next_steps(folder, given.client or _clients_in(folder)), sep="\n")
    return 0


def _clients_in(folder: Path) -> list[str]:
    return sorted(path.stem.removeprefix("client-") for path in folder.glob("client-*.pem"))


def _next_steps(folder: Path, clients: list[str]) -> list[str]:
    def at(name: str) -> str:
        return quote(str(folder / name))

    mutual = f" --tls-client-ca {at('ca.pem')}" if clients else ""
    lines = [
        "",
        "Start the gate with them:",
        f"  plangate serve --tls-cert {at('server.pem')} --tls-key {at('server.key')}{mutual}",
    ]
    gate = f"export PLANGATE_TARGET=https://localhost:{PORT} PLANGATE_CA={at('ca.pem')}"
    if not clients:
        lines += ["", "Then, where its clients are:", f"  {gate}"]
    for client in clients:
        own = f"PLANGATE_CERT={at(f'client-{client}.pem')} PLANGATE_KEY={at(f'client-{client}.key')}"
        lines += ["", f"Then, where the client {client} is:", f"  {gate} {own}"]
    lines += ["", f"They are for a trial: whoever has {at('ca.key')} can be the gate, and any client."]
    return lines
