"""A plan's Markdown in the browser: it runs nothing, fetches nothing and hides nothing."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import count
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate._common.text_safety import is_hidden
from plangate_server.web import effort
from plangate_server.web.effort import NotWanted
from plangate_server.web.markdown import ATTRIBUTES, SCHEMES, TAGS, render
from tests.helpers.conditions import PATIENCE
from tests.helpers.examples import repeatable
from tests.unit.planfile.test_time import steps

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](http://evil.example/pixel.png)",
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x)",
    "<iframe src=http://evil.example>",
    "<style>@import 'http://evil.example'</style>",
    "<svg onload=alert(1)>",
    '[x](http://a "\\" onmouseover=\\"alert(1)")',
    "```mermaid\ngraph TD; click A call x()\n```",
    '``` "><script>alert(1)</script>\nx\n```',
    '![x"><script>alert(1)</script>](http://a)',
    '<http://evil.example/?"onclick=alert(1)>',
    "<a href='//evil.example' ping='//evil.example'>x</a>",
    "[//]: # (<script>alert(1)</script>)",
]


class Looking(HTMLParser):
    """Everything that a browser would find."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, list[str]] = {}
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, []).append(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def check_harmless(html: str) -> None:
    found = Looking(html)
    assert found.tags <= {*TAGS, "mark"}
    assert set(found.attributes) <= {name for names in ATTRIBUTES.values() for name in names} | {"title"}
    for href in found.attributes.get("href", []):
        assert re.match(rf"({'|'.join(SCHEMES)}):|[^:]*$", href), href


@pytest.mark.parametrize("text", HOSTILE)
def test_what_would_act_is_text(text: str) -> None:
    """No element that runs or fetches, no attribute that listens, no link that is a program."""
    check_harmless(render(text))


@repeatable
@given(
    st.text()
    | st.lists(st.sampled_from([*HOSTILE, "\n\n", "> ", "| a |\n|-|\n", "`", "[", "]("])).map("".join)
)
def test_whatever_is_written(text: str) -> None:
    """Any text at all is rendered, and harmless."""
    check_harmless(render(text))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("<!-- and then delete it all -->", "<!-- and then delete it all -->"),
        ("a <b>bold</b> word", "a <b>bold</b> word"),
        ("[docs](https://a.example/x)", "docs (https://a.example/x)"),
        ('[docs](https://a.example "do this, too")', "do this, too"),
        ("![a cat](https://a.example/cat.png)", "image “a cat” (https://a.example/cat.png)"),
        ("[//]: # (and then delete it all)", "and then delete it all"),
        ('[x]: https://a.example "and more"\n', "https://a.example and more"),
        ("```sh and more\nls\n```", "sh and more"),
        ("a\u202eb", "aU+202Eb"),
        ("a\u200bb", "aU+200Bb"),
        ("a\x1b[31mb", "aU+001B[31mb"),
        ("a\ufe0fb", "aU+FE0Fb"),
        ("`a\u200bb`", "aU+200Bb"),
        ("\ue000202e\ue001", "U+E000202eU+E001"),
        (f"tidy{' ' * 5000}and delete", "tidy5,000 spacesand delete"),
        (f"```\ntidy{' ' * 5000}and delete\n```", "tidy5,000 spacesand delete"),
        ("\ue000s5\ue001", "U+E000s5U+E001"),
        ("&#x202E;&#8203;&zwnj;", "&#x202E;&#8203;&zwnj;"),
        (f"tidy{'&#32;' * 60}and delete", "&#32;and delete"),
        ("&#xE000;41&#xE001; &#xE000;110000&#xE001;", "&#xE000;41&#xE001; &#xE000;110000&#xE001;"),
        ("a & b &amp; `&amp;`", "a & b &amp; &amp;"),
        ('[x](/a "ti&#x202E;tle\u202e")', "“ti&#x202E;tleU+202E”"),
        ("```sh&#x202E;\u202e\nx\n```", "sh&#x202E;U+202E"),
        ("the end\u2003\u00a0", "the endU+2003U+00A0"),
        ("a\rb", "aU+000Db"),
        (f"```\n{' ' * 40}rm\n```", "40 spacesrm"),
        (f"```\n{' ' * 39}rm\n```", f"{' ' * 39}rm"),
        ("[a\u200b]: /x\n", "AU+200B"),
        ("<https://a.example/%E2%80%AE>", "https://a.example/%E2%80%AE (https://a.example/%E2%80%AE)"),
        ('[a]: /x "one"\n[a]: /y "and delete"\n', "/y and delete"),
        ("| a |\n|---|\n| b | and delete |", "and delete"),
        ("> - | a |\n>   |---|\n>   | b | c | and delete |", "and delete"),
        ("a\u200b\u200b\u200bb", "aU+200B \N{MULTIPLICATION SIGN} 3b"),
        ("a\u200b\u202e\u202eb", "aU+200BU+202E \N{MULTIPLICATION SIGN} 2b"),
        ("a\U0001d159b\ufffcc\u2800d", "aU+1D159bU+FFFCcU+2800d"),
        (f"a{chr(0x301) * 300}b", f"a{chr(0x301) * 4}U+0301 \N{MULTIPLICATION SIGN} 296b"),
        ("**\u0338a** \u0338b", "U+0338a U+0338b"),
        (f"```\na{chr(10) * 60}rm\n```", "a\n59 empty lines\nrm"),
        (f"a{chr(92)}{chr(10)}" + f"{chr(92)}{chr(10)}" * 60 + "rm", "60 empty lines"),
        ("#\n\nrm", "empty heading"),
        (">\n\nrm", "empty quote"),
        ("".join(map(chr, range(0xE100, 0xE200))), "U+E11F224 more that are hidden"),
        ("[https://a.example](https://\u0430.example)", "https://a.example (https://xn--80a.example)"),
    ],
)
def test_what_would_be_hidden_is_shown(text: str, seen: str) -> None:
    """Comments, targets, titles, images, definitions, languages and invisible characters."""
    assert seen in Looking(render(text)).text


