"""``plangate token``: what scripts get, what people read, and what an agent cannot do with it."""

import re

import pytest

from plangate import Client
from plangate_proto.agent.v1.access_token_service_pb2 import Token
from tests.cli.test_hostile_text import HOSTILE, unprintable
from tests.helpers.command_line import CommandLine, Done
from tests.helpers.tokens import local_token

TOKEN = r"plangate_([0-9a-f]{32})_[0-9a-f]{32}\n"
DAY = 24 * 3600


def created(plangate: CommandLine, role: str, name: str, *arguments: str) -> tuple[str, str]:
    """The text of a new token, and its id."""
    done = plangate("token", "create", f"--role={role}", f"--name={name}", *arguments)
    assert done.code == 0, done
    found = re.fullmatch(TOKEN, done.out)
    assert found, done
    return done.out.strip(), found[1]


def known(client: Client, token_id: str) -> Token:
    (found,) = [each for each in client.list_tokens(include_ended=True) if each.token_id == token_id]
    return found


def bearing(plangate: CommandLine, token: str) -> CommandLine:
    """The command line of whoever has the token."""
    return CommandLine(plangate.target, plangate.folder, {"PLANGATE_TOKEN": token})


def test_the_token_is_all_that_is_printed(plangate: CommandLine) -> None:
    """So a script keeps it with a redirection; what a person should know is on standard error."""
    done = plangate("token", "create", "--role=agent", "--name=builder", "--person", "ada")
    found = re.fullmatch(TOKEN, done.out)
    assert (done.code, bool(found)) == (0, True)
    assert found
    line = rf"{found[1]}: agent builder, of ada, in default, until \d{{4}}-\d\d-\d\d \d\d:\d\dZ; "
    assert re.fullmatch(line + r"this is the only time that it is shown\n", done.err)
    assert done.out.strip() not in done.err


def test_it_opens_the_gate(plangate: CommandLine) -> None:
    """As PLANGATE_TOKEN, for what its role may do."""
    reviewer = bearing(plangate, created(plangate, "reviewer", "ada-laptop")[0])
    assert reviewer("pending").code == 0
    assert "reviewer may not call this" in reviewer("token", "list").complaint


@pytest.mark.parametrize(("given", "days"), [((), 90), (("--days", "7"), 7)])
def test_it_holds_for_some_days(
    plangate: CommandLine, client: Client, given: tuple[str, ...], days: float
) -> None:
    """Ninety, if nobody says otherwise: what is forgotten ends."""
    token = known(client, created(plangate, "agent", "builder", *given)[1])
    assert token.expire_time.seconds - token.create_time.seconds == days * DAY


def test_it_can_hold_for_ever(plangate: CommandLine, client: Client) -> None:
    """If somebody says so, and the line says it back."""
    done = plangate("token", "create", "--role=agent", "--name=builder", "--days", "forever")
    assert done.err.endswith(", until it is revoked; this is the only time that it is shown\n")
    assert not known(client, done.out.split("_")[1]).HasField("expire_time")


