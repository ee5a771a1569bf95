"""What a call may do, as far as rules that deny look: the files it may touch, the commands it may run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import Final

from plangate_server.domain.name_patterns import folded
from plangate_server.domain.tools import Access, Call
from plangate_server.domain.touched import LONGEST_PATH, is_possible, patched_files, spellings, words

MOST_PAIRS: Final = 10_000
"""So many times one of a call's paths is tried as the folder of another text: a hundred files in a call."""
LONGEST_BELOW: Final = 512
MOST_UNREAD: Final = 4000
"""So many words of arguments that cannot be read, or are too long for a path, are looked at. More would hold
up others.
"""


class Reach:
    """A call, read broadly. Each part is worked out once, when the first rule asks for it."""

    def __init__(self, call: Call, access: Access) -> None:
        self.call = call
        self._executes = access is Access.EXECUTE

    @cached_property
    def commands(self) -> tuple[str, ...]:
        """The texts that may be run: of a tool that executes, each of its texts."""
        if self._is_patch:
            return ()
        texts = self.call.texts if self._executes else ()
        return tuple(filter(None, (self.call.command, *texts)))

    @cached_property
    def files(self) -> frozenset[str]:
        """The files that may be touched, in all their spellings."""
        call = self.call
        open_texts = [text for text in (*call.paths, *call.loose) if len(text) <= LONGEST_PATH]
        texts = {*call.paths, *call.loose, *call.texts, *self._patched}
        texts.update(text.strip() for text in open_texts)
        # One text may have several paths in it, or more than a path.
        texts.update(*map(words, (*open_texts, *self.commands)))
        texts.update(() if len(self._unread) > MOST_UNREAD else self._unread)
        texts.update(self._below())
        return frozenset(path for path in spellings(texts) if path and is_possible(path))

    def _below(self) -> Iterator[str]:
        """One text could be a folder in which another one is meant."""
        if self._pairs > MOST_PAIRS:
            return
        for base, text in product(*self._bases_and_names):
            if base != text and len(base) + len(text) <= LONGEST_BELOW:
                yield f"{base}/{text}"

    @cached_property
    def _bases_and_names(self) -> tuple[list[str], list[str]]:
        bases = dict.fromkeys(text for text in self.call.paths if "\n" not in text)
        return list(bases), list(dict.fromkeys((*self.call.paths, *self.call.loose)))

    @property
    def _pairs(self) -> int:
        bases, names = self._bases_and_names
        return len(bases) * len(names)

    @cached_property
    def is_beyond_checking(self) -> bool:
        """Whether a path is one that cannot be, or there are too many to look at: who knows what is done."""
        too_many = len(self._unread) > MOST_UNREAD
        return (
            too_many
            or self._pairs > MOST_PAIRS
            or not all(is_possible(folded(path)) for path in self.call.paths)
        )

    @cached_property
    def _unread(self) -> set[str]:
        """What may be a path in arguments that cannot be read, and in texts that are too long for one."""
        call = self.call
        long = (text for text in call.loose if len(text) > LONGEST_PATH)
        return set().union(*map(words, map(_with_line_ends, call.texts) if call.is_unsure else long))

    @cached_property
    def _patched(self) -> list[str]:
        """What header lines name, whatever the patch is called: a command, a diff, content or input."""
        call = self.call
        texts = map(_with_line_ends, call.texts) if call.is_unsure else call.texts
        return [name for text in (call.command, *texts) for name in patched_files(text)]

    @property
    def _is_patch(self) -> bool:
        """A tool that executes is never believed to have a patch: the header lines could be a disguise."""
        return not self._executes and bool(patched_files(self.call.command))


def _with_line_ends(arguments: str) -> str:
    """Arguments that cannot be read, with what stands for the end of a line in JSON as one."""
    return re.sub(r"\\[nrt]", "\n", arguments)
