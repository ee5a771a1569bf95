"""Which lines of a text became which lines of another, in bounded work whatever the texts are.

What is the same at the beginning and at the end is found without looking at single lines. Of what is between,
lines that both texts have once, in their order, are matched, with what is the same around them; and the gaps
that are left by the shortest way from the one to the other, as far as the steps for it last.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Final, TypeAlias

from msgspec import Struct

CHANGED_LINES: Final = 20_000
"""Of both texts together, between what is the same at the beginning and at the end: more are not compared."""
STEPS: Final = 200_000
"""Of looking for the shortest way, in all gaps together."""
MOST_EDITS: Final = 300
"""Of one gap: what differs by more counts as changed as a whole."""

Pair: TypeAlias = tuple[int, int]
"""A line of the old text and the same line of the new one."""


class Block(Struct, frozen=True):
    """Lines that are the same, each text's counted from 0."""

    old: int
    new: int
    lines: int


class Matching(Struct, frozen=True):
    blocks: tuple[Block, ...]
    """Every run of lines that are the same, in their order; none of them is empty."""
    old_lines: int
    new_lines: int
    is_whole: bool = True
    """Whether everything was compared; or else more lines may be the same than the blocks say."""
    compared: int = 0
    """How many single lines were looked at, of both texts."""

    def became(self, first: int, last: int) -> tuple[int, int] | None:
        """Which lines of the new text those of the old one became; None if all are gone."""
        begins = bisect_right(self.blocks, first, key=lambda block: block.old + block.lines)
        ends = bisect_right(self.blocks, last, key=lambda block: block.old) - 1
        if begins > ends:
            return None
        top, bottom = self.blocks[begins], self.blocks[ends]
        rest = min(last - bottom.old, bottom.lines - 1)
        return top.new + max(first - top.old, 0), bottom.new + rest


def match_lines(old: str, new: str, most: int = CHANGED_LINES) -> Matching:
    """Only a line feed ends a line; a text that ends with one has an empty line after it.

    Where more lines than ``most`` differ, no single ones are looked at.
    """
    old, new = old + "\n", new + "\n"
    start = old.rfind("\n", 0, _same_at_start(old, new)) + 1
    end = _same_at_end(old, new, start)
    before, after = old.count("\n", 0, start), old.count("\n", len(old) - end)
    changed, becomes = old[start : len(old) - end], new[start : len(new) - end]
    gone, come = changed.count("\n"), becomes.count("\n")
    found = [Block(0, 0, before)]
    differ = gone + come if gone and come else 0
    is_whole = differ <= min(most, CHANGED_LINES)
    compared = differ if is_whole else 0
    if compared:
        pairs, is_whole = _aligned(changed.split("\n")[:-1], becomes.split("\n")[:-1])
        found += [Block(before + one, before + other, lines) for one, other, lines in _runs(pairs)]
    found.append(Block(before + gone, before + come, after))
    blocks = tuple(block for block in found if block.lines)
    return Matching(blocks, before + gone + after, before + come + after, is_whole, compared)


