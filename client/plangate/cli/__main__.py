"""``python -m plangate.cli``: the command, where nothing is installed that is called ``plangate``."""

from __future__ import annotations

import sys

from plangate.cli import main

if __name__ == "__main__":
    sys.exit(main())
