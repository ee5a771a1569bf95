"""What the contract says about itself, in its comments."""

from __future__ import annotations

import re
from pathlib import Path

PROTOS = Path(__file__).resolve().parents[2] / "protos"


def comment_above(text: str, declaration: str) -> str:
    found = re.search(rf"((?:^ *//.*\n)+){re.escape(declaration)}", text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"no comment above {declaration!r}")
    return uncommented(found.group(1))


def uncommented(comment: str) -> str:
    return "\n".join(re.sub(r"^ *// ?", "", line) for line in comment.strip("\n").split("\n"))
