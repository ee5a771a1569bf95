"""Writes the parts of docs/ that follow from the code, so that they cannot tell anything else.

python tools/generate_docs.py           write them
python tools/generate_docs.py --check   say which are out of date, exit 1
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import MethodDescriptor

from plangate_server.domain.approvals import NEXT_STATES
from plangate_server.domain.authorization import RULES
from plangate_server.domain.identity import Role
from plangate_server.domain.lifecycle import AFTER_REVIEW, REVISABLE, WITHDRAWABLE
from plangate_server.domain.limit_table import LIMITS, SETTABLE, Limit
from plangate_server.domain.plan import ENDED, PlanState
from plangate_server.domain.review import OTHER_WORDS, OUTCOMES, ReviewOutcome
from plangate_server.domain.sessions import ANYWHERE, FSM, STATE_WITH, FsmState
from plangate_server.domain.todo_lists import WRITABLE
from plangate_server.metrics.table import METRICS, Metric
from plangate_server.rpc.access import ACCESS
from plangate_server.rpc.options import (
    ANSWER_SECONDS,
    HEADER_BYTES,
    MOST_PENDING,
    PENDING,
    PING_SECONDS,
    SHORTEST_PING_SECONDS,
)
from plangate_server.rpc.server import SERVICES, Service
from plangate_server.settings import DEFAULT_WEB_LISTEN, SETTINGS

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
REASON = re.compile(r"((?:  //.*\n)+)  ERROR_REASON_(\w+) = (\d+);")
PROMISE = re.compile(r"Status: (\w+)\. Metadata: (.*?)\.(?: (Carries RetryInfo\.))?$")


def errors() -> str:
    """Every reason with its status, its metadata and what to do."""
    text = (PROTOS / "agent/v1/error_reason.proto").read_text()
    preamble = _uncommented(text.split("\nsyntax")[0])
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
            lines.append(_error_row(name, _uncommented(comment).replace("\n", " ")))
    return "\n".join(lines) + "\n"


def _error_row(name: str, comment: str) -> str:
    promise = PROMISE.search(comment)
    if promise is None:
        raise SystemExit(f"{name}: its comment does not end with its status and metadata")
    status, metadata, retry = promise.groups()
    meaning = comment[: promise.start()].strip() + (" Carries RetryInfo." if retry else "")
    return f"| `{name}` | {status} | {metadata} | {meaning} |"


def api() -> str:
    """Every service and method, and which of them this version does."""
    lines = [
        "# API",
        "",
        "<!-- Written by tools/generate_docs.py from protos/ and the server's services. -->",
        "",
        "The reference is the comments in [`protos/`](../protos), which say for each field its unit, its",
        "range and what fails how. Over the wire, reflection gives the same messages to grpcurl and other",
        "tools: see the [cookbook](cookbook.md). What a refusal looks like stands in [errors](errors.md).",
        "How large things may be, and how many, stands in [limits](limits.md).",
        "",
        "Every call but those of `grpc.health.v1` and reflection needs a token or a client certificate:",
        "see [identity](identity.md), and [roles](roles.md) for who may call what.",
    ]
    for service in SERVICES:
        lines += ["", *_service_lines(service)]
    return "\n".join(lines) + "\n"


def _service_lines(service: Service) -> Iterator[str]:
    descriptor = descriptor_pool.Default().FindServiceByName(service.name)
    text = (PROTOS / descriptor.file.name).read_text()
    yield f"## {service.name}"
    yield ""
    yield _comment_above(text, f"service {descriptor.name} ")
    yield ""
    yield "| method | streams | does |"
    yield "|---|---|---|"
    for method in descriptor.methods:
        does = _comment_above(text, f"  rpc {method.name}(").replace("\n", " ")
        yield f"| `{method.name}` | {_streams(method)} | {does} |"


def _streams(method: MethodDescriptor) -> str:
    sides = {"requests": method.client_streaming, "responses": method.server_streaming}
    return " and ".join(side for side, streams in sides.items() if streams) or "no"


def _comment_above(text: str, declaration: str) -> str:
    found = re.search(rf"((?:^ *//.*\n)+){re.escape(declaration)}", text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"no comment above {declaration!r}")
    return _uncommented(found.group(1))


def _uncommented(comment: str) -> str:
    return "\n".join(re.sub(r"^ *// ?", "", line) for line in comment.strip("\n").split("\n"))


def states() -> str:
    """The tables that the domain decides by."""
    lines = [
        "# The life of a plan",
        "",
        "<!-- Written by tools/generate_docs.py from the tables in server/plangate_server/domain. -->",
        "",
        "A plan has immutable revisions. People are asked about one revision at a time; what they decide",
        "covers its digest and nothing else. Each change is told by an event, which every stream carries in",
        "the same order.",
        "",
        "## What a decision does",
        "",
        "| choice | other word | outcome | the plan is then | event | session |",
        "|---|---|---|---|---|---|",
    ]
    other = {option: word for word, option in OTHER_WORDS.items()}
    for option, outcome in OUTCOMES.items():
        state, event = AFTER_REVIEW[outcome]
        lines.append(
            f"| `{option}` | {other.get(option, '')} | {outcome.name} | {state.name} | {event.name} "
            f"| {STATE_WITH[state].name} |"
        )
    for outcome in (ReviewOutcome.EXPIRED, ReviewOutcome.WITHDRAWN):
        state, event = AFTER_REVIEW[outcome]
        by = "nobody, in time" if outcome is ReviewOutcome.EXPIRED else "the agent"
        lines.append(
            f"| ({by}) | | {outcome.name} | {state.name} | {event.name} | {STATE_WITH[state].name} |"
        )
    lines += ["", "## What can be done in which state", "", *_verbs_by_state()]
    return "\n".join(lines) + "\n"


def _verbs_by_state() -> Iterator[str]:
    verbs = {
        "new revision (CreatePlan, UpdatePlan)": REVISABLE,
        "todo status (UpdateTodos, TodoWrite)": WRITABLE,
        "WithdrawPlan": WITHDRAWABLE,
    }
    yield f"| state | {' | '.join(verbs)} | ended |"
    yield f"|---|{'---|' * len(verbs)}---|"
    for state in PlanState:
        cells = ["yes" if state in allowed else "" for allowed in (*verbs.values(), ENDED)]
        yield f"| {state.name} | {' | '.join(cells)} |"


def sessions() -> str:
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


def settings() -> str:
    """Every setting, in each of the places where it can be set."""
    lines = [
        "# Settings",
        "",
        "<!-- Written by tools/generate_docs.py from server/plangate_server/settings/table.py. -->",
        "",
        "A flag wins over the environment, the environment over the file that `--config FILE` (or",
        "`PLANGATE_CONFIG`) names, the file over the default. `{data}` is the user's data folder",
        "(`~/.local/share/plangate` on Linux). What they are for stands in",
        "[running Plangate](operations.md).",
        "",
        "| in the file | flag | variable | default | what it sets |",
        "|---|---|---|---|---|",
    ]
    for setting in SETTINGS:
        default = f"`{setting.default}`" if setting.default else setting.absent
        flag = f"`{setting.flag} {setting.placeholder}`"
        lines.append(f"| `{setting.name}` | {flag} | `{setting.variable}` | {default} | {setting.help} |")
    return "\n".join(lines) + "\n"


def roles() -> str:
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


ROLE_WORDS = {
    Role.AGENT: "proposes plans, asks for tool calls, builds what was approved. Never decides; may make a "
    "session's mode stricter, not looser.",
    Role.REVIEWER: "a person who decides, comments, and answers for what is remembered.",
    Role.OBSERVER: "reads and watches, and changes nothing. Does not count as a reviewer who is watching.",
    Role.ADMIN: "all of it, and the tokens of the workspace. Where `four_eyes` holds, it holds for admins.",
}

SCRAPE = f"""\
scrape_configs:
  - job_name: plangate
    static_configs:
      - targets: ["{DEFAULT_WEB_LISTEN}"]
