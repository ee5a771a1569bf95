"""The page marks what nobody sees by the same rule as the commands, in the browser that it runs in."""

from __future__ import annotations

import random
from html import escape
from typing import Any, Final

from plangate._common.text_safety import is_hidden
from plangate_server.web.hidden import covered, shown
from tests.web.browser.desk import Desk, module
from tests.web.test_markdown import Looking

MARKED: Final = f"""
(texts) => {module("ui/hidden")}.then(({{ marked, spelled, hiddenIn }}) => texts.map((text) => {{
  const place = document.createElement("p");
  place.append(...marked(text).flat(Infinity).filter(Boolean));
  const marks = [...place.querySelectorAll("mark")].map((mark) => mark.textContent);
  return [place.textContent, marks, spelled(text), hiddenIn(text)];
}}))"""
HIDDEN: Final = f"""
() => {module("ui/hidden")}.then(({{ hiddenIn }}) => {{
  const spans = [];
  for (let code = 0; code < 0x110000; code += 1) {{
    if (!hiddenIn(`a${{String.fromCodePoint(code)}}`)) continue;
    if (spans.at(-1)?.[1] === code - 1) spans.at(-1)[1] = code;
    else spans.push([code, code]);
  }}
  return spans;
}})"""
UNSEEN: Final = r"""
() => {
  const known = /^[^\p{Cn}\p{Co}\p{Cs}]$/u;
  const unseen = /^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]$/u;
  const all = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
  return all.filter((each) => known.test(each) && unseen.test(each)).map((each) => each.codePointAt(0));
}"""
ALPHABET: Final = [
    "a",
    "b",
    " ",
    "\n",
    "\n\n\n",
    " " * 20,
    "\t",
    "\u0301",
    "\u0302" * 3,
    "\u200b",
    "\u200b\u202e",
    "\U0001d159",
    "漢",
]


def in_python(text: str) -> tuple[str, list[str]]:
    """As the gate draws it, and its marks."""
    html = shown(escape(covered(text), quote=False))
    found = Looking(html)
    return found.text, [part.split("</mark>")[0].split(">", 1)[1] for part in html.split("<mark")[1:]]


async def test_every_character(desk: Desk) -> None:
    """Code point by code point: those that the table has, and all that the browser takes for unseen."""
    await desk.open()
    spans: list[tuple[int, int]] = await desk.page.evaluate(HIDDEN)
    hidden = {code for first, last in spans for code in range(first, last + 1)}
    assert hidden == {code for code in range(0x110000) if is_hidden(chr(code))}
    assert set(await desk.page.evaluate(UNSEEN)) - set(map(ord, " \t\n")) <= hidden


async def test_runs_and_padding(desk: Desk) -> None:
    """Whatever is in a text, and however often in a row, the page says the same of it as the gate."""
    chance = random.Random(0)
    texts = ["".join(chance.choices(ALPHABET, k=chance.randint(1, 14))) for _ in range(2_000)]
    texts += [each * 50 for each in ALPHABET]
    await desk.open()
    found: list[Any] = await desk.page.evaluate(MARKED, texts)
    for text, (words, marks, spelled, number) in zip(texts, found, strict=True):
        assert (words, marks) == in_python(text), ascii(text)
        assert all(f"\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}{mark}" in spelled for mark in marks)
        assert (number > 0) == any(mark.startswith("U+") for mark in marks)
