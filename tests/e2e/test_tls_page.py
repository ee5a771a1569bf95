"""Every command of docs/tls.md prints what the page says, with the gate that the page starts."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.cookbook import Command, commands_of
from tests.e2e.processes import PATIENCE, ROOT

PAGE = (ROOT / "docs" / "tls.md").read_text(encoding="utf-8")
PORT = "50061"
SEARCH_PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


class Reader:
    """Somebody who follows the page, on another port than it says."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = PORT
        self._gate: subprocess.Popen[bytes] | None = None
        kept = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        self._environment = {"PATH": SEARCH_PATH, "HOME": str(folder), **kept}

    def follow(self, command: Command) -> None:
        text = self._here(command.text)
        if text.startswith("plangate serve "):
            self._check(command, self._serve(text))
        elif text.startswith("export "):
            self._environment |= dict(word.split("=", 1) for word in shlex.split(text)[1:])
        else:
            self._check(command, self.run("bash", "-c", text))

    def run(self, *command: str) -> str:
        done = subprocess.run(
            [self._here(word) for word in command],
            cwd=self._folder,
            env=self._environment,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
        )
        return done.stdout.decode()

    def stop(self) -> int | None:
        """How the gate ends, if it was started."""
        if self._gate is None:
            return None
        with self._gate as gate:
            gate.terminate()
            return gate.wait(PATIENCE)

    def _serve(self, text: str) -> str:
        ports = dict.fromkeys(("PLANGATE_LISTEN", "PLANGATE_WEB_LISTEN"), "127.0.0.1:0")
        settings = {**ports, "PLANGATE_DATABASE": "sqlite:///plangate.db"}
        self._gate = subprocess.Popen(
            ["bash", "-c", f"exec {text} 2>gate.log"],
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
        found = re.search(r"^ +gRPC +\S+:(\d+)$", printed, re.MULTILINE)
        assert found, printed + (self._folder / "gate.log").read_text(encoding="utf-8")
        self._port = found[1]
        return printed

    def _check(self, command: Command, output: str) -> None:
        # What is printed for the next step has the port that a gate has by default.
        said = Command(command.text, [self._here(line) for line in command.printed])
        expected = "\n".join(command.printed)
        fits = said.prints(output) or command.prints(output)
        assert fits, f"$ {command.text}\nshould print\n{expected}\nand prints\n{output}"

    def _here(self, text: str) -> str:
        return text.replace(PORT, self._port)


def is_grpcurl(command: Command) -> bool:
    return command.text.startswith("grpcurl ")


def test_grpcurl(tmp_path: Path) -> None:
    """Other tools take the same files: run after the gate was started."""
    if shutil.which("grpcurl", path=SEARCH_PATH) is None:
        pytest.skip("grpcurl is not on the PATH: see docs/cookbook.md for how to get it")
    commands = list(commands_of(PAGE))
    (number,) = (number for number, command in enumerate(commands) if is_grpcurl(command))
    reader = Reader(tmp_path)
    try:
        for command in commands[: number + 1]:
            reader.follow(command)
    finally:
        reader.stop()


def test_every_command_does_what_the_page_says(tmp_path: Path) -> None:
    """Run one after the other; then the program, while the gate still runs."""
    reader = Reader(tmp_path)
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    try:
        for command in commands_of(PAGE):
            if not is_grpcurl(command):
                reader.follow(command)
        assert reader.run(sys.executable, "-c", program) == "0 plans\n"
    finally:
        ended = reader.stop()
    assert ended == 0
    log = (tmp_path / "gate.log").read_text(encoding="utf-8")
    assert '"event":"tls_read"' in log, "the renewed certificate was taken"
