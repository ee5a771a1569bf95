"""How long a person, a script or a hook waits for a command: most of it is spent on starting."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from bench import machine, report
from bench.commands import PLANGATE, at, seconds
from bench.groups.plan_files import FILES
from bench.markdown import aligned
from bench.page import Options, Page
from bench.process import plangate
from bench.targets import Target

TITLE: Final = "How long commands take to start"
HOW: Final = """\
Each is a process of its own, timed from its start to its end; they take turns. Times are medians of ten for
each repeat. The first three are what anyone pays who starts Python, loads gRPC, or makes one call with the
generated code and nothing else: what a hook of an agent's tool would do at least. The gate has ten plans in
review."""

SAMPLES: Final = 10
WAITING: Final = 10
MOST_MS: Final = 200.0
BARE: Final = "one call, bare"
CALL: Final = """
import os, grpc
from plangate_proto.agent.v1 import plan_service_pb2, plan_service_pb2_grpc
with grpc.insecure_channel(os.environ["PLANGATE_TARGET"]) as channel:
    shown = [("authorization", "Bearer " + os.environ["PLANGATE_TOKEN"])]
    stub = plan_service_pb2_grpc.PlanServiceStub(channel)
    stub.ListPlans(plan_service_pb2.ListPlansRequest(), metadata=shown, timeout=20)
"""
FLOORS: Final = {
    "python": ("-c", ""),
    "import grpc": ("-c", "import grpc"),
    BARE: ("-c", CALL),
}
COMMANDS: Final = ("version", "--help", "pending", "pending --json", "propose FILE")


async def run(page: Page, options: Options) -> None:
    page.say(report.heading(TITLE, options.command("startup"), machine.description(), [], HOW))
    with TemporaryDirectory(prefix="plangate-bench-") as folder:
        file = Path(folder) / "usual.plan.md"
        file.write_bytes(FILES["usual"])
        programs = {
            **FLOORS,
            **{f"plangate {each}": _arguments(each, file) for each in COMMANDS},
        }
        async with plangate(f"sqlite:///{folder}/plangate.db") as address:
            for _ in range(WAITING):
                await seconds(at(address), *_arguments("propose FILE", file))
            taken = await _measured(programs, address, options.repeats)
    page.say(_table(taken))
    for name in (f"plangate {each}" for each in COMMANDS):
        ours = median(taken[name]) * 1000
        page.targets.append(Target(f"{name}: from start to end", ours, MOST_MS, at_least=False, unit=" ms"))
    page.say_targets()


def _arguments(command: str, file: Path) -> tuple[str, ...]:
    words = (str(file) if word == "FILE" else word for word in command.split())
    return (*PLANGATE, *words)


async def _measured(
    programs: dict[str, tuple[str, ...]], address: str, repeats: int
) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(repeats * SAMPLES):
        for name, arguments in programs.items():
            taken[name].append(await seconds(at(address), *arguments))
    return taken


def _table(taken: dict[str, list[float]]) -> str:
    rows = [("program", "ms", "spread", "of a bare call")]
    for name, samples in taken.items():
        low, high = min(samples) * 1000, max(samples) * 1000
        ratio = median(samples) / median(taken[BARE])
        rows.append((name, f"{median(samples) * 1000:.0f}", f"{low:.0f} to {high:.0f}", f"{ratio:.2f}"))
    return f"## From start to end\n\n{aligned(rows)}\n"
