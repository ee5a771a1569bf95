"""A pattern allows only what it says word by word, and denies whatever might be what it says."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain.command_patterns import BadPattern, CommandPattern, parse_pattern
from plangate_server.domain.commands import MOST_BYTES, read_command
from plangate_server.domain.denied_commands import might_run
from plangate_server.domain.open_programs import SUSPECT, Closed, check_opened
from plangate_server.domain.programs import LAUNCHING, RUNNERS, program_of
from tests.helpers.examples import repeatable

IN_A_WORD = "has a * inside a word"
IN_QUOTES = "has a * inside quotes"
UNREADABLE = "cannot be read as one simple command"
NO_PROGRAM = "begins with a wildcard"
TOO_EARLY = "has ** before its end"
TOO_LONG = f"is longer than {MOST_BYTES:,} bytes"

tame_words = st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True).filter(lambda word: word not in LAUNCHING)
options = st.from_regex(r"--?q[a-z]{0,5}", fullmatch=True).filter(lambda word: not SUSPECT.search(word))
path_words = st.lists(st.sampled_from(["a", "b", "..", "c.d"]), min_size=2, max_size=4).map("/".join)
quotable_words = st.sampled_from(["", "two words", " ", "a~b", "a=b", "a,b", "é", "./a b"])
wildcards = st.just("*")


@st.composite
def patterns(draw: st.DrawFn) -> CommandPattern:
    """Any pattern that can be written."""
    words = draw(st.lists(tame_words | options | path_words | quotable_words | wildcards, max_size=5))
    rest = draw(st.sampled_from([[], ["**"]]))
    return CommandPattern((f"x{draw(tame_words)}", *words, *rest))


@st.composite
def tame_patterns(draw: st.DrawFn) -> CommandPattern:
    """A pattern whose words are letters and digits, paths and options."""
    words = draw(st.lists(tame_words | options | path_words | wildcards, max_size=5))
    return CommandPattern((f"x{draw(tame_words)}", *words, *draw(st.sampled_from([[], ["**"]]))))


def filled(data: st.DataObject, pattern: CommandPattern) -> list[str]:
    """Words that a pattern means."""
    words: list[str] = []
    for word in pattern.words:
        if word == "**":
            words += data.draw(st.lists(tame_words | options, max_size=3))
        else:
            words.append(data.draw(tame_words) if word == "*" else word)
    return words


def covers(pattern: str, command: str) -> bool:
    words = read_command(command)
    return words is not None and parse_pattern(pattern).matches(words)


@pytest.mark.parametrize(
    ("pattern", "meant", "not_meant"),
    [
        (
            "npm test",
            ["npm test", " npm  test ", '"npm" "test"'],
            ["npm", "npm tests", "npm test x", "NPM test"],
        ),
        (
            "npm run *",
            ["npm run lint", "npm run a/b"],
            ["npm run", "npm run a b", "npm run -x", "npm run --x=y"],
        ),
        ("cp * origin", ["cp fetch origin"], ["cp -f origin", "cp fetch", "cp fetch origin main"]),
        ("git log **", ["git log", "git log -5", "git log --all a b"], ["git", "git logs", "git -C x log"]),
        ("git log * **", ["git log a", "git log a -5"], ["git log", "git log -5", "git log -5 a"]),
        ("pytest **", ["pytest", "pytest -q"], ["pytes", "./pytest", "/usr/bin/pytest -q"]),
        (
            "cat ./a/b",
            ["cat ./a/b", "cat ./a//b", "cat .//a/./b"],
            ["cat a/b", "cat ./a/b/", "cat ./c/../a/b"],
        ),
        ("cat /a//b", ["cat /a/b", "cat ///a/./b"], ["cat //a/b", "cat a/b"]),
        ("cat a/b", ["cat a/b"], ["cat a//b", "cat ./a/b", "cat a/./b"]),
        ("cat a//b", ["cat a//b"], ["cat a/b"]),
        ("./gradlew *", ["./gradlew a"], ["gradlew a", ".//gradlew a"]),
        (
            'git commit -m "two words"',
            ['git commit -m "two words"', '"git" commit "-m" "two words"'],
            ["git commit -m two words", "git commit -m 'two words'", 'git commit -m "two  words"'],
        ),
        ('echo ""', ['echo ""'], ["echo", 'echo " "', "echo ''"]),
        (
            "cat *",
            ["cat a", 'cat "a b"', "cat 計画", "cat ./-x"],
            ['cat "-x"', "cat '-x'", "cat 'a'", "cat -"],
        ),
        ("echo a *", ["echo a b"], ["echo b a", "echo A b"]),
    ],
)
def test_a_pattern_means_commands_word_by_word(pattern: str, meant: list[str], not_meant: list[str]) -> None:
    """Every word counts, ``*`` is any one that is no option, and ``**`` is any further ones."""
    assert [command for command in (*meant, *not_meant) if covers(pattern, command)] == meant


@pytest.mark.parametrize(
    "dash",
    [
        "\N{EN DASH}",
        "\N{EM DASH}",
        "\N{HORIZONTAL BAR}",
        "\N{FULLWIDTH HYPHEN-MINUS}",
        "\N{MINUS SIGN}",
    ],
    ids=lambda dash: f"U+{ord(dash):04X}",
)
def test_another_dash_is_an_option_too(dash: str) -> None:
    """PowerShell takes every dash for the plain one, and old Windows programs are given the plain one."""
    assert not covers("ls *", f"ls {dash}Force")


@pytest.mark.parametrize("command", ["git log 'a --output=x b'", "git log '--all --output=x'"])
def test_no_option_hides_behind_single_quotes(command: str) -> None:
    """cmd.exe knows no single quotes: one word elsewhere is several there, and one of them an option."""
    assert not covers("git log *", command)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("npm test", ["npm", "test"]),
        ("  cat   *  ", ["cat", "*"]),
        ("cat * * **", ["cat", "*", "*", "**"]),
        ("cat ./a//b/./c *", ["cat", "./a/b/c", "*"]),
        ("cat a//b *", ["cat", "a//b", "*"]),
        ('git commit -m "two words"', ["git", "commit", "-m", "two words"]),
        ("cat wwww rrrr *", ["cat", "wwww", "rrrr", "*"]),
        ("python3 -m pytest", ["python3", "-m", "pytest"]),
        ("sudo ls", ["sudo", "ls"]),
    ],
)
def test_a_pattern_is_read(text: str, words: list[str]) -> None:
    """A pattern is a command, with wildcards in the place of words."""
    assert parse_pattern(text) == CommandPattern(tuple(words))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", UNREADABLE),
        ("npm test; id", UNREADABLE),
        ("npm test && *", UNREADABLE),
        ("npm $(id) *", UNREADABLE),
        ("npm `id`", UNREADABLE),
        ("npm > x", UNREADABLE),
        ('npm te"st"', UNREADABLE),
        ("npm 'test'", UNREADABLE),
        ("npm ' ** '", UNREADABLE),
        ("npm \N{EN DASH}x *", UNREADABLE),
        ("npm ?", UNREADABLE),
        ("npm [ab]", UNREADABLE),
        ("npm test\n*", UNREADABLE),
        ("npm\N{NO-BREAK SPACE}*", UNREADABLE),
        ("npm\t*", UNREADABLE),
        ("CI=1 npm *", UNREADABLE),
        ("~/npm *", UNREADABLE),
        ("npm @x", UNREADABLE),
        ("n\N{CYRILLIC SMALL LETTER ER}m *", UNREADABLE),
        ("npm t*", IN_A_WORD),
        ("npm *t", IN_A_WORD),
        ("npm a*b", IN_A_WORD),
        ("npm ***", IN_A_WORD),
        ("npm src/*", IN_A_WORD),
        ("npm src/**", IN_A_WORD),
        ("npm --x=*", IN_A_WORD),
        ('npm "*"', IN_A_WORD),
        ("npm '**'", IN_A_WORD),
        ('npm "a * b"', IN_QUOTES),
        ('npm " ** "', IN_QUOTES),
        ("npm " + "x" * MOST_BYTES, TOO_LONG),
        ("npm " + "é" * (MOST_BYTES // 2), TOO_LONG),
        ("npm" + " " * MOST_BYTES + "*", TOO_LONG),
        ("*", NO_PROGRAM),
        ("**", NO_PROGRAM),
        ("* test", NO_PROGRAM),
        ("** test", NO_PROGRAM),
        ("npm ** test", TOO_EARLY),
        ("npm ** *", TOO_EARLY),
        ("npm ** **", TOO_EARLY),
    ],
)
def test_what_is_no_pattern_is_refused(text: str, why: str) -> None:
    """The refusal says what is wrong, whatever the pattern is for."""
    for to_deny in (False, True):
        with pytest.raises(BadPattern) as refused:
            parse_pattern(text, to_deny=to_deny)
        assert str(refused.value).startswith(why)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("npm " + "x" * (MOST_BYTES - 4), id="one word"),
        pytest.param("cat " + "x" * 3000 + " *", id="a word and a wildcard"),
        pytest.param("cat" + " *" * 100, id="many wildcards"),
    ],
)
def test_a_pattern_may_be_as_long_as_a_command(text: str) -> None:
    """Only what is longer than the longest command is refused for its length, with or without wildcards."""
    assert parse_pattern(text).words == tuple(text.split())


RUNNING = [
    *("sh", "bash", "rbash", "fish", "nu", "busybox", "cmd", "call", "powershell", "pwsh", "wsl"),
    *("/bin/bash", "BASH", "bash.exe", "C:/Windows/cmd.exe", "run/sh.bat", "./venv/bin/python"),
    *(".", "source", "eval", "exec", "command", "env", "/usr/bin/env", "sudo", "su", "nohup", "timeout"),
    *("xargs", "find", "ssh", "flock", "tmux", "watch", "npx", "bunx", "uvx", "pipx"),
    *("python", "python3", "python3.11", "pythonw", "py", "perl5", "ruby", "node", "deno", "php8.2"),
    *("awk", "sed", "vim", "nvim", "ex", "osascript"),
]
"""Written down once more: whoever takes one out of the code has to take it out here too."""


@pytest.mark.parametrize("program", RUNNING)
def test_no_wildcard_stands_for_a_command(program: str) -> None:
    """After a program that runs what it is given, a wildcard would allow anything; a deny may have it."""
    for before, wildcard in (("", "*"), ("", "**"), (" -c", "*"), (" u v", "* **")):
        text = f"{program}{before} {wildcard}"
        with pytest.raises(BadPattern) as refused:
            parse_pattern(text)
        said = f"has a wildcard after {program}{before}, which runs what it is given: name the whole command"
        assert str(refused.value) == said
        assert parse_pattern(text, to_deny=True).text == text
    assert covers(f"{program} -u v", f"{program} -u v")


def test_every_listed_runner_is_refused_a_wildcard() -> None:
    """The list is what is looked at, whatever stands in it."""
    for program in RUNNERS:
        with pytest.raises(BadPattern, match="which runs what it is given"):
            parse_pattern(f"{program} *")


@pytest.mark.parametrize(
    "before",
    [
        *("npm exec", "npm x", "npm --silent exec --", "pnpm dlx", "yarn dlx", "yarn exec"),
        *("docker run", "docker exec -it box", "kubectl exec pod --", "uv run", "poetry run", "go run"),
        *("cargo run --", "bundle exec", "git bisect run", "git -c", "git rebase --exec", "psql -c"),
        *("mysql -e", "rsync -e", "npm -c", "emacsclient --eval", "flatpak run --command"),
    ],
)
def test_no_wildcard_stands_after_a_word_that_launches(before: str) -> None:
    """Wherever the word stands before the wildcard; what is named in full may be allowed."""
    for wildcard in ("*", "**", "u *", "-u **"):
        text = f"{before} {wildcard}"
        with pytest.raises(BadPattern) as refused:
            parse_pattern(text)
        words = text.partition(" *")[0]
        assert str(refused.value).startswith(f"has a wildcard after {words}, ")
        assert parse_pattern(text, to_deny=True).text == text
    assert covers(f"{before} u", f"{before} u")


def test_every_listed_word_launches() -> None:
    """The list is what is looked at, whatever stands in it, and for all of a program's names."""
    for word in LAUNCHING:
        for text in (f"tool {word} *", f"tool -u {word} v **"):
            with pytest.raises(BadPattern, match=f"^has a wildcard after tool .*{word}"):
                parse_pattern(text)


