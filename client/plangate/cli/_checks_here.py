"""What ``plangate doctor`` looks at on this machine: packages, settings, the policy file."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from plangate._config import INSECURE, SECURE, find_target
from plangate._tokens import UNIX
from plangate.cli._checks import Finding, addresses_of, installed
from plangate.cli._server import is_server_installed

PACKAGES = {"grpcio": "grpc", "protobuf": "google.protobuf", "googleapis-common-protos": "google.rpc"}


def check_packages() -> Finding:
    """Which versions there are; a package that is missing is named."""
    missing = [name for name, module in PACKAGES.items() if not _is_there(module)]
    if missing:
        said = f"{', '.join(missing)} cannot be found: pip install --force-reinstall plangate"
        return Finding(False, "packages", said)
    versions = [f"{name} {installed(name)}" for name in ("plangate", "grpcio", "protobuf")]
    server = "with the server" if is_server_installed() else "without the server"
    said = f"Python {platform.python_version()}, {', '.join(versions)}, {server}"
    return Finding(True, "packages", said)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even what it is part of
        return False


def check_target(given: str | None) -> tuple[str, Finding]:
    """Where the gate should be, and who says so."""
    target = given or find_target()
    if given:
        source = "--target"
    else:
        source = "PLANGATE_TARGET" if os.environ.get("PLANGATE_TARGET") else "the default"
    bare = target.removeprefix(SECURE).removeprefix(INSECURE).removesuffix("/")
    if target.startswith(UNIX) or all(map(_is_address, addresses_of(bare))):
        return target, Finding(True, "target", f"{target}, from {source}")
    said = f"{target}, from {source}, is not HOST:PORT: write it like 127.0.0.1:50061"
    return target, Finding(False, "target", said)


def _is_address(text: str) -> bool:
    return bool(re.fullmatch(r"[^\s/,]+:[0-9]{1,5}", text)) and int(text.rpartition(":")[2]) <= 65535


def check_policy(given: str | None) -> Iterator[Finding]:
    """What the server would say to the policy file, if one is named."""
    file = os.environ.get("PLANGATE_POLICY") if given is None else given
    if file is None:
        return
    if not file:
        yield Finding(False, "policy", "--policy (or PLANGATE_POLICY) is empty: name a file, or leave it out")
        return
    if not is_server_installed():
        yield Finding(False, "policy", "only the server can read it: pip install 'plangate[server]'")
        return
    command = [sys.executable, "-m", "plangate_server.policy_command", "check", "--", file]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        yield Finding(True, "policy", done.stdout.strip())
        return
    problems = done.stderr.strip().splitlines() or ["it cannot be read"]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    yield Finding(False, "policy", f"{problems[0]}{more}: see 'plangate policy check'")
