"""How much of the server a caller may take: never more than its rate and a burst, and always that much."""

from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain.errors import RateLimited, TooManyStreams
from plangate_server.domain.identity import Principal, Role
from plangate_server.domain.limits import Limits
from plangate_server.rpc import budgets as module
from plangate_server.rpc.budgets import BURST_SECONDS, Bucket, Budgets

ADA, BOB = (Principal(name, "acme", Role.REVIEWER, name) for name in ("ada", "bob"))
ADA_ELSEWHERE = Principal("ada", "elsewhere", Role.REVIEWER, "ada")

RATES = st.integers(1, 1000)
STEPS = st.lists(st.floats(0, 5, allow_nan=False), min_size=1, max_size=200)


class Time:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def small(calls: int = 2, own: int = 2, every: int = 3) -> tuple[Budgets, Time]:
    time = Time()
    return Budgets(Limits(calls_per_second=calls, streams_per_principal=own, streams=every), time), time


def calls_until_refused(budgets: Budgets, principal: Principal = ADA) -> int:
    count = 0
    while count < 1000:
        try:
            budgets.call(principal)
        except RateLimited:
            return count
        count += 1
    raise AssertionError("nothing is refused")


def opened(stack: ExitStack, budgets: Budgets, *principals: Principal) -> None:
    for principal in principals:
        budgets.opening(principal)
        stack.enter_context(budgets.stream(principal))


@given(rate=RATES, steps=STEPS)
def test_never_more_than_the_rate_and_a_burst(rate: int, steps: list[float]) -> None:
    """In any span of time from any call on, whatever the pauses between calls are."""
    now, taken = 0.0, []
    bucket = Bucket(rate, now, rate * BURST_SECONDS)
    for step in steps:
        now += step
        taken += [now for _ in range(3) if bucket.take(now)]
    for first, begin in enumerate(taken):
        for last, end in enumerate(taken[first:]):
            assert last + 1 <= rate * (end - begin) + rate * BURST_SECONDS + 1e-6


@given(rate=RATES, pauses=st.lists(st.floats(1.0, 3.0), min_size=1, max_size=200))
def test_whoever_keeps_to_the_rate_is_never_refused(rate: int, pauses: list[float]) -> None:
    """One call in each part of a second that is theirs, or later, is always taken: no call is lost."""
    now = 0.0
    bucket = Bucket(rate, now, rate * BURST_SECONDS)
    for pause in pauses:
        now += pause / rate
        assert bucket.take(now)


@given(rate=RATES, steps=STEPS)
def test_a_burst_is_always_there_again(rate: int, steps: list[float]) -> None:
    """Whatever somebody did before, after being quiet for a burst's time all of it is theirs, and no more."""
    now = 0.0
    bucket = Bucket(rate, now, rate * BURST_SECONDS)
    for step in steps:
        now += step
        bucket.take(now)
    now += BURST_SECONDS + 1e-6
    assert bucket.full(now)
    assert [bucket.take(now) for _ in range(rate * BURST_SECONDS + 1)] == [True] * rate * BURST_SECONDS + [
        False
    ]


@given(rate=RATES, refused=st.integers(1, 1000))
def test_being_refused_costs_nothing(rate: int, refused: int) -> None:
    """Whoever goes on calling while refused is let in at the same moment as whoever waits."""
    bucket = Bucket(rate, 0.0, rate * BURST_SECONDS)
    while bucket.take(0.0):
        pass
    assert not any(bucket.take(0.5 / rate * number / refused) for number in range(refused))
    assert bucket.take(1.000001 / rate)


def test_callers_have_budgets_of_their_own() -> None:
    """One who has used up theirs is no matter to another, nor to their namesake in another workspace."""
    budgets, time = small(calls=2)
    assert calls_until_refused(budgets) == 4
    assert calls_until_refused(budgets, BOB) == 4
    assert calls_until_refused(budgets, ADA_ELSEWHERE) == 4
    time.now += 1
    assert calls_until_refused(budgets) == 2


