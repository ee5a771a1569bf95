"""A plan's Markdown as HTML that does nothing: it runs nothing, fetches nothing and hides nothing.

HTML in it is text, comments and entities included. What Markdown itself would hide is said: where links
lead, their titles, what images would show, the words behind the fence of a block of code, definitions, and
cells beyond the last column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from html import escape
from typing import Any, Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from plangate._common.text_safety import TooManyHidden
from plangate_server.web.effort import (
    MOST_SECONDS,
    CountedBlocks,
    Effort,
    TooIntricate,
    effort_of,
    env_with,
    watched,
)
from plangate_server.web.hidden import MARK, covered, shown, uncovered, written
from plangate_server.web.tables import whole_table

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
MOST_CHARACTERS: Final = 6 * 1024 * 1024
"""Of HTML: enough for whatever can be seen of a plan as long as one may be."""
MOST_DRAWN: Final = 2 * 1024 * 1024
"""Of HTML that is drawn, before marks stand in it; each takes up to four bytes, several times over."""
MOST_COVERED: Final = 20_000
"""Characters that marks stand for where text is drawn, each of which is up to a hundred times as long."""
MOST_MARKS: Final = 200_000
"""In a text that is shown as it is written: each takes its time to be made."""
PIECE: Final = 16 * 1024
"""Characters of a text that is shown as it is written."""
AS_WRITTEN: Final = "This text is too intricate to be drawn as Markdown. Here it is as it is written."
SCHEMES: Final = frozenset({"http", "https", "mailto"})


class Renderer(RendererHTML):
    """What differs from plain CommonMark."""

    def link_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        href = escape(str(tokens[index].attrGet("href") or ""))
        # Links do not nest: the one that was opened last is the one that is closed.
        env["target"] = f"({href}{_title(tokens[index])})"
        return effort_of(env).written(f'<a href="{href}" rel="noopener noreferrer" target="_blank">')

    def link_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return effort_of(env).written(f'</a> <span class="target">{env["target"]}</span>')

    def image(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        source = escape(str(token.attrGet("src") or ""))
        shown = f'<span class="image">image “{escape(token.content)}” ({source}{_title(token)})</span>'
        return effort_of(env).written(shown)

    def fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        label = f'<span class="language">{escape(token.info.strip())}</span>' if token.info.strip() else ""
        line = token.attrGet("data-line")
        return f'<pre data-line="{line}">{label}<code>{escape(token.content)}</code></pre>\n'


def _title(token: Token) -> str:
    title = token.attrGet("title")
    return f" “{escape(str(title))}”" if title else ""


class Parser(MarkdownIt):
    """Addresses are those that are written, and shown as what they lead to."""

    def __init__(self, *settings: Any, **more: Any) -> None:
        super().__init__(*settings, **more)
        self.block = CountedBlocks()

    def normalizeLink(self, url: str) -> str:
        return super().normalizeLink(uncovered(url))

    def normalizeLinkText(self, link: str) -> str:
        return link


def _made() -> MarkdownIt:
    parser = Parser("commonmark", {"html": False}, renderer_cls=Renderer).enable(["table", "strikethrough"])
    parser.block.ruler.at("table", whole_table, {"alt": ["paragraph", "reference"]})
    return watched(parser)


_parser: Final = _made()


def render(text: str, is_wanted: Callable[[], bool] = lambda: True, seconds: float = MOST_SECONDS) -> str:
    """The text as HTML; as it is written, if drawing it takes too long. NotWanted, if nobody waits for it."""
    try:
        return _drawn(text, Effort(is_wanted, seconds, MOST_DRAWN))
    except (TooIntricate, TooManyHidden):
        return _as_written(text)


def _drawn(text: str, effort: Effort) -> str:
    html = _html(covered(text, MOST_COVERED), env_with(effort))
    if len(html) > MOST_DRAWN:
        raise TooIntricate
    return shown(_cleaned(html))


def _html(text: str, env: MutableMapping[str, Any]) -> str:
    tokens = _parser.parse(text, env)
    for token in tokens:
        if token.map and token.nesting >= 0:
            token.attrSet("data-line", str(token.map[0] + 1))
    return str(_parser.renderer.render(tokens, _parser.options, env)) + _definitions(env)


def _as_written(text: str) -> str:
    """As much of it as may be shown: a character that nobody sees takes a hundred to be shown."""
    lines = text.replace("\r\n", "\n")
    parts, size, marks, said = list[str](), 0, 0, AS_WRITTEN
    for at in range(0, len(lines), PIECE):
        # A single wide character would make all of them four times as wide in memory.
        part = _narrow(written(lines[at : at + PIECE]))
        size += len(part)
        marks += part.count(MARK)
        if size > MOST_CHARACTERS or marks > MOST_MARKS:
            said += f" The last {len(lines) - at:,} of its {len(lines):,} characters are left out."
            break
        parts.append(part)
    return f'<p class="problem">{said}</p><pre data-line="1"><code>{"".join(parts)}</code></pre>'


def _narrow(html: str) -> str:
    return html.encode("ascii", "xmlcharrefreplace").decode()


def _cleaned(html: str) -> str:
    return nh3.clean(
        html,
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        url_schemes=set(SCHEMES),
        link_rel=None,
    )


def _definitions(env: Mapping[str, Any]) -> str:
    """What `[name]: target "title"` defines, which Markdown shows nowhere by itself."""
    defined = [
        *env.get("references", {}).items(),
        *((each["label"], each) for each in env.get("duplicate_refs", ())),
    ]
    listed = "".join(_definition(name, each) for name, each in defined)
    return (
        f'<div class="definitions"><p>Definitions in the text:</p><dl>{listed}</dl></div>' if listed else ""
    )


def _definition(name: str, defined: Mapping[str, Any]) -> str:
    said = f"{defined.get('href', '')} {defined.get('title', '')}".strip()
    return f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>"
