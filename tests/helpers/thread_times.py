"""How the work for an input grows with it, by the processor time of this thread.

That counts what runs in C, too, like regular expressions; how fast the machine is and what else it does falls
out of a ratio, but for a disturbance, which only ever adds: so the least of several rounds counts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

ROUNDS = 3
MOST_ROUNDS = 12

Work = Callable[[], object]


def has_ratio(much: Work, little: Work, most: float) -> bool:
    """Whether one takes at most so many times as long as the other; what seems not to is measured again."""
    takes_much = takes_little = math.inf
    for number in range(MOST_ROUNDS):
        takes_much = min(takes_much, _seconds(much))
        takes_little = min(takes_little, _seconds(little))
        if number + 1 >= ROUNDS and takes_much <= most * takes_little:
            return True
    return False


def _seconds(work: Work) -> float:
    begun = time.thread_time()
    work()
    return time.thread_time() - begun
