"""From bytes to characters that mean what they look like, before anything else is read from them."""

from __future__ import annotations

import re
from typing import Final

from plangate_server.plainyaml.tree import YamlProblem, YamlProblems

MOST_BYTES: Final = 256 * 1024

# Also what YAML takes for the end of a line and an editor does not, and a byte order mark inside the text.
UNREADABLE: Final = re.compile(
    "\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
)


def decoded(data: bytes) -> str:
    """The text of a file, or YamlProblems that say where it has none."""
    if len(data) > MOST_BYTES:
        raise YamlProblems([YamlProblem(1, f"the file has more than {MOST_BYTES // 1024} KiB: split it up")])
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        raise YamlProblems([YamlProblem(line, "this is not UTF-8: save the file as UTF-8")]) from None
    if problems := [
        YamlProblem(number, f"{hidden} is in the text: remove it")
        for number, line in enumerate(text.split("\n"), start=1)
        if (hidden := unreadable(f"{line}\n"))
    ]:
        raise YamlProblems(problems)
    return text


def unreadable(text: str) -> str | None:
    """The name of the first character in a text that no one can see and a program may act on."""
    found = UNREADABLE.search(text)
    return f"the control character U+{ord(found[0]):04X}" if found else None
