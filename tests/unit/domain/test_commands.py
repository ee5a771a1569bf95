"""Command lines are read only where no shell could take them for anything but one plain command."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain.commands import MOST_BYTES, normalised, read_command
from plangate_server.domain.programs import RUNNERS, program_of
from tests.helpers.examples import repeatable

SPECIAL = ";&|<>()$`\\!*?[]{}#^%'"
"""Written down once more: whoever takes one out of the code has to take it out here too."""
CONTROL = "".join(map(chr, (*range(0x20), 0x7F)))

programs = st.text(string.ascii_letters + string.digits + "_./", min_size=1, max_size=12)
plain_words = st.text(string.ascii_letters + string.digits + "-_./:,+é計", min_size=1, max_size=12)
spaced_words = st.text(string.ascii_letters + "-_./ ", max_size=12)
commands = st.builds(lambda program, rest: (program, *rest), programs, st.lists(plain_words, max_size=6))
steps = st.sampled_from(["a", "b.c", ".", "..", "", "-x", "..."])
paths = st.lists(steps, min_size=1, max_size=7).map("/".join)


def in_quotes(word: str) -> str:
    return f'"{word}"'


def bare(text: str) -> str:
    """A text without what only parts words."""
    return "".join(character for character in text if character not in ' "')


def parts_of(path: str) -> list[str]:
    """What a path names on its way, without what names nothing."""
    return [part for part in path.split("/") if part not in {"", "."}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("npm test", ["npm", "test"]),
        ("  npm   test  ", ["npm", "test"]),
        ("git log -5 --oneline", ["git", "log", "-5", "--oneline"]),
        ("git show HEAD~1", ["git", "show", "HEAD~1"]),
        ("./gradlew build", ["./gradlew", "build"]),
        ("/usr/bin/env", ["/usr/bin/env"]),
        ("make CC=gcc", ["make", "CC=gcc"]),
        ("pytest tests/a.py::test_b", ["pytest", "tests/a.py::test_b"]),
        ("curl https://example.org/a//b", ["curl", "https://example.org/a//b"]),
        ("git log a..b", ["git", "log", "a..b"]),
        ("git push origin +main", ["git", "push", "origin", "+main"]),
        ("mail ada@example.org", ["mail", "ada@example.org"]),
        ('git commit -m "two words"', ["git", "commit", "-m", "two words"]),
        ('"npm" "test"', ["npm", "test"]),
        ('echo ""', ["echo", ""]),
        ('echo " "', ["echo", " "]),
        ("cat 計画.md é ½ ٣", ["cat", "計画.md", "é", "½", "٣"]),
    ],
)
def test_a_plain_command_is_read(text: str, words: list[str]) -> None:
    """Spaces part words, double quotes around a whole one go, and nothing else is done to them."""
    assert read_command(text) == tuple(words)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("   ", id="only spaces"),
        pytest.param('""', id="an empty program"),
        pytest.param('" "', id="a program of spaces"),
        pytest.param("-x npm", id="an option for a program"),
        pytest.param("CI=1 npm test", id="a variable before the program"),
        pytest.param("CI=", id="nothing but a variable"),
        pytest.param("PATH+=:x npm test", id="more of a variable"),
        pytest.param('"CI=1" npm test', id="a variable in quotes"),
        pytest.param('npm te"st"', id="quotes at the end of a word"),
        pytest.param('npm t"es"t', id="quotes inside a word"),
        pytest.param('npm "te"st', id="quotes at the beginning of a word"),
        pytest.param('npm "te""st"', id="two quoted parts of a word"),
        pytest.param("npm \"te\"'st'", id="parts in different quotes"),
        pytest.param('npm "test', id="a quote that stays open"),
        pytest.param('npm te""st', id="empty quotes inside a word"),
        pytest.param("npm 'test'", id="single quotes, which cmd.exe does not know"),
        pytest.param("npm 'two words'", id="single quotes around several words"),
        pytest.param("npm it's", id="a single quote alone"),
        pytest.param('npm "it\'s"', id="a single quote in double quotes"),
        pytest.param("cat ~", id="a home"),
        pytest.param("cat ~/x", id="a file at home"),
        pytest.param("cat ~root/x", id="somebody else's home"),
        pytest.param('cat "~/x"', id="a home in quotes"),
        pytest.param('cat "a ~/x"', id="a home further on in quotes"),
        pytest.param("make X=~/x", id="a home after ="),
        pytest.param("make X=a:~/x", id="a home after :"),
        pytest.param("cat é~", id="a tilde after what is no ASCII letter"),
        pytest.param("~/bin/npm test", id="a program at home"),
        pytest.param("=npm test", id="zsh's path of a program"),
        pytest.param("cat =npm", id="zsh's path of a program as an argument"),
        pytest.param("@npm test", id="cmd.exe's silent command"),
        pytest.param("npm @arguments", id="PowerShell's splatting"),
        pytest.param('npm "@arguments"', id="PowerShell's splatting in quotes"),
        pytest.param("n\N{CYRILLIC SMALL LETTER ER}m test", id="a Cyrillic letter in the program"),
        pytest.param("\N{FULLWIDTH LATIN SMALL LETTER N}pm test", id="a full-width letter in the program"),
        pytest.param("echo \N{SLIGHTLY SMILING FACE}", id="a picture"),
        pytest.param("echo \N{DEGREE SIGN}", id="a sign"),
        pytest.param("echo \N{EURO SIGN}", id="a sign for money"),
        pytest.param("echo a\N{HORIZONTAL ELLIPSIS}", id="an ellipsis"),
        pytest.param("echo \N{EN DASH}x", id="a dash that is not the plain one"),
        pytest.param("echo \N{MINUS SIGN}x", id="a minus that is not the plain one"),
        pytest.param("echo \N{FULLWIDTH QUOTATION MARK}x", id="a full-width quote"),
        pytest.param("echo \N{DIVISION SLASH}x", id="a slash that is not the plain one"),
        pytest.param("npm\N{NO-BREAK SPACE}test", id="a no-break space"),
        pytest.param("npm\N{IDEOGRAPHIC SPACE}test", id="an ideographic space"),
        pytest.param("npm te\N{ZERO WIDTH SPACE}st", id="a zero-width space"),
        pytest.param("npm te\N{ZERO WIDTH JOINER}st", id="a zero-width joiner"),
        pytest.param("\N{ZERO WIDTH NO-BREAK SPACE}npm test", id="a byte order mark"),
        pytest.param("npm te\N{SOFT HYPHEN}st", id="a soft hyphen"),
        pytest.param("npm \N{RIGHT-TO-LEFT OVERRIDE}tset", id="a change of direction"),
        pytest.param("npm \N{RIGHT-TO-LEFT ISOLATE}tset", id="an isolated change of direction"),
        pytest.param("npm test\N{LINE SEPARATOR}id", id="a line separator"),
        pytest.param("npm test\x85id", id="a next line character"),
        pytest.param("npm te\N{COMBINING ACUTE ACCENT}st", id="a combining accent"),
        pytest.param("npm te\N{VARIATION SELECTOR-16}st", id="a variation selector"),
        pytest.param("npm te\N{TAG LATIN SMALL LETTER S}st", id="a tag character"),
        pytest.param("npm te\ue000st", id="a private character"),
        pytest.param("npm te\ud800st", id="half a character"),
        pytest.param("npm te\U000e0fffst", id="a character that does not exist"),
    ],
)
def test_what_leaves_a_doubt_is_not_read(text: str) -> None:
    """What some shell may take for more than words, or a reader for other words, is asked about."""
    assert read_command(text) is None


@pytest.mark.parametrize(
    "character",
    [
        "\N{HANGUL FILLER}",
        "\N{HANGUL CHOSEONG FILLER}",
        "\N{HANGUL JUNGSEONG FILLER}",
        "\N{HALFWIDTH HANGUL FILLER}",
        "\N{BRAILLE PATTERN BLANK}",
    ],
    ids=lambda character: f"U+{ord(character):04X}",
)
def test_letters_that_show_nothing_are_not_read(character: str) -> None:
    """A character that every font draws as a blank is unseen, though Unicode calls it a letter or a sign."""
    assert read_command(f"npm test {character}") is None


@pytest.mark.parametrize(
    "character",
    [
        "\N{LEFT SINGLE QUOTATION MARK}",
        "\N{RIGHT SINGLE QUOTATION MARK}",
        "\N{SINGLE LOW-9 QUOTATION MARK}",
        "\N{SINGLE HIGH-REVERSED-9 QUOTATION MARK}",
        "\N{LEFT DOUBLE QUOTATION MARK}",
        "\N{RIGHT DOUBLE QUOTATION MARK}",
        "\N{DOUBLE LOW-9 QUOTATION MARK}",
    ],
    ids=lambda character: f"U+{ord(character):04X}",
)
def test_what_powershell_takes_for_quotes_is_not_read(character: str) -> None:
    """PowerShell takes typographic quotes away like plain ones, so the words are not those that are seen."""
    assert read_command(f"git log {character}--output=x{character}") is None


@pytest.mark.parametrize("character", SPECIAL + CONTROL, ids=repr)
def test_a_special_character_is_not_read_anywhere(character: str) -> None:
    """Wherever it stands, at either end, inside a word or inside quotes, the whole text is not read."""
    for text in ("npm test", 'echo "two words"', "a"):
        for place in range(len(text) + 1):
            assert read_command(text[:place] + character + text[place:]) is None


@repeatable
@given(commands, st.sampled_from(SPECIAL + CONTROL), st.data())
def test_no_command_with_a_special_character_is_read(
    words: tuple[str, ...], character: str, data: st.DataObject
) -> None:
    """Whatever the command, one such character is enough."""
    text = " ".join(words)
    place = data.draw(st.integers(0, len(text)))
    assert read_command(text[:place] + character + text[place:]) is None


@repeatable
@given(commands, st.characters(min_codepoint=0x80, exclude_categories=["L", "N"]), st.data())
def test_of_other_scripts_only_letters_and_numbers_are_read(
    words: tuple[str, ...], character: str, data: st.DataObject
) -> None:
    """What is unseen, or a sign that some shell or some font takes for another one, is asked about."""
    text = " ".join(words)
    place = data.draw(st.integers(0, len(text)))
    assert read_command(text[:place] + character + text[place:]) is None


@repeatable
@given(commands, st.lists(st.integers(1, 5), min_size=8, max_size=8))
def test_plain_words_are_read_back(words: tuple[str, ...], gaps: list[int]) -> None:
    """Words without anything special come back as they are, however many spaces are between them."""
    text = "".join(" " * gap + word for gap, word in zip(gaps, words, strict=False))
    assert read_command(text) == words
    assert read_command(text + " ") == words


@repeatable
@given(programs, st.lists(spaced_words, max_size=6))
def test_quoted_words_are_read_back(program: str, rest: list[str]) -> None:
    """A word in quotes is one word, with its spaces, and also when nothing is in it."""
    assert read_command(" ".join([program, *map(in_quotes, rest)])) == (program, *rest)


@repeatable
@given(st.text(max_size=30))
def test_what_is_read_holds_nothing_special(text: str) -> None:
    """Of any text at all, either nothing is read, or words that hold only what was seen."""
    words = read_command(text)
    if words is not None:
        assert words[0].isascii()
        assert not set("".join(words)) & set(SPECIAL + CONTROL)
        assert bare("".join(words)) == bare(text)


@pytest.mark.parametrize("character", ["a", "é", "計"])
def test_a_command_has_a_longest_length(character: str) -> None:
    """What a person cannot take in at a look is not read: the limit is in bytes, and spaces count."""
    size = len(character.encode())
    fits = "cat " + character * ((MOST_BYTES - 4) // size)
    assert read_command(fits) is not None
    assert read_command(fits + character) is None
    assert read_command("npm" + " " * MOST_BYTES + "test") is None


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("/a//b", "/a/b"),
        ("/a////b", "/a/b"),
        ("/a/./b", "/a/b"),
        ("/a/.//././b", "/a/b"),
        ("/./a", "/a"),
        ("/a/b//", "/a/b/"),
        ("./a//b", "./a/b"),
        ("./a/./b", "./a/b"),
        ("././a", "./a"),
        (".//-rf", "./-rf"),
        ("..//a", "../a"),
        ("../a/./b", "../a/b"),
        ("../../a//b", "../../a/b"),
        ("//server//share/./x", "//server//share/./x"),
        ("///a", "/a"),
        ("////a//b", "/a/b"),
        ("///", "/"),
    ],
)
def test_a_path_is_made_plain(word: str, plain: str) -> None:
    """Slashes and dots that lead nowhere go."""
    assert normalised(("ls", word)) == ("ls", plain)


@pytest.mark.parametrize(
    "word",
    [
        *("./a", "./-rf", "./", "../a", "/a/../b", "./a/../b", "/a/b/", "/a/b/.", "/", ".", ".."),
        *("//", "//server/share", "/a/.hidden/b", "/a/.../b", "/a./b", "./..."),
        *("a", "", "a//b", "a/./b", "a/b//", ".hidden//a", ".../a//b", "a.//b", "s/a//", "HEAD:./a//b"),
        *("--file=a//b", "-I/a//b", "-/./a", "X=/a//b", " /a//b"),
        *("https://example.org//a/./b", "file:///a//b", "./a://b//c"),
    ],
)
def test_a_word_that_says_something_stays(word: str) -> None:
    """What a link, a program or a reader looks at stays; and so does what does not begin like a path."""
    assert normalised(("ls", word)) == ("ls", word)


def test_a_device_of_windows_does_not_become_a_machine() -> None:
    """``//./x`` is a device of this machine, and ``//x`` another machine."""
    assert normalised(("cat", "//./pipe/x")) != normalised(("cat", "//pipe/x"))


