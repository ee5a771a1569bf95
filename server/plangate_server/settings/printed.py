"""``plangate serve --print-config``: the settings that hold, as a file that says the same."""

from __future__ import annotations

import json

from plangate._common.text_safety import hidden_marked, visible
from plangate_server.settings.database import scheme_alone, without_secrets
from plangate_server.settings.sources import DEFAULT, Given


def printed(given: list[Given]) -> str:
    """YAML with where each setting comes from, and without secrets."""
    head = "# The settings that hold, each with where it comes from. This is a file for --config."
    lines = (_database_line(each) if each.setting.name == "database" else _line(each) for each in given)
    return "\n".join([head, *lines])


def _line(each: Given, note: str = "") -> str:
    name = each.setting.name
    if each.text is None:
        return f"# {name}:  # {DEFAULT}: {each.setting.absent}"
    return f"{name}: {_quoted(each.text)}  # {visible(each.source)}{note}"


def _database_line(each: Given) -> str:
    assert each.text is not None
    shown = without_secrets(each.text)
    if shown is None:
        left_out = "all of it is LEFT OUT here, for what is secret in it cannot be told"
        return f"# database: {_quoted(scheme_alone(each.text))}  # {visible(each.source)}; {left_out}"
    if shown == each.text:
        return _line(each)
    note = "; its password, and options that may be secret, are LEFT OUT here"
    return _line(Given(each.setting, shown, each.source), note)


def _quoted(text: str) -> str:
    """As YAML has it, with its escapes for what is not seen."""
    return hidden_marked(json.dumps(text, ensure_ascii=False), _escaped)


def _escaped(hidden: str) -> str:
    return "".join(f"\\U{ord(character):08x}" for character in hidden)
