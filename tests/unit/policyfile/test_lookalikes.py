"""A file that allows commands allows those and nothing that only looks like them."""

import pytest

from plangate_server.domain.tools import Access, Call, ToolKind
from tests.helpers.lookalikes import ALLOWED, PATTERNS, VARIANTS
from tests.helpers.policies import policy_of

POLICY = policy_of(f"""\
tools: {{execute: [bash], write: [edit]}}
allow:
  - {{name: words, tools: ["*"], commands: {list(ALLOWED)}}}
  - {{name: patterns, tools: [bash], commands: {list(PATTERNS)}}}
  - {{name: somewhere, tools: ["*"], commands: {list(PATTERNS)}, paths: ["docs/**"]}}
  - {{name: docs, tools: [bash, edit], paths: ["docs/**"]}}
""")


@pytest.mark.parametrize("text", ALLOWED)
def test_what_the_file_allows_is_allowed(text: str) -> None:
    """The rules under test do allow something."""
    rule = POLICY.allowing(Call("bash", text))
    assert rule is not None
    assert rule.name == "words"


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in VARIANTS])
def test_nothing_that_looks_like_it_is(text: str) -> None:
    """Whatever kind of call it is said to be, and whatever path comes with it."""
    for kind in (None, *ToolKind):
        for paths in ((), ("docs/a.md",)):
            for tool in ("bash", "edit", "other"):
                assert POLICY.allowing(Call(tool, text, kind=kind, access=Access.READ, paths=paths)) is None