def test_a_refused_call_says_what_is_allowed() -> None:
    budgets, _ = small(calls=2)
    calls_until_refused(budgets)
    with pytest.raises(RateLimited) as refused:
        budgets.call(ADA)
    assert refused.value.metadata == {"limit": "calls_per_second", "maximum": "2"}


def test_streams_take_nothing_from_calls() -> None:
    """Whoever has used up one of both can still do the other: watchers never keep a decision out."""
    budgets, _ = small(calls=1, own=10, every=10)
    with ExitStack() as stack:
        opened(stack, budgets, ADA, ADA)
        with pytest.raises(RateLimited) as refused:
            opened(stack, budgets, ADA)
        assert refused.value.metadata["limit"] == "calls_per_second"
        assert calls_until_refused(budgets) == 2
    budgets, _ = small(calls=1, own=10, every=10)
    calls_until_refused(budgets)
    with budgets.stream(ADA):
        pass


def test_one_caller_has_so_many_streams() -> None:
    """Others have as many, and one that ends makes room."""
    budgets, _ = small(calls=100, own=2, every=100)
    with ExitStack() as stack, ExitStack() as first:
        opened(first, budgets, ADA)
        opened(stack, budgets, ADA, BOB)
        with pytest.raises(TooManyStreams) as refused:
            opened(stack, budgets, ADA)
        told = {"limit": "streams_per_principal", "maximum": "2", "actual": "3"}
        assert refused.value.metadata == told
        opened(stack, budgets, BOB, ADA_ELSEWHERE)
        first.close()
        opened(stack, budgets, ADA)


def test_all_callers_have_so_many_streams() -> None:
    budgets, _ = small(calls=100, own=2, every=3)
    with ExitStack() as stack:
        opened(stack, budgets, ADA, ADA, BOB)
        with pytest.raises(TooManyStreams) as refused:
            opened(stack, budgets, BOB)
        assert refused.value.metadata == {"limit": "streams", "maximum": "3", "actual": "4"}


@pytest.mark.parametrize(
    "end", [None, KeyError, TooManyStreams("streams", 1, 2), KeyboardInterrupt, GeneratorExit]
)
def test_streams_are_counted_back_however_they_end(end: type[BaseException] | BaseException | None) -> None:
    """Afterwards there is room for as many as before, and nothing is remembered of them."""
    budgets, _ = small(calls=1000, own=2, every=2)
    for _ in range(10):
        with ExitStack() as stack:
            opened(stack, budgets, ADA, ADA)
        if end is not None:
            with pytest.raises(BaseException) as raised, budgets.stream(ADA):  # noqa: PT011
                raise end
            assert raised.type is (end if isinstance(end, type) else type(end))
    assert not budgets._streams


def test_a_refused_stream_is_not_counted() -> None:
    budgets, _ = small(calls=1000, own=1, every=100)
    with budgets.stream(ADA):
        for _ in range(10):
            with pytest.raises(TooManyStreams), budgets.stream(ADA):
                raise AssertionError("it was opened")
        assert budgets._streams.total() == 1


def test_whoever_is_quiet_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A great many callers take little room: only those are kept who took something lately."""
    monkeypatch.setattr(module, "MOST_BUCKETS", 100)
    budgets, time = small(calls=2)
    for number in range(10_000):
        time.now += 0.5
        budgets.call(Principal(f"bearer-{number}", "acme", Role.AGENT, "ada"))
        assert len(budgets._calls) <= 100


def test_forgetting_gives_nobody_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has used up theirs is kept, however many others come."""
    monkeypatch.setattr(module, "MOST_BUCKETS", 10)
    budgets, _ = small(calls=2)
    calls_until_refused(budgets)
    for number in range(100):
        budgets.call(Principal(f"bearer-{number}", "acme", Role.AGENT, "ada"))
    assert calls_until_refused(budgets) == 0
