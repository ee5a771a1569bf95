"""Plan files as people and tools write them, one for each thing that is special about them."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from plangate.planfile import Extra, Phase, PlanFile, Todo

CANONICAL: Final = {
    "with todos": """\
---
name: Move the cache
overview: "Three steps: measure, move, tidy"
todos:
  - id: measure
    content: Measure how often it is missed
    status: completed
  - id: move
    content: Move it behind the door
    status: in_progress
    dependencies:
      - measure
  - id: tidy
    content: "Remove the old one, see #12 and \\"notes\\""
    status: pending
    dependencies:
      - measure
      - move
isProject: false
---

# Move the cache

---

```mermaid
flowchart LR
  a["name: x"] --> b
```
""",
    "without todos": '---\nname: Tidy\noverview: ""\ntodos: []\nisProject: false\n---\n\n# Tidy\n',
    "without a body": "---\nname: Tidy\noverview: All of it\ntodos: []\nisProject: true\n---\n",
    "without a final newline": "---\nname: A\noverview: B\ntodos: []\nisProject: false\n---\n\nthe end",
    "with phases": """\
---
name: Large
overview: In two phases
todos:
  - id: first
    content: Begin
    status: pending
isProject: true
phases:
  - name: One
    todos:
      - first
      - id: second
        content: Go on
        status: pending
  - name: Two
    todos: []
---

Text.
""",
    "with keys of others": """\
---
name: Kept
overview: Keys that are not ours
todos:
  - id: a
    content: Do it
    status: blocked
    priority: 007
    notes: |-
      two
        lines

      and a third
isProject: false
author: no one # still here
tags: [a, "b c"]
limits:
  - tokens: 1.50
    when: 2024-01-02

    # why
    until: ~
# the end
---

Text.
""",
    "with other scripts": (
        "---\nname: 計画 Ä\noverview: Привет, мир\ntodos:\n  - id: 計画\n    content: 書く\u3000こと\n"
        "    status: pending\nisProject: false\n---\n\n# 計画\n\n👩\u200d👧 שלום\n"
    ),
    "whose values look like something else": '---\nname: "no"\noverview: "007"\ntodos:\n  - id: "12"\n'
    '    content: "2024-01-02"\n    status: pending\nisProject: false\n---\n\nText.\n',
    "with two front matters": (
        "---\nname: A\noverview: B\ntodos: []\nisProject: false\n---\n\n---\nname: C\n---\nText.\n"
    ),
}
"""Written as we write them."""

QUIRKS: Final = {
    "plain Markdown": "Intro.\n\n```sh\n# not a heading\n```\n\n## The plan ##\n\n- do it\n",
    "Markdown that begins with a rule": "---\n\n# Title\n\n---\ntext\n",
    "Markdown without a heading": "just text",
    "nothing": "",
    "the older form": (
        "<!-- 0a1b2c3d-0000-4000-8000-000000000001 0a1b2c3d-0000-4000-8000-000000000002 -->\n"
        "# Old\n\nText.\n\n### To-dos\n\n- [ ] First: begin\n- [x] Second\n- [ ] First: begin\n"
    ),
    "a colon in every text": (
        "---\nname: Fix: it\noverview: Now: or never:\ntodos:\n  - id: a\n    content: Do: this\n---\nx\n"
    ),
    "text after #": (
        "---\nname: Fix #12\noverview: See #3 # and #4\ntodos:\n  - content: '#1' # real\n"
        "  - content: #2 first\n---\n"
    ),
    "signs at the beginning": (
        "---\nname: `code` first\noverview: @you\ntodos:\n  - content: [P] do it\n"
        '  - content: % of it\n  - content: "so" they say\n  - content: - a dash\n'
        "  - content: > 5 of them\n---\n"
    ),
    "todos as texts": "---\nname: A\ntodos:\n- Write it\n- Check it: twice\n- Write it\n---\n",
    "every kind of scalar": (
        "---\nname: 'it''s'\noverview: >-\n  folded\n  text\n\n  more\ntodos:\n"
        '  - id: "a\\u00e4\\n"\n    content: |\n      # kept\n      lines\n  - content: "over\n'
        '      two \\\n      lines"\n  - content: plain\n      goes on\n---\n'
    ),
    "other statuses": (
        "---\ntodos:\n  - {content: a, status: done}\n  - {content: b}\n"
        "  - {content: c, status: In Progress}\n---\n"
    ),
    "comments": (
        "---\n# first\nname: A # 1\noverview: 'b' # second\ntodos: # third\n  # fourth\n"
        "  - id: x # fifth\n    content: y\n    status: pending # sixth\n"
        "    dependencies: [x, # seventh\n      x]\nisProject: no # eighth\nown: # ninth\n"
        "  # tenth\n  a: b\n---\n"
    ),
    "CRLF": "---\r\nname: A\r\nown: |\r\n  two\r\n  lines\r\n---\r\n\r\n# A\r\n",
    "ends of lines of both kinds": "---\r\nname: A\nown: b\r\n---\r\n\r\n# A\r\nb\nc\r\r\n",
    "a byte order mark": "\ufeff---\nname: A\n---\n# A\n",
    "blank lines before it": "\n\n---\nname: A\n---\n\n\n\n# A\n",
    "empty keys": "---\nname:\noverview: ~\ntodos:\nphases:\nisProject:\n---\n# Heading\n",
    "one dependency": (
        "---\ntodos:\n  - id: a\n    content: x\n  - id: b\n    content: y\n    dependencies: a\n---\n"
    ),
    "phases that repeat todos": (
        "---\ntodos:\n  - id: a\n    content: x\nphases:\n  - name: P\n    todos:\n"
        "      - id: a\n        content: x\n      - New one\n  - Q\n---\n"
    ),
    "text that nobody sees": '---\nname: a\u202eb\noverview: "\\x1b[8m"\n---\n\x1b[31mred\u200b\n',
    "keys in quotes": "---\n\"name\": A\n'it''s': \"\\ud83d\\ude00\"\n---\n",
    "indented keys": "---\n  name: A\n  todos:\n  - content: x\n---\n",
}
"""Read all the same, and written otherwise."""

ALL: Final = {name: text.encode() for name, text in (CANONICAL | QUIRKS).items()}

texts = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30
) | st.sampled_from(
    [
        "no",
        "~",
        "a: b",
        "a #b",
        "#a",
        "- a",
        "'",
        '"',
        "a\nb",
        " a",
        "a:",
        "[a]",
        "{",
        "*a",
        "|",
        "007",
        "1e3",
        "<<",
        "\\",
    ]
)
words = texts.filter(str.strip)


@st.composite
def plan_files(draw: st.DrawFn) -> PlanFile:
    """Any plan that a gate could have."""
    ids = draw(st.lists(words.filter(lambda id: id == id.strip()), max_size=5, unique=True))
    todos = [
        Todo(id, draw(words), draw(st.sampled_from(["pending", "completed", "review"])), tuple(ids[:place]))
        for place, id in enumerate(ids)
    ]
    inside = tuple(draw(st.lists(st.sampled_from(ids), max_size=3))) if ids else ()
    return PlanFile(
        name=draw(words),
        overview=draw(texts),
        todos=tuple(todos),
        is_project=draw(st.booleans()),
        phases=tuple(Phase(draw(texts), inside) for _ in range(draw(st.integers(0, 2)))),
        body=draw(texts),
        extras=draw(st.sampled_from([(), (Extra("own", "own: |\n  a\n\n  b"),)])),
        newline=draw(st.sampled_from(["\n", "\r\n"])),
        bom=draw(st.booleans()),
    )