@pytest.mark.parametrize("program", ["npm", "pnpm", "make", "/usr/bin/npm", "npm.cmd"])
def test_run_is_fine_where_it_takes_a_name(program: str) -> None:
    """What these run by name is written down already."""
    assert covers(f"{program} run *", f"{program} run lint")
    assert covers(f"{program} run **", f"{program} run lint -q")


UNKNOWN = [
    "tool *",
    "tool **",
    "tool a-c *",
    "tool * b",
    "tool sub **",
    "npm runs *",
    "git *",
    "./npm test *",
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_an_unknown_program_may_run_what_it_is_given(text: str) -> None:
    """Nothing of it is left open, and the refusal says how the operator can vouch for it."""
    with pytest.raises(BadPattern, match=r"nobody has said that .* open_programs of the policy"):
        parse_pattern(text)


@pytest.mark.parametrize(("text", "opened"), [("tool **", ("tool",)), ("tool sub * **", ("tool", "sub"))])
def test_an_operator_can_vouch_for_a_program(text: str, opened: tuple[str, ...]) -> None:
    """What is named, with its verbs, may be left open; other verbs and programs stay as they are."""
    assert parse_pattern(text, opened={opened}).text == text
    for other in ("tools **", "tool other **" if len(opened) > 1 else "other **", "./tool **"):
        with pytest.raises(BadPattern, match="nobody has said"):
            parse_pattern(other, opened={opened})


@pytest.mark.parametrize(
    "entry", ["bash", "python3.12", "sudo", "kubectl exec", "npm run x", "tool -c", "env"]
)
def test_nobody_can_vouch_for_what_runs_what_it_is_given(entry: str) -> None:
    """Neither by its own name nor by a verb that launches."""
    with pytest.raises(Closed, match="which runs what it is given"):
        check_opened(entry)


@pytest.mark.parametrize("entry", ["", " ", "tool *", "**", "-x", "A=b", "t\u043eol"])
def test_what_names_no_program_vouches_for_none(entry: str) -> None:
    """An entry is the name of a program, and of its verbs."""
    with pytest.raises(Closed, match="names no program"):
        check_opened(entry)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("git", "git"),
        ("/usr/bin/git", "git"),
        ("./git", "git"),
        ("C:\\tools\\Git.EXE", "git"),
        ("npm.cmd", "npm"),
        ("x.bat", "x"),
        ("python3.11", "python"),
        ("gcc-12", "gcc"),
        ("7z", "7z"),
        ("7", "7"),
        (".", "."),
        ("git/", "git"),
        ("apt-get", "apt-get"),
    ],
)
def test_a_program_has_a_bare_name(word: str, name: str) -> None:
    """Its folder, its version and its ending do not make it another program."""
    assert program_of(word) == name


