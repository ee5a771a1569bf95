"""A policy with rules of every sort, and what they are tried on."""

from tests.helpers.policies import policy_of

POLICY = policy_of("""\
tools:
  write: [write_file, apply_patch]
  execute: [bash]
deny:
  - {name: tool, tools: [drop_*]}
  - {name: secrets, paths: [.env, secrets/**, config/prod.yaml]}
  - {name: push, commands: ["git push --force **", "sudo **"]}
  - {name: observer, tools: [search], roles: [observer]}
  - {name: rogue, tools: [search], agents: ["rogue-*"]}
allow:
  - {name: tests, tools: [bash], commands: ["pytest **", "npm test"]}
  - {name: docs, tools: [write_file, apply_patch, "mcp__fs__*"], paths: [docs/**, /README.md]}
  - {name: roles, tools: [deploy], roles: [admin], agents: ["ops-*"]}
  - {name: both, tools: [make], commands: ["make **"], paths: [docs/**]}
""")


def patch(*names: str, before: str = "a/", after: str = "b/") -> str:
    """A patch that changes a line in each of the files."""
    return "".join(
        f"diff --git {before}{name} {after}{name}\n"
        f"--- {before}{name}\n+++ {after}{name}\n"
        "@@ -1 +1 @@\n-x\n+y\n"
        for name in names
    )
