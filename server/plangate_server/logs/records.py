"""Records of the standard library's logging, ours and those of libraries, as lines."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from plangate_server.logs import faults
from plangate_server.logs.lines import line
from plangate_server.logs.log import ATTRIBUTE, Told

MOST_CHARACTERS: Final = 500


class LineHandler(logging.Handler):
    """Hands each record on as a line."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        super().__init__()
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        self._write(line_of(record))


def line_of(record: logging.LogRecord) -> bytes:
    told = getattr(record, ATTRIBUTE, None)
    if not isinstance(told, Told):
        told = Told("library", {"logger": record.name, "place": f"{record.module}:{record.lineno}"})
        message = _template(record)
    else:
        message = record.getMessage()
    error = record.exc_info[1] if record.exc_info else None
    fault = faults.told(error) if error else {}
    return line(record.levelname.lower(), told.event, message, {**told.fields, **fault})


def _template(record: logging.LogRecord) -> str:
    """A library's words without what it filled in, which may be anything: a statement, a plan, a password."""
    words = record.msg if isinstance(record.msg, str) else type(record.msg).__name__
    return words[:MOST_CHARACTERS]
