"""``plangate import``: plan files, and what other tools write, become plans that people are asked about."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from plangate._client import Client
from plangate._common.text_safety import visible
from plangate._digest import digest_of
from plangate.cli._exits import DONE, FAILED
from plangate.cli._gate import CommandError, gate
from plangate.cli._json import print_json_facts
from plangate.cli._parsing import add_json, add_target
from plangate.cli._plan_files import STANDARD_INPUT, Read, content_of, path_of, read_file
from plangate.cli._plan_folders import plan_files_in
from plangate.cli._words import state_of
from plangate.errors import GateUnavailable, NotAllowed, PlangateError
from plangate.planfile.api import to_create_args, to_create_request
from plangate.planfile.importers import WORDS, import_as, import_plan
from plangate.planfile.markdown import gate_name
from plangate.planfile.model import PlanFile
from plangate_proto.agent.v1.plan_resource_pb2 import Plan

EXISTED = "existed"
"""In JSON: whether the gate had the plan before."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Of a folder and the folders in it, the plan files are read, *.plan.md; with --format, every file "
        "that can be of it. What is left out is told. A plan that the gate has with the same text is not "
        "proposed again, whatever became of it; 'propose' does that. A bad file does not stop the others. "
        "Exits with 0 if every file is a plan of the gate now, 1 otherwise."
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a file, a folder, a cursorPlan: URI, or - for standard input",
    )
    parser.add_argument("--format", choices=WORDS, help="what the files are (default what they look like)")
    parser.add_argument("--agent", default="", metavar="ID", help="the agent that proposes them")
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    read: Read = partial(import_as, given.format) if given.format else import_plan
    with gate(given) as client:
        importing = Importing(client, given.agent, read, given.format, quiet=given.json)
        try:
            for name in given.files:
                importing.take(name)
        finally:
            if given.json:
                print_json_facts(importing.plans)
    return FAILED if importing.failed else DONE


class Importing:
    """Proposes what the gate does not have yet, and says what became of each file."""

    def __init__(self, client: Client, agent: str, read: Read, format: str | None, *, quiet: bool) -> None:
        self._client = client
        self._agent = agent
        self._read = read
        self._format = format
        self._quiet = quiet
        self._known = {plan.digest: plan.plan_uri for plan in client.list_plans()}
        self.plans: list[tuple[Plan, Mapping[str, bool]]] = []
        """That of each file, and whether the gate had it already."""
        self.failed = False

    def take(self, name: str) -> None:
        """Propose the plan in a file, or those in a folder."""
        with self._told(name):
            for file in self._files(name):
                with self._told(file):
                    said = self._propose(file)
                    if not self._quiet:
                        print(visible(f"{file}: {said}"), flush=True)

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """What is wrong with one does not stop the others, unless they would fare no better."""
        try:
            yield
        except (GateUnavailable, NotAllowed):
            raise
        except (CommandError, PlangateError) as problem:
            self._fail(str(problem) if isinstance(problem, CommandError) else f"{name}: {problem.words}")

    def _fail(self, words: str) -> None:
        self.failed = True
        _complain(words)

    def _propose(self, name: str) -> str:
        """What became of it, in words."""
        file = _with_name(read_file(name, self._read))
        request = to_create_request(file)
        digest = digest_of(request.args, is_spec=request.is_spec)
        if digest in self._known:
            plan = self._client.get_plan(self._known[digest])
            self.plans.append((plan, {EXISTED: True}))
            return f"the gate has it already: {plan.file_name} ({state_of(plan).text})"
        plan = self._client.create_plan(**content_of(file), agent_id=self._agent)
        self.plans.append((plan, {EXISTED: False}))
        self._known[digest] = plan.plan_uri
        return f"{plan.file_name} is {state_of(plan).text}"

    def _files(self, name: str) -> list[str]:
        """The files that are meant, those of a folder by their names."""
        folder = path_of(name)
        try:
            if name == STANDARD_INPUT or not folder.is_dir():
                return [name]
        except OSError as error:
            raise CommandError(f"{name} cannot be read: {error.strerror or error}") from None
        found = plan_files_in(folder, self._format)
        for words in found.left_out_lines():
            _complain(words)
        for words in found.unreadable:
            self._fail(words)
        if not found.files and not found.unreadable:
            wanted = f"file that can be {self._format}" if self._format else "plan file, *.plan.md"
            raise CommandError(f"{name} has no {wanted}")
        return found.files


def _complain(words: str) -> None:
    print(f"plangate: {visible(words)}", file=sys.stderr)


def _with_name(file: PlanFile) -> PlanFile:
    """The name is part of what the gate knows a plan by: one without gets it here, as it would there."""
    return file if file.name.strip() else replace(file, name=gate_name(to_create_args(file).plan))
