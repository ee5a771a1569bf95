"""`plangate edit`: a person's own text, of which nothing is lost."""

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome, ReviewStatus
from tests.helpers.command_line import CommandLine
from tests.helpers.terminal import CTRL_C, CTRL_D, Terminal, at_terminal

QUESTION = "edit again [e], forget it [f]? "
REPLACE = "import sys; p = sys.argv[-1]; t = open(p).read(); open(p, 'w').write(t.replace({!r}, {!r}))"
Editor = Callable[..., CommandLine]


@pytest.fixture
def plan(client: Client) -> Plan:
    return client.create_plan("# Tidy\n\nsort\nburn", todos=["sort the boxes"], overview="Room")


@pytest.fixture
def with_editor(plangate: CommandLine, tmp_path: Path) -> Editor:
    """The command line of somebody whose editor is a program in Python."""

    def made(program: str) -> CommandLine:
        script = tmp_path / "editor.py"
        script.write_text(program, encoding="utf-8")
        editor = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
        # Beside the folder of the tests: what is kept must be found, and what is forgotten must be gone.
        variables = {"EDITOR": editor, "TMPDIR": str(tmp_path)}
        return CommandLine(plangate.target, tmp_path, variables)

    return made


def kept_in(folder: Path) -> list[str]:
    """The texts of the plan files that are still there."""
    return [path.read_text(encoding="utf-8") for path in folder.glob("plangate-*/*.plan.md")]


def path_on(terminal: Terminal) -> Path:
    found = re.search(r"^the plan is in (.*)$", terminal.screen, re.MULTILINE)
    assert found
    return Path(found[1])


def test_saving_puts_the_text_to_review(
    with_editor: Editor, client: Client, plan: Plan, tmp_path: Path
) -> None:
    """It becomes a revision by this person, which people are asked about: nobody has approved anything."""
    plangate = with_editor(REPLACE.format("burn", "give away"))
    with at_terminal(plangate, "edit", plan.plan_uri) as terminal:
        terminal.wait_for(QUESTION)
        assert "  -burn\n  +give away\n" in terminal.screen
        assert client.get_plan(plan).revision == 1
        terminal.type("s\n")
        assert terminal.exit_code() == 0
    assert f"{plan.file_name}: saved as revision 2, which waits for a decision\n" in terminal.screen
    saved = client.get_plan(plan)
    assert (saved.plan, saved.overview) == ("# Tidy\n\nsort\ngive away", "Room")
    assert [todo.content for todo in saved.todos] == ["sort the boxes"]
    assert saved.review.status == ReviewStatus.REVIEW_STATUS_REQUESTED
    assert [each.author for each in client.revisions(plan)] == ["local-agent", "ada"]
    assert kept_in(tmp_path) == []


def test_editing_shows_what_goes_along(with_editor: Editor, client: Client, plan: Plan) -> None:
    """With an approval, also what came while somebody was asked; with a revision that is saved, nothing."""
    plangate = with_editor(REPLACE.format("burn", "give away"))
    client.comment(plan, "why burn?")
    with at_terminal(plangate, "edit", plan.plan_uri) as terminal:
        terminal.wait_for("approve as edited (sends 1 comment) [a], save for others to review [s], ")
        assert "> why burn?" in terminal.screen
        client.comment(plan, "to whom?")
        terminal.type("a\n")
        terminal.wait_for("approve as edited (sends 2 comments) [a]")
        assert "> to whom?" in terminal.screen
        terminal.type("a\n")
        assert terminal.exit_code() == 0
    assert f"{plan.file_name}: approved as edited, sent 2 comments\n" in terminal.screen


def test_approving_as_edited(with_editor: Editor, client: Client, plan: Plan, tmp_path: Path) -> None:
    """The text on the screen is the one that may be built."""
    plangate = with_editor(REPLACE.format("sort the boxes", "sort the crates"))
    with at_terminal(plangate, "edit", plan.plan_uri) as terminal:
        terminal.wait_for(QUESTION)
        terminal.type("a\n")
        assert terminal.exit_code() == 0
    assert terminal.screen.endswith(f"{plan.file_name}: approved as edited\n")
    approved = client.get_plan(plan)
    assert approved.review.outcome == ReviewOutcome.REVIEW_OUTCOME_MODIFIED
    assert [todo.content for todo in approved.todos] == ["sort the crates"]
    assert kept_in(tmp_path) == []


@pytest.mark.parametrize("key", ["a", "s"], ids=["approved", "saved"])
def test_what_is_taken_away_is_gone(with_editor: Editor, client: Client, key: str) -> None:
    """Todos, overview and kind of a plan go as easily as words of its text."""
    plan = client.create_plan(
        "# Tidy", name="Tidy", todos=["burn"], overview="Room", is_project=True, is_spec=True
    )
    plangate = with_editor("import sys; open(sys.argv[-1], 'w').write('---\\nname: Tidy\\n---\\n\\n# Tidy')")
    with at_terminal(plangate, "edit", plan.plan_uri) as terminal:
        terminal.wait_for(QUESTION)
        terminal.type(f"{key}\n")
        assert terminal.exit_code() == 0
    left = client.get_plan(plan)
    assert (left.revision, left.overview, len(left.todos)) == (2, "", 0)
    assert (left.is_project, left.is_spec) == (False, False)


