"""How it looks, with colour and without: hostile text can neither act, nor hide, nor pass for the gate's."""

from __future__ import annotations

import time
from unicodedata import category

import pytest
from grpc import StatusCode
from rich.text import Text

from plangate import AsyncClient
from plangate._common.text_safety import visible_lines
from plangate.errors import GateUnreachable
from plangate.tui.lines import Line, folded, line_of
from plangate.tui.markdown import text_lines
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, proposal
from tests.helpers.tool_calls import call
from tests.tui.person import Person, at_desk

HOSTILE = "\x1b]0;owned\x07\x1b[2J \u202edecided\u2066 a\u2800b \U0001d159"
SHOWN = r"\u{1b}]0;owned\u{7}\u{1b}[2J \u{202e}decided\u{2066} a\u{2800}b \u{1d159}"
MARKUP = "[red]not[/red] [@click=app.quit]me[/] \\[x]"


def plain(rows: list[Text]) -> list[str]:
    return [row.plain for row in rows]


def drawn(text: str, width: int = 80) -> list[str]:
    return [row for line in text_lines(text) for row in plain(folded(line, width))]


def acts(person: Person) -> set[str]:
    """The characters on the whole screen that act on a terminal, or turn or hide text."""
    drawn_now = "".join(each.text for strip in person.drawn_strips() for each in strip)
    assert len(drawn_now) > 1_000
    return {each for each in drawn_now if category(each) in {"Cc", "Cf", "Mn"}}


@pytest.mark.parametrize("text", [HOSTILE, MARKUP])
async def test_hostile_text_in_every_place_of_a_plan(gate: Gate, text: str) -> None:
    """Names, sessions, todos, comments and feedback: each is shown, and none of it acts."""
    shown = SHOWN if text == HOSTILE else MARKUP
    request = proposal(f"# Tidy\n\n{text}", session_id=text, agent_id=text)
    request.args.name = request.args.overview = text
    request.args.todos.add(id="t1", content=text)
    plan = await gate.propose(request)
    async with at_desk(gate.address, size=(200, 40)) as person, AsyncClient(gate.address) as client:
        await client.comment(plan, text)
        await person.sees(f"plan  {shown[:60]}")
        assert not acts(person)
        await person.opens("plan")
        await person.sees(f"   3 │ {shown}", f"> {shown}", f"plan created by {shown}", "1 open comment")
        assert person.screen.count(shown) >= 8
        assert not acts(person)
        await gate.decide(plan, "reject", text)
        await person.sees("● decided", f"> {shown}")
        assert not acts(person)


@pytest.mark.parametrize("text", [HOSTILE, MARKUP])
async def test_hostile_text_in_every_place_of_a_call(gate: Gate, text: str) -> None:
    """Tools, ids, commands, what comes with them, and the words of an error."""
    shown = SHOWN if text == HOSTILE else MARKUP
    asked = call(f"echo {text}", text, session_id=text, agent_id=text, tool_name=text, prompt=text)
    asked.metadata[text] = text
    await gate.ask(asked)
    async with at_desk(gate.address, size=(240, 40)) as person:
        await person.sees("call  ")
        assert not acts(person)
        await person.opens("call")
        await person.sees(f"   1 │ echo {shown}", f"> {shown}", f"with    {shown}: ", f"call    {shown}")
        assert person.screen.count(shown) >= 6
        assert not acts(person)
        person.app.desk.connection.tell(GateUnreachable(text, code=StatusCode.UNAVAILABLE))
        await person.sees(f"trying again: {shown}")
        assert not acts(person)


