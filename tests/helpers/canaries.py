"""Secrets that are planted so that one can look for them, in whatever form they could come out."""

from __future__ import annotations

import hashlib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote
from uuid import uuid4


def forms(secret: str) -> Iterator[str]:
    """As it is, escaped for a URL, in hex, hashed, and inside of any base64."""
    raw = secret.encode()
    yield secret
    yield quote(secret, safe="")
    yield raw.hex()
    yield hashlib.sha256(raw).hexdigest()
    for encode in (b64encode, urlsafe_b64encode):
        for before in range(3):
            # What comes before and after it in a text also colours the first and the last characters.
            encoded = encode(b"\0" * before + raw).decode().rstrip("=")
            yield encoded[-(-before * 8 // 6) + 1 : -2]


@dataclass(slots=True)
class Canaries:
    """Secrets, and all that came out of a server."""

    planted: dict[str, str] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)

    def plant(self, where: str) -> str:
        """A text that is nowhere else, with characters that URLs and JSON escape."""
        return self.know(where, f"c4n4ry {uuid4().hex}/+")

    def know(self, where: str, secret: str) -> str:
        """One that others have made."""
        assert len(secret) >= 16, "a short one would be found by chance"
        self.planted[where] = secret
        return secret

    def look_at(self, *texts: str) -> None:
        self.seen += texts

    def escaped(self) -> list[str]:
        """Which of them came out, in which words."""
        text = "\n".join(self.seen)
        return [
            f"{where}: {text[max(place - 80, 0) : place + 80]}"
            for where, secret in self.planted.items()
            for form in forms(secret)
            if (place := text.find(form)) >= 0
        ]
