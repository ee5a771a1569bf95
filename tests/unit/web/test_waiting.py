"""How often the database is asked what waits, and what is said when it does not answer."""

import asyncio

import pytest

from plangate_server.domain.errors import StoreUnavailable
from plangate_server.ports import Waiting
from plangate_server.web import waiting
from plangate_server.web.waiting import WaitingNow


class Looks:
    """Answers as the script says; the time is the test's."""

    def __init__(self, *script: Waiting | Exception | asyncio.Event) -> None:
        self._script = [*script]
        self.count = 0
        self.time = 0.0
        self.now = WaitingNow(self._look, lambda: self.time)

    async def _look(self) -> Waiting:
        self.count += 1
        answer = self._script.pop(0)
        if isinstance(answer, asyncio.Event):
            await answer.wait()
            return Waiting(0, 0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def said(self) -> tuple[int | None, int | None]:
        return self.now.reviews(), self.now.calls()


async def test_a_flood_costs_one_look() -> None:
    """Whoever asks at once, or within a second, shares the answer."""
    looks = Looks(Waiting(3, 4), Waiting(5, 6))
    await asyncio.gather(*(looks.now.refresh() for _ in range(100)))
    looks.time = 0.99
    await looks.now.refresh()
    assert (looks.count, looks.said()) == (1, (3, 4))
    looks.time = 1.0
    await looks.now.refresh()
    assert (looks.count, looks.said()) == (2, (5, 6))


@pytest.mark.parametrize("error", [StoreUnavailable(), ValueError("words that nobody should see")])
async def test_what_cannot_be_found_out_is_not_told(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither guessed nor as it was, until the next look; a flood does not ask more often then."""
    looks = Looks(Waiting(3, 4), error, Waiting(1, 1))
    await looks.now.refresh()
    looks.time = 1.0
    for _ in range(3):
        await looks.now.refresh()
    assert (looks.count, looks.said()) == (2, (None, None))
    looks.time = 2.0
    await looks.now.refresh()
    assert looks.said() == (1, 1)
    assert len(caplog.records) == (0 if isinstance(error, StoreUnavailable) else 1)


async def test_a_database_that_hangs_does_not_hold_up_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one look waits for it, however many ask."""
    monkeypatch.setattr(waiting, "PATIENCE_SECONDS", 0.001)
    answers = asyncio.Event()
    looks = Looks(Waiting(3, 4), answers)
    await looks.now.refresh()
    looks.time = 1.0
    for _ in range(3):
        await looks.now.refresh()
        assert (looks.count, looks.said()) == (2, (None, None))
    answers.set()
    monkeypatch.undo()
    await looks.now.refresh()
    assert (looks.count, looks.said()) == (2, (0, 0))
