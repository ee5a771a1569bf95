"""A plan's uri names it for good; its file name is safe wherever it is written."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain.errors import MalformedPlanUri, Reason
from plangate_server.domain.plan import plan_id_of, slug, uri_of
from tests.helpers.domain import a_draft, a_plan, plan_id
from tests.helpers.examples import repeatable

ID = "0123456789abcdef" * 2
FORBIDDEN = set('<>:"/\\|?*')


@repeatable
@given(st.integers(0, 2**128 - 1))
def test_a_uri_leads_back_to_its_plan(number: int) -> None:
    """The id that a uri was made from is the id that is read from it."""
    assert plan_id_of(uri_of(f"{number:032x}")) == f"{number:032x}"


def test_the_form_of_a_uri_is_fixed() -> None:
    """Clients may rely on how a uri looks."""
    assert uri_of(ID) == f"plangate://plans/{ID}"
    assert a_plan(1).uri == f"plangate://plans/{plan_id(1)}"


@pytest.mark.parametrize(
    "plan_uri",
    [
        "",
        ID,
        "plangate://plans/",
        "plangate://plans/..",
        f"plangate://plans/../{ID}",
        f"plangate://plans/{ID}/..",
        f"plangate://plans/{ID}/",
        f"plangate://plans/{ID}?revision=1",
        f"plangate://plans/{ID}\n",
        f"plangate://plans/{ID} ",
        f" plangate://plans/{ID}",
        f"plangate://plans/{ID.upper()}",
        f"PLANGATE://plans/{ID}",
        f"plangate://plans/{ID[:-1]}",
        f"plangate://plans/{ID}0",
        f"plangate://plans/%30{ID[1:]}",
        f"plangate://plans/{ID[:-3]}%66",
        f"plangate%3A//plans/{ID}",
        f"plangate://plans/{ID[:-1]}g",
        f"plangate://plans/{ID[:-1]}\N{ARABIC-INDIC DIGIT ONE}",
        f"plangate://plans/plangate://plans/{ID}",
        f"plangate://sessions/{ID}",
        f"file://plans/{ID}",
        "plangate://plans/01234567-89ab-cdef-0123-456789abcdef",
    ],
)
def test_anything_else_is_no_uri(plan_uri: str) -> None:
    """A uri is taken only in the one form in which it was given out."""
    with pytest.raises(MalformedPlanUri) as refused:
        plan_id_of(plan_uri)
    assert refused.value.reason is Reason.MALFORMED_PLAN_URI
    assert refused.value.field == "plan_uri"
    assert refused.value.metadata == {"plan_uri": plan_uri}


def test_a_very_long_uri_is_not_sent_back_in_full() -> None:
    """A refusal stays small, whatever it refuses."""
    with pytest.raises(MalformedPlanUri) as refused:
        plan_id_of("plangate://plans/" + "x" * 100_000)
    assert len(refused.value.metadata["plan_uri"]) == 200


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Move the Cache", "move_the_cache"),
        ("a/b\\c", "a_b_c"),
        ("a <b> : c", "a_b_c"),
        ("a__b \t\n c", "a_b_c"),
        ("../../etc/passwd", "etc_passwd"),
        (".hidden", "hidden"),
        ("...", "plan"),
        ("", "plan"),
        (" ?? ", "plan"),
        ("v1.2", "v1.2"),
        ("done.", "done"),
        ("-rf", "rf"),
        ("- .--help", "help"),
        ("--", "plan"),
        ("a-b-", "a-b-"),
        ("計画 Ä", "計画_ä"),
        ("x" * 99 + " y", "x" * 99),
    ],
)
def test_a_name_becomes_part_of_a_file_name(name: str, expected: str) -> None:
    """Lower case; white space and what file systems forbid become one underscore; none at the ends."""
    assert slug(name) == expected


@repeatable
@given(st.text())
def test_a_slug_is_harmless(name: str) -> None:
    """Whatever the name, its slug is short, without a separator or device letter, and begins harmlessly."""
    made = slug(name)
    assert 1 <= len(made) <= 100
    assert not FORBIDDEN & set(made)
    assert not any(ord(character) < 0x20 or character == "\x7f" or character.isspace() for character in made)
    assert made[0] not in "._-"
    assert made[-1] not in "._"


@pytest.mark.parametrize("character", ["\x80", "\x9b", "\x9f"])
def test_a_slug_has_no_control_character_at_all(character: str) -> None:
    """A terminal that lists the folder is not steered by a plan's name."""
    assert not [c for c in slug(f"a{character}b") if unicodedata.category(c) == "Cc"]


@pytest.mark.parametrize("name", ["CON", "nul", "COM1", "aux_", "con.txt"])
def test_a_file_name_is_no_device(name: str) -> None:
    """Windows takes what stands before the first dot for a device, in any case and with any ending."""
    made = a_plan(1, a_draft(name=name)).file_name
    assert made == f"{slug(name)}_00000002.plan.md"
    assert made.split(".")[0].upper() not in {"CON", "NUL", "AUX", "COM1"}


def test_plans_of_one_name_have_files_of_their_own() -> None:
    """The end of the plan's id tells files of the same name apart."""
    assert a_plan(1).file_name == "move_the_cache_00000002.plan.md"
    assert a_plan(2).file_name == "move_the_cache_00000004.plan.md"


@repeatable
@given(st.text(max_size=200))
def test_a_file_name_has_at_most_a_hundred_characters_and_its_ending(name: str) -> None:
    """The length of a file name in characters is bounded."""
    assert len(a_plan(1, a_draft(name=name)).file_name) <= 100 + len("_00000002.plan.md")


@pytest.mark.parametrize("character", ["計", "🙂"])
def test_a_file_name_fits_into_any_folder(character: str) -> None:
    """Common file systems take names of at most 255 bytes, in any script."""
    assert len(a_plan(1, a_draft(name=character * 100)).file_name.encode()) <= 255
