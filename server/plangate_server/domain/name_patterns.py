"""Names that a rule means: written out, or with ``*``, ``?`` and ``[…]`` for what may differ."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from functools import lru_cache

from plangate_server.domain.unicode_forms import normal_form


def named(name: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern means exactly this name."""
    return any(_compiled(pattern).match(name) for pattern in patterns)


def alike(name: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern means this name, however it is spelt."""
    plain = folded(name)
    return any(_compiled(p).match(name) or _compiled(folded(p)).match(plain) for p in patterns)


def folded(text: str) -> str:
    """A text without what people and file systems do not tell apart: case, forms of letters, the unseen."""
    if text.isascii() and text.isprintable():
        return text.lower()
    spaced = "".join(" " if c.isspace() else c for c in normal_form("NFKC", text).casefold())
    return "".join(filter(str.isprintable, spaced))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))
