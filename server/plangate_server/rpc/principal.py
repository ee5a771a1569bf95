"""Who is calling: found out before anything of a request is read, from its credentials alone."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any, Final

from plangate_server.domain.identity import Caller, Principal
from plangate_server.rpc.running import Context

AUTHORIZATION: Final = "authorization"
BEARER: Final = "bearer "
NO_TOKEN: Final = "?"
COMMON_NAME: Final = "x509_common_name"

_caller: ContextVar[Caller] = ContextVar("caller")


def caller() -> Caller:
    """Who makes the call that is being answered, with their credential."""
    return _caller.get()


def calling() -> Principal:
    """Who makes the call that is being answered: each is answered by a task of its own."""
    return _caller.get().principal


def answer_to(caller: Caller) -> None:
    """From here on, this task answers a call of theirs."""
    _caller.set(caller)


def shown(metadata: Iterable[tuple[str, Any]], context: Context) -> tuple[str, str]:
    """What a caller shows: its token, or else its client certificate."""
    token = _token(metadata)
    return token, "" if token else _certificate(context)


def _token(metadata: Iterable[tuple[str, Any]]) -> str:
    shown = [value for key, value in metadata if key == AUTHORIZATION]
    if not shown:
        return ""
    text = shown[0] if len(shown) == 1 and isinstance(shown[0], str) else ""
    token = text[len(BEARER) :].strip() if text.lower().startswith(BEARER) else ""
    # Whoever shows anything else must not fall back to a certificate.
    return token or NO_TOKEN


def _certificate(context: Context) -> str:
    """Of a certificate that was verified: without mTLS there is none."""
    names = list(context.auth_context().get(COMMON_NAME) or ())
    return names[0].decode(errors="replace") if len(names) == 1 else ""
