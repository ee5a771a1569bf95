"""A plan's Markdown as HTML that does nothing: it runs nothing, fetches nothing and hides nothing.

HTML in it is text, comments included. What Markdown itself would hide is said: where links lead, their
titles, what images would show, the words behind the fence of a block of code, and definitions.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from html import escape
from typing import Any, Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from plangate_server.web.hidden import marked, shown

TAGS: Final = frozenset(
    {
        *("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "hr", "br"),
        *(
            "em",
            "strong",
            "s",
            "a",
            "span",
            "div",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "dl",
            "dt",
            "dd",
        ),
    }
)
ATTRIBUTES: Final[Mapping[str, set[str]]] = {
    "*": {"class", "data-line"},
    "a": {"href", "rel", "target"},
    "ol": {"start"},
}
SCHEMES: Final = frozenset({"http", "https", "mailto"})


class Renderer(RendererHTML):
    """What differs from plain CommonMark."""

    def link_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        href = escape(str(tokens[index].attrGet("href") or ""))
        return f'<a href="{href}" rel="noopener noreferrer" target="_blank">'

    def link_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        opened = _opening(tokens, index)
        title = opened.attrGet("title")
        said = f" “{escape(str(title))}”" if title else ""
        return f'</a> <span class="target">({escape(str(opened.attrGet("href") or ""))}{said})</span>'

    def image(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        title = token.attrGet("title")
        said = f" “{escape(str(title))}”" if title else ""
        source = escape(str(token.attrGet("src") or ""))
        return f'<span class="image">image “{escape(token.content)}” ({source}{said})</span>'

    def fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        label = f'<span class="language">{escape(token.info.strip())}</span>' if token.info.strip() else ""
        line = token.attrGet("data-line")
        return f'<pre data-line="{line}">{label}<code>{escape(token.content)}</code></pre>\n'


def _opening(tokens: Sequence[Token], index: int) -> Token:
    """Links do not nest: the last one that was opened is the one that is closed."""
    return next(token for token in reversed(tokens[:index]) if token.type == "link_open")


_parser: Final = MarkdownIt("commonmark", {"html": False}, renderer_cls=Renderer).enable(
    ["table", "strikethrough"]
)


def render(text: str) -> str:
    env: MutableMapping[str, Any] = {}
    tokens = _parser.parse(marked(text), env)
    for token in tokens:
        if token.map and token.nesting >= 0:
            token.attrSet("data-line", str(token.map[0] + 1))
    html = _parser.renderer.render(tokens, _parser.options, env) + _definitions(env.get("references", {}))
    return shown(
        nh3.clean(
            html,
            tags=set(TAGS),
            attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
            url_schemes=set(SCHEMES),
            link_rel=None,
        )
    )


def _definitions(references: Mapping[str, Mapping[str, Any]]) -> str:
    """What `[name]: target "title"` defines, which Markdown shows nowhere by itself."""
    listed = "".join(_definition(name, each) for name, each in references.items())
    return (
        f'<div class="definitions"><p>Definitions in the text:</p><dl>{listed}</dl></div>' if listed else ""
    )


def _definition(name: str, defined: Mapping[str, Any]) -> str:
    said = f"{defined.get('href', '')} {defined.get('title', '')}".strip()
    return f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>"
