"""A box above a screen, which gives one answer."""

from __future__ import annotations

from typing import TypeVar

from textual.screen import ModalScreen

T = TypeVar("T")


class Box(ModalScreen[T]):
    """However fast the keys come, only the first one closes it: the next would close the screen below."""

    is_answered = False

    def answer(self, result: T) -> None:
        if not self.is_answered:
            self.is_answered = True
            self.dismiss(result)
