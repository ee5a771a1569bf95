"""``plangate import``: plan files, and what other tools write, become plans that people are asked about."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from plangate._client import Client
from plangate._digest import digest_of
from plangate.cli._exits import DONE, FAILED
from plangate.cli._gate import CommandError, gate
from plangate.cli._json import print_json_list
from plangate.cli._parsing import add_json, add_target
from plangate.cli._plan_files import Read, content_of, read_file
from plangate.cli._text import visible
from plangate.cli._words import state_of
from plangate.errors import GateUnavailable, NotAllowed, PlangateError
from plangate.planfile.api import to_create_args, to_create_request
from plangate.planfile.importers import WORDS, import_as, import_plan
from plangate.planfile.markdown import gate_name
from plangate.planfile.model import PlanFile
from plangate_proto.agent.v1.plan_resource_pb2 import Plan

ENDINGS = (".md", ".markdown", ".json")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Of a folder, every Markdown and JSON file in it is read. A plan that the gate has with the same "
        "text is not proposed again, whatever became of it; 'propose' does that. A bad file does not stop "
        "the others. Exits with 0 if every file is a plan of the gate now, 1 otherwise."
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="a file, a folder, or - for standard input")
    parser.add_argument("--format", choices=WORDS, help="what the files are (default what they look like)")
    parser.add_argument("--agent", default="", metavar="ID", help="the agent that proposes them")
    add_json(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    read: Read = partial(import_as, given.format) if given.format else import_plan
    with gate(given) as client:
        importing = Importing(client, given.agent, read, quiet=given.json)
        try:
            for name in given.files:
                importing.take(name)
        finally:
            if given.json:
                print_json_list(importing.proposed)
    return FAILED if importing.failed else DONE


class Importing:
    """Proposes what the gate does not have yet, and says what became of each file."""

    def __init__(self, client: Client, agent: str, read: Read, *, quiet: bool) -> None:
        self._client = client
        self._agent = agent
        self._read = read
        self._quiet = quiet
        self._known = {plan.digest: _named(plan) for plan in client.list_plans()}
        self.proposed: list[Plan] = []
        self.failed = False

    def take(self, name: str) -> None:
        """Propose the plan in a file, or those in a folder."""
        with self._told(name):
            for file in _files(name):
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
            self.failed = True
            words = str(problem) if isinstance(problem, CommandError) else f"{name}: {problem.words}"
            print(f"plangate: {visible(words)}", file=sys.stderr)

    def _propose(self, name: str) -> str:
        """What became of it, in words."""
        file = _with_name(read_file(name, self._read))
        request = to_create_request(file)
        digest = digest_of(request.args, is_spec=request.is_spec)
        if digest in self._known:
            return f"the gate has it already: {self._known[digest]}"
        plan = self._client.create_plan(**content_of(file), agent_id=self._agent)
        self.proposed.append(plan)
        self._known[digest] = _named(plan)
        return f"{plan.file_name} is {state_of(plan).text}"


def _named(plan: Plan) -> str:
    return f"{plan.file_name} ({state_of(plan).text})"


def _with_name(file: PlanFile) -> PlanFile:
    """The name is part of what the gate knows a plan by: one without gets it here, as it would there."""
    return file if file.name.strip() else replace(file, name=gate_name(to_create_args(file).plan))


def _files(name: str) -> list[str]:
    """The files that are meant, those of a folder by their names."""
    folder = Path(name)
    try:
        if not folder.is_dir():
            return [name]
        found = sorted(path for path in folder.iterdir() if path.suffix in ENDINGS and path.is_file())
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror or error}") from None
    if not found:
        raise CommandError(f"{name} has no Markdown or JSON file")
    return [str(path) for path in found]
