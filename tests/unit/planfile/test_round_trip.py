"""A plan file that is read and written is the same plan, and in our own form the same bytes."""

import pytest
from hypothesis import given

from plangate.planfile import PlanFile, read_plan_file, write_plan_file
from tests.helpers.examples import repeatable
from tests.helpers.plan_files import ALL, CANONICAL, plan_files


@pytest.mark.parametrize("name", CANONICAL)
def test_what_we_wrote_is_written_byte_for_byte(name: str) -> None:
    """Whoever reads and writes a file of ours changes nothing, in either kind of line ends."""
    for text in (CANONICAL[name], CANONICAL[name].replace("\n", "\r\n"), f"\ufeff{CANONICAL[name]}"):
        assert write_plan_file(read_plan_file(text.encode())) == text.encode()


@pytest.mark.parametrize("name", ALL)
def test_import_export_import_gives_the_same_plan(name: str) -> None:
    """However a file was written, what is written of it is the same plan, and stays so."""
    first = read_plan_file(ALL[name], "a_name.plan.md")
    written = write_plan_file(first)
    again = read_plan_file(written, "another_name.plan.md")
    assert again == first
    assert write_plan_file(again) == written


@pytest.mark.parametrize("name", ALL)
def test_what_was_read_is_kept(name: str) -> None:
    """The bytes of a file can be put back as they were."""
    assert read_plan_file(ALL[name]).source == ALL[name]


@repeatable
@given(plan_files())
def test_every_plan_can_be_written_and_read(plan: PlanFile) -> None:
    """Whatever its texts are, a plan comes back from its file as it was."""
    written = write_plan_file(plan)
    again = read_plan_file(written)
    assert again == plan
    assert write_plan_file(again) == written
