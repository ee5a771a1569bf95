"""The file itself: where it is, what it is, and whether it can be read."""

import os
from pathlib import Path

import pytest

from plangate_server.policyfile import PolicyProblems, load_policy, summary
from tests.helpers.policies import FULL, policy_of


def refusal(path: Path) -> list[str]:
    with pytest.raises(PolicyProblems) as refused:
        load_policy(path)
    assert str(refused.value) == "\n".join(refused.value.problems)
    return refused.value.problems


def test_a_policy_is_loaded_from_its_file(tmp_path: Path) -> None:
    """What is read from a file is what it says, wherever it is."""
    path = tmp_path / "policy.yaml"
    path.write_text(FULL, encoding="utf-8")
    assert load_policy(path) == policy_of(FULL)


def test_a_problem_names_the_file_as_it_was_given(tmp_path: Path) -> None:
    """So that an editor can jump to it."""
    path = tmp_path / "policy.yaml"
    path.write_text("calls:\n  expires_after: soon\n", encoding="utf-8")
    (problem,) = refusal(path)
    assert problem.startswith(f"{path}:2: calls.expires_after is 'soon': ")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Without the file there is no policy, and not the default one."""
    path = tmp_path / "policy.yaml"
    assert refusal(path) == [f"{path}: cannot be read: No such file or directory"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """A folder is refused in words."""
    assert refusal(tmp_path) == [f"{tmp_path}: this is not a file: give the file itself"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """What may never end, or may say something else the next time, is not read."""
    os.mkfifo(tmp_path / "pipe")
    assert "is not a file" in refusal(tmp_path / "pipe")[0]


def test_a_name_that_cannot_be_one() -> None:
    """A NUL in the name is refused like a missing file."""
    assert "cannot be read" in refusal(Path("policy\0.yaml"))[0]


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    """However large it is, not more than the limit is read of it."""
    path = tmp_path / "policy.yaml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    assert refusal(path) == [f"{path}:1: the file has more than 256 KiB: split it up"]


def test_a_summary_counts_the_rules() -> None:
    """Whoever lost a rule sees it."""
    assert summary(policy_of(FULL)) == "3 deny, 2 allow, 1 auto_approve, 6 tool rules, four_eyes"
