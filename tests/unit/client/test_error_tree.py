"""The tree of exceptions: one class for each reason, grouped by what to do, drawn as it is."""

import re
from collections.abc import Iterator

import grpc
import pytest

import plangate
from plangate import errors
from plangate._errors import class_of
from plangate.errors import PlangateError
from plangate_proto.agent.v1.error_reason_pb2 import ErrorReason

REASONS = [name.removeprefix("ERROR_REASON_") for name in ErrorReason.keys()[1:]]


def paths(branch: type[PlangateError], *above: str) -> Iterator[tuple[str, ...]]:
    """Each class below one, as the names on the way to it."""
    for each in branch.__subclasses__():
        yield (*above, each.__name__)
        yield from paths(each, *above, each.__name__)


def drawn_paths(drawing: str) -> Iterator[tuple[str, ...]]:
    """The same of a drawing: four characters of a line are one step down."""
    way: list[str] = []
    for line in drawing.splitlines():
        if found := re.match(r"((?:[│ ]   )*)[├└]── (\w+)", line):
            way[len(found[1]) // 4 :] = [found[2]]
            yield tuple(way)


def test_the_tree_is_drawn_as_it_is() -> None:
    """Whoever reads the module sees every class in its place."""
    assert errors.__doc__ is not None
    assert sorted(drawn_paths(errors.__doc__)) == sorted(paths(PlangateError))


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_has_a_class_with_a_fix(reason: str) -> None:
    """No reason of the contract comes as a nameless error, and none leaves the reader without advice."""
    found = class_of(reason)
    assert found is not None
    assert found.__name__ == reason.title().replace("_", "")
    assert found.fix
    assert found.fix in str(found("words", code=grpc.StatusCode.UNKNOWN))
    assert getattr(plangate, found.__name__) is found


def test_every_class_without_a_reason_is_a_group_or_ours() -> None:
    """There is no class that nothing can raise."""
    named = {class_of(reason) for reason in REASONS}
    for *_, name in paths(PlangateError):
        each = getattr(errors, name)
        assert each in named or each.__subclasses__() or name in {"HandshakeFailed", "TimedOut"}


def test_the_package_offers_every_class() -> None:
    """Whoever catches one need not know in which module it is."""
    for *_, name in paths(PlangateError):
        assert getattr(plangate, name) is getattr(errors, name)
