"""``plangate build start|run|finish``: what an agent does with an approved plan."""

from __future__ import annotations

import argparse
from importlib import import_module

from plangate.cli._durations import duration
from plangate.cli._parsing import Run, add_actions, add_json, add_plan, add_target


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = add_actions(
        parser,
        {
            "start": "take todos of an approved plan, and print in which order they can be done",
            "run": "take them, and run a command for each",
            "finish": "say that a build has ended",
        },
    )
    start, run_, finish = actions["start"], actions["run"], actions["finish"]
    for action in (start, run_):
        _which_arguments(action)
    start.add_argument(
        "--prompt", action="store_true", help="print what to tell a model, and the rest on standard error"
    )
    run_.epilog = (
        "The command is run without a shell, once for each todo in dependency order, with PLANGATE_TODO_ID, "
        "PLANGATE_TODO (its content), PLANGATE_PLAN_URI and PLANGATE_BUILD_ID set. Write -- before it if it "
        "has options of its own: 'build run PLAN -- make -j4'. If it exits with 0, the todo is done; "
        "otherwise the build has failed and ends there. If the gate is away, it is told of the outcome when "
        "it is back, as long as the lease lasts. Exits with 0 if all are done, 1 otherwise."
    )
    run_.add_argument("command", metavar="COMMAND", nargs="+", help="what to run, with its arguments")
    finish.add_argument("build", metavar="BUILD", help="its id, as 'start' prints it")
    finish.add_argument("--failed", action="store_true", help="it ended badly")
    finish.add_argument("--summary", default="", metavar="WORDS", help="what was done, or why it failed")
    for action in (start, finish):
        add_json(action)
    for action in actions.values():
        add_target(action)


def _which_arguments(parser: argparse.ArgumentParser) -> None:
    add_plan(parser)
    parser.add_argument("--agent", default="", metavar="ID", help="who builds (default who proposed it)")
    parser.add_argument(
        "--todo",
        action="append",
        default=[],
        metavar="TODO",
        help="take this one; repeatable (default all that are unfinished and free)",
    )
    parser.add_argument(
        "--lease",
        type=duration,
        metavar="DURATION",
        help="how long they stay the agent's without a sign of life (default 10min)",
    )


def run(given: argparse.Namespace) -> int:
    action: Run = import_module(f"plangate.cli._build_{given.action}").run
    return action(given)