@pytest.mark.parametrize(
    "program", ["sh", "/bin/bash", "python3.11", "sed", "sudo", "env", "find", "BASH.EXE", ".", "ssh"]
)
def test_nothing_that_may_be_code_is_normalised(program: str) -> None:
    """A program that reads its arguments as code or as other commands gets what it was given."""
    assert program_of(program) in RUNNERS
    words = (program, "/./d", ".//a", "///host/x", "../a//b")
    assert normalised(words) == words


def test_a_program_is_left_as_it_is() -> None:
    """Where a program is looked for depends on how its path is written."""
    assert normalised((".//a/./npm", "test")) == (".//a/./npm", "test")
    assert normalised(("./npm",)) != normalised(("npm",))


def test_nothing_stays_nothing() -> None:
    """No words are no words."""
    assert normalised(()) == ()


def test_three_slashes_do_not_become_two() -> None:
    """POSIX lets two slashes at the beginning mean another machine, and three only the root."""
    assert normalised(("cat", "///host/x")) != normalised(("cat", "//host/x"))


@repeatable
@given(st.lists(paths | plain_words | spaced_words, max_size=6), programs | paths)
def test_normalising_twice_changes_nothing_more(rest: list[str], program: str) -> None:
    """The plainest form is its own plainest form."""
    once = normalised((program, *rest))
    assert normalised(once) == once


