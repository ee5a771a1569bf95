"""What a call may do, as far as rules that deny look: the files it may touch, the commands it may run."""

from __future__ import annotations

from functools import cached_property

from plangate_server.domain.name_patterns import folded
from plangate_server.domain.tools import Access, Call
from plangate_server.domain.touched import is_possible, patched_files, spellings, words


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
        paths = {*self.call.paths, *map(str.strip, self.call.paths)}
        texts = {*paths, *self.call.texts, *self._patched}
        texts.update(*map(words, self.commands))
        return frozenset(path for path in spellings(texts) if path and is_possible(path))

    @cached_property
    def is_beyond_checking(self) -> bool:
        """Whether a path is one that cannot be: nobody knows what the tool will make of it."""
        return not all(is_possible(folded(path)) for path in self.call.paths)

    @cached_property
    def _patched(self) -> list[str]:
        return patched_files(self.call.command)

    @property
    def _is_patch(self) -> bool:
        """A tool that executes is never believed to have a patch: the header lines could be a disguise."""
        return not self._executes and bool(self._patched)