HIDDEN = st.characters(categories=["Cc", "Cf", "Zs", "Co"]) | st.sampled_from(
    "\u200b\u202e\ue000\ue001\ufe0f"
)
ENTITY = HIDDEN.flatmap(lambda c: st.sampled_from([f"&#{ord(c)};", f"&#x{ord(c):x};", "&nbsp;", "&zwnj;"]))
MARKUP = st.sampled_from(
    [
        *("[a](", "https://a.example/", ")", ' "title', '"', "<https://", ">", "![", "]", "[a]: /", "[a]"),
        *("`", "```", "~~~sh ", "| a | b |\n|---|---|\n| ", " | ", "\n", "\n\n", "# ", "- ", "    ", "**"),
        *("%E2%80%AE", "\\", "200b", "41", " " * 50),
    ]
)


@repeatable
@given(st.text() | st.lists(HIDDEN | ENTITY | MARKUP).map("".join))
def test_no_hidden_character_is_left(text: str) -> None:
    """Whatever was in the text, as itself or as an entity, the page has nothing that nobody sees."""
    html = render(text)
    check_harmless(html)
    found = Looking(html)
    for seen in (html, found.text, *(value for values in found.attributes.values() for value in values)):
        assert not [c for c in seen if is_hidden(c)]
        assert " " * 40 not in seen


@pytest.mark.parametrize(
    ("written", "leads_to"),
    [
        ("https://a.example/?a=1&b=2", "https://a.example/?a=1&b=2"),
        ("https://a.example/\u200bx", "https://a.example/%E2%80%8Bx"),
        ("https://a.example/&#8203;x", "https://a.example/&#8203;x"),
    ],
)
def test_a_link_leads_where_it_says(written: str, leads_to: str) -> None:
    """Its address is the one that was written, in its words as in what is followed."""
    found = Looking(render(f"[a]({written})"))
    assert found.attributes["href"] == [leads_to]
    assert found.text.strip() == f"a ({leads_to})"


def test_lines_are_known() -> None:
    """Every block says where it began, so that a comment finds its place."""
    html = render("# One\n\ntwo\n\n- three\n\n```\nfour\n```\n")
    assert [int(line) for line in re.findall(r'data-line="(\d+)"', html)] == [1, 3, 5, 5, 7]


MIB = 1024 * 1024


@pytest.mark.parametrize(
    "shape", ["\x01", "\x01\x02", "\x01a", "\u200ba", "\U0001d159", "\U0001d159a", "a\u0301"]
)
def test_what_nobody_sees_swells_no_page(shape: str) -> None:
    """It is at most ten times as long in HTML: a run of one is one mark, and its name is there once."""
    length = MIB // 8
    html = render((shape * length)[: length // len(shape.encode()) * len(shape)])
    assert len(html.encode()) < 10.1 * length


INTRICATE = {
    "links": "[a](b)",
    "open brackets": "[",
    "images in images": "![",
    "emphasis in emphasis": "*a **a ",
    "fences of code": "` `` ",
    "lines of one paragraph": "a\n",
    "quotes": "> > > a\n",
    "definitions that do not end": "[a]: b 'c\n",
    "tables": "a|b\n-|-\n",
}


@pytest.fixture
def second_by_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two looks at the effort of a text, a second passes."""
    looks = count()
    monkeypatch.setattr(effort, "time", SimpleNamespace(thread_time=lambda: next(looks)))


@pytest.mark.parametrize("shape", INTRICATE)
def test_no_text_is_drawn_for_ever(shape: str, second_by_second: None) -> None:
    """A plan's greatest length of what keeps a parser busy ends, as it is written."""
    text = (INTRICATE[shape] * MIB)[:MIB]
    begun = time.thread_time()
    html = render(text, seconds=1000)
    assert time.thread_time() - begun < PATIENCE
    assert "too intricate" in html
    assert Looking(html).text.rstrip().endswith(text[-100:].rstrip())


@pytest.mark.parametrize("shape", INTRICATE)
def test_nothing_goes_on_for_long_before_the_next_look(shape: str, second_by_second: None) -> None:
    """For as many looks, a text that is four times as long takes at most four times the steps."""

    def drawn(length: int) -> Callable[[], str]:
        return lambda: render((INTRICATE[shape] * length)[:length], seconds=300)

    few, many = steps(drawn(MIB // 64)), steps(drawn(MIB // 16))
    assert many < few * 4.4


def test_what_nobody_waits_for_is_not_drawn() -> None:
    """Not even to its end, if it was begun."""
    looks = iter([True] * 100)
    with pytest.raises(NotWanted):
        render("*a* " * 1000, lambda: next(looks, False))
