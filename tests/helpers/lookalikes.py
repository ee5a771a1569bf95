"""Command lines that look like an allowed one, or begin with it, and are not that one plain command."""

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Final

ALLOWED: Final = ("npm test", "git status", "git log -5")
"""What a person or an operator allowed, to the word."""

PATTERNS: Final = ("npm test **", "git status **", "git log *")
"""What they allowed with wildcards. An option is covered by ``**`` and not by ``*``."""

BASE: Final = "BASE"
_PAD: Final = " " * 5000

_SHAPES: Final = {
    "a second command after ;": "BASE; id",
    "a second command after ; without spaces": "BASE;id",
    "a ; at the end": "BASE;",
    "a second command after &&": "BASE && id",
    "a second command after && without spaces": "BASE&&id",
    "a second command after ||": "BASE || id",
    "a pipe": "BASE | sh",
    "a pipe of both outputs": "BASE |& sh",
    "a second command after &": "BASE & id",
    "in the background": "BASE &",
    "a second command before it": "id; BASE",
    "a newline": "BASE\nid",
    "a newline at the end": "BASE\n",
    "a newline before it": "\nBASE",
    "a carriage return": "BASE\rid",
    "a carriage return and a newline": "BASE\r\nid",
    "a vertical tab": "BASE\vid",
    "a form feed": "BASE\fid",
    "a tab": "BASE\tid",
    "a NUL": "BASE\0id",
    "an escape sequence that hides": "BASE\x1b[8m id",
    "a backspace that rubs out": "BASE; id\b\b\b\b",
    "backticks": "BASE `id`",
    "backticks in double quotes": 'BASE "`id`"',
    "$(…)": "BASE $(id)",
    "$(…) in double quotes": 'BASE "$(id)"',
    "$(…) in single quotes, read twice by sh -c": "BASE '$(id)'",
    "$((…))": "BASE $((1+1))",
    "${…}": "BASE ${HOME}",
    "${…} that runs something": "BASE ${x:-$(id)}",
    "$NAME": "BASE $HOME",
    "$IFS": "BASE$IFS-x",
    "${IFS}": "BASE;${IFS}id",
    "$@": "BASE$@",
    "a variable before it": "CI=1 BASE",
    "a variable that loads code": "NODE_OPTIONS=--require=./x.js BASE",
    "a variable that changes the PATH": "PATH=.:/bin BASE",
    "more of a variable": "PATH+=:. BASE",
    "two variables before it": "A=1 B=2 BASE",
    "env before it": "env CI=1 BASE",
    "sudo before it": "sudo BASE",
    "5,000 spaces and ;": f"BASE{_PAD}; id",
    "5,000 spaces and &&": f"BASE{_PAD}&& id",
    "5,000 spaces and a newline": f"BASE{_PAD}\nid",
    "5,000 spaces and a word": f"BASE{_PAD}id",
    "5,000 newlines": "BASE" + "\n" * 5000 + "id",
    "an output to a file": "BASE > x",
    "an output to a file without spaces": "BASE>x",
    "more output to a file": "BASE >> x",
    "errors to a file": "BASE 2> x",
    "both outputs to a file": "BASE &> x",
    "an output to a network": "BASE > /dev/tcp/127.0.0.1/9",
    "an input from a file": "BASE < x",
    "a redirection before it": ">x BASE",
    "a here-document": "BASE <<E\n$(id)\nE",
    "a here-string": "BASE <<< x",
    "a process substitution": "BASE <(id)",
    "a process substitution to write to": "BASE >(id)",
    "a brace expansion": "BASE {a,b}",
    "a brace range": "BASE {1..9}",
    "a group": "{ BASE; }",
    "a subshell": "(BASE)",
    "a glob *": "BASE *",
    "a glob ?": "BASE ?",
    "a glob […]": "BASE [a-z]",
    "a glob inside a word": "BASE src/*.js",
    "a home": "BASE ~",
    "a file at home": "BASE ~/x",
    "somebody's home": "BASE ~root",
    "a home after =": "BASE --x=~/y",
    "a comment": "BASE # harmless",
    "a comment that shows less than runs": "BASE #\nid",
    "a line continuation": "BASE \\\nid",
    "a line continuation of Windows": "BASE \\\r\nid",
    "an escaped space": "BASE\\ x",
    "an escaped ;": "BASE \\; id",
    "ANSI-C quoting": "BASE $'\\x3b' id",
    "translated quoting": 'BASE $"x"',
    "history": "BASE !!",
    "history of a word": "BASE !$",
    "not": "! BASE",
    "history by replacement": "^BASE^id",
    "a variable of cmd.exe": "BASE %PATH%",
    "a delayed variable of cmd.exe": "BASE !PATH!",
    "cmd.exe's escape": "BASE ^& id",
    "cmd.exe's escape at the end": "BASE ^",
    "cmd.exe's silent command": "@BASE",
    "PowerShell's splatting": "BASE @x",
    "PowerShell's array": "BASE @(id)",
    "PowerShell's call": "& BASE",
    "PowerShell's end of parsing": "BASE --% & id",
    "PowerShell's script block": "BASE {id}",
    "zsh's path of a program": "BASE =id",
    "a quote that stays open": "BASE 'x",
    "a double quote that stays open": 'BASE "x',
    "quotes inside a further word": 'BASE x"y"z',
    "single quotes inside a further word": "BASE x'y'z",
    "single quotes around a further word": "BASE 'x'",
    "single quotes around nothing": "BASE ''",
    "a single quote in double quotes": 'BASE "it\'s"',
    "typographic quotes": "BASE \N{LEFT DOUBLE QUOTATION MARK}x\N{RIGHT DOUBLE QUOTATION MARK}",
    "a typographic dash": "BASE \N{EN DASH}x",
    "a picture": "BASE \N{SLIGHTLY SMILING FACE}",
    "an invisible letter": "BASE \N{HANGUL FILLER}",
    "a shell around it": 'sh -c "BASE; id"',
    "a zero-width space at the end": "BASE\N{ZERO WIDTH SPACE}",
    "a byte order mark before it": "\N{ZERO WIDTH NO-BREAK SPACE}BASE",
    "a word joiner as a word": "BASE \N{WORD JOINER}",
    "a change of direction": "BASE \N{RIGHT-TO-LEFT OVERRIDE}di ;",
    "an isolated change of direction": "BASE \N{RIGHT-TO-LEFT ISOLATE}x\N{POP DIRECTIONAL ISOLATE}",
    "a mark of direction": "BASE\N{RIGHT-TO-LEFT MARK}",
    "an Arabic mark of direction": "BASE \N{ARABIC LETTER MARK}x",
    "a no-break space at the end": "BASE\N{NO-BREAK SPACE}x",
    "a no-break space alone": "BASE \N{NO-BREAK SPACE}",
    "an em space": "BASE\N{EM SPACE}x",
    "an ideographic space": "BASE\N{IDEOGRAPHIC SPACE}x",
    "a line separator": "BASE\N{LINE SEPARATOR}id",
    "a paragraph separator": "BASE\N{PARAGRAPH SEPARATOR}id",
    "a next line character": "BASE\x85id",
    "a soft hyphen": "BASE x\N{SOFT HYPHEN}y",
    "a variation selector": "BASE x\N{VARIATION SELECTOR-16}",
    "a tag character": "BASE x\N{TAG LATIN SMALL LETTER A}",
    "a combining accent": "BASE\N{COMBINING ACUTE ACCENT}",
}

