"""How much work a text may be: some shapes of Markdown take a parser for ever, however short they are."""

from __future__ import annotations

import time
from collections.abc import Callable, MutableMapping
from typing import Any, Final, Literal

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

MOST_SECONDS: Final = 1.2
"""Of a processor's time. What is shorter takes long only if it is meant to."""
MOST_LINES: Final = 100_000
MOST_TOKENS: Final = 100_000
"""Of a few hundred bytes each. The longest plan that was seen in the wild, of 180 KB, has half as many."""
DEEPEST: Final = 40
"""Of blocks in blocks, each of which is several calls deep."""
_NAME: Final = "effort"


class TooIntricate(Exception):
    """The text is more work than it may be."""


class NotWanted(Exception):
    """Nobody waits for the text any more."""


class Effort:
    """Belongs to the thread that makes it."""

    def __init__(self, is_wanted: Callable[[], bool], seconds: float, most_characters: int) -> None:
        self._is_wanted = is_wanted
        self._until = time.thread_time() + seconds
        self._tokens = 0
        self._left = most_characters

    def check(self) -> None:
        if time.thread_time() > self._until:
            raise TooIntricate
        if not self._is_wanted():
            raise NotWanted

    def tokens(self, count: int) -> None:
        """So many more were made."""
        self.check_tokens(count)
        self._tokens += count

    def check_tokens(self, count: int) -> None:
        """Whether so many more may be."""
        if self._tokens + count > MOST_TOKENS:
            raise TooIntricate

    def written(self, text: str) -> str:
        """The text, which is written once more: what is defined once can be written a thousand times."""
        self._left -= len(text)
        if self._left < 0:
            raise TooIntricate
        return text


class CountedState(StateBlock):
    """The library's own, where a single rule can make a token for each cell of a table."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        effort_of(self.env).tokens(1)
        return super().push(ttype, tag, nesting)


class CountedBlocks(ParserBlock):
    def parse(
        self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], outTokens: list[Token]
    ) -> list[Token] | None:
        if src.count("\n") > MOST_LINES:
            raise TooIntricate
        state = CountedState(src, md, env, outTokens)
        self.tokenize(state, state.line, state.lineMax)
        return state.tokens


def watched(parser: MarkdownIt) -> MarkdownIt:
    """The parser, which looks at the effort of its env before each step."""

    def look_at_block(state: StateBlock, *_: object) -> bool:
        effort_of(state.env).check()
        # The library leaves out what is deeper than it goes, and says nothing.
        if state.level >= DEEPEST:
            raise TooIntricate
        return False

    def look_at_words(state: StateInline, *_: object) -> bool:
        effort = effort_of(state.env)
        effort.check()
        effort.check_tokens(len(state.tokens))
        return False

    def look_once(state: StateInline) -> None:
        effort = effort_of(state.env)
        effort.check()
        effort.tokens(len(state.tokens))

    parser.options["maxNesting"] = 2 * DEEPEST
    # Before each line of a block, too: there are blocks that have all lines of a text.
    where: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("table", _NAME, look_at_block, where)
    parser.inline.ruler.before("text", _NAME, look_at_words)
    parser.inline.ruler2.before("balance_pairs", _NAME, look_once)
    return parser


def env_with(effort: Effort) -> MutableMapping[str, Any]:
    return {_NAME: effort}


def effort_of(env: MutableMapping[str, Any]) -> Effort:
    effort: Effort = env[_NAME]
    return effort
