"""Text from elsewhere on a terminal: nothing in it may act on the terminal or hide from the reader."""

from __future__ import annotations


def visible(text: str) -> str:
    """The text with control, bidirectional and zero-width characters written out."""
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in text)


def visible_lines(text: str) -> list[str]:
    """The same for a text of several lines; only a line feed ends one."""
    return [visible(line) for line in text.split("\n")]
