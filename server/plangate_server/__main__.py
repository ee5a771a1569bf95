"""``python -m plangate_server``."""

from __future__ import annotations

import asyncio
import logging
import os
import sys

from plangate_server.app import serve
from plangate_server.settings import read_settings
from plangate_server.storage.sqlite import SchemaMismatch


def main() -> int:
    settings = read_settings(sys.argv[1:], os.environ)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        asyncio.run(serve(settings))
    except (OSError, SchemaMismatch) as problem:
        print(f"plangate: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
