"""Programs by their names: which of them run what they are given."""

from __future__ import annotations

from typing import Final

SHELLS: Final = "sh bash rbash dash ash ksh zsh fish nu csh tcsh busybox cmd call powershell pwsh wsl"
STARTERS: Final = (
    ". env sudo doas su runuser xargs parallel eval exec command builtin source nohup setsid time "
    "timeout nice ionice stdbuf unshare nsenter chroot flock ssh watch find script expect start tmux "
    "screen npx bunx uvx pipx"
)
INTERPRETERS: Final = (
    "python pythonw py pypy perl ruby node nodejs deno bun php lua awk gawk mawk sed vim nvim vi ex "
    "emacs tclsh osascript"
)
RUNNERS: Final = frozenset(f"{SHELLS} {STARTERS} {INTERPRETERS}".split())
"""What follows one of them can be any command, or any program."""

LAUNCHING: Final = frozenset({"exec", "run", "x", "dlx", "-c", "-e", "--eval", "--exec", "--command"})
"""Words after which other programs, too, run what they are given."""

RUN_BY_NAME: Final = frozenset({"npm", "pnpm", "yarn", "make"})
"""Programs whose ``run`` takes the name of something that is written down already."""

ENDINGS: Final = (".exe", ".cmd", ".bat", ".ps1")


def program_of(word: str) -> str:
    """The bare name of a program: without folder, version and ending, and without what shells put before."""
    name = word.replace("\\", "/").rstrip("/").rpartition("/")[2].casefold().lstrip("!:@=&+")
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return name.rstrip("0123456789.-") or name


def may_launch(words: tuple[str, ...]) -> bool:
    """Whether what comes after the words can be any command."""
    program = program_of(words[0])
    if program in RUNNERS:
        return True
    launching = set(words[1:]) & LAUNCHING
    return bool(launching - {"run"} if program in RUN_BY_NAME else launching)
