"""Plan files that were made to do harm, each with a word of the reason that it is refused for."""

from __future__ import annotations

from typing import Final


def _front(text: str) -> bytes:
    return f"---\nname: a\n{text}\n---\n\nbody\n".encode()


HOSTILE: Final[dict[str, tuple[bytes, int, str]]] = {
    "4 MiB": (b"a" * 4 * 1024**2, 1, "MiB"),
    "NUL in the body": (b"---\nname: a\n---\n\nb\0", 5, "NUL"),
    "NUL as an escape": (_front('overview: "\\0"'), 3, "no character"),
    "a control character in the front matter": (_front("overview: a\x1b[8mb"), 3, "U+001B"),
    "not UTF-8": (b"---\nname: \xff\n---\n", 2, "UTF-8"),
    "UTF-16": ("---\nname: a\n---\n".encode("utf-16"), 1, "UTF-16"),
    "an anchor": (_front("own: &a b"), 3, "anchor"),
    "an anchor before a key": (_front("&a own: b"), 3, "anchor"),
    "an alias": (_front("own: *a"), 3, "alias"),
    "an alias in a list": (_front("own: [a, *b]"), 3, "alias"),
    "a tag": (_front("own: !!python/object/apply:os.system [id]"), 3, "tag"),
    "a merge key": (_front("own:\n  <<: b"), 4, "merge"),
    "a merge key in a table": (_front("own: {<<: b}"), 3, "key"),
    "a complex key": (_front("? own\n: b"), 3, "key"),
    "a key twice": (_front("own: 1\nname: b"), 4, "twice"),
    "a key of a todo twice": (_front("todos:\n  - content: a\n    content: b"), 5, "twice"),
    "an id twice": (_front("todos:\n  - {id: a, content: b}\n  - {id: a, content: c}"), 5, "twice"),
    "30,000 brackets": (_front("own: " + "[" * 30_000), 3, "deep"),
    "30,000 braces": (_front("own: " + "{a: " * 30_000), 3, "deep"),
    "30,000 dashes": (_front("own:\n  " + "- " * 30_000), 4, "deep"),
    "100 levels": (_front("\n".join(" " * level + "a:" for level in range(100))), 23, "deep"),
    "no end": (b"---\nname: a\n", 1, "does not end"),
    "an open quote": (_front('own: "a\n' + "  b\n" * 30_000), 3, "close"),
    "an open list": (_front("own: [a,\n" + "  b,\n" * 30_000), 3, "close"),
    "too many lines": (_front("a:\n" * 60_000), 2, "lines"),
    "a tab": (_front("own:\n\ta: b"), 4, "tab"),
    "a key that is indented by mistake": (_front("overview: b\n isProject: true"), 4, "indented"),
    "a line that belongs nowhere": (_front("overview: b\nand more"), 4, "neither"),
    "half a character": (_front('overview: "\\ud800"'), 3, "half"),
    "an escape that means nothing": (_front('overview: "C:\\dir"'), 3, "backslash"),
    "a name that is a list": (b"---\nname: [a]\n---\n", 2, "text"),
    "todos that are no list": (_front("todos: {a: b}"), 3, "list"),
    "a todo without content": (_front("todos:\n  - id: a\n    status: done"), 4, "content"),
    "isProject that is neither": (_front("isProject: perhaps"), 3, "true or false"),
    "a todo that a phase changes": (
        _front("todos:\n  - {id: a, content: b}\nphases:\n  - todos:\n      - {id: a, content: c}"),
        7,
        "another",
    ),
}
"""By what is wrong with it: the file, the line, and a word of the reason."""
