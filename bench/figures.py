"""What the plot is drawn from: the newest figures of every group, kept beside the pages."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from bench.page import Page
from bench.targets import Target

FILE: Final = "figures.json"


@dataclass(frozen=True, slots=True)
class Figures:
    """Those of one group, all of one run."""

    rates: dict[str, float]
    targets: list[Target]


def keep(folder: Path, group: str, page: Page) -> dict[str, Figures]:
    """Put a group's figures in the place of its older ones; gives those of all groups."""
    file = folder / FILE
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    known[group] = {"rates": page.rates, "targets": [asdict(target) for target in page.targets]}
    file.write_text(f"{json.dumps(known, indent=1)}\n", encoding="utf-8")
    return {
        name: Figures(found["rates"], [Target(**target) for target in found["targets"]])
        for name, found in known.items()
    }