@repeatable
@given(st.lists(paths | plain_words | spaced_words, max_size=6), programs | paths)
def test_normalising_keeps_what_counts(rest: list[str], program: str) -> None:
    """The program, the number of words, every ``..``, the root and a last slash are as they were."""
    first, *plain = normalised((program, *rest))
    assert first == program
    assert len(plain) == len(rest)
    for before, after in zip(rest, plain, strict=True):
        assert parts_of(after) == parts_of(before)
        assert after.startswith("/") == before.startswith("/")
        assert after.startswith("./") == before.startswith("./")
        assert after.endswith("/") == before.endswith("/")
        assert after.startswith("-") == before.startswith("-")
        assert bool(after) == bool(before)


@repeatable
@given(commands)
def test_what_was_normalised_can_be_read_again(words: tuple[str, ...]) -> None:
    """The plainest form of a command is a command."""
    plain = normalised(words)
    assert read_command(" ".join(plain)) == plain


@pytest.mark.parametrize("word", ["./=npm", "././=npm", "./@file", ".//@file"])
def test_normalising_makes_nothing_special(word: str) -> None:
    """A word that is plain with its folder before it does not become one that is not read."""
    words = read_command(f"ls {word}")
    assert words is not None
    assert read_command(" ".join(normalised(words))) is not None