_CYRILLIC: Final = str.maketrans(
    {
        "a": "\N{CYRILLIC SMALL LETTER A}",
        "e": "\N{CYRILLIC SMALL LETTER IE}",
        "i": "\N{CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I}",
        "o": "\N{CYRILLIC SMALL LETTER O}",
        "p": "\N{CYRILLIC SMALL LETTER ER}",
    }
)

_PLACE_OF_A_WILDCARD: Final = {
    "an option": "--output=x",
    "a short option": "-p",
    "a lone dash": "-",
    "two dashes": "--",
    "an option in double quotes": '"--output=x"',
    "an option in single quotes": "'--output=x'",
    "an option and a word": "--output x",
    "a word and an option": "x --output=y",
    "an option between single quotes, which cmd.exe does not know": "'x --output=y z'",
    "an option in PowerShell's double quotes": (
        "\N{LEFT DOUBLE QUOTATION MARK}--output=x\N{RIGHT DOUBLE QUOTATION MARK}"
    ),
    "an option in PowerShell's single quotes": (
        "\N{LEFT SINGLE QUOTATION MARK}--output=x\N{RIGHT SINGLE QUOTATION MARK}"
    ),
    "an option behind an en dash": "\N{EN DASH}output",
    "an option behind an em dash": "\N{EM DASH}output",
    "an option behind a horizontal bar": "\N{HORIZONTAL BAR}output",
    "an option behind a full-width hyphen": "\N{FULLWIDTH HYPHEN-MINUS}p",
    "a letter that shows nothing": "\N{HANGUL FILLER}",
    "a sign that shows nothing": "\N{BRAILLE PATTERN BLANK}",
}


