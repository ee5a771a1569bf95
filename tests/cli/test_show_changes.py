"""`plangate show` of a plan that comes back: what changed, beside what was asked for."""

import json

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.helpers.command_line import CommandLine

FIRST = "# Tidy\n\nsort\nburn\nsweep\n"
SECOND = "# Tidy\n\nsort\ngive away\nsweep\n"


@pytest.fixture
def plan(client: Client) -> Plan:
    """Revision 1 was sent back with words and a comment; revision 2 waits."""
    first = client.create_plan(FIRST, overview="Room", todos=["sort", TodoItem(id="b", content="burn")])
    client.comment(first, "not in the cellar", 4)
    client.comment(first, "who sorts?", 3)
    client.decide(first, "requestChanges", "do not burn\nanything")
    return client.update_plan(
        client.get_plan(first), SECOND, overview="More room", todos=["sort", TodoItem(id="g", content="give")]
    )


def part(shown: str, heading: str) -> list[str]:
    """The lines under a heading, up to the next blank line at the margin."""
    lines = shown.splitlines()
    rest = lines[lines.index(heading) + 1 :]
    return rest[: rest.index("")]


def test_what_changed_since_it_was_sent_back(plangate: CommandLine, plan: Plan) -> None:
    """What people said then comes first, then the text, the todos and the rest that differs."""
    assert part(plangate("show", plan.plan_uri).out, "changed since revision 1") == [
        "  changes requested by ada",
        "    > do not burn",
        "    > anything",
        "  sent 2 comments",
        "  --- revision 1",
        "  +++ revision 2",
        "  @@ -1,6 +1,6 @@",
        "   # Tidy",
        "   ",
        "   sort",
        "  -burn",
        "  +give away",
        "   sweep",
        "   ",
        "  + [g] give",
        "  - [b] burn",
        "  changed, too: overview",
    ]


def test_what_nobody_has_decided_about_is_not_compared(plangate: CommandLine, client: Client) -> None:
    """A revision that was replaced before anybody said anything is none that a person remembers."""
    plan = client.create_plan(FIRST)
    plan = client.update_plan(plan, SECOND)
    assert "changed since" not in plangate("show", plan.plan_uri).out
    shown = plangate("show", plan.plan_uri, "--since", "1").out
    assert part(shown, "changed since revision 1")[0] == "  --- revision 1"


def test_the_text_of_whoever_edited_is_the_one_to_compare_with(plangate: CommandLine, client: Client) -> None:
    """Who approved a text of their own sees what the agent made of that text, not of the one before."""
    first = client.create_plan(FIRST)
    client.decide(first, "edit", "like this", edited=SECOND)
    plan = client.update_plan(client.get_plan(first), SECOND + "mop\n")
    shown = part(plangate("show", plan.plan_uri).out, "changed since revision 2")
    assert shown[:2] == ["  approved as edited by ada", "    > like this"]
    assert [line for line in shown if line.startswith(("  +", "  -"))][2:] == ["  +mop"]


def test_open_comments_are_shown_with_their_lines(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """Where the lines are the same in the new text they are named; what is resolved is not shown."""
    on_changed, on_kept = client.review(plan).comments
    shown = part(plangate("show", plan.plan_uri).out, "comments")
    assert [line.partition(", by ada")[0] for line in shown] == [
        f"  {on_changed.comment_id[-8:]}  open since revision 1, on the plan",
        "    > not in the cellar",
        f"  {on_kept.comment_id[-8:]}  open since revision 1, on line 3",
        "    > who sorts?",
    ]
    client.resolve_comment(on_changed)
    assert "not in the cellar" not in plangate("show", plan.plan_uri).out


def test_an_earlier_revision(plangate: CommandLine, plan: Plan) -> None:
    """It is shown with its own text, its own digest and what became of it, and offers nothing to decide."""
    done = plangate("show", plan.plan_uri, "--revision", "1")
    assert done.out.startswith("Tidy  (revision 1 of 2, by local-agent)\n  > Room\n")
    assert "   4 │ burn\n" in done.out
    assert "changes requested by ada\n  > do not burn\n  > anything\n" in done.out
    assert plan.digest not in done.out
    assert "to decide" not in done.out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--revision", "3"), "has no revision 3: the latest is 2"),
        (("--since", "2"), "revision 2 does not come before revision 2, which is shown"),
        (("--revision", "1", "--since", "1"), "revision 1 does not come before revision 1, which is shown"),
    ],
)
def test_revisions_that_are_not_there(
    plangate: CommandLine, plan: Plan, options: tuple[str, ...], problem: str
) -> None:
    """The refusal names what there is."""
    assert plangate("show", plan.plan_uri, *options).complaint.endswith(problem)


def test_json_of_a_revision_and_of_a_change(plangate: CommandLine, plan: Plan) -> None:
    """With --json the same options choose which message is printed."""
    first = json.loads(plangate("show", plan.plan_uri, "--json", "--revision", "1").out)
    change = json.loads(plangate("show", plan.plan_uri, "--json", "--since", "1").out)
    assert (first["plan"], first["revision"]) == (FIRST, "1")
    assert "+give away\n" in change["unifiedDiff"]


def test_a_draft_has_nothing_to_compare(plangate: CommandLine, client: Client) -> None:
    """A plan that is still being written is shown as far as it is, and offers nothing to decide."""
    with client.draft_plan(name="Loft") as draft:
        draft.write("# Tidy the loft")
    (plan,) = (each for each in client.list_plans() if each.name == "Loft")
    shown = plangate("show", plan.plan_uri)
    assert shown.out.startswith("Loft  (draft, revision ")
    assert "   1 │ # Tidy the loft\n" in shown.out
    assert "to decide" not in shown.out
    assert "was never in review" in plangate("show", plan.plan_uri, "--since", "1").complaint


def test_a_revision_of_a_plan_with_very_many(plangate: CommandLine, client: Client) -> None:
    """Any of them is shown, and compared with, however long ago it was."""
    plan = first = client.create_plan("# 1")
    for number in range(2, 204):
        plan = client.update_plan(plan, f"# {number}")
    assert "# 2" in plangate("show", plan.plan_uri, "--revision", "2").out
    assert "  -# 1" in plangate("show", plan.plan_uri, "--since", str(first.revision)).out.replace("- ", "-")
