"""Names of plan files tell a plan from others, and never lead out of their folder."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate.planfile.names import UnsafeName, checked_name, file_in, file_name, hash_of, slug, title_of
from plangate_server.domain import plan as gate
from tests.helpers.domain import a_draft, a_plan
from tests.helpers.examples import repeatable

ID = "0123456789abcdef" * 2


@repeatable
@given(st.text())
def test_a_slug_is_that_of_the_gate(name: str) -> None:
    """Client and gate call the file of a plan alike."""
    assert slug(name) == gate.slug(name)


def test_a_file_name_is_that_of_the_gate() -> None:
    """The name that Plan.file_name tells is the one that an export writes."""
    plan = a_plan(1, a_draft(name="Move: the Cache"))
    assert file_name("Move: the Cache", plan.plan_id) == plan.file_name == "move_the_cache_00000002.plan.md"


@repeatable
@given(
    st.text() | st.sampled_from(["../x", "-rf", "- -x", "%2e%2e%2fx", "CON", "a" * 300, "%2fetc", "計" * 200])
)
def test_every_plan_has_a_safe_file_name(name: str) -> None:
    """Whatever a plan is called."""
    made = file_name(name, ID)
    assert checked_name(made) == made
    assert hash_of(made) == ID[-8:]


@pytest.mark.parametrize(
    ("name", "hash", "title"),
    [
        ("move_the_cache_0123abcd.plan.md", "0123abcd", "move the cache"),
        ("move-the-cache-0123abcd.plan.md", "0123abcd", "move-the-cache"),
        ("move_the_cache.plan.md", "", "move the cache"),
        ("plans/move_0123abcd.md", "0123abcd", "move"),
        ("C:\\plans\\move.plan.md", "", "move"),
        ("move_0123ABCD.plan.md", "", "move 0123ABCD"),
        ("tasks.json", "", "tasks"),
        ("a\x1bb.plan.md", "", ""),
        ("", "", ""),
    ],
)
def test_what_a_name_tells(name: str, hash: str, title: str) -> None:
    """The hash after a hyphen or an underscore, if there is one, and the words before it."""
    assert (hash_of(name), title_of(name)) == (hash, title)


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../a", "a/b", "/a", "a\\b", "\\\\host\\a", "C:a", "C:\\a", "~/a/b", ".hidden"),
        *("%2e%2e%2fa", "a%2fb", "%252e%252e%252fa", "a%00", "%43ON", "a\0", "a\nb", "a\x1b[2Jb", "a\x9bb"),
        *(
            "CON",
            "con.plan.md",
            "-rf_0123abcd.plan.md",
            "%2drf.plan.md",
            "NUL .txt",
            "COM1.md",
            "a.",
            "a ",
            " a",
            "a" * 256,
            "計" * 86,
            "a?b",
            "a*",
            "a\ud800",
        ),
    ],
)
def test_no_name_leaves_its_folder(name: str, tmp_path: Path) -> None:
    """Paths, devices, what decodes to either, and what a system would take for another name are refused."""
    with pytest.raises(UnsafeName):
        file_in(tmp_path, name)


@repeatable
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_name_that_is_taken_is_a_file_of_the_folder(name: str) -> None:
    """Right in it, under exactly that name."""
    folder = Path("/plans")
    try:
        path = file_in(folder, name)
    except UnsafeName:
        return
    assert path.parent == folder
    assert path.name == name
