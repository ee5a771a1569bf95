"""Runs tests on the wheel with every dependency at one end of the range that pyproject.toml allows.

python -m tools.version_matrix lowest -- --tier fast
python -m tools.version_matrix newest --unless-here -- --tier fast

What comes after -- goes to pytest, whose exit code is that of this command. A range whose end cannot be
installed is a promise that nobody can test: nothing runs then, and the command fails.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NoReturn

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.environments import ROOT, Environment, Uv, find_uv
from tests.packaging.version_ranges import EXTRAS, check_lowest, check_newest, requirements, tools_of_tests

RESOLUTIONS: Final = {"lowest": "lowest-direct", "newest": "highest"}
PYTEST: Final = ("-n", "2", "--dist", "worksteal", "-p", "no:cacheprovider", "-q")
ENVIRONMENTS: Final = ROOT / ".cache" / "versions"
CHECKS: Final = {"lowest": check_lowest, "newest": check_newest}


def resolve(uv: Uv, end: str) -> dict[str, str]:
    """The versions at that end of the ranges, by package."""
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    plain = ("--no-header", "--no-annotate", "--python", sys.executable)
    text = uv("pip", "compile", "--resolution", RESOLUTIONS[end], *extras, *plain, ROOT / "pyproject.toml")
    pinned = [Requirement(line) for line in text.splitlines()]
    return {canonicalize_name(each.name): next(iter(each.specifier)).version for each in pinned}


def here() -> dict[str, str]:
    """The versions in the environment that this runs in."""
    found = importlib.metadata.distributions()
    return {canonicalize_name(each.metadata["Name"]): each.version for each in found}


def make_environment(uv: Uv, end: str, versions: Mapping[str, str], tools: Iterable[str]) -> Environment:
    """A new one with the wheel of this tree, these versions, and the tools."""
    uv("venv", "--clear", "--python", sys.executable, ENVIRONMENTS / end)
    environment = Environment(ENVIRONMENTS / end, uv)
    with tempfile.TemporaryDirectory(prefix="plangate-versions-") as made:
        uv("build", "--wheel", "--out-dir", made, ROOT)
        wheel = next(Path(made).glob("*.whl"))
        bounds = Path(made, "bounds.txt")
        bounds.write_text("".join(f"{name}=={version}\n" for name, version in versions.items()))
        server = f"plangate[{','.join(EXTRAS)}] @ {wheel.as_uri()}"
        # Every process of the tests should find the code compiled.
        environment.install("--compile-bytecode", "--constraint", bounds, server, *tools)
    return environment


def run_tests(environment: Environment, arguments: Iterable[str]) -> NoReturn:
    """Become pytest, on what is installed there and on nothing that this process found elsewhere."""
    for leak in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"):
        os.environ.pop(leak, None)
    os.chdir(ROOT)
    python = str(environment.folder / "bin" / "python")
    os.execv(python, [python, "-m", "pytest", *PYTEST, *arguments])


def main(words: list[str]) -> int:
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(
        description="Runs tests at one end of the ranges of dependencies.",
        epilog="What comes after -- goes to pytest.",
    )
    parser.add_argument("end", choices=RESOLUTIONS)
    parser.add_argument(
        "--unless-here",
        action="store_true",
        help="run nothing if these very versions are installed here, where the tests run anyway",
    )
    chosen = parser.parse_args(words[:cut])
    uv = find_uv()
    if uv is None:
        print("uv is not installed: make .venv/installed", file=sys.stderr)
        return 2
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    direct = requirements(project, EXTRAS)
    versions = resolve(uv, chosen.end)
    names = sorted({canonicalize_name(each.name) for each in direct})
    print(f"{chosen.end}:", ", ".join(f"{name} {versions[name]}" for name in names), flush=True)
    if problems := CHECKS[chosen.end](direct, versions):
        print("\n".join(problems), file=sys.stderr)
        return 1
    if chosen.unless_here and versions.items() <= here().items():
        print("these versions are installed here: make test runs on them")
        return 0
    run_tests(make_environment(uv, chosen.end, versions, tools_of_tests(project)), words[cut + 1 :])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
