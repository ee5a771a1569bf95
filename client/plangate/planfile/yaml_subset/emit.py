"""Texts as YAML writes them: plain if every reader takes that for the same text, else in double quotes."""

from __future__ import annotations

import json
import re
from typing import Final

# What YAML 1.1 or 1.2 takes for something else than a text.
_NOT_A_TEXT: Final = re.compile(
    r"""(?:
      ~ | null | Null | NULL | << | =
    | yes | Yes | YES | no | No | NO | true | True | TRUE | false | False | FALSE
    | on | On | ON | off | Off | OFF
    | [-+]? (?: 0b[01_]+ | 0o?[0-7_]+ | 0x[0-9a-fA-F_]+ | [0-9][0-9_]* (?: :[0-5]?[0-9])+ (?: \.[0-9_]*)? )
    | [-+]? (?: [0-9][0-9_]* (?: \.[0-9_]*)? | \.[0-9][0-9_]* ) (?: [eE][-+]?[0-9]+ )?
    | [-+]? \. (?: inf | Inf | INF ) | \. (?: nan | NaN | NAN )
    | [0-9]{4} - [0-9]{1,2} - [0-9]{1,2} (?: (?: [Tt] | [ \t]+ ) [0-9:.]+ [ \t]* (?: Z | [-+][0-9:]+ )? )?
    )\Z""",
    re.VERBOSE,
)
_SPECIAL_START: Final = re.compile(r"""[-?:](?:[\s]|\Z)|[,\[\]{}#&*!|>'"%@`]|---|\.\.\.|\s""")
_SPECIAL_INSIDE: Final = re.compile(r":(?:\s|\Z)|\s#|\s\Z")
# Control characters, ends of lines, marks, halves of pairs, and what is no character.
_UNWRITABLE: Final = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_ESCAPED: Final = re.compile('["\\\\]|' + _UNWRITABLE.pattern)
_SHORT: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def scalar(text: str) -> str:
    """The text as the value of a key or as an item of a list."""
    return text if is_plain(text) else quoted(text)


def is_plain(text: str) -> bool:
    """Whether the text, written without quotes, is read as the same text."""
    return (
        text != ""
        and not _SPECIAL_START.match(text)
        and not _SPECIAL_INSIDE.search(text)
        and not _UNWRITABLE.search(text)
        and not _NOT_A_TEXT.match(text)
    )


def quoted(text: str) -> str:
    return f'"{_ESCAPED.sub(_escape, text)}"'


def flow(value: object) -> str:
    """A value as JSON has them, on one line."""
    match value:
        case str():
            return quoted(value)
        case list():
            return f"[{', '.join(map(flow, value))}]"
        case dict():
            return f"{{{', '.join(f'{quoted(key)}: {flow(inner)}' for key, inner in value.items())}}}"
        case _:
            return json.dumps(value)


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
