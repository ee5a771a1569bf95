"""What stands under the keys of front matter: texts that people wrote, words, lists, and keys of others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from plangate.planfile.model import Extra
from plangate.planfile.problems import PlanFileError, Warnings, shown
from plangate.planfile.yaml_subset import Entry, FrontMatter, Items, Node, Scalar, Style, Table

NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
BOOLEANS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(slots=True)
class Fields:
    """Hands out what stands under a key; notes what has to be told and what has to be kept."""

    front: FrontMatter
    warnings: Warnings
    comments: list[tuple[int, str]] = field(default_factory=list)
    kept: list[tuple[int, int]] = field(default_factory=list)
    """Lines of the file that are kept as they are: the first, and the one behind the last."""

    def text(self, table: Table, key: str, what: str) -> str:
        """A text that people wrote."""
        entry = table.entries.get(key)
        return self.text_of(entry.value, what) if entry else ""

    def word(self, table: Table, key: str, what: str) -> str:
        """A text that programs read."""
        entry = table.entries.get(key)
        return self.word_of(entry.value, what) if entry else ""

    def truth(self, table: Table, key: str) -> bool:
        word = self.word(table, key, key).lower()
        if word and word not in BOOLEANS:
            raise PlanFileError(table.entries[key].line, f"{key} is {shown(word)}: write true or false")
        return BOOLEANS.get(word, False)

    def items(self, table: Table, key: str, what: str) -> list[Node]:
        """The entries of a list; a key without a value has none."""
        entry = table.entries.get(key)
        if entry is None or self.is_null(entry.value):
            return []
        if not isinstance(entry.value, Items):
            raise PlanFileError(entry.value.line, f"the {what} are no list: begin each entry with a dash")
        return entry.value.items

    def extras(self, table: Table, known: Container[str]) -> tuple[Extra, ...]:
        return tuple(self._extra(entry) for key, entry in table.entries.items() if key not in known)

    def text_of(self, node: Node, what: str) -> str:
        """The text with what follows a #, which belongs to it unless it stands after quotes."""
        found = _scalar(node, what)
        if found.style is not Style.PLAIN or not found.comment:
            return self.word_of(node, what)
        self.warnings.add(
            found.line, f"YAML drops what follows # in the {what}: it was kept, and is written in quotes"
        )
        return (found.text + found.comment).strip(" \t")

    def word_of(self, node: Node, what: str) -> str:
        """The text without what follows a #, which is kept as a comment."""
        found = _scalar(node, what)
        self._keep_comment(found)
        return "" if _is_null(found) else found.text

    def is_null(self, node: Node) -> bool:
        if not isinstance(node, Scalar) or not _is_null(node):
            return False
        self._keep_comment(node)
        return True

    def all_comments(self) -> tuple[str, ...]:
        """In the order of the file, but for those that a key of others keeps."""
        kept = sorted(self.kept)
        found = sorted([*self.front.comments, *self.comments], key=itemgetter(0))
        return tuple(text for line, text in found if not _is_among(line, kept))

    def _keep_comment(self, node: Scalar) -> None:
        if node.comment:
            self.comments.append((node.line, node.comment.strip()))

    def _extra(self, entry: Entry) -> Extra:
        self.kept.append((entry.line, entry.line + entry.end - entry.start))
        return Extra(entry.key, self.front.source(entry))


def _scalar(node: Node, what: str) -> Scalar:
    if isinstance(node, Scalar):
        return node
    kind = "a list" if isinstance(node, Items) else "a table"
    raise PlanFileError(node.line, f"the {what} must be a text, and here stands {kind}")


def _is_null(node: Scalar) -> bool:
    return node.style is Style.PLAIN and node.text in NULLS


def _is_among(line: int, spans: list[tuple[int, int]]) -> bool:
    """Whether one of the spans, which are in order and do not overlap, has the line."""
    place = bisect_right(spans, line, key=itemgetter(0))
    return place > 0 and line < spans[place - 1][1]
