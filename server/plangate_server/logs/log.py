"""How the server's own modules tell of what happens: ``tell = Log(__name__)``."""

from __future__ import annotations

import logging

from msgspec import Struct

ATTRIBUTE = "plangate"


class Told(Struct, frozen=True):
    """What a record of ours carries beside its message."""

    event: str
    fields: dict[str, object]


class Log:
    """The log of one module. An event is a short word that stays; the message is for people and may change.

    Nothing that callers wrote belongs in a message or a field.
    """

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, event: str, message: str, **fields: object) -> None:
        self._tell(logging.DEBUG, event, message, fields)

    def info(self, event: str, message: str, **fields: object) -> None:
        self._tell(logging.INFO, event, message, fields)

    def warning(self, event: str, message: str, **fields: object) -> None:
        self._tell(logging.WARNING, event, message, fields)

    def error(self, event: str, message: str, **fields: object) -> None:
        self._tell(logging.ERROR, event, message, fields)

    def fault(self, event: str, message: str, error: BaseException, **fields: object) -> None:
        """An exception that nobody foresaw: its type and its frames are told, its words are not."""
        self._tell(logging.ERROR, event, message, fields, error)

    def _tell(
        self,
        level: int,
        event: str,
        message: str,
        fields: dict[str, object],
        error: BaseException | None = None,
    ) -> None:
        self._logger.log(level, message, exc_info=error, extra={ATTRIBUTE: Told(event, fields)})
