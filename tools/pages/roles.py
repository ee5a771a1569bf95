"""docs/roles.md"""

from __future__ import annotations

from plangate_server.domain.identity import Role
from plangate_server.rpc.access import ACCESS

ROLE_WORDS = {
    Role.AGENT: "proposes plans, asks for tool calls, builds what was approved. Never decides; may make a "
    "session's mode stricter, not looser.",
    Role.REVIEWER: "a person who decides, edits, comments, and answers for what is remembered. An edit alone "
    "(`UpdatePlan`) approves nothing.",
    Role.OBSERVER: "reads and watches, and changes nothing. Does not count as a reviewer who is watching.",
    Role.ADMIN: "all of it, and the tokens of the workspace. Where `four_eyes` holds, it holds for admins.",
}


def page() -> str:
    """Who may call what."""
    lines = [
        "# Roles",
        "",
        "<!-- Written by tools/generate_docs.py from server/plangate_server/rpc/access.py. -->",
        "",
        "Every call needs a token (or a client certificate) of one of these roles; see",
        "[identity](identity.md). A call that is not in this table is open to nobody. `grpc.health.v1` and",
        "reflection, which tell nothing of any plan, need no token.",
        "",
        *(f"- **{role}**: {ROLE_WORDS[role]}" for role in Role),
        "",
        f"| call | {' | '.join(Role)} |",
        f"|---|{'---|' * len(Role)}",
    ]
    for method, allowed in ACCESS.items():
        ticks = " | ".join("✓" if role in allowed else "" for role in Role)
        lines.append(f"| `{method.removeprefix('/')}` | {ticks} |")
    return "\n".join(lines) + "\n"