"""

ALERTS = """\
groups:
  - name: plangate
    rules:
      - alert: NobodyDecides
        expr: >-
          max by (job) (plangate_pending_reviews) > 0
          and sum by (job) (increase(plangate_decision_seconds_count[1h])) == 0
        for: 1h
        annotations:
          summary: Reviews wait, and for an hour or more nobody has decided any.
      - alert: EventsComeLate
        expr: >-
          histogram_quantile(0.99, sum by (job, le) (rate(plangate_event_lag_seconds_bucket[5m]))) > 1
        for: 5m
        annotations:
          summary: One event in a hundred reaches its streams more than a second late.
      - alert: CallsFail
        expr: sum by (job, method) (increase(plangate_calls_total{status="INTERNAL"}[5m])) > 0
        annotations:
          summary: Calls fail by a fault of the service; the log has each by its error_id.
"""


def metrics() -> str:
    """Every metric, how to scrape them, and what to be told of."""
    lines = [
        "# Metrics",
        "",
        "<!-- Written by tools/generate_docs.py from server/plangate_server/metrics/table.py. -->",
        "",
        f"`GET /metrics` on the web port (`--web-listen`, by default `{DEFAULT_WEB_LISTEN}`) is what",
        "Prometheus reads. Only this machine may, and only by a loopback name or address: everyone else gets",
        "403. The page is made at most once a second.",
        "",
        "There is nothing in it that callers wrote: no text, no id, no workspace, no name of a caller.",
        "Methods are named as in the log, if they exist; standard services (`grpc.*`) are not counted.",
        "`process_…` tells of memory, processor, files and start of the process, as everywhere.",
        "",
        "| metric | kind | labels | what it tells |",
        "|---|---|---|---|",
        *map(_metric_row, METRICS),
        "",
        "The numbers are those of one server since its start. Of several servers on one database, each",
        "counts its own calls, streams and writes, and all say the same about what waits for people.",
        "",
        "## Scrape them",
        "",
        "Prometheus, or an agent that forwards to one, runs on the same machine:",
        "",
        "```yaml",
        f"{SCRAPE}```",
        "",
        "## Be told",
        "",
        "```yaml",
        f"{ALERTS}```",
        "",
        "That the gate is down Prometheus knows by itself (`up`). Whether it can use its database says",
        "`GET /healthz`: 200 and `serving`, or 503 and `not serving`, as",
        "[health over gRPC](operations.md#health) does.",
    ]
    return "\n".join(lines) + "\n"


def limits() -> str:
    """Every limit, what it is about, and whether it can be set."""
    lines = [
        "# Limits",
        "",
        "<!-- Written by tools/generate_docs.py from server/plangate_server/domain/limit_table.py. -->",
        "",
        "What passes a limit is refused with RESOURCE_EXHAUSTED, and the refusal's metadata has `limit`, its",
        "name here, `maximum`, what holds, and `actual`, what there was. Some can be set, like every",
        "[setting](settings.md): by flag, by environment or in the file. New content is held to what is set;",
        "what is stored already stays readable, and can be decided.",
        "",
        "| limit | at most | of | setting | refused with |",
        "|---|---|---|---|---|",
        *map(_limit_row, LIMITS),
        "",
        "Why no more can be set:",
        "",
        *(f"- `{limit.name}`: {span.why}." for limit, span in SETTABLE.items()),
        "",
        "## What gRPC itself refuses",
        "",
        f"- All metadata of a call together has at most {HEADER_BYTES:,} bytes. More is refused with",
        "  RESOURCE_EXHAUSTED, without a reason of ours.",
        f"- A peer that has said nothing for {PING_SECONDS} seconds is asked whether it is there. One that",
        f"  does not answer within {ANSWER_SECONDS} seconds is gone, and its streams are ended.",
        f"- A client may ask the same, at most every {SHORTEST_PING_SECONDS} seconds. One that asks more",
        "  often, again and again, is sent away (`too_many_pings`).",
        f"- {PENDING:,} calls can wait to be begun. From then on some are cancelled, and from",
        f"  {MOST_PENDING:,} on all.",
    ]
    return "\n".join(lines) + "\n"


def _metric_row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"| `{metric.name}` | {metric.kind} | {labels} | {metric.help} |"


def _limit_row(limit: Limit) -> str:
    refusal = f"`{limit.reason}`" if limit.reason else "(more is taken as this)"
    return f"| `{limit.name}` | {limit.default:,} | {limit.what} | {_setting_of(limit)} | {refusal} |"


def _setting_of(limit: Limit) -> str:
    if limit.range is None:
        return "fixed"
    (setting,) = (each for each in SETTINGS if each.name == limit.setting)
    return f"`{setting.flag}`, {limit.range.least:,} to {limit.range.most:,}"


DOCUMENTS = {
    "docs/errors.md": errors,
    "docs/api.md": api,
    "docs/states.md": states,
    "docs/sessions.md": sessions,
    "docs/settings.md": settings,
    "docs/roles.md": roles,
    "docs/metrics.md": metrics,
    "docs/limits.md": limits,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    outdated = []
    for name, write in DOCUMENTS.items():
        path, text = ROOT / name, write()
        if not path.exists() or path.read_text() != text:
            outdated.append(name)
            if not check:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
    if check and outdated:
        print("out of date, run tools/generate_docs.py:", *outdated, file=sys.stderr)
    return 1 if check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
