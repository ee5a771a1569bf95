"""Every command of docs/audit.md prints what the page says, and hashes made by hand are those of the log."""

from __future__ import annotations

import json
from pathlib import Path

from plangate import Client
from tests.e2e.cookbook import commands_of
from tests.e2e.pages import at_home, follow
from tests.e2e.processes import ROOT
from tests.helpers.audit_logs import fill_log
from tests.helpers.gate_process import gate_process
from tests.helpers.tokens import token_dir

PAGE = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")


def test_every_command_prints_what_the_page_says(tmp_path: Path) -> None:
    """Run one after the other, beside a gate at which something has happened."""
    with gate_process(tmp_path) as address:
        fill_log(address)
        environment = {**at_home(tmp_path, token_dir()), "PLANGATE_TARGET": address}
        printed = [follow(command, tmp_path, environment) for command in commands_of(PAGE)]
    content, said, hashed, hash = (text.split()[0] for text in printed[-4:])
    assert content == said
    assert hashed == hash
    line = (tmp_path / "audit.jsonl").read_text(encoding="ascii").splitlines()[5]
    assert hash == json.loads(line)["hash"]


def test_the_page_names_every_field_of_an_entry(tmp_path: Path) -> None:
    """What the client reads off an entry is what the page says stands there."""
    with gate_process(tmp_path) as address:
        fill_log(address)
        with Client(address) as client:
            entries = [json.loads(entry.entry) for entry in client.audit_entries()]
            plans = {plan.plan_id: plan for plan in client.list_plans()}
    plan_id, revision, digest = entries[0][2], entries[0][4], entries[0][5]
    assert (plans[plan_id].revision, plans[plan_id].digest) == (revision, digest)
    assert [len(fields) for fields in entries] == [10] * len(entries)
    assert [type(field) for field in entries[0]] == [str, int, str, str, int, str, str, str, str, str]
