"""Every command of docs/audit.md prints what the page says, and hashes made by hand are those of the log."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from plangate import Client
from tests.e2e.cookbook import Command, commands_of
from tests.e2e.processes import PATIENCE, ROOT
from tests.helpers.audit_logs import fill_log
from tests.helpers.gate_process import gate_process

PAGE = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
SEARCH_PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def run(command: Command, folder: Path, address: str) -> str:
    """What the command prints, which is checked against the page."""
    settings = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    done = subprocess.run(
        ["bash", "-c", command.text],
        cwd=folder,
        env={"PATH": SEARCH_PATH, "HOME": str(folder), "PLANGATE_TARGET": address, **settings},
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )
    output = done.stdout.decode()
    expected = "\n".join(command.printed)
    assert command.prints(output), f"$ {command.text}\nshould print\n{expected}\nand prints\n{output}"
    return output


def test_every_command_prints_what_the_page_says(tmp_path: Path) -> None:
    """Run one after the other, beside a gate at which something has happened."""
    with gate_process(tmp_path) as address:
        fill_log(address)
        printed = [run(command, tmp_path, address) for command in commands_of(PAGE)]
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