@repeatable
@given(patterns())
def test_the_text_of_a_pattern_leads_back_to_it(pattern: CommandPattern) -> None:
    """What is stored and shown is what was meant."""
    assert parse_pattern(pattern.text, to_deny=True) == pattern


@pytest.mark.parametrize(
    "text", ["ls ./=x", "ls ./@x *", "ls ./a", 'ls "./a b" **', "ls ././-u", "ls a//b", 'ls "" *']
)
def test_a_pattern_that_is_taken_can_be_read_again(text: str) -> None:
    """A pattern is stored as its text: one that cannot be read from it would spoil every later question."""
    pattern = parse_pattern(text)
    assert parse_pattern(pattern.text) == pattern


@repeatable
@given(patterns(), st.data())
def test_a_pattern_means_what_it_is_filled_with(pattern: CommandPattern, data: st.DataObject) -> None:
    """Any word for ``*`` and any further ones for ``**``, and no option where ``*`` stands."""
    words = filled(data, pattern)
    assert pattern.matches(tuple(words))
    for place, word in enumerate(pattern.words):
        if word == "*":
            assert not pattern.matches((*words[:place], f"-{words[place]}", *words[place + 1 :]))


@repeatable
@given(patterns(), st.data())
def test_a_pattern_does_not_mean_other_words(pattern: CommandPattern, data: st.DataObject) -> None:
    """With one of its own words changed, or one more or fewer, a command is not meant."""
    words = filled(data, pattern)
    for place, word in enumerate(pattern.words):
        if word not in {"*", "**"}:
            assert not pattern.matches((*words[:place], f"{word}x", *words[place + 1 :]))
    if pattern.words[-1] != "**":
        assert not pattern.matches((*words, "x"))
        assert not pattern.matches(tuple(words[:-1]))