@pytest.mark.parametrize("days", ["0", "-1", "4000", "0.5", "nan", "inf", "1e10", "1e300"])
def test_a_time_that_is_none_is_refused(plangate: CommandLine, days: str) -> None:
    """With what would be right, and nothing is printed that looks like a token."""
    done = plangate("token", "create", "--role=agent", "--name=builder", f"--days={days}")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(f"{days!r} is not a number of days up to 3650, nor forever\n")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("create",),
        ("create", "--name=ada"),
        ("create", "--role=root", "--name=ada"),
        ("create", "--role=agent", "--name=ada", "--days", "some"),
        ("revoke",),
        ("steal", "x"),
    ],
)
def test_a_wrong_command_is_a_usage_error(plangate: CommandLine, arguments: tuple[str, ...]) -> None:
    """With exit code 2, as everywhere, and how it is used."""
    done = plangate("token", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("usage: plangate token")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("action", [(), ("create",), ("list",), ("revoke",)])
def test_there_is_help(plangate: CommandLine, action: tuple[str, ...]) -> None:
    """For the command and each action; where the token goes is in it."""
    done = plangate("token", *action, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: plangate token{''.join(f' {each}' for each in action)}")
    if action == ("create",):
        assert "standard output" in done.out
        assert "default 90" in done.out


def test_a_list_without_tokens_says_so(plangate: CommandLine) -> None:
    """Nobody wonders about headings with nothing below."""
    done = plangate("token", "list", "--workspace", "deserted")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("no token was made")


def test_tokens_are_listed_without_secrets(plangate: CommandLine) -> None:
    """Who may call, as what, until when, by what; those that ended only with --all."""
    token, token_id = created(plangate, "observer", "wall", "--person", "team", "--days", "forever")
    listed = plangate("token", "list")
    assert listed.out.splitlines()[0].split() == [
        "TOKEN",
        "ROLE",
        "NAME",
        "PERSON",
        "WORKSPACE",
        "SHOWS",
        "UNTIL",
    ]
    row = rf"{token_id} +observer +wall +team +default +token +revocation"
    assert re.search(rf"^{row}$", listed.out, re.MULTILINE)
    assert token.split("_")[2] not in listed.out
    plangate("token", "revoke", token_id)
    assert token_id not in plangate("token", "list").out
    row = rf"^{token_id} .* revoked \d{{4}}-\d\d-\d\d \d\d:\d\dZ$"
    assert re.search(row, plangate("token", "list", "--all").out, re.MULTILINE)


def test_a_revoked_token_opens_nothing(plangate: CommandLine) -> None:
    """The line says whose it was; doing it again is no mistake; its bearer hears what to do."""
    token, token_id = created(plangate, "agent", "builder", "--person", "ada")
    said = Done(0, f"revoked {token_id}: agent builder, of ada\n", "")
    assert plangate("token", "revoke", token_id) == said
    assert plangate("token", "revoke", token_id) == said
    assert (
        "ask an admin for a token ('plangate token create')" in bearing(plangate, token)("pending").complaint
    )


def test_a_token_that_is_none_is_one_line(plangate: CommandLine) -> None:
    """Whoever revokes what is no token hears so in one line."""
    assert "token_id names no token of the workspace" in plangate("token", "revoke", "0" * 32).complaint


def test_a_certificate_has_no_token(plangate: CommandLine) -> None:
    """Nothing is printed on standard output, so no script takes something else for one."""
    done = plangate("token", "create", "--role=reviewer", "--name=ada-laptop", "--certificate", "ada.example")
    assert (done.code, done.out) == (0, "")
    assert "a client certificate of that name is shown instead of a token" in done.err
    assert re.search(r" certificate ada\.example +", plangate("token", "list").out)


def test_of_another_workspace(plangate: CommandLine) -> None:
    """The operator's admin names it; what is made there is listed there."""
    token, token_id = created(plangate, "admin", "bob", "--workspace", "acme")
    assert token_id not in plangate("token", "list").out
    assert token_id in plangate("token", "list", "--workspace", "acme").out
    bob = bearing(plangate, token)
    assert token_id in bob("token", "list").out
    assert "may not look into another workspace" in bob("token", "list", "--workspace", "default").complaint
    assert plangate("token", "revoke", token_id, "--workspace", "acme").code == 0


@pytest.mark.parametrize("role", ["agent", "reviewer"])
@pytest.mark.parametrize("action", [("create", "--role=admin", "--name=me"), ("list",), ("revoke", "0" * 32)])
def test_only_admins_do_it(plangate: CommandLine, action: tuple[str, ...], role: str) -> None:
    """Others hear which role it takes, in one line, and get nothing."""
    complaint = bearing(plangate, local_token(role))("token", *action).complaint
    assert complaint == f"the role {role} may not call this: use a token with one of the roles admin"


def test_hostile_names_are_not_made(plangate: CommandLine) -> None:
    """The gate takes no name that acts on a terminal, and what it says about it does not either."""
    for arguments in (
        ("--name", HOSTILE),
        ("--name=x", "--person", HOSTILE),
        ("--name=x", "--workspace", HOSTILE),
    ):
        complaint = plangate("token", "create", "--role=agent", *arguments).complaint
        assert "has characters that cannot be seen" in complaint
        assert unprintable(complaint) == set()


def test_hostile_words_from_a_gate_are_written_out(plangate: CommandLine) -> None:
    """Also what was asked for comes back harmless."""
    complaint = plangate("token", "revoke", HOSTILE).complaint
    assert unprintable(complaint) == set()
