"""Somebody who follows a page from the start of the gate on, on another port than it says."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

from tests.e2e.cookbook import Command
from tests.e2e.pages import at_home, check, run
from tests.helpers.conditions import PATIENCE

PORT, WEB_PORT = "50061", "50062"
SERVE = "plangate serve"


class Reader:
    """Has a terminal for the gate, and another for everything else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port, self._web_port = PORT, WEB_PORT
        self._gate: subprocess.Popen[bytes] | None = None
        self._environment = {**at_home(folder), "PYTHONUTF8": "1"}

    def follow(self, command: Command) -> None:
        text = self._here(command.text)
        if text.startswith(SERVE):
            self._check(command, self.serve(text))
        elif text.startswith("export "):
            self._environment |= dict(word.split("=", 1) for word in shlex.split(text)[1:])
        else:
            self._check(command, self.run(text))

    def run(self, text: str) -> str:
        return run(self._here(text), self._folder, self._environment)

    def serve(self, text: str = SERVE) -> str:
        """What the gate says when it is open, or why it does not open."""
        self.stop()
        log = self._folder / "gate.log"
        ports = dict.fromkeys(("PLANGATE_LISTEN", "PLANGATE_WEB_LISTEN"), "127.0.0.1:0")
        settings = {**ports, "PLANGATE_DATABASE": "sqlite:///plangate.db"}
        self._gate = subprocess.Popen(
            ["bash", "-c", f"exec {text} 2>>{log.name}"],
            cwd=self._folder,
            env={**self._environment, **settings},
            stdout=subprocess.PIPE,
        )
        assert self._gate.stdout
        printed = ""
        for line in self._gate.stdout:
            printed += line.decode()
            if line.startswith(b"Ctrl-C"):
                break
        found = re.search(r"^ +gRPC +(\S+?(\d*))$", printed, re.MULTILINE)
        if not found:
            return printed + log.read_text(encoding="utf-8")
        self._port = found[2] or self._port
        page = re.search(r"^ +review +https?://\S+?:(\d+)/", printed, re.MULTILINE)
        self._web_port = page[1] if page else self._web_port
        self._environment.setdefault("PLANGATE_TARGET", found[1])
        return printed

    def stop(self) -> int | None:
        """How the gate ends, if it was started."""
        if self._gate is None:
            return None
        with self._gate as gate:
            self._gate = None
            gate.terminate()
            return gate.wait(PATIENCE)

    def _check(self, command: Command, output: str) -> None:
        # What is printed for the next step has the port that a gate has by default.
        if not command.prints(output):
            check(Command(command.text, [self._here(line) for line in command.printed]), output)

    def _here(self, text: str) -> str:
        return text.replace(PORT, self._port).replace(WEB_PORT, self._web_port)


def is_grpcurl(command: Command) -> bool:
    return "grpcurl " in command.text