REMOVING = "rm -rf **"


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf x",
        "rm -fr x",
        "rm -r -f x",
        "rm -rfv x",
        "rm -v -Rf x",
        "rm x -rf",
        "RM -RF x",
        "/bin/rm -rf x",
        "./rm -rf x",
        "rm.exe -rf x",
        "  rm   -rf  x",
        "rm\t-rf\tx",
        "rm" + " " * 5000 + "-rf x",
        "npm test" + " " * 5000 + "; rm -rf x",
        "npm test; rm -rf x",
        "npm test;rm -rf x",
        "npm test && rm -rf x",
        "npm test&&rm -rf x",
        "npm test || rm -rf x",
        "npm test | rm -rf x",
        "npm test & rm -rf x",
        "npm test\nrm -rf x",
        "npm test\r\nrm -rf x",
        "npm test\rrm -rf x",
        "(rm -rf x)",
        "{ rm -rf x; }",
        "{rm,-rf,x}",
        "echo $(rm -rf x)",
        "echo `rm -rf x`",
        'echo "$(rm -rf x)"',
        "diff <(rm -rf x) y",
        "cat <<E\n$(rm -rf x)\nE",
        "sh <<'E'\nrm -rf x\nE",
        "if true; then rm -rf x; fi",
        "for i in 1; do rm -rf x; done",
        "! rm -rf x",
        "CI=1 rm -rf x",
        "sudo rm -rf x",
        "env -i CI=1 rm -rf x",
        "timeout 5 rm -rf x",
        "xargs rm -rf",
        "find . -exec rm -rf {} +",
        "ls | xargs -I{} rm -rf {}",
        "sh -c 'rm -rf x'",
        'bash -lc "rm -rf x"',
        "bash -c 'cd y && rm -rf x'",
        'ssh host "sudo rm -rf x"',
        "eval rm\\ -rf\\ x",
        "python3 -c 'import os; os.system(\"rm -rf x\")'",
        "perl -e 'system(\"rm -rf x\")'",
        "cmd /c rm -rf x",
        "powershell -Command rm -rf x",
        "'rm' -rf x",
        '"rm" "-rf" x',
        "r'm' -rf x",
        'r""m -r"f" x',
        "r\\m -rf x",
        "\\rm -rf x",
        "rm \\\n-rf x",
        "rm \\\r\n-rf x",
        "r\\\nm -rf x",
        "r^m -rf x",
        "r$@m -rf x",
        "$'rm' -rf x",
        '$"rm" -rf x',
        "rm$IFS-rf x",
        "rm${IFS}-rf${IFS}x",
        "rm${IFS:0:1}-rf x",
        "rm$'\\t'-rf x",
        "2>/dev/null rm -rf x",
        "rm -rf x > y",
        "rm -rf x # harmless",
        "rm -rf -- x",
        "\N{FULLWIDTH LATIN SMALL LETTER R}\N{FULLWIDTH LATIN SMALL LETTER M} -rf x",
        "r\N{ZERO WIDTH SPACE}m -rf x",
        "rm\N{NO-BREAK SPACE}-rf x",
        "r\N{SOFT HYPHEN}m -rf x",
    ],
)
def test_a_forbidden_command_is_found(text: str) -> None:
    """Alone, beside or inside other commands, behind quotes, escapes and look-alikes."""
    assert might_run(text, parse_pattern(REMOVING, to_deny=True))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("rm 2>/dev/null -rf x", id="a redirection before the options"),
        pytest.param("rm </dev/null -rf x", id="an input before the options"),
        pytest.param("rm 2>&1 -rf x", id="a joined output before the options"),
        pytest.param("rm$IFS$9-rf$IFS$9x", id="$IFS and an empty parameter"),
        pytest.param("rm {-r,-f} x", id="options in braces"),
        pytest.param("rm -{r,f} x", id="letters of options in braces"),
        pytest.param('["rm","-rf","x"]', id="a list of words as JSON"),
        pytest.param('python -c \'run(["rm", "-rf", "x"])\'', id="a list of words in Python"),
        pytest.param("C:\\bin\\rm.exe -rf x", id="a path of Windows"),
        pytest.param("git -c alias.x='!rm -rf y' x", id="a git alias"),
        pytest.param("vim -c ':!rm -rf x'", id="a command of vim"),
        pytest.param("@rm -rf x", id="cmd.exe's silent command"),
        pytest.param("=rm -rf x", id="zsh's path of a program"),
        pytest.param("r`m -rf x", id="PowerShell's escape"),
        pytest.param("rm `\n-rf x", id="PowerShell's line continuation"),
        pytest.param("rm ^\n-rf x", id="cmd.exe's line continuation"),
        pytest.param("r$()m -rf x", id="an empty substitution"),
        pytest.param("r``m -rf x", id="an empty substitution in backticks"),
        pytest.param("rm " + "a " * 201 + "-rf", id="options behind 201 words"),
        pytest.param("rm>/dev/null -rf x", id="a redirection without spaces"),
        pytest.param("rm -r >>y -f x", id="a redirection between the options"),
        pytest.param("rm >|y -rf x", id="a redirection by force"),
        pytest.param("rm <<<y -rf x", id="a here-string before the options"),
        pytest.param("rm &>/dev/null -rf x", id="both outputs before the options"),
        pytest.param("rm >(cat) -rf x", id="a process substitution before the options"),
        pytest.param("rm < <(ls) -rf x", id="an input from a process before the options"),
        pytest.param("rm `true` -rf x", id="a substitution in backticks before the options"),
        pytest.param("rm $(true) -rf x", id="a substitution before the options"),
        pytest.param("r${9}m -rf x", id="an empty parameter in braces"),
        pytest.param("r${@}m -rf x", id="no arguments in braces"),
        pytest.param("r$*m -rf x", id="no arguments"),
        pytest.param("['rm', '-rf', 'x']", id="a list of words in single quotes"),
        pytest.param("\\\\host\\share\\rm -rf x", id="a program of another machine"),
        pytest.param("git -c alias.x=!rm\\ -rf\\ y x", id="a git alias with escaped spaces"),
        pytest.param("GIT_PAGER='rm -rf x' git log", id="a variable that is run"),
        pytest.param("rm \N{EN DASH}rf x", id="PowerShell's en dash"),
        pytest.param("rm \N{EM DASH}rf x", id="PowerShell's em dash"),
        pytest.param("rm \N{HORIZONTAL BAR}rf x", id="PowerShell's horizontal bar"),
        pytest.param(
            "& \N{LEFT SINGLE QUOTATION MARK}rm\N{RIGHT SINGLE QUOTATION MARK} -rf x",
            id="PowerShell's quotes",
        ),
    ],
)
def test_a_forbidden_command_is_found_in_every_disguise_that_can_be_seen(text: str) -> None:
    """What can be seen without running it is found; what a variable or a glob holds only a shell knows."""
    assert might_run(text, parse_pattern(REMOVING, to_deny=True))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("rm *", "rm `ls`"),
        ("rm *", "rm {a,b}"),
        ("rm *", "rm <(ls)"),
        ("rm *", "rm"),
        ("npm run *", "npm run"),
        ("npm * publish", "npm publish"),
        ("npm * publish", "npm a b publish"),
        ("git push --force **", "git push --forc"),
        ("git push --force **", "git push --fo=x"),
        ("rm --recursive **", "rm --r x"),
        ("rm -rf build", "rm -rf build/"),
        ("git push -f **", "git push -fo=ci.skip"),
        ("x --file=a/b", "x --file=a//b"),
        ('git commit -m "two words"', 'id; git commit -m "two words"'),
        ("kubectl delete pods,services", "kubectl delete pods,services"),
        ('x ""', 'x ""'),
        ('"my program" x', '"my program" x'),
        ("cat \N{FULLWIDTH LATIN SMALL LETTER A}", "id; cat \N{FULLWIDTH LATIN SMALL LETTER A}"),
        ("cat é", "id; cat e\N{COMBINING ACUTE ACCENT}"),
        ("cat ß", "id; cat ß"),
        (
            "cat \N{LATIN CAPITAL LETTER I WITH DOT ABOVE}",
            "id; cat \N{LATIN CAPITAL LETTER I WITH DOT ABOVE}",
        ),
    ],
)
def test_a_deny_finds_its_own_words(pattern: str, text: str) -> None:
    """Whatever words a pattern to deny is made of, a text that has them is found."""
    assert might_run(text, parse_pattern(pattern, to_deny=True))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("rm -rf **", "rm x"),
        ("rm -rf **", "rm -r x"),
        ("rm -rf **", "rmdir -rf x"),
        ("rm -rf **", "npm test"),
        ("rm -rf **", ""),
        ("rm -rf **", "echo -rf; rm x"),
        ("git push --force **", "git push"),
        ("git push --force **", "git fetch --force"),
        ("git push --force **", "git fetch; npm push --force"),
        ("npm publish", "npm test"),
        ("npm *", "pnpm x"),
        ("npm run *", "npm test"),
        ("rm --recursive **", "rm -- x"),
        ("rm -rf build", "rm -rf builds"),
    ],
)
def test_other_commands_are_left_alone(pattern: str, text: str) -> None:
    """A deny that hit everything would be switched off by its owner."""
    assert not might_run(text, parse_pattern(pattern, to_deny=True))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("git push --force **", "git push origin main --force"),
        ("git push --force **", "git -C x push --force=yes"),
        ("git push **", "git --no-pager push"),
        ("git push **", "echo git push"),
        ("npm *", "npm -x"),
        ("pytest **", "echo pytest"),
        ("cat .env", "cat ./.env"),
        ("cat docs/a", "cat docs//a"),
        ("python3 x", "python x"),
        ("bash *", "echo a | bash -s"),
    ],
)
def test_a_deny_is_read_broadly(pattern: str, text: str) -> None:
    """Order of options, words between, versions of programs and mere mentions do not help."""
    assert might_run(text, parse_pattern(pattern, to_deny=True))


