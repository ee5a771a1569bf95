"""The provider's keys that hold now. They are fetched again when they are old, when a token names one that
is not there, and never more often than callers can make it happen.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from plangate_server.logs import Log
from plangate_server.oidc.keys import Key, KeyProblem, KeySet, KeySource

tell = Log(__name__)

FRESH_SECONDS: Final = 5 * 60
"""For how long keys are used without asking again: for so long, one that was withdrawn may still be taken."""
BETWEEN_SECONDS: Final = 30
"""How long after asking, also in vain, nobody can make us ask again."""
KEPT_SECONDS: Final = 24 * 60 * 60
"""For how long keys are used if the provider cannot be asked: after that, no token is taken."""


class KeyRing:
    """Made for one event loop. ``steady`` is a clock that is never set."""

    def __init__(
        self,
        source: KeySource,
        read_keys: Callable[[bytes], KeySet],
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._read_keys = read_keys
        self._steady = steady
        self._set = KeySet({})
        self._taken: float | None = None
        self._asked: float | None = None
        self._asking: asyncio.Task[None] | None = None
        self._problem = ""

    def load(self) -> None:
        """Fetch them here and now, before there is an event loop to hold up. What goes wrong is logged."""
        self._asked = self._steady()
        self._settle(self._looked())

    async def keys(self, key_id: str) -> tuple[Key, ...]:
        """The keys of this id, none if there are none or none that are recent enough."""
        if self._asking is None and self._is_due(key_id):
            self._asked = self._steady()
            self._asking = asyncio.create_task(self._ask())
        # Nobody waits for the provider who can do with the keys from before: others can make it be asked.
        if self._asking is not None and self._needs_new(key_id):
            await asyncio.shield(self._asking)
        self._forget_the_old()
        return self._set.keys.get(key_id, ())

    def _needs_new(self, key_id: str) -> bool:
        if self._source.is_near or key_id not in self._set.keys:
            return True
        stale = self._taken is None or self._steady() - self._taken >= FRESH_SECONDS
        return stale and not self._problem

    def _is_due(self, key_id: str) -> bool:
        now = self._steady()
        if self._source.changed():
            return True
        if self._asked is not None and now - self._asked < BETWEEN_SECONDS:
            return False
        return key_id not in self._set.keys or self._taken is None or now - self._taken >= FRESH_SECONDS

    async def _ask(self) -> None:
        try:
            self._settle(await asyncio.to_thread(self._looked))
        finally:
            self._asking = None

    def _looked(self) -> KeySet | Exception:
        try:
            return self._read_keys(self._source.fetch())
        except Exception as problem:
            return problem  # told by who asked: this may run in a thread

    def _settle(self, outcome: KeySet | Exception) -> None:
        match outcome:
            case KeySet():
                self._take(outcome)
            case KeyProblem():
                self._failed(str(outcome))
            case unforeseen:
                tell.fault("oidc_keys_failed", f"{self._source.shown}: no keys can be had", unforeseen)
                self._failed("cannot be read")

    def _take(self, found: KeySet) -> None:
        if self._taken is None or self._problem or found != self._set:
            self._set = found
            count = sum(map(len, found.keys.values()))
            tell.info("oidc_keys_read", f"{self._source.shown}: the provider's keys are read", keys=count)
            if not count:
                tell.warning("oidc_no_keys", f"{self._source.shown} has no key: every JWT is refused")
            for unused in found.unused:
                tell.warning("oidc_key_unused", f"{self._source.shown}: {unused}; it is not used")
        self._taken, self._problem = self._steady(), ""

    def _failed(self, problem: str) -> None:
        """Told once, and not every time that it is tried."""
        if problem == self._problem:
            return
        self._problem = problem
        goes_on = "the keys from before go on" if self._set.keys else "JWTs are refused until it has keys"
        tell.warning("oidc_keys_kept", f"{self._source.shown} {problem}; {goes_on}")

    def _forget_the_old(self) -> None:
        if self._set.keys and self._taken is not None and self._steady() - self._taken >= KEPT_SECONDS:
            self._set = KeySet({})
            tell.error("oidc_keys_too_old", f"{self._source.shown}: no keys for a day: every JWT is refused")
