"""How much work a text may be: some shapes of Markdown take a parser for ever, however short they are."""

from __future__ import annotations

import time
from collections.abc import Callable, MutableMapping
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

MOST_SECONDS: Final = 5.0
"""Of a processor's time. Ordinary text of a plan's greatest length takes about half of it."""
_NAME: Final = "effort"


class TooIntricate(Exception):
    """The text is more work than it may be."""


class NotWanted(Exception):
    """Nobody waits for the text any more."""


class Effort:
    """Belongs to the thread that makes it."""

    def __init__(self, is_wanted: Callable[[], bool], seconds: float) -> None:
        self._is_wanted = is_wanted
        self._until = time.thread_time() + seconds

    def check(self) -> None:
        if time.thread_time() > self._until:
            raise TooIntricate
        if not self._is_wanted():
            raise NotWanted


def watched(parser: MarkdownIt) -> MarkdownIt:
    """The parser, which looks at the effort of its env before each step."""

    def look(state: StateBlock | StateInline, *_: object) -> bool:
        state.env[_NAME].check()
        return False

    def look_once(state: StateInline) -> None:
        look(state)

    # Before each line of a block, too: there are blocks that have all lines of a text.
    parser.block.ruler.before("table", _NAME, look, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.inline.ruler.before("text", _NAME, look)
    parser.inline.ruler2.before("balance_pairs", _NAME, look_once)
    return parser


def env_with(effort: Effort) -> MutableMapping[str, Any]:
    return {_NAME: effort}