WRAPPINGS = [
    "{}",
    "true; {}",
    "true && {}",
    "true | {} > x",
    "true\n{}\n",
    "({})",
    "$({})",
    "`{}`",
    "sudo -n {}",
    "CI=1 env {}",
    "sh -c '{}'",
    'sh -c "{}"',
    "sh -c 'true;{};true'",
    'x "y $({})"',
    "<({})",
    "{}" + " " * 5000,
    " " * 5000 + "{}",
]


@repeatable
@given(tame_patterns(), st.data())
def test_what_a_pattern_means_is_what_it_might_run(pattern: CommandPattern, data: st.DataObject) -> None:
    """A deny covers at least what an allow of the same words does, alone or wrapped in something else."""
    command = " ".join(filled(data, pattern))
    for wrapping in WRAPPINGS:
        assert might_run(wrapping.replace("{}", command), pattern), wrapping


def quoted_inside(word: str) -> str:
    return f"{word[:1]}''{word[1:]}"


def escaped(word: str) -> str:
    return f"\\{word}"


def in_double_quotes(word: str) -> str:
    return f'"{word}"'


def with_caret(word: str) -> str:
    return f"{word[:1]}^{word[1:]}"


def continued(word: str) -> str:
    return f"{word[:1]}\\\n{word[1:]}"


