"""``python -m plangate_server``."""

from __future__ import annotations

import asyncio
import logging
import os
import sys

# Or gRPC's own lines would stand beside ours; read when it is first imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from plangate_server.app import serve
from plangate_server.policyfile import PolicyProblems
from plangate_server.settings import read_settings
from plangate_server.storage.schema import CannotOpen


def main() -> int:
    settings = read_settings(sys.argv[1:], os.environ)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)  # or every start tells of its own checks
    try:
        asyncio.run(serve(settings))
    except (OSError, CannotOpen) as problem:
        print(f"plangate: {problem}", file=sys.stderr)
        return 1
    except PolicyProblems as found:
        print(*found.problems, sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
