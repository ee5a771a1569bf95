"""``plangate serve``: the server is a package of its own, which the client never imports."""

from __future__ import annotations

import runpy
import sys
from argparse import Namespace
from importlib.util import find_spec


def run(given: Namespace) -> int:
    missing = [name for name in ("sqlalchemy", "msgspec", "grpc_health") if find_spec(name) is None]
    if missing or find_spec("plangate_server") is None:
        print("plangate: the server is not installed: pip install 'plangate[server]'", file=sys.stderr)
        return 2
    sys.argv = ["plangate serve", *given.arguments]
    runpy.run_module("plangate_server", run_name="__main__", alter_sys=True)
    return 0
