"""What a tool's name gives away, where nobody who knows has said what it does."""

import pytest

from plangate_server.domain.policy import Policy
from plangate_server.domain.tool_names import sounds_like
from plangate_server.domain.tools import Access, Call


@pytest.mark.parametrize(
    ("tool", "access"),
    [
        ("bash", Access.EXECUTE),
        ("run_tests", Access.EXECUTE),
        ("mcp__ci__execute-job", Access.EXECUTE),
        ("runCommand", Access.EXECUTE),
        ("write_file", Access.WRITE),
        ("MultiEdit", Access.WRITE),
        ("apply_patch", Access.WRITE),
        ("fs.delete", Access.WRITE),
        ("read_file", Access.READ),
        ("Grep", Access.READ),
        ("list_commands_of", Access.READ),
        ("prune", Access.READ),
    ],
)
def test_the_worst_word_of_a_name_counts(tool: str, access: Access) -> None:
    """Words are found whatever stands between them; a part of a word is none."""
    assert sounds_like(tool) is access


@pytest.mark.parametrize("tool", ["bash", "write_file"])
def test_an_agents_word_is_not_enough_against_the_name(tool: str) -> None:
    """A tool that says READ is not read only if its name says otherwise, unless the operator does."""
    assert Policy().access_of(Call(tool, access=Access.READ)) is not Access.READ
    assert Policy(tools={tool: Access.READ}).access_of(Call(tool, access=Access.READ)) is Access.READ


def test_an_agents_word_is_not_enough_for_what_runs_something() -> None:
    """A harmless name with an argument that is a command executes."""
    inspect = Call("inspect", access=Access.READ, texts=("rm -rf /",), commands=("rm -rf /",))
    assert Policy().access_of(inspect) is Access.EXECUTE
    assert Policy().access_of(Call("inspect", access=Access.READ, texts=("README.md",))) is Access.READ
