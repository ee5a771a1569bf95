"""The link that signs a person in: printed once, good for one browser, gone when the server stops."""

from __future__ import annotations

import hmac
import secrets


class Invitation:
    """A code in place of a token: what is printed to a terminal, and may be kept in its log, is worth nothing
    once it was used.
    """

    def __init__(self, token: str) -> None:
        self.code = secrets.token_urlsafe(16)
        self._token = token

    def taken(self, code: str) -> str:
        """The token, for whoever has the code first; nothing for others."""
        shown = code.encode(errors="replace")
        if not self._token or not hmac.compare_digest(shown, self.code.encode()):
            return ""
        token, self._token = self._token, ""
        return token
