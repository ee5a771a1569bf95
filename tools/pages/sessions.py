"""docs/sessions.md"""

from __future__ import annotations

from collections.abc import Iterator

from plangate_server.domain.approvals import NEXT_STATES
from plangate_server.domain.authorization import RULES
from plangate_server.domain.sessions import ANYWHERE, FSM, STATE_WITH, FsmState


def page() -> str:
    """The state machine of sessions, the rules for tools, and the life of a tool call."""
    lines = [
        "# Sessions and tool calls",
        "",
        "<!-- Written by tools/generate_docs.py from the tables in server/plangate_server/domain. -->",
        "",
        "A session is one agent at work, with all its subagents. It comes into being with the first call",
        "that names it. What it may do follows from its mode, from the operator's [policy](policy.md),",
        "and from what people have answered before ([what is remembered](remembering.md)).",
        "",
        "## Where a session stands",
        "",
        "Plan calls drive the session wherever it is; the rest the agent reports (`ReportEvent`).",
        "Anything else is refused with `FORBIDDEN_TRANSITION`, which names what can be reported.",
        "",
        "| event | in | leads to | driven by |",
        "|---|---|---|---|",
        *_transitions(),
        "",
        "What happens to a plan leads its session here:",
        "",
        "| the plan is | the session is in |",
        "|---|---|",
        *(f"| {state.name} | {led.name} |" for state, led in STATE_WITH.items()),
        "",
        "## The mode",
        "",
        "AGENT is the usual mode. FULL_ACCESS begins when a person has confirmed it. PLAN is read only,",
        "and a person ends it, in one of two ways:",
        "",
        "- They approve a plan of the session: `approve`, `edit`, the last of several approvals. Mode and",
        "  approval are stored together, so an agent that is told yes may begin. The event",
        "  SESSION_MODE_CHANGED follows that of the approval, and names the person and the text. Where there",
        "  are several plans in a session, the first yes counts.",
        "- They set another mode (`SetMode`, `plangate mode`, the review page).",
        "",
        "An approval by a rule does not end it. A new revision, another plan, a no or a withdrawal does",
        "not bring it back. With `plans.keep_plan_mode` in the [policy](policy.md), an approval does not",
        "end it either. A plan can be proposed in any mode.",
        "",
        "## Whether a tool may be used",
        "",
        "`AuthorizeTool` asks these rules from the top; the first that applies decides. What denies",
        "stands above what allows, so a deny is final. `RequestApproval` asks the same rules first: what",
        "they answer never waits for a person.",
        "",
        "| priority | rule | says | when |",
        "|---|---|---|---|",
        *(f"| {rule.priority} | `{rule.name}` | {rule.result.name} | {rule.when} |" for rule in RULES),
        "",
        "A rule that has entries is told with the entry that applied, like `deny:no-secrets`. A tool's",
        "access is the strictest of what the agent says and of the policy's classes; a tool of which",
        "neither says anything counts as EXECUTE, and so does one that is given something to run, unless",
        "the policy says otherwise.",
        "",
        "## The life of a tool call",
        "",
        "Calls of a session wait in one queue, first in, first out. The first is ACTIVE: people see it,",
        "and its authority token is needed to answer it. A call ends once.",
        "",
        "| state | can become |",
        "|---|---|",
        *_call_states(),
    ]
    return "\n".join(lines) + "\n"


def _transitions() -> Iterator[str]:
    for each in FSM:
        sources = (
            "any state"
            if each.sources == ANYWHERE
            else ", ".join(s.name for s in FsmState if s in each.sources)
        )
        driver = f"a plan that is {each.led_by.name}" if each.led_by else "`ReportEvent`"
        yield f"| `{each.event.name}` | {sources} | {each.target.name} | {driver} |"


def _call_states() -> Iterator[str]:
    for state, following in NEXT_STATES.items():
        yield f"| {state.name} | {', '.join(each.name for each in following) or '(it has ended)'} |"
