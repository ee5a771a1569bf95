"""The log: one JSON line per event on standard error, and nothing in it that callers wrote."""

from plangate_server.logs.levels import Level
from plangate_server.logs.lines import Written, line
from plangate_server.logs.log import Log
from plangate_server.logs.output import Output
from plangate_server.logs.setup import log_stray_faults, logging_to

__all__ = ["Level", "Log", "Output", "Written", "line", "log_stray_faults", "logging_to"]