@repeatable
@given(tame_patterns(), st.data())
def test_no_quoting_hides_a_command(pattern: CommandPattern, data: st.DataObject) -> None:
    """Each word may be disguised in its own way; the command is found."""
    disguises: list[Callable[[str], str]] = [
        str,
        str.upper,
        quoted_inside,
        escaped,
        in_double_quotes,
        with_caret,
        continued,
    ]
    gaps = [" ", "   ", "\t", "${IFS}", " \\\n "]
    text = ""
    for word in filled(data, pattern):
        text += data.draw(st.sampled_from(disguises))(word) + data.draw(st.sampled_from(gaps))
    assert might_run(text, pattern)


@repeatable
@given(patterns(), st.text(max_size=60))
def test_any_text_gets_an_answer(pattern: CommandPattern, text: str) -> None:
    """No text that an agent thinks up makes the question fail."""
    assert might_run(text, pattern) in {True, False}


LONGEST = 256 * 1024


@contextmanager
def bounded_work(seconds: int = 4) -> Iterator[None]:
    """Ends what works longer than that: its own work is counted, not the time that others take.

    Work that grows with the length of a text is done in a small part of it, and work that grows with the
    square of its length in minutes.
    """

    def end(*_: object) -> None:
        raise AssertionError("far more work than the text is long")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize(
    "part",
    [
        pytest.param("a ", id="words"),
        pytest.param("rm ", id="programs"),
        pytest.param("rm;", id="commands"),
        pytest.param("--r ", id="options"),
        pytest.param("1", id="digits"),
        pytest.param("<", id="redirections"),
        pytest.param("< ", id="redirections and spaces"),
        pytest.param("${ifs", id="variables that never end"),
        pytest.param("$( ", id="substitutions that never end"),
        pytest.param("'", id="quotes"),
        pytest.param("{,", id="braces"),
        pytest.param("\\\n", id="continuations"),
        pytest.param("a/./", id="a path"),
    ],
)
def test_no_text_is_too_much_work(part: str) -> None:
    """The longest text is searched in no time, so that nobody can hold up the others."""
    text = f"rm {part * (LONGEST // len(part))}"
    with bounded_work():
        assert not might_run(text, parse_pattern("rm -rf u **", to_deny=True))


def test_no_pile_of_accents_is_too_much_work() -> None:
    """Bringing them into their order takes the square of their number, where it is done."""
    accents = "\N{COMBINING COMMA ABOVE RIGHT}\N{COMBINING GRAVE ACCENT BELOW}" * (LONGEST // 8)
    with bounded_work(2):
        assert not might_run(f"rm a{accents}", parse_pattern("rm -rf **", to_deny=True))
