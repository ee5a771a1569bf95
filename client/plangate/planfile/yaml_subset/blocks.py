"""Lists and tables, one entry on each line, what belongs together indented alike."""

from __future__ import annotations

import re
from typing import Final

from plangate.planfile.problems import Warnings
from plangate.planfile.yaml_subset.block_scalars import HEADER, read_block_scalar
from plangate.planfile.yaml_subset.flow import DEEPEST, read_flow
from plangate.planfile.yaml_subset.lines import Lines
from plangate.planfile.yaml_subset.plain import COLON, COMMENT, read_plain
from plangate.planfile.yaml_subset.quoted import read_quoted, unescaped
from plangate.planfile.yaml_subset.tree import Entry, FrontMatter, Items, Node, Scalar, Style, Table

QUOTE_IT: Final = "if it is meant as text, put it in quotes"
_QUOTED_KEY: Final = re.compile(r"""(?:"([^"\\]*(?:\\.[^"\\]*)*)"|'([^']*(?:''[^']*)*)')[ \t]*:(?=[ \t]|$)""")
_NOT_TAKEN: Final = {"&": "an anchor", "*": "an alias", "!": "a tag"}
_NO_KEY: Final = {
    **_NOT_TAKEN,
    **dict.fromkeys("[{", "a list or a table"),
    **dict.fromkeys("|>\"'", "a text"),
    **dict.fromkeys("%@`,]}#", "something else"),
}
KEY_CHARACTERS: Final = 200


def read_front_matter(text_lines: list[str], first_line: int, warnings: Warnings) -> FrontMatter:
    """The table that the lines hold, or a PlanFileError. The first of them has that line in the file."""
    lines = Lines(text_lines, first_line, warnings)
    found = lines.next()
    if found is None:
        return FrontMatter(Table(first_line), lines.comments, lines.all)
    table = _table(lines, found[0], 1)
    if lines.next() is not None:
        lines.refuse("this line is indented less than the keys before it: give all keys the same indentation")
    return FrontMatter(table, lines.comments, lines.all)


def _block(lines: Lines, depth: int, around: int) -> Node:
    """What stands on the next lines: they are indented more than what is around them."""
    if depth > DEEPEST:
        lines.refuse(f"this is nested more than {DEEPEST} levels deep: make it flatter")
    found = lines.next()
    assert found is not None  # looked at before
    indent, content = found
    if _is_item(content):
        return _items(lines, indent, depth)
    if _is_entry(content):
        return _table(lines, indent, depth)
    return _inline(lines, content, around)


def _table(lines: Lines, indent: int, depth: int) -> Table:
    table = Table(lines.line)
    while (found := lines.next()) and found[0] >= indent:
        if found[0] > indent:
            lines.refuse("this line is indented more than the keys around it: give it the same indentation")
        start, line = lines.at, lines.line
        key, rest = _key(lines, found[1])
        if key in table.entries:
            first = table.entries[key].line
            lines.refuse(f"{key[:60]!r} stands here twice, first in line {first}: keep one")
        value = _value(lines, rest, indent, depth)
        table.entries[key] = Entry(key, line, value, start, lines.end, indent)
    return table


def _items(lines: Lines, indent: int, depth: int) -> Items:
    items = Items(lines.line)
    while (found := lines.next()) and found[0] >= indent:
        if found[0] > indent:
            lines.refuse("this line is indented more than the items around it: give it the same indentation")
        if not _is_item(found[1]):
            break
        rest = found[1][1:].lstrip(" \t")
        if _is_item(rest) or _is_entry(rest):
            lines.opened = lines.at, rest.rjust(len(lines.current))
            items.items.append(_block(lines, depth + 1, indent))
        else:
            items.items.append(_value(lines, rest, indent, depth, in_list=True))
    return items