async def test_without_colour_at_80_by_24(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR not one colour is sent, and everything that matters is on the smallest screen."""
    monkeypatch.setenv("NO_COLOR", "1")
    await gate.propose(proposal("# Tidy\n\n> quoted `code`\n\n```sh\nmake\n```"))
    async with at_desk(gate.address) as person:
        await person.opens("Tidy")
        await person.sees("Tidy  (in review", "   3 │ > quoted `code`", "Enter  approve", "Esc  reject")
        await person.sees("r  request changes", "e  edit", "c  comment", "?  keys", "q  quit", "waits ")
        assert person.app.no_color
        styles = [each.style for strip in person.drawn_strips() for each in strip if each.style]
        colours = {each.name for style in styles for each in (style.color, style.bgcolor) if each}
    assert colours <= {"default"}


def test_markdown_keeps_every_character() -> None:
    """What a renderer would leave out is there: targets of links, comments, references, markers."""
    text = "# A *b*\n[text](https://x.example 't')\n<!-- psst -->\n[r]: http://x 'y'\n~~~\n# no\n~~~\n- [ ] x"
    assert [row.split("│ ", 1)[1] for row in drawn(text)] == text.split("\n")


def test_blanks_at_the_end_of_a_line_are_written_out() -> None:
    """Nobody sees them otherwise, and some of them mean something."""
    assert drawn("a  \n  b") == [r"   1 │ a\u{20*2}", "   2 │   b"]


def test_every_character_is_shown_as_the_commands_show_it() -> None:
    """The same ones are written out, whichever they are."""
    text = "\n".join(
        "".join(map(chr, range(first, first + 1024))) for first in range(0xE, 0x110000 - 1024, 1024)
    )
    shown = [line.text.plain.split("│ ", 1)[1] for line in text_lines(text)]
    assert shown == visible_lines(text)


def test_a_long_line_goes_on_behind_its_margin() -> None:
    """However it is folded, no part of a text stands where the gate's own lines do."""
    rows = drawn("word " * 40, 40)
    assert all(row.startswith("     │ ") for row in rows[1:])
    assert all(len(row) <= 40 for row in rows)
    assert "".join(row[7:] for row in rows).replace(r"\u{20}", " ") == "word " * 40


def test_a_long_word_is_cut_and_a_wide_one_fits() -> None:
    """Cells count, not characters."""
    rows = plain(folded(Line(Text("漢" * 30)), 20))
    assert [len(row) for row in rows] == [10, 4 + 8, 4 + 8, 4 + 4]


@pytest.mark.parametrize(
    ("line", "below"),
    [("  > somebody's words", "  > "), ("   7 │ text", "     │ "), ("  +new", "  +"), ("digest  00", "  ↳ ")],
)
def test_what_goes_on_keeps_its_margin(line: str, below: str) -> None:
    """Words keep their quote, lines their number's column; the gate's own lines show that they go on."""
    assert line_of(line).below == below


async def test_no_call_is_approved_before_its_command_was_in_view(gate: Gate) -> None:
    """The agent's words come after the command, and a long command must be read to its last line."""
    await gate.ask(call("\n".join(f"make step-{number}" for number in range(1, 41)), prompt="no\n" * 40))
    async with at_desk(gate.address) as person:
        await person.sees("call  bash: make step-1")
        await person.presses("enter")
        await person.sees("   1 │ make step-1", "more lines below: Space")
        assert "> no" not in person.screen
        await person.presses("G")
        await person.sees("digest  ", "to decide, see", "above: b")
        await person.presses("g")
        await person.sees("   1 │ make step-1")
        await person.presses("space")
        await person.sees("to decide, see")
        await person.presses("enter", "space")
        await person.sees("  40 │ make step-40")
        await person.can_decide()


async def test_a_long_plan_says_how_much_is_below(gate: Gate) -> None:
    """Whoever decides early knows what they left out; no line is lost between two pages."""
    await gate.propose(proposal("\n".join(["# Tidy", *(f"step {number}" for number in range(2, 61))])))
    seen = ""
    async with at_desk(gate.address) as person:
        await person.opens("Tidy")
        while "more lines below: Space" in person.screen:
            page = person.screen
            seen += page
            await person.presses("space")
            await person.sees_other_than(page)
        seen += person.screen
    assert all(f"{number:4} │ step {number}" in seen for number in range(2, 61))


@pytest.mark.parametrize("shape", ["[", "<a", "[](", "<a://", "**a ", " ", "[" * 1_900 + "\n", "\x1b"])
def test_no_text_keeps_the_screen_busy(shape: str) -> None:
    """Ten times the longest plan of a shape that is slow for patterns is drawn before patience ends."""
    started = time.process_time()
    drawn(shape * (1_800_000 // len(shape)) + "x")
    assert time.process_time() - started < PATIENCE


async def test_what_did_not_change_is_not_folded_anew(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a plan is, its clock and its comments cost only their own lines."""
    made: list[str] = []

    def folding(line: Line, width: int) -> list[Text]:
        made.append(line.text.plain)
        return folded(line, width)

    monkeypatch.setattr("plangate.tui.reader.folded", folding)
    plan = await gate.propose(proposal("\n".join(["# Tidy", *(f"step {number}" for number in range(2, 61))])))
    async with at_desk(gate.address, size=(80, 100)) as person, AsyncClient(gate.address) as client:
        await person.opens("Tidy")
        made.clear()
        await client.comment(plan, "why step 2?")
        await person.sees("1 open comment")
    assert [each for each in made if "why step 2?" in each]
    assert not [each for each in made if "│ step" in each]
