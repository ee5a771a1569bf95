"""What is put where a request has a value: everything that grows, nests, turns around or ends too early."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from plangate_server.domain.limit_table import LIMITS
from plangate_server.domain.limits import DEFAULTS

UNITS: Final = {
    "letters": "x",
    "words": "ab ",
    "lines": "a\n",
    "empty lines": "\n",
    "headings": "# x\n",
    "fences": "```\n",
    "items": "- [ ] a\n",
    "quotes": '"',
    "escapes": "\\",
    "lists in lists": "[",
    "objects in objects": '{"a":',
    "members": '"a":1,',
    "parentheses": "(",
    "substitutions": "$(",
    "commands": "a;",
    "options": "--a=b ",
    "patterns": "*a",
    "paths": "a/",
    "parents": "../",
    "digits": "9",
    "ligatures that grow": "\ufdfa",
    "letters that grow": "\u0390",
    "marks in a row": "\u0301",
    "marks out of order": "\u0301\u0316",
    "jamos": "\u1100\u1161\u11a8",
    "right to left": "\u202e\u05d0",
    "zero width": "\u200b",
    "tags": "\U000e0041",
    "notes": "\U0001d159",
    "joined people": "\U0001f469\u200d",
    "no characters": "\uffff",
    "look-alikes": "\u0430",
}
"""What a text is made of, again and again."""

BAD_TEXTS: Final = {
    "half a surrogate pair": b"\xed\xa0\x80",
    "no UTF-8": b"caf\xe9",
    "NUL": b"a\0b",
    "too long a form": b"\xc0\x80",
}

NUMBERS: Final = (
    0,
    1,
    -1,
    2,
    99,
    10_001,
    2**31 - 1,
    2**31,
    -(2**31),
    2**53 + 1,
    2**62,
    2**63 - 1,
    -(2**63),
    2**64 - 1,
    253_402_300_800,
    -62_135_596_801,
)
"""Beside the ends of the types the first seconds that no timestamp has any more, or has yet."""
DOUBLES: Final = (0.0, -0.0, 1e308, 5e-324, float("inf"), float("-inf"), float("nan"))

ROOM: Final = 4096
"""Bytes of a request that are left for what stands around a value."""
LARGEST: Final = DEFAULTS.message_bytes - ROOM

SIZES: Final = sorted(
    {limit.default for limit in LIMITS if limit.name.endswith(("bytes", "characters"))}
    - {DEFAULTS.message_bytes}
)
COUNTS: Final = sorted(
    {
        limit.default
        for limit in LIMITS
        if limit.name not in {"calls_per_second", "streams", "streams_per_principal"}
        and not limit.name.endswith(("bytes", "characters", "days"))
    }
)
"""As large, and as many, as some limit allows."""
DEPTHS: Final = (10, 30, 90, 1000, 20_000)


@lru_cache(maxsize=64)
def text(name: str, size: int) -> bytes:
    """A text of about so many bytes."""
    unit = UNITS[name].encode()
    return unit * max(1, size // len(unit))
