"""The figures as one SVG that is read on light and on dark paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from bench.figures import Figures
from bench.targets import Target

WIDTH: Final = 1040
LABELS: Final = 600
"""How much of the width is for what stands before the bars."""
BARS: Final = 360
LINE: Final = 22
FULL: Final = 2.0
"""A bar this many times its target is as long as there is room."""

STYLE: Final = """
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 14px }
.other { fill: #9aa4af } .ours { fill: #2f6feb } .reached { fill: #2da44e } .missed { fill: #d1602f }
line { stroke: #1f2328; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } line { stroke: #e6edf3 } .other { fill: #6e7681 }
}
"""


@dataclass(frozen=True, slots=True)
class _Bar:
    label: str
    value: str
    share: float
    """Of the room for bars."""
    kind: str


PLOTTED: Final = (
    *("core", "tools", "sdk", "fan-out", "growth", "cost", "load", "fairness", "plan-files", "startup"),
    "page",
)


def plot(figures: Mapping[str, Figures]) -> str:
    """How many round trips a second, and how far every target was reached."""
    # The alternatives were measured beside the floor and us: theirs is the fuller picture.
    rates = next((figures[name].rates for name in ("alternatives", "core") if name in figures), {})
    reached = [target for name in PLOTTED if name in figures for target in figures[name].targets]
    drawing = _Drawing()
    if rates:
        drawing.section("Approval round trips per second, 64 callers", _rate_bars(rates))
    if reached:
        drawing.section(
            "Measured against the targets (the dashed line)", _target_bars(reached), mark=1 / FULL
        )
    return drawing.svg()


def _rate_bars(rates: Mapping[str, float]) -> list[_Bar]:
    most = max(rates.values())
    return [
        _Bar(name, f"{rate:,.0f}", rate / most, "ours" if name.startswith("Plangate") else "other")
        for name, rate in rates.items()
    ]


def _target_bars(targets: Sequence[Target]) -> list[_Bar]:
    return [
        _Bar(
            target.what,
            f"{target.measured:.2f}{target.unit}",
            min(_share(target), FULL) / FULL,
            "reached" if target.reached else "missed",
        )
        for target in targets
    ]


def _share(target: Target) -> float:
    """How much of the target was reached: 1 is just so, more is better."""
    if target.at_least:
        return target.measured / target.wanted
    return target.wanted / target.measured if target.measured > 0 else FULL


class _Drawing:
    def __init__(self) -> None:
        self._parts: list[str] = []
        self._y = 0

    def section(self, title: str, bars: Sequence[_Bar], mark: float | None = None) -> None:
        self._parts.append(f'<text class="title" x="10" y="{self._y + 20}">{escape(title)}</text>')
        top = self._y = self._y + 30
        for bar in bars:
            self._draw(bar)
        if mark is not None:
            x = LABELS + mark * BARS
            self._parts.append(f'<line x1="{x:g}" x2="{x:g}" y1="{top}" y2="{self._y}"/>')
        self._y += 10

    def _draw(self, bar: _Bar) -> None:
        length = max(bar.share * BARS, 1)
        line = self._y + 16
        self._parts += [
            f'<text x="{LABELS - 8}" y="{line}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect class="{bar.kind}" x="{LABELS}" y="{self._y + 3}" width="{length:.1f}" height="16"/>',
            f'<text x="{LABELS + length + 6:.1f}" y="{line}">{escape(bar.value)}</text>',
        ]
        self._y += LINE

    def svg(self) -> str:
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self._y}" role="img">'
        title = "<title>Plangate: round trips per second, and targets</title>"
        return "\n".join([head, title, f"<style>{STYLE}</style>", *self._parts, "</svg>", ""])
