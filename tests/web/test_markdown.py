"""A plan's Markdown in the browser: it runs nothing, fetches nothing and hides nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.web.hidden import is_hidden
from plangate_server.web.markdown import ATTRIBUTES, SCHEMES, TAGS, render
from tests.helpers.examples import repeatable

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
        ("[https://a.example](https://\u0430.example)", "https://a.example (https://xn--80a.example)"),
    ],
)
def test_what_would_be_hidden_is_shown(text: str, seen: str) -> None:
    """Comments, targets, titles, images, definitions, languages and invisible characters."""
    assert seen in Looking(render(text)).text


@repeatable
@given(st.text())
def test_no_hidden_character_is_left(text: str) -> None:
    """Whatever was in the text, the page has nothing that nobody sees."""
    assert not [c for c in render(text) if is_hidden(c)]


def test_lines_are_known() -> None:
    """Every block says where it began, so that a comment finds its place."""
    html = render("# One\n\ntwo\n\n- three\n\n```\nfour\n```\n")
    assert [int(line) for line in re.findall(r'data-line="(\d+)"', html)] == [1, 3, 5, 5, 7]
