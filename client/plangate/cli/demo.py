"""``plangate demo``: a gate, an agent and a person, in one terminal and a temporary folder."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import Future
from typing import Final

from plangate._client import Build, Client
from plangate._common.text_safety import visible
from plangate._values import ApprovalOutcome, Decision
from plangate.cli import _demo_agent as script
from plangate.cli._audit_trail import print_trail
from plangate.cli._demo_agent import Agent, CannotDo
from plangate.cli._demo_gate import Place, demo_gate
from plangate.cli._demo_person import AtTerminal, Person, Willing
from plangate.cli._exits import DONE, FAILED, NOT_DECIDED, OF_OUTCOMES, WRONG_USAGE
from plangate.cli._gate import CommandError, complaining
from plangate.cli._looking import look_at
from plangate.cli._meanwhile import begun
from plangate.cli._progress import Progress
from plangate.cli._server import is_server_installed
from plangate.cli._showing import print_plan
from plangate.cli._style import Style, styled
from plangate.cli._words import spoken
from plangate.errors import PlangateError
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem

PACE: Final = 0.6
"""Seconds for each todo, so that somebody who watches sees the bar move."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Needs plangate[server]. You decide here, in a browser or in another terminal. Everything is in a "
        "temporary folder, which is removed at the end. Exits as 'propose --wait' does: with 0 if the plan "
        "was approved and built, 3 if it was rejected; and with 1 if the build failed."
    )
    parser.add_argument("--yes", action="store_true", help="say yes to everything, where nobody is to ask")


def run(given: argparse.Namespace) -> int:
    if not is_server_installed():
        print("plangate: the server is not installed: pip install 'plangate[server]'", file=sys.stderr)
        return WRONG_USAGE
    with complaining():
        if not given.yes and not sys.stdin.isatty():
            raise CommandError("nobody is there to ask: give --yes")
        _say("A gate opens in a temporary folder.")
        with demo_gate() as place, Client(place.address, agent_id=script.NAME) as client:
            print(f"{place.address}, {visible(str(place.folder))}")
            person: Person = Willing(client) if given.yes else AtTerminal(client, place)
            try:
                code = Demo(client, place, person).run()
            except EOFError:
                raise CommandError("nobody answers any more") from None
        _say("The gate is closed, and the folder removed. 'plangate serve' opens one that stays.")
    return code


class Demo:
    def __init__(self, client: Client, place: Place, person: Person) -> None:
        self._client = client
        self._place = place
        self._person = person
        self._agent = Agent(client, place.folder / "work")

    def run(self) -> int:
        _say("The agent proposes a plan, and waits. You are the person who decides.")
        decision = self._decided(self._agent.propose())
        while decision.changes_requested:
            _say("The agent takes that to heart, and asks again.")
            decision = self._decided(self._agent.revise(decision))
        if decision.approved:
            _say(f"The plan is {_outcome(decision)}: the agent builds that very text.")
            code = self._build(decision)
        else:
            _say(f"The plan is {_outcome(decision)}: the agent stops, and nothing is built.")
            code = OF_OUTCOMES.get(decision.outcome, NOT_DECIDED)
        _say("What the gate keeps of it all:")
        print_trail(self._client)
        return code

    def _decided(self, plan: Plan) -> Decision:
        print_plan(look_at(self._client, plan))
        print()
        waiting = begun(lambda: self._client.wait(plan))
        self._person.review(plan, waiting)
        decision = waiting.result()
        self._client.acknowledge(decision)
        return decision

    def _build(self, decision: Decision) -> int:
        with self._client.build(decision) as build:
            progress = Progress(len(build.todos))
            code = DONE
            for todo in build.todos:
                build.start(todo)
                progress.started(todo.id, todo.content)
                try:
                    self._do(build, todo, progress)
                except CannotDo as problem:
                    progress.failed(todo.id, str(problem))
                    build.fail(f"[{todo.id}] {problem}")
                    code = FAILED
                    break
        print(f"It made {', '.join(self._agent.left_behind()) or 'nothing'}.")
        return code

    def _do(self, build: Build, todo: TodoItem, progress: Progress) -> None:
        if sys.stdout.isatty():
            time.sleep(PACE)
        if todo.id == script.PUBLISH:
            progress.pause()
            if not self._may_publish(build):
                build.cancel(todo)
                progress.failed(todo.id, "was not allowed, and is left out")
                return
        self._agent.work_on(todo)
        build.done(todo)
        progress.done(todo.id, todo.content)

    def _may_publish(self, build: Build) -> bool:
        """The agent asks and waits; meanwhile the person is shown the very command."""
        with Client(self._place.address) as person:
            asking = begun(lambda: self._agent.ask_to_publish(build))
            # If the agent is answered without a person, or refused, there is nothing to show.
            asking.add_done_callback(lambda _: person.close())
            try:
                self._answer(person, asking)
            except PlangateError:
                if not asking.done():
                    raise
            return asking.result().approved

    def _answer(self, client: Client, asking: Future[ApprovalOutcome]) -> None:
        for shown in client.prompts(script.SESSION):
            if shown.HasField("prompt"):
                prompt = shown.prompt
                print(f"The agent wants to run: {styled(visible(prompt.command), Style.STRONG)}")
                print(f"  {visible(prompt.message)}", flush=True)
                self._person.answer(prompt, asking)
                return


def _say(words: str) -> None:
    print(f"\n{styled(f'== {words}', Style.STRONG)}", flush=True)


def _outcome(decision: Decision) -> str:
    words = spoken(decision.outcome)
    return f"{words}, in these words: {visible(decision.feedback)}" if decision.feedback else words
