"""Rules that allow tool calls mean nothing more than they say."""

import pytest

from plangate_server.domain.tools import Access, Call, ToolKind
from tests.unit.domain.tool_rules import POLICY, patch

ENVELOPE = "*** Begin Patch\n*** Update File: docs/a.md\n@@\n-x\n+y\n*** End Patch\n"


def allowing(call: Call) -> str | None:
    rule = POLICY.allowing(call)
    return rule.name if rule else None


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (Call("bash", "pytest -q tests"), "tests"),
        (Call("bash", "npm test", kind=ToolKind.TERMINAL), "tests"),
        (Call("write_file", paths=("docs/a.md",)), "docs"),
        (Call("write_file", paths=("docs/a.md", "README.md"), texts=("# src/main.py",)), "docs"),
        (
            Call("write_file", paths=("docs/a.md",), texts=("docs/a.md", "docs/b.md", "w", "Read src/a.py.")),
            "docs",
        ),
        (Call("mcp__fs__write", paths=("docs/a.md",), kind=ToolKind.MCP, access=Access.WRITE), "docs"),
        (Call("apply_patch", patch("docs/a.md"), paths=("docs/a.md",)), "docs"),
        (Call("apply_patch", patch("docs/a.md"), kind=ToolKind.EDIT, paths=("docs/a.md",)), "docs"),
        (Call("apply_patch", patch("docs/a.md", before="", after=""), paths=("docs/a.md",)), "docs"),
        (Call("apply_patch", patch("docs/a b.md"), paths=("docs/a b.md",)), "docs"),
        (
            Call(
                "apply_patch",
                "*** Begin Patch\n*** Update File: docs/a.md\n*** End Patch",
                paths=("docs/a.md",),
            ),
            "docs",
        ),
        (Call("apply_patch", paths=("docs/a.md",), texts=("docs/a.md", ENVELOPE)), "docs"),
        (Call("apply_patch", paths=("docs/a.md",), texts=("docs/a.md", patch("docs/a.md"))), "docs"),
        (Call("write_file", paths=("docs/a.md",), texts=("docs/a.md", "---\ntitle: x\n---\n")), "docs"),
        (Call("deploy", role="admin", agent_id="ops-1"), "roles"),
        (Call("make", "make html", paths=("docs/a",)), "both"),
    ],
)
def test_what_is_allowed(call: Call, rule: str) -> None:
    """A call that beyond doubt is what a rule names."""
    assert allowing(call) == rule


@pytest.mark.parametrize(
    "call",
    [
        # another tool, in whatever spelling
        Call("Bash", "pytest"),
        Call("bash2", "pytest"),
        Call("zsh", "pytest"),
        # more than a command that can be read
        Call("bash", "pytest; rm -rf /"),
        Call("bash", "pytest\nrm -rf /"),
        Call("bash", "pytest $(id)"),
        Call("bash", "npm test -- --watch"),
        Call("bash", ""),
        Call("bash", texts=("pytest",)),
        # not a command at all
        Call("bash", "pytest", kind=ToolKind.EDIT),
        Call("bash", "pytest", kind=ToolKind.MCP),
        # no path, or not only those that are meant
        Call("write_file"),
        Call("write_file", texts=("docs/a.md",)),
        Call("write_file", paths=("docs/a.md", "src/main.py")),
        Call("write_file", paths=("docs",)),
        Call("write_file", paths=("src/docs/a.md",)),
        Call("write_file", paths=("src/README.md",)),
        Call("write_file", paths=("DOCS/a.md",)),
        # a text that may be a path, under whatever name
        Call("write_file", paths=("docs/a.md",), texts=("docs/a.md", "src/main.py")),
        Call("write_file", paths=("docs/a.md",), texts=("docs/a.md", "main.py")),
        Call("write_file", paths=("docs/a.md",), texts=("docs/a.md", "..\\x")),
        Call("write_file", paths=("docs/a.md",), texts=("docs/a.md", "~root")),
        # paths that may lead elsewhere
        Call("write_file", paths=("docs/../src/main.py",)),
        Call("write_file", paths=("docs/..",)),
        Call("write_file", paths=("/docs/a.md",)),
        Call("write_file", paths=("docs/~/a",)),
        Call("write_file", paths=("docs\\..\\a",)),
        Call("write_file", paths=("docs/a\nb",)),
        Call("write_file", paths=("docs/a\0b",)),
        Call("write_file", paths=("docs/\u202ea",)),
        Call("write_file", paths=("docs/$HOME",)),
        Call("write_file", paths=("docs/%2e%2e/a",)),
        Call("write_file", paths=("docs/*",)),
        Call("write_file", paths=("file:docs/a",)),
        Call("write_file", paths=("docs/" + "a" * 256,)),
        Call("write_file", paths=("docs/" + "a/" * 64 + "a",)),
        Call("write_file", paths=("docs/a ",)),
        Call("write_file", paths=("",)),
        # a command that happens to have a path
        Call("mcp__fs__write", "rm -rf /", paths=("docs/a.md",)),
        Call("write_file", "rm -rf /", kind=ToolKind.TERMINAL, paths=("docs/a.md",)),
        Call("write_file", "rm -rf /", paths=("docs/a.md",)),
        # a patch that touches more than the call says
        Call("apply_patch", patch("docs/a.md")),
        Call("apply_patch", patch("docs/a.md"), kind=ToolKind.EDIT),
        Call("apply_patch", patch("docs/a.md", "src/main.py"), paths=("docs/a.md",)),
        Call("apply_patch", patch("docs/a.md", before="x/", after="y/"), paths=("docs/a.md",)),
        Call("apply_patch", patch("docs/a.md") + "rename to src/a.md\n", paths=("docs/a.md",)),
        Call("apply_patch", patch("docs/a.md") + "  --- src/a.md\n", paths=("docs/a.md",)),
        Call(
            "apply_patch",
            "*** Update File: docs/a.md\n*** Move to: src/a.md\n",
            kind=ToolKind.EDIT,
            paths=("docs/a.md",),
        ),
        Call("apply_patch", "s/a/b/", kind=ToolKind.EDIT, paths=("docs/a.md",)),
        # the same in any of its arguments
        Call("apply_patch", paths=("docs/a.md",), texts=("docs/a.md", patch("src/main.py"))),
        Call("apply_patch", paths=("docs/a.md",), texts=("docs/a.md", patch("docs/a.md", "src/main.py"))),
        Call("apply_patch", paths=("docs/a.md",), texts=("docs/a.md", ENVELOPE.replace("docs", "src"))),
        Call("apply_patch", paths=("docs/a.md",), texts=(ENVELOPE + "*** Move to: src/a.md\n",)),
        Call("apply_patch", patch("docs/a.md"), paths=("docs/a.md",), texts=(patch("src/main.py"),)),
        # roles and agents
        Call("deploy"),
        Call("deploy", role="admin"),
        Call("deploy", agent_id="ops-1"),
        Call("deploy", role="Admin", agent_id="ops-1"),
        Call("deploy", role="agent", agent_id="ops-1"),
        Call("deploy", role="admin", agent_id="dev-1"),
        # one of two conditions
        Call("make", "make html"),
        Call("make", "make html", paths=("src/a",)),
        Call("make", paths=("docs/a",)),
        Call("make", "make html; rm -rf /", paths=("docs/a",)),
    ],
)
def test_what_is_not_allowed(call: Call) -> None:
    """Whatever leaves a doubt is left to a person."""
    assert allowing(call) is None
