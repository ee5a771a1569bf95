"""The table of limits: complete, and such that what it allows works."""

import pytest

from plangate_server.domain import limits
from plangate_server.domain.limit_table import LIMITS, SETTABLE, Limit, Range
from plangate_server.domain.limits import FEEDBACK_BYTES, KIB, MIB, Limits
from plangate_server.settings import SETTINGS
from tests.unit.test_settings import Capture, refusal

CLIENT_BYTES = 4 * MIB
"""What a gRPC client takes in one message, unless it says otherwise."""


def test_every_limit_that_can_be_set_has_a_row_and_a_setting() -> None:
    """Nothing can be set that the table does not tell of, and no row is without its setting."""
    names = [limit.name for limit in SETTABLE]
    assert names == list(Limits.__struct_fields__)
    assert {limit.name: limit.default for limit in SETTABLE} == {
        name: getattr(Limits(), name) for name in names
    }
    assert {limit.setting for limit in SETTABLE} <= {setting.name for setting in SETTINGS}


def test_every_fixed_limit_has_a_row() -> None:
    """The table tells of each constant that something is held to."""
    fixed = {limit.name.upper() for limit in LIMITS if limit.range is None}
    units = {"KIB", "MIB", "MOST_TODOS", "DEFAULTS", "LONGEST_WAIT", "KEPT_ENDED"}
    constants = {name for name in vars(limits) if name.isupper()} - units
    assert constants == fixed - {"WAIT_DAYS"}


def test_names_are_unique() -> None:
    """A refusal names one limit."""
    names = [limit.name for limit in LIMITS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("limit", "span"), SETTABLE.items(), ids=lambda each: getattr(each, "name", ""))
def test_a_value_out_of_range_is_refused_at_the_start(limit: Limit, span: Range, capsys: Capture) -> None:
    """The default can be set; one less than the least and one more than the most are refused in words."""
    assert span.least <= limit.default <= span.most
    flag = f"--{limit.setting.replace('_', '-')}"
    for value in (span.least - 1, span.most + 1):
        said = refusal(capsys, [flag, str(value)])
        assert f"{flag} is '{value}': write a whole number from {span.least} to {span.most}" in said


def test_whatever_is_set_a_decision_can_be_sent() -> None:
    """The smallest message that an operator can allow holds a decision with the longest words."""
    (span,) = [span for limit, span in SETTABLE.items() if limit.name == "message_bytes"]
    assert span.least >= FEEDBACK_BYTES + 4 * KIB
    assert span.most <= CLIENT_BYTES