def _same_at_start(one: str, other: str) -> int:
    """How many characters; halving, because to compare slices is many times faster than to look at each."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _same_at_end(one: str, other: str, start: int) -> int:
    """How many characters, in whole lines, after what is the same at the beginning."""
    low, high = 0, min(len(one), len(other)) - start
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    if all(len(text) - low == start or text[len(text) - low - 1] == "\n" for text in (one, other)):
        return low
    return len(one) - (one.find("\n", len(one) - low) + 1)


def _runs(pairs: Iterable[Pair]) -> Iterator[tuple[int, int, int]]:
    """Pairs that follow each other on both sides, as one run."""
    begun: Pair | None = None
    lines = 0
    for one, other in pairs:
        if begun is not None and (one, other) == (begun[0] + lines, begun[1] + lines):
            lines += 1
            continue
        if begun is not None:
            yield *begun, lines
        begun, lines = (one, other), 1
    if begun is not None:
        yield *begun, lines


class _Steps:
    """How much may still be done to find what is the same."""

    def __init__(self) -> None:
        self.left = STEPS
        self.were_enough = True


def _aligned(old: Sequence[str], new: Sequence[str]) -> tuple[list[Pair], bool]:
    """Pairs of lines that are the same, in their order, and whether no gap was given up."""
    numbers: dict[str, int] = {}
    left = [numbers.setdefault(line, len(numbers)) for line in old]
    right = [numbers.setdefault(line, len(numbers)) for line in new]
    steps = _Steps()
    pairs: list[Pair] = []
    anchors = _anchors(left, right)
    for before, anchor in pairwise([(-1, -1), *anchors, (len(left), len(right))]):
        one, other = before[0] + 1, before[1] + 1
        gap = _in_gap(left[one : anchor[0]], right[other : anchor[1]], steps)
        pairs += [(one + place, other + there) for place, there in gap]
        pairs.append(anchor)
    pairs.pop()  # the end of both, which is no line
    return pairs, steps.were_enough


def _in_gap(old: Sequence[int], new: Sequence[int], steps: _Steps) -> Iterator[Pair]:
    """Pairs of the lines between two anchors."""
    same = _common(old, new)
    yield from ((place, place) for place in range(same))
    old, new = old[same:], new[same:]
    back = _common(old[::-1], new[::-1])
    gone, come = len(old) - back, len(new) - back
    if gone and come:
        for place, there in _shortest_way(old[:gone], new[:come], steps):
            yield same + place, same + there
    yield from ((same + gone + place, same + come + place) for place in range(back))


def _anchors(old: Sequence[int], new: Sequence[int]) -> list[Pair]:
    """Lines that both have once, as far as they are in the same order."""
    once = {line for line, times in Counter(old).items() if times == 1}
    once &= {line for line, times in Counter(new).items() if times == 1}
    there = {line: place for place, line in enumerate(new) if line in once}
    return _in_order([(here, there[line]) for here, line in enumerate(old) if line in once])


def _in_order(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest run of pairs that grows on both sides."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        at = bisect_left(tops, place)
        before.append(ends[at - 1] if at else -1)
        tops[at : at + 1] = [place]
        ends[at : at + 1] = [number]
    run: list[Pair] = []
    last = ends[-1] if ends else -1
    while last >= 0:
        run.append(pairs[last])
        last = before[last]
    return run[::-1]


def _shortest_way(old: Sequence[int], new: Sequence[int], steps: _Steps) -> list[Pair]:
    """What stays where the fewest lines come and go (Myers); nothing, if the steps were not enough."""
    reached = {1: 0}
    trail: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), MOST_EDITS) + 1):
        trail.append(reached.copy())
        for diagonal in range(-edits, edits + 1, 2):
            came_from = _came_from(reached, diagonal, edits)
            begun = one = reached[came_from] + (came_from < diagonal)
            while one < len(old) and one - diagonal < len(new) and old[one] == new[one - diagonal]:
                one += 1
            reached[diagonal] = one
            steps.left -= 1 + one - begun
            if one >= len(old) and one - diagonal >= len(new):
                return _walked_back(trail, len(old), len(new))
        if steps.left <= 0:
            break
    steps.were_enough = False
    return []


def _came_from(reached: Mapping[int, int], diagonal: int, edits: int) -> int:
    """The diagonal from which this one is reached furthest."""
    if diagonal == -edits or (diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1]):
        return diagonal + 1
    return diagonal - 1


def _walked_back(trail: Sequence[Mapping[int, int]], one: int, other: int) -> list[Pair]:
    pairs: list[Pair] = []
    for edits in range(len(trail) - 1, -1, -1):
        came_from = _came_from(trail[edits], one - other, edits)
        begun = trail[edits][came_from]
        while one > begun and other > begun - came_from:
            one, other = one - 1, other - 1
            pairs.append((one, other))
        one, other = begun, begun - came_from
    return pairs[::-1]


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many lines are the same at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
