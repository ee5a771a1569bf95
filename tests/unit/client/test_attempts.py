"""When a call is made again: only if that can help, never for longer than the caller waits."""

from __future__ import annotations

from typing import NoReturn

import grpc
import pytest

from plangate._attempts import LONGEST_DELAY, PASSING, Attempts
from plangate.errors import (
    GateUnavailable,
    GateUnreachable,
    PlangateError,
    RateLimited,
    ShuttingDown,
    StorageFull,
)

Status = grpc.StatusCode
GONE = GateUnreachable("no gate answers", code=Status.UNAVAILABLE)


def no_time() -> NoReturn:
    raise AssertionError("nobody asks for the time of a call without a deadline")


def attempts(timeout: float | None = None, *, repeatable: bool = True, jitter: float = 1.0) -> Attempts:
    return Attempts(timeout, repeatable=repeatable, now=lambda: 0.0, jitter=lambda: jitter)


@pytest.mark.parametrize("code", [Status.UNAVAILABLE, Status.CANCELLED])
def test_what_passes_is_tried_again(code: Status) -> None:
    """A gate that is away, or a call that something between cancelled, is worth another attempt."""
    assert attempts().delay_after(PlangateError("", code=code), was_reached=True) > 0


@pytest.mark.parametrize("code", [code for code in Status if code not in PASSING])
def test_an_answer_is_an_answer(code: Status) -> None:
    """Whatever else a call ends with is raised at once: it would be answered the same again."""
    error = PlangateError("", code=code)
    with pytest.raises(PlangateError) as caught:
        attempts().delay_after(error, was_reached=True)
    assert caught.value is error


@pytest.mark.parametrize("kind", [RateLimited, StorageFull])
def test_the_gate_says_when_to_come_back(kind: type[PlangateError]) -> None:
    """Full is full for so long as the gate says; nobody comes earlier."""
    error = kind("", code=Status.RESOURCE_EXHAUSTED, retry_delay=7.0)
    assert 7.0 < attempts().delay_after(error, was_reached=True) < 8.0


def test_a_limit_without_a_time_is_final() -> None:
    """What is too large is too large tomorrow."""
    with pytest.raises(PlangateError):
        attempts().delay_after(PlangateError("", code=Status.RESOURCE_EXHAUSTED), was_reached=True)


def test_nobody_waits_for_a_gate_that_was_never_there() -> None:
    """The address is more likely wrong than the gate away."""
    with pytest.raises(GateUnreachable):
        attempts().delay_after(GONE, was_reached=False)


def test_a_gate_that_says_it_shuts_down_was_there() -> None:
    """It said so itself, also if that is the first that was heard of it."""
    error = ShuttingDown("", code=Status.UNAVAILABLE, reason="SHUTTING_DOWN", retry_delay=0.5)
    assert attempts().delay_after(error, was_reached=False) >= 0.5


def test_what_cannot_be_repeated_is_not() -> None:
    """A call whose second answer would lack something is left to the caller."""
    with pytest.raises(GateUnavailable):
        attempts(repeatable=False).delay_after(GONE, was_reached=True)


def test_delays_grow_and_stay_bearable() -> None:
    """Each attempt waits longer than the one before, up to a limit; after a success they begin anew."""
    tries = attempts()
    delays = [tries.delay_after(GONE, was_reached=True) for _ in range(12)]
    assert delays == sorted(delays)
    assert delays[-1] == LONGEST_DELAY
    tries.begin_anew()
    assert tries.delay_after(GONE, was_reached=True) == delays[0]


def test_clients_do_not_come_back_in_one_moment() -> None:
    """Up to half of a delay is chance."""
    delays = {attempts(jitter=chance).delay_after(GONE, was_reached=True) for chance in (0.0, 0.5, 1.0)}
    assert len(delays) == 3
    assert max(delays) == 2 * min(delays)


def test_no_attempt_begins_after_the_deadline() -> None:
    """If the next one would be too late, the caller learns now what went wrong."""
    error = RateLimited("", code=Status.RESOURCE_EXHAUSTED, retry_delay=7.0)
    assert attempts(60.0).delay_after(error, was_reached=True)
    with pytest.raises(RateLimited):
        attempts(5.0).delay_after(error, was_reached=True)


def test_attempts_share_one_deadline() -> None:
    """Each has what those before it left."""
    clock = iter([100.0, 104.0, 200.0])
    tries = Attempts(20.0, now=lambda: next(clock))
    assert (tries.left(), tries.left()) == (16.0, 0.0)
    assert Attempts(None, now=no_time).left() is None
