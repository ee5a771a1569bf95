"""Texts as long as a plan may be which a renderer of Markdown might take long for, or make much of."""

from __future__ import annotations

from collections.abc import Iterator

from plangate_server.domain.limits import DEFAULTS

LINE = "Some ordinary words of a plan, with **bold** and `code` here. "
ORDINARY = LINE * 4 + "\n\n- item one\n- item two\n\n## Head\n\n"
REPEATED = {
    "empty headings": "# \n",
    "headings": "# a\n",
    "paragraphs": "a\n\n",
    "line ends": "\n",
    "hidden": "\u200b",
    "hidden between letters": "a\u200b",
    "hidden beside wide ones": "a\u200b\U0001f600",
    "ampersands": "&",
    "angles": "<",
    "quotes": '"',
    "quoted lines": "> a\n",
    "items": "- a\n",
    "emphasis": "*a*",
    "stars": "*",
    "code": "`a`",
    "links": "[a](b) ",
    "brackets": "[",
    "images": "![a](b)",
    "addresses": "<http://a> ",
    "definitions": "[a]: b\n",
    "fences": "```\n",
    "rules": "***\n",
    "breaks": "a  \n",
    "one word": "x",
    "tabs": "\t",
    "deep quotes": "> " * 100 + "a\n",
    "wide": "\U0001f600",
    "wide paragraphs": "\U0001f600 *a*\n\n",
    "ordinary": ORDINARY,
}


def hostile_texts() -> Iterator[tuple[str, str]]:
    """Each with its name."""
    most = DEFAULTS.plan_bytes
    for name, piece in REPEATED.items():
        yield name, piece * (most // len(piece.encode()))
    yield "a long address, often", "[x]: http://" + "a" * (most // 3) + "\n\n" + "[x] " * (most // 8)
    yield "a wide table", "|a" * 1000 + "|\n" + "|-" * 1000 + "|\n" + "|\n" * (most // 4)
    yield "a long table", "|a|b|\n|-|-|\n" + "|a|\n" * (most // 5)
    yield "stairs", "\n".join("  " * (line % 20) + "- a" for line in range(most // 26))