def _full_width(word: str) -> str:
    return "".join(chr(ord(character) + 0xFEE0) for character in word)


def _spellings(base: str) -> Iterator[tuple[str, str]]:
    """The command itself in letters, spaces and quotes that are not its own."""
    program, word, *rest = base.split(" ")
    tail = "".join(f" {each}" for each in rest)
    yield "a Cyrillic letter in the program", f"{program.translate(_CYRILLIC)} {word}{tail}"
    yield "a Cyrillic letter in a word", f"{program} {word.translate(_CYRILLIC)}{tail}"
    yield "a full-width program", f"{_full_width(program)} {word}{tail}"
    yield "a full-width word", f"{program} {_full_width(word)}{tail}"
    yield "a zero-width space in the program", f"{program[0]}\N{ZERO WIDTH SPACE}{program[1:]} {word}{tail}"
    yield "a zero-width joiner in a word", f"{program} {word[0]}\N{ZERO WIDTH JOINER}{word[1:]}{tail}"
    yield "a zero-width space between words", f"{program}\N{ZERO WIDTH SPACE} {word}{tail}"
    yield "a no-break space between words", f"{program}\N{NO-BREAK SPACE}{word}{tail}"
    yield "a tab between words", f"{program}\t{word}{tail}"
    yield "$IFS between words", f"{program}$IFS{word}{tail}"
    yield "${IFS} between words", f"{program}${{IFS}}{word}{tail}"
    yield "a newline between words", f"{program}\n{word}{tail}"
    yield "a line continuation between words", f"{program} \\\n{word}{tail}"
    yield "a word turned round", f"{program} \N{RIGHT-TO-LEFT OVERRIDE}{word[::-1]}{tail}"
    yield "quotes inside the program", f"{program[0]}'{program[1:]}' {word}{tail}"
    yield "empty quotes inside a word", f'{program} {word[0]}""{word[1:]}{tail}'
    yield "an escape inside the program", f"{program[0]}\\{program[1:]} {word}{tail}"
    yield "a caret inside a word", f"{program} {word[0]}^{word[1:]}{tail}"
    yield "a backtick inside a word", f"{program} {word[0]}`{word[1:]}{tail}"
    yield "braces for words", f"{{{program},{word}}}{tail}"
    yield "all of it in quotes", f'"{base}"'
    yield "the program in another folder", f"./{base}"
    yield "the program at home", f"~/bin/{base}"
    yield "the program in capitals", f"{program.upper()} {word}{tail}"
    yield "an option before the word", f"{program} --prefix=x {word}{tail}"
    yield "a longer word", f"{program} {word}s{tail}"
    yield "a word with a folder", f"{program} {word}/../x{tail}"


def _variants() -> Iterator[tuple[str, str]]:
    """Each with one of the commands in turn: what is done to a command does not depend on which it is."""
    for (name, shape), base in zip(_SHAPES.items(), cycle(ALLOWED), strict=False):
        yield f"{base}: {name}", shape.replace(BASE, base)
    for turn, base in enumerate(ALLOWED):
        for name, text in islice(_spellings(base), turn, None, len(ALLOWED)):
            yield f"{base}: {name}", text
    for name, word in _PLACE_OF_A_WILDCARD.items():
        yield f"git log *: {name}", f"git log {word}"


VARIANTS: Final = tuple(_variants())
"""Pairs of what is done and the text that does it."""
