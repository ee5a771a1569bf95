"""Where settings come from: a flag wins over the environment, that over the file, that over the default."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from plangate_server.domain.limit_table import SETTABLE
from plangate_server.domain.limits import Limits
from plangate_server.plainyaml import load_file
from plangate_server.plainyaml.notes import Notes
from plangate_server.plainyaml.section import Section
from plangate_server.plainyaml.tree import Node, Table
from plangate_server.settings.table import SETTINGS, Setting, Settings

DEFAULT: Final = "default"


class Given(Struct, frozen=True):
    """What holds for a setting, as it was written."""

    setting: Setting
    text: str | None
    """None if nobody says anything, not even the default."""
    source: str
    """Where it was written: --flag, PLANGATE_VARIABLE, FILE:LINE or default."""

    def value(self) -> Any:
        """What the text stands for; a ValueError says where it is wrong, and what to do."""
        try:
            return None if self.text is None else self.setting.read(self.text)
        except ValueError as wrong:
            raise ValueError(f"{self.source} {wrong}") from None


def gathered(
    flags: Mapping[str, str | None], environment: Mapping[str, str], path: Path | None
) -> list[Given]:
    """Every setting. Raises FileProblems if there is a file that is not sound, all of it, used or not."""
    written = load_file(path, _read_file) if path else {}
    return [_first(setting, flags, environment, written, path) for setting in SETTINGS]


def settled(given: list[Given]) -> Settings:
    """What the texts stand for; a ValueError says what is wrong with the first that is not sound."""
    values = {each.setting.name: each.value() for each in given}
    limits = Limits(**{limit.name: values.pop(limit.setting) for limit in SETTABLE})
    return Settings(**values, limits=limits)


def _first(
    setting: Setting,
    flags: Mapping[str, str | None],
    environment: Mapping[str, str],
    written: Mapping[str, tuple[int, str]],
    path: Path | None,
) -> Given:
    typed = flags.get(setting.name)
    if typed is not None:
        return Given(setting, typed, setting.flag)
    if setting.variable in environment:
        return Given(setting, environment[setting.variable], setting.variable)
    if setting.name in written:
        line, text = written[setting.name]
        return Given(setting, text, f"{path}:{line}")
    return Given(setting, setting.default_here(), DEFAULT)


def _read_file(tree: Node | None, notes: Notes) -> dict[str, tuple[int, str]]:
    """The line and the text of each setting in a file. It counts only if nothing was noted."""
    names = [setting.name for setting in SETTINGS]
    if tree is None:
        return {}  # nothing but comments, say, with everything left out
    if not isinstance(tree, Table):
        notes.add(tree.line, "", f"the file holds no settings: write a table of {', '.join(names)}")
        return {}
    section = Section(tree, "", notes, names)
    found = {}
    for setting in SETTINGS:
        text = section.value(setting.name, _sound(setting))
        if text is not None:
            found[setting.name] = (tree.entries[setting.name].line, text)
    return found


def _sound(setting: Setting) -> Any:
    """Reads a text as itself, if it is one that the setting takes."""

    def read(text: str) -> str:
        setting.read(text)
        return text

    return read
