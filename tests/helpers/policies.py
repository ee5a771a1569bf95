"""Policy files, ready-made."""

from plangate_server.domain.policy import Policy
from plangate_server.policyfile import PolicyProblems, parse_policy

FULL = """\
four_eyes: true
tools:
  read: [read_file, grep, "list_*"]
  write: [write_file]
  execute: [bash, "mcp__deploy__*"]
trust_agent_access: false
open_programs: [mytool]
deny:
  - name: no-secrets
    paths: [".env", "secrets/**"]
    reason: secrets stay where they are
  - name: no-force-push
    commands: ["git push --force **"]
  - name: no-observers
    tools: ["*"]
    roles: [observer]
    agents: ["rogue-*"]
allow:
  - name: tests
    tools: [bash]
    commands: ["pytest **", "npm test"]
  - name: docs
    tools: [write_file]
    paths: ["docs/**"]
    roles: [agent]
    agents: [writer]
plans:
  required_approvals: 2
  expires_after: 2h
  require_reviewer: true
  single_plan: true
  keep_plan_mode: true
  auto_approve:
    - {name: small-docs, max_todos: 3, access: write, labels: [docs]}
calls:
  expires_after: 15m
"""
"""Every key that there is, but for paths_from, which needs a file."""


def policy_of(text: str) -> Policy:
    return parse_policy(text.encode(), "policy.yaml")


def problems_of(text: str | bytes) -> list[str]:
    """What is said about a file, without its name; nothing if it is sound."""
    data = text if isinstance(text, bytes) else text.encode(errors="surrogatepass")
    problems: list[str] = []
    try:
        parse_policy(data, "policy.yaml")
    except PolicyProblems as found:
        problems = found.problems or ["nothing is said"]
    assert all(problem.startswith("policy.yaml:") for problem in problems)
    return [problem.removeprefix("policy.yaml:") for problem in problems]
