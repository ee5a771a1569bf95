"""Names of plan files: ``{slug}_{hex8}.plan.md``, safe in any folder and on any system."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

SLUG_CHARACTERS: Final = 100
SLUG_BYTES: Final = 200
NAME_BYTES: Final = 255
ENDING: Final = ".plan.md"
DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)
"""What Windows takes for a device, whatever follows after a dot."""

_ENDINGS: Final = re.compile(r"(?:\.plan)?\.(?:md|markdown|mdx|json)\Z|\.plan\Z", re.IGNORECASE)
_NOT_TEXT: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_HASH: Final = re.compile(r"[_-]([0-9a-f]{8})\Z")
_FORBIDDEN: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f]')


class UnsafeName(ValueError):
    """A name that could be something else than a file of its folder."""


def slug(name: str) -> str:
    """A plan's name as part of a file name, as the gate makes it."""
    seen = "".join(c if c.isprintable() else "_" for c in name.lower())
    words = re.sub(r'[\s<>:"/\\|?*]+', "_", seen)
    short = re.sub(r"_+", "_", words).strip("._").lstrip("-._")[:SLUG_CHARACTERS]
    fitting = short.encode(errors="ignore")[:SLUG_BYTES].decode(errors="ignore").rstrip("._")
    return f"plan_{fitting}" if fitting.split(".")[0] in DEVICES else fitting or "plan"


def file_name(name: str, plan_id: str) -> str:
    """The name of a plan's file; its id tells it from others of the same name."""
    end = f"_{plan_id[-8:]}{ENDING}"
    try:
        return checked_name(slug(name) + end)
    except UnsafeName:
        return f"plan{end}"


def stem_of(file_name: str) -> str:
    """A file name without its folder and endings."""
    last = re.split(r"[/\\]", file_name)[-1]
    return _ENDINGS.sub("", last)


def hash_of(file_name: str) -> str:
    """The eight hexadecimal digits that end the name of a plan file, or nothing."""
    found = _HASH.search(stem_of(file_name))
    return found[1] if found else ""


def title_of(file_name: str) -> str:
    """What a file is called, in words: a plan's name if nothing better is known."""
    words = re.sub(r"[\s_]+", " ", _HASH.sub("", stem_of(file_name))).strip()
    return "" if _NOT_TEXT.search(words) else words


def checked_name(name: str) -> str:
    """The name, or UnsafeName if it can mean anything but a file right in its folder."""
    decoded = name
    while True:
        _check(decoded, name)
        shorter = unquote(decoded)
        if shorter == decoded:
            return name
        decoded = shorter


def file_in(folder: Path, name: str) -> Path:
    """Where a file of that name is in the folder; never anywhere else."""
    return folder / checked_name(name)


def _check(decoded: str, name: str) -> None:
    """Refuse what some system or program would take for a path, a device or another name."""
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise UnsafeName(f"{name!r} is not text") from None
    if size > NAME_BYTES:
        raise UnsafeName(f"a file name has at most {NAME_BYTES} bytes, and this one {size}")
    if not decoded or _FORBIDDEN.search(decoded):
        raise UnsafeName(
            f"{name!r} is no name of a file: it is empty, or has a character that no name can have"
        )
    if decoded.startswith("-"):
        raise UnsafeName(f"{name!r} begins with a dash, as options of commands do")
    if decoded.startswith(".") or decoded.endswith((".", " ")) or decoded != decoded.strip():
        raise UnsafeName(f"{name!r} begins or ends with a dot or a space")
    if decoded.partition(".")[0].rstrip().lower() in DEVICES:
        raise UnsafeName(f"{name!r} is a device on some systems")
