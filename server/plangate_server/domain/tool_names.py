"""What a tool's name gives away about it, where nobody who knows has said what it does.

Only ever to make things stricter: a name that sounds harmless proves nothing.
"""

from __future__ import annotations

import re
from typing import Final

from plangate_server.domain.tools import Access

EXECUTING: Final = frozenset(
    {
        *("bash", "sh", "zsh", "shell", "terminal", "powershell", "pwsh", "cmd", "command", "console"),
        *("exec", "execute", "run", "eval", "spawn", "script", "python", "node", "sudo", "deploy", "kill"),
    }
)
WRITING: Final = frozenset(
    {
        *("write", "edit", "create", "delete", "remove", "rm", "move", "mv", "rename", "patch", "apply"),
        *("update", "insert", "append", "replace", "save", "upload", "commit", "push", "mkdir", "chmod"),
    }
)


def sounds_like(tool: str) -> Access:
    """The worst that a word of the name stands for."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", tool)
    words = set(re.split(r"[^a-z0-9]+", apart.casefold()))
    if words & EXECUTING:
        return Access.EXECUTE
    return Access.WRITE if words & WRITING else Access.READ