def _value(lines: Lines, rest: str, indent: int, depth: int, *, in_list: bool = False) -> Node:
    """What belongs to a key or a dash: it stands after it, or is indented on the next lines."""
    if rest and not rest.startswith("#"):
        return _inline(lines, rest, indent)
    line, comment = lines.line, rest.rstrip(" \t")
    lines.take()
    below = lines.next()
    if below and (below[0] > indent or (below[0] == indent and not in_list and _is_item(below[1]))):
        if comment:
            lines.comments.append((line, comment))
        return _block(lines, depth + 1, indent)
    return Scalar(line, "", comment=f" {comment}" if comment else "")


def _inline(lines: Lines, rest: str, indent: int) -> Node:
    """A value that begins here; where YAML would see none, a text that should have had quotes."""
    first = rest[0]
    if first in _NOT_TAKEN:
        lines.refuse(f"{first} begins {_NOT_TAKEN[first]}, which is not taken: {QUOTE_IT}")
    if first in "\"'":
        return _quoted(lines, rest, indent)
    if first in "[{":
        return _flow(lines, rest, indent)
    if header := HEADER.match(rest):
        return read_block_scalar(lines, header, indent)
    if first in "|>@`%,]}" or _is_item(rest) or re.match(r"\?(?:[ \t]|$)", rest):
        return read_plain(lines, rest, indent, f"{first} at the beginning")
    return read_plain(lines, rest, indent)


def _quoted(lines: Lines, rest: str, indent: int) -> Scalar:
    start = lines.at
    text, after = read_quoted(lines, rest, indent)
    if not after.strip(" \t") or COMMENT.match(after):
        lines.take()
        return Scalar(lines.line_of(start), text, Style.QUOTED, after.rstrip(" \t"))
    if lines.at > start:
        lines.refuse("text stands after a closing quote: put all of it in quotes")
    return read_plain(lines, rest, indent, "text after a closing quote")


def _flow(lines: Lines, rest: str, indent: int) -> Node:
    start = lines.at
    tail = rest[max(rest.rfind("]"), rest.rfind("}")) + 1 :].strip(" \t") if re.search(r"[\]}]", rest) else ""
    if tail and tail[0] not in ",#":
        return read_plain(lines, rest, indent, f"{rest[0]} at the beginning")
    node, after = read_flow(lines, rest)
    if not after.strip(" \t") or COMMENT.match(after):
        if after.strip(" \t"):
            lines.comments.append((lines.line, after.strip(" \t")))
        lines.take()
        return node
    if lines.at > start:
        lines.refuse("text stands after a closing bracket: put all of it in quotes")
    return read_plain(lines, rest, indent, f"{rest[0]} at the beginning")


def _is_item(content: str) -> bool:
    return content == "-" or content.startswith(("- ", "-\t"))


def _is_entry(content: str) -> bool:
    if content[:1] in {'"', "'"}:
        return _QUOTED_KEY.match(content) is not None
    if content[:1] in {"[", "{", "|", ">", "#", ""}:
        return False
    found = COLON.search(content)
    return found is not None and not COMMENT.search(content[: found.start()])


def _key(lines: Lines, content: str) -> tuple[str, str]:
    """The key of a line, and what stands after its colon."""
    if quoted := _QUOTED_KEY.match(content):
        single = (quoted[2] or "").replace("''", "'")
        key = single if quoted[1] is None else unescaped(lines, quoted[1], lines.at)
        return key, content[quoted.end() :].lstrip(" \t")
    if content[0] in _NO_KEY:
        lines.refuse(f"{content[0]} begins {_NO_KEY[content[0]]}, and here belongs a key: {QUOTE_IT}")
    found = COLON.search(content)
    if found is None or _is_item(content) or COMMENT.search(content[: found.start()]):
        lines.refuse(
            "this is neither a key with a colon nor part of the value before: indent it, or quote it"
        )
    key = content[: found.start()].rstrip(" \t")
    if len(key) > KEY_CHARACTERS:
        lines.refuse(f"a key has at most {KEY_CHARACTERS} characters: if this is text, put it in quotes")
    if key == "<<" or key.startswith("? ") or key in {"?", ""}:
        lines.refuse(f"{key[:1] or ':'} would be a merge or a complex key, which is not taken: {QUOTE_IT}")
    return key, content[found.end() :].lstrip(" \t")
