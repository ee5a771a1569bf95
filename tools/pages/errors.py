"""docs/errors.md"""

from __future__ import annotations

import re

from pages.protos import PROTOS, uncommented

REASON = re.compile(r"((?:  //.*\n)+)  ERROR_REASON_(\w+) = (\d+);")
PROMISE = re.compile(r"Status: (\w+)\. Metadata: (.*?)\.(?: (Carries RetryInfo\.))?$")


def page() -> str:
    """Every reason with its status, its metadata and what to do."""
    text = (PROTOS / "agent/v1/error_reason.proto").read_text()
    preamble = uncommented(text.split("\nsyntax")[0])
    lines = [
        "# Errors",
        "",
        "<!-- Written by tools/generate_docs.py from protos/agent/v1/error_reason.proto. -->",
        "",
        preamble,
        "",
        "| reason | status | metadata | what it means |",
        "|---|---|---|---|",
    ]
    for comment, name, number in REASON.findall(text):
        if number != "0":
            lines.append(_error_row(name, uncommented(comment).replace("\n", " ")))
    return "\n".join(lines) + "\n"


def _error_row(name: str, comment: str) -> str:
    promise = PROMISE.search(comment)
    if promise is None:
        raise SystemExit(f"{name}: its comment does not end with its status and metadata")
    status, metadata, retry = promise.groups()
    meaning = comment[: promise.start()].strip() + (" Carries RetryInfo." if retry else "")
    return f"| `{name}` | {status} | {metadata} | {meaning} |"
