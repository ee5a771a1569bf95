"""``python -m plangate_server``."""

from __future__ import annotations

import asyncio
import os
import sys

# Or gRPC's own lines would stand beside ours; read when it is first imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from plangate_server.app import serve
from plangate_server.identity import TokenFileProblem
from plangate_server.logs import Log, Output, logging_to
from plangate_server.policyfile import PolicyProblems
from plangate_server.settings import Settings, complain, read_settings
from plangate_server.storage.schema import CannotOpen
from plangate_server.tls import BadCertificates
from plangate_server.traces import CannotTrace

tell = Log("plangate_server")

REFUSED = (OSError, CannotOpen, BadCertificates, TokenFileProblem, CannotTrace)
"""What keeps the server from starting, in words for its operator."""


def main() -> int:
    settings = read_settings(sys.argv[1:], os.environ)
    try:
        return _serve(settings)
    except REFUSED as problem:
        complain([f"plangate: {problem}"])
    except PolicyProblems as found:
        complain(found.problems)
    return 1


def _serve(settings: Settings) -> int:
    """Serve until told to stop. What keeps it from starting is for a person; all else is for the log."""
    with Output(sys.stderr.fileno()) as output, logging_to(output.write, settings.log_level):
        try:
            asyncio.run(serve(settings, output.write))
        except (*REFUSED, PolicyProblems):
            raise
        except Exception as error:
            tell.fault("crashed", "the server ends: something went wrong that nobody foresaw", error)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
