"""``plangate build run``: a command for each todo."""

from __future__ import annotations

import os
import signal
import subprocess
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from plangate._attempts import is_passing
from plangate._client import DEADLINE_SECONDS, Build, Client
from plangate._common.text_safety import visible
from plangate.cli._build_start import begin
from plangate.cli._exits import DONE, FAILED, INTERRUPTED
from plangate.cli._gate import Connection, gate
from plangate.cli._progress import Progress
from plangate.cli._words import state_of
from plangate.errors import PlangateError, TimedOut
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem

INTERRUPTION = "interrupted"


def run(given: Namespace) -> int:
    connection = Connection()
    with gate(given, on_line=connection.tell) as client:
        build = _patient(client, begin(client, given))
        connection.was_there = True
        progress = Progress(len(build.todos))
        problem = ""
        for todo in build.todos:
            build.start(todo)
            progress.started(todo.id, todo.content)
            progress.pause()
            if problem := _problem(build, todo, given.command):
                progress.failed(todo.id, problem)
                ended = build.fail(f"[{todo.id}] {problem}")
                break
            build.done(todo)
            progress.done(todo.id, todo.content)
        else:
            ended = build.finish()
    plan = ended.plan
    print(f"{visible(plan.file_name)}: {state_of(plan).text}, {ended.completed} of {ended.total} todos done")
    if problem == INTERRUPTION:
        return INTERRUPTED
    return FAILED if problem else DONE


def _patient(client: Client, build: Build) -> Build:
    """The same build, which is told of for as long as its todos stay with it: what was done is not lost
    because the gate is away for a while.
    """
    return Build(client.within(max(_seconds_left(build), DEADLINE_SECONDS)), build)


def _problem(build: Build, todo: TodoItem, command: Sequence[str]) -> str:
    """Run the command; gives why the todo is not done, or nothing."""
    told = {
        "PLANGATE_TODO_ID": todo.id,
        "PLANGATE_TODO": todo.content,
        "PLANGATE_PLAN_URI": build.plan_uri,
        "PLANGATE_BUILD_ID": build.build_id,
    }
    try:
        with _interruptible(), subprocess.Popen(command, env={**os.environ, **told}) as process:
            code = _awaited(process, build)
    except KeyboardInterrupt:
        return INTERRUPTION
    except OSError as error:
        return f"{command[0]} cannot be run: {error.strerror or error}"
    except ValueError:
        return "its words cannot be passed to a command: a variable has no NUL character"
    return f"{command[0]} exited with {code}" if code else ""


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends other commands at once; here the gate is told first."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _awaited(process: subprocess.Popen[bytes], build: Build) -> int:
    """The command's exit code; while it runs, the gate hears that somebody is at work."""
    try:
        while True:
            try:
                return process.wait(max(_seconds_left(build) / 2, 0.1))
            except subprocess.TimeoutExpired:
                _give_sign_of_life(build)
    except KeyboardInterrupt:
        process.terminate()
        raise


def _give_sign_of_life(build: Build) -> None:
    """A gate that is away gets none. The command goes on: what became of it is told when it has ended."""
    try:
        build.renew()
    except PlangateError as error:
        if not (is_passing(error) or isinstance(error, TimedOut)):
            raise


def _seconds_left(build: Build) -> float:
    return (build.lease_expire_time - datetime.now(UTC)).total_seconds()
