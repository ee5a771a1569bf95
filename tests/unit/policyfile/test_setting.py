"""How an operator says which policy file holds."""

from pathlib import Path

import pytest

from plangate_server.settings import read_settings


def test_without_it_there_is_no_policy_file() -> None:
    """Nothing is looked for by itself: no file in a working folder can change what the gate does."""
    assert read_settings([], {}).policy is None


def test_a_flag_or_the_environment_names_it() -> None:
    """A flag wins."""
    environment = {"PLANGATE_POLICY": "/etc/plangate/policy.yaml"}
    assert read_settings([], environment).policy == Path("/etc/plangate/policy.yaml")
    assert read_settings(["--policy", "mine.yaml"], environment).policy == Path("mine.yaml")


@pytest.mark.parametrize(
    ("arguments", "environment"), [(["--policy", ""], {}), ([], {"PLANGATE_POLICY": ""})]
)
def test_an_empty_name_is_refused(
    arguments: list[str], environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A variable that somebody forgot to set does not open a gate without rules."""
    with pytest.raises(SystemExit) as left:
        read_settings(arguments, environment)
    assert left.value.code == 2
    assert (
        f"{[*arguments, *environment][0]} is empty: name a file, or leave it out" in capsys.readouterr().err
    )


def test_the_help_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    """With its variable, and with the signal that reads it again."""
    with pytest.raises(SystemExit):
        read_settings(["--help"], {})
    printed = capsys.readouterr().out
    assert all(word in printed for word in ("--policy FILE", "PLANGATE_POLICY", "SIGHUP"))
