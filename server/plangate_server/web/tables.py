"""Tables whose rows show all of their cells: Markdown drops those that have no head above them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_block.table import escapedSplit, getLine
from markdown_it.token import Token


def whole_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    begin = len(state.tokens)
    if not table(state, start, end, silent):
        return False
    state.tokens[begin:] = list(_with_all_cells(state, state.tokens[begin:]))
    return True


def _with_all_cells(state: StateBlock, tokens: Sequence[Token]) -> Iterator[Token]:
    line, cells = 0, 0
    for token in tokens:
        if token.type == "tr_open":
            line, cells = (token.map or [0])[0], 0
        cells += token.type in {"th_open", "td_open"}
        if token.type == "tr_close":
            for words in _cells(getLine(state, line))[cells:]:
                yield from _cell(words, line, token.level + 1)
        yield token


def _cells(line: str) -> list[str]:
    """As the library splits them."""
    cells = escapedSplit(line.strip(" \t"))
    begin = int(cells[:1] == [""])
    end = len(cells) - int(cells[-1:] == [""])
    return cells[begin:end]


def _cell(words: str, line: int, level: int) -> Iterator[Token]:
    yield Token("td_open", "td", 1, level=level, block=True)
    content = words.strip(" \t")
    yield Token(
        "inline", "", 0, level=level + 1, block=True, map=[line, line + 1], content=content, children=[]
    )
    yield Token("td_close", "td", -1, level=level, block=True)