def test_editing_again(with_editor: Editor, client: Client, plan: Plan) -> None:
    """The editor opens with what was written before; an answer that is none is asked for again."""
    plangate = with_editor("import sys; open(sys.argv[-1], 'a').write('\\nmop')")
    with at_terminal(plangate, "edit", plan.plan_uri) as terminal:
        terminal.wait_for(QUESTION)
        terminal.type("yes\n")
        terminal.wait_for(f"yes\n\napprove as edited [a], save for others to review [s], {QUESTION}")
        terminal.type("e\n")
        terminal.wait_for("+mop\n  +mop\n")
        terminal.type("a\n")
        assert terminal.exit_code() == 0
    assert client.get_plan(plan).plan == "# Tidy\n\nsort\nburn\nmop\nmop"


def test_forgetting(with_editor: Editor, client: Client, plan: Plan, tmp_path: Path) -> None:
    """Only whoever says so loses what they wrote."""
    with at_terminal(with_editor(REPLACE.format("burn", "")), "edit", plan.plan_uri) as terminal:
        terminal.wait_for(QUESTION)
        terminal.type("f\n")
        assert terminal.exit_code() == 1
    assert terminal.screen.endswith("forgotten: the plan is as it was\n")
    assert client.get_plan(plan).revision == 1
    assert kept_in(tmp_path) == []


def test_nothing_was_changed(with_editor: Editor, plan: Plan, tmp_path: Path) -> None:
    """There is nothing to ask then."""
    with at_terminal(with_editor(""), "edit", plan.plan_uri) as terminal:
        assert terminal.exit_code() == 1
    assert terminal.screen.endswith("nothing was changed\n")
    assert kept_in(tmp_path) == []


def test_a_text_that_came_too_late_is_kept(with_editor: Editor, client: Client, plan: Plan) -> None:
    """If the plan has moved on, the refusal says so and names the file; neither text is lost."""
    with at_terminal(with_editor(REPLACE.format("burn", "give away")), "edit", plan.plan_uri) as terminal:
        terminal.wait_for(QUESTION)
        client.update_plan(plan, "# Tidy\n\nnothing")
        terminal.type("s\n")
        assert terminal.exit_code() == 1
    path = path_on(terminal)
    assert terminal.screen.endswith(f"; what you wrote is in {path}\n")
    assert "give away" in path.read_text(encoding="utf-8")
    assert client.get_plan(plan).plan == "# Tidy\n\nnothing"


@pytest.mark.parametrize("keys", ["k\n", CTRL_D], ids=["keep", "Ctrl-D"])
def test_a_file_that_cannot_be_read_is_kept(with_editor: Editor, plan: Plan, keys: str) -> None:
    """The line is named, the editor is offered again, and whoever stops finds the file."""
    plangate = with_editor(REPLACE.format("todos:", "todos: ]"))
    with at_terminal(plangate, "edit", plan.plan_uri) as terminal:
        terminal.wait_for("edit again [e], or stop and keep the file [k]? ")
        path = path_on(terminal)
        assert re.search(rf"^{re.escape(str(path))}: .*line \d+", terminal.screen, re.MULTILINE)
        terminal.type(keys)
        assert terminal.exit_code() == 1
    assert terminal.screen.endswith(f"plangate: the plan is as it was; what you wrote is in {path}\n")
    assert "todos: ]" in path.read_text(encoding="utf-8")


def test_an_editor_that_fails_takes_nothing(with_editor: Editor, client: Client, plan: Plan) -> None:
    """Leaving an editor with an error is how people say that they did not mean it."""
    with at_terminal(with_editor("raise SystemExit(3)"), "edit", plan.plan_uri) as terminal:
        terminal.wait_for("ended with 3, so nothing was taken")
        terminal.wait_for("[k]? ")
        terminal.type("k\n")
        assert terminal.exit_code() == 1
    assert client.get_plan(plan).revision == 1


def test_ctrl_c_is_the_editors_while_it_is_open(with_editor: Editor, client: Client, plan: Plan) -> None:
    """The command beneath it goes on, and what was written is taken."""
    interrupted = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
    interrupted += "print('the editor is open', flush=True); signal.sigwait([signal.SIGINT])\n"
    plangate = with_editor(interrupted + REPLACE.format("burn", "give away"))
    with at_terminal(plangate, "edit", plan.plan_uri) as terminal:
        terminal.wait_for("the editor is open")
        terminal.type(CTRL_C)
        terminal.wait_for(QUESTION)
        terminal.type("a\n")
        assert terminal.exit_code() == 0
    assert client.get_plan(plan).plan == "# Tidy\n\nsort\ngive away"


def test_a_plan_that_is_decided(with_editor: Editor, client: Client, plan: Plan, tmp_path: Path) -> None:
    """Nobody writes for nothing: it is refused before an editor opens."""
    client.decide(plan, "approve")
    with at_terminal(with_editor("raise SystemExit(3)"), "edit", plan.plan_uri) as terminal:
        assert terminal.exit_code() == 1
    assert terminal.screen == f"plangate: {plan.file_name} is approved: only what is in review is edited\n"
    assert kept_in(tmp_path) == []


def test_no_terminal(plangate: CommandLine, plan: Plan) -> None:
    """An editor needs one, and the refusal says what else there is."""
    complaint = plangate("edit", plan.plan_uri).complaint
    assert complaint == "an editor needs a terminal: run it in one, or say it with 'request-changes'"
