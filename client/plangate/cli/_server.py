"""Commands of the server. It is a package of its own, which the client never imports."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec

NEEDED = (
    *("alembic", "grpc_health", "grpc_reflection", "msgspec", "pathspec"),
    *("platformdirs", "sqlalchemy", "yaml"),
)


def is_server_installed() -> bool:
    """Whether its package is there with everything that it needs."""
    return all(find_spec(name) is not None for name in ("plangate_server", *NEEDED))


def run_server_module(module: str, command: str, arguments: Sequence[str]) -> int:
    """Run a module of the server as if it had been called by this name; it ends the process itself."""
    if not is_server_installed():
        print("plangate: the server is not installed: pip install 'plangate[server]'", file=sys.stderr)
        return 2
    sys.argv = [command, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return 0
