"""``plangate completion bash|zsh|fish|plans``: what a shell needs to complete what is typed."""

from __future__ import annotations

import argparse
from importlib import import_module

from plangate.cli._parsing import add_actions, add_target

SHELLS = {
    "bash": "print the script for bash: source it from ~/.bashrc, or put it where bash-completion looks",
    "zsh": "print the script for zsh: put it into a folder of $fpath, as _plangate",
    "fish": "print the script for fish: put it into ~/.config/fish/completions, as plangate.fish",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    said = "print the names of the gate's plans, as the scripts ask for them; nothing if no gate answers"
    add_target(add_actions(parser, {**SHELLS, "plans": said})["plans"])


def run(given: argparse.Namespace) -> int:
    if given.action == "plans":
        for name in import_module("plangate.cli._completion_plans").names(given.target):
            print(name)
        return 0
    script: str = import_module(f"plangate.cli._completion_{given.action}").script()
    print(end=script)
    return 0
