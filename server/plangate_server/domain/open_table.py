"""Programs whose arguments may be left open in a pattern, as a table.

What is not in the table is unknown: neither a program, nor an option of one that is known. An entry is a
program and its verbs, with the options that mean nothing but themselves: none names a program, a module or
settings, none sends what is done or written to another place, and none does another thing than the verb says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import ascii_letters
from typing import Final

from msgspec import Struct


class Family(Struct, frozen=True):
    """What may stand open after a program and its verbs."""

    letters: frozenset[str] = frozenset()
    """Options of one letter, alone or together, with digits behind them or not."""
    options: frozenset[str] = frozenset()
    """All other options that are known, to the letter; those with a ``=`` with just this value."""
    rest: bool = True
    """Whether ``**`` may stand there: further words, and options that are known."""
    colons: bool = False
    """Whether a colon inside a word means nothing but itself, as in ``build:prod``."""
    names: bool = False
    """Whether words are names of things: nothing that begins like a path."""
    is_vouched_for: bool = False
    """Whether the operator says of the program that it runs nothing: any option that does not "
    "sound like it."""


class Global(Struct, frozen=True):
    """Options that may stand between a program and its verb."""

    flags: tuple[str, ...] = ()
    valued: tuple[str, ...] = ()


def _family(
    letters: str = "", options: str = "", *, rest: bool = True, colons: bool = False, names: bool = False
) -> Family:
    return Family(frozenset(letters), frozenset(options.split()), rest, colons, names)


def _entries(family: Family, *lines: str) -> Iterator[tuple[tuple[str, ...], Family]]:
    """Each line is a program and its verbs; ``stash+list`` is a verb of two words."""
    for line in lines:
        program, *verbs = line.split()
        for verb in verbs:
            yield (program, *verb.split("+")), family


def _each(family: Family, programs: str) -> Iterator[tuple[tuple[str, ...], Family]]:
    yield from (((program,), family) for program in programs.split())


# Of all that only looks, compares or counts: no option of any of them writes or runs anything.
LOOKS: Final = _family(
    ascii_letters,
    """
    --all --almost-all --classify --color --colour --directory --full-time --group-directories-first
    --human-readable --si --inode --long --numeric-uid-gid --recursive --reverse --size --sort
    --time --time-style --width --bytes --chars --lines --words --max-line-length --quiet --silent
    --verbose --follow --retry --number --number-nonblank --show-all --show-ends --show-tabs
    --squeeze-blank --max-depth --summarize --apparent-size --total --one-file-system --exclude
    --exclude-dir --exclude-from --include --ignore-case --no-ignore-case --line-number
    --line-buffered --files-with-matches --files-without-match --count --only-matching
    --invert-match --word-regexp --line-regexp --fixed-strings --extended-regexp --basic-regexp
    --perl-regexp --regexp --after-context --before-context --context --no-filename --with-filename
    --max-count --no-messages --null --null-data --text --binary --binary-files --byte-offset
    --delimiter --fields --characters --only-delimited --complement --delete --squeeze-repeats
    --check --tag --ignore-missing --status --strict --brief --unified --side-by-side
    --ignore-all-space --ignore-space-change --ignore-blank-lines --suppress-common-lines
    --report-identical-files --minimal --recursive --new-file --format --printf --file-system
    --dereference --no-dereference --terse --canonicalize --canonicalize-existing
    --canonicalize-missing --relative-to --relative-base --zero --no-newline --suffix --multiple
    --block-size --print-type --local --inodes --type --user --group --name --real --kernel-name
    --kernel-release --machine --forest --no-headers --pid --ppid --table --separator --tabs
    --spaces --tree --level --icons --git --git-ignore --version --help
    """,
)
GIT_LOOKS: Final = _family(
    "abcdefghiklmnopqrstuvwxzBCDEFGLMSTUWRX",
    """
    --oneline --patch --no-patch --stat --shortstat --numstat --dirstat --name-only --name-status
    --summary --raw --check --quiet --exit-code --graph --all --branches --tags --remotes --decorate
    --no-decorate --since --until --after --before --author --committer --grep --invert-grep
    --all-match --regexp-ignore-case --fixed-strings --extended-regexp --perl-regexp --pickaxe-regex
    --pickaxe-all --follow --merges --no-merges --first-parent --reverse --pretty --format
    --abbrev-commit --no-abbrev-commit --abbrev --no-abbrev --date --relative-date --cached --staged
    --word-diff --color-words --color --no-color --color-moved --unified --ignore-all-space
    --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --function-context --minimal
    --patience --histogram --diff-filter --diff-algorithm --binary --full-index --no-renames
    --find-renames --find-copies --relative --merge-base --topo-order --date-order
    --author-date-order --max-count --skip --left-right --left-only --right-only --cherry-pick
    --cherry-mark --cherry --no-ext-diff --no-textconv --boundary --simplify-by-decoration
    --full-history --ancestry-path --walk-reflogs --source --notes --no-notes --numbered --email
    --committer --porcelain --line-porcelain --incremental --show-name --show-email --show-number
    --root --cc --combined-all-paths --text --stdin --short --branch --long --verbose
    --untracked-files --ignored --ahead-behind --no-ahead-behind --show-stash --column --no-column
    --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir
    --is-inside-work-tree --is-bare-repository --abbrev-ref --symbolic --symbolic-full-name --verify
    --count --others --modified --deleted --exclude-standard --exclude --directory --stage
    --unmerged --full-name --full-tree --error-unmatch --eol --contains --no-contains --match
    --always --dirty --exact-match --candidates --is-ancestor --octopus --independent --heads --head
    --dereference --sort --points-to --merged --no-merged --non-matching --no-index-entries
    --human-readable --objects --parents --children --timestamp --include-untracked --only-untracked
    --version --help
    """,
    colons=True,
)
GIT_GREPS: Final = _family(
    "abceilnopqrvwzABCEFGHILPW",
    """
    --cached --untracked --line-number --ignore-case --name-only --files-with-matches
    --files-without-match --count --and --or --not --all-match --heading --break --color --no-color
    --max-depth --function-context --show-function --word-regexp --fixed-strings --extended-regexp
    --basic-regexp --perl-regexp --invert-match --only-matching --after-context --before-context
    --context --column --text --full-name --null --quiet --max-count --threads
    """,
)
REFS: Final = _family(
    "abcdfklmnqruvBDM",
    """
    --all --list --merged --no-merged --contains --no-contains --delete --move --copy --force
    --quiet --verbose --track --no-track --detach --orphan --create --guess --no-guess --ours
    --theirs --no-ff --ff --ff-only --squash --message --abort --continue --skip --quit --no-edit
    --no-commit --hard --soft --mixed --keep --merge --onto --autostash --no-autostash --annotate
    --sort --remotes --show-current --set-upstream-to --unset-upstream --include-untracked
    --keep-index --index --staged --porcelain --stat --no-stat --mainline
    """,
    rest=False,
    names=True,
)
"""Names of remotes and branches: a colon, a plus or a path would say where to, from, or over what."""

# What goes to a script may go to any program: only what is the same, or nothing, to all of them.
SCRIPTS: Final = _family(
    "qsv",
    """
    --silent --if-present --ignore-scripts --workspaces --include-workspace-root -w --workspace
    --recursive --fix --check --watch --watchAll --run --ci --coverage --no-coverage --verbose
    --quiet --bail --color --no-color --colors --no-colors --runInBand --passWithNoTests
    --updateSnapshot --onlyChanged --testNamePattern --testPathPattern --testPathPatterns
    --findRelatedTests --runTestsByPath --maxWorkers --max-warnings --forceExit --detectOpenHandles
    --no-cache --grep --timeout --version --help
    """,
    colons=True,
)
PACKAGES: Final = _family(
    "adglpsw",
    """
    --all --depth --json --long --global --prod --production --dev --omit --only --include
    --parseable --workspace --workspaces --silent --no-color --color --compatible --latest --pattern
    --only-projects --version --help
    """,
)
PYTEST: Final = _family(
    "hklmnqsvxV",
    """
    --quiet --verbose --exitfirst --maxfail --tb --showlocals --no-showlocals --capture --durations
    --durations-min --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise
    --stepwise-skip --last-failed-no-failures --lfnf --collect-only --co --no-header --no-summary
    --strict-markers --strict-config --strict --color --code-highlight --show-capture --ignore
    --deselect --keep-duplicates --runxfail --markers --fixtures --fixtures-per-test --setup-show
    --setup-only --setup-plan --doctest-modules --doctest-continue-on-failure --cache-clear
    --disable-warnings --disable-pytest-warnings --log-level --log-cli-level --full-trace
    --verbosity --assert=plain --assert=rewrite --numprocesses --dist --maxprocesses --reruns
    --reruns-delay --only-rerun --timeout --randomly-seed --random-order --count --benchmark-only
    --benchmark-skip --benchmark-disable --asyncio-mode --cov --no-cov --cov-branch --cov-append
    --cov-fail-under --cov-context --cov-report=term --cov-report=term-missing
    --cov-report=term-missing:skip-covered --cov-report=term:skip-covered --cov-report=html
    --cov-report=xml --cov-report=json --cov-report= -ra -rA -rf -rF -rs -rx -rX -rp -rP -rE -rfE
    -rfEs -rfs -rsx -rxX -rN -Werror -Wignore -Wdefault -Walways -Wonce --version --help
    """,
    colons=True,
)
JEST: Final = _family(
    "befhiotuvw",
    """
    --watch --watchAll --coverage --no-coverage --ci --verbose --silent --runInBand
    --testNamePattern --testPathPattern --testPathPatterns --testPathIgnorePatterns --onlyChanged
    --onlyFailures --bail --updateSnapshot --maxWorkers --maxConcurrency --passWithNoTests
    --findRelatedTests --runTestsByPath --listTests --json --detectOpenHandles --detectLeaks
    --openHandlesTimeout --forceExit --noStackTrace --expand --lastCommit --changedSince
    --changedFilesWithAncestor --clearMocks --resetMocks --restoreMocks --color --colors --no-color
    --shard --testTimeout --errorOnDeprecated --logHeapUsage --cache --no-cache --showSeed --seed
    --randomize --collectCoverageFrom --selectProjects --ignoreProjects --debug --all --version
    --help
    """,
)
VITEST: Final = _family(
    "htuvw",
    """
    --run --watch --no-watch --coverage --coverage.enabled --no-coverage --silent --testNamePattern
    --bail --passWithNoTests --update --changed --project --shard --allowOnly --retry --testTimeout
    --hookTimeout --teardownTimeout --hideSkippedTests --logHeapUsage --maxWorkers --minWorkers
    --maxConcurrency --fileParallelism --no-file-parallelism --no-isolate --isolate
    --expandSnapshotDiff --disableConsoleIntercept --color --no-color --standalone --clearScreen
    --no-clearScreen --reporter=default --reporter=verbose --reporter=basic --reporter=dot
    --reporter=json --reporter=tap --reporter=tap-flat --reporter=junit --version --help
    """,
)
MOCHA: Final = _family(
    "bcfghijpstwASV",
    """
    --grep --fgrep --invert --bail --no-bail --timeout --no-timeout --timeouts --no-timeouts --slow
    --exit --no-exit --recursive --watch --parallel --no-parallel --jobs --retries --forbid-only
    --forbid-pending --full-trace --check-leaks --color --colors --no-color --no-colors --diff
    --no-diff --inline-diffs --dry-run --sort --async-only --allow-uncaught --fail-zero --ignore
    --exclude --pass-on-failing-test-suite --reporter=spec --reporter=dot --reporter=min
    --reporter=tap --reporter=list --reporter=json --reporter=nyan --reporter=progress
    --reporter=landing --version --help
    """,
)
AVA: Final = _family(
    "cmstuvwT",
    """
    --watch --match --fail-fast --no-fail-fast --serial --concurrency --timeout --tap --verbose
    --color --no-color --update-snapshots --version --help
    """,
)
ESLINT: Final = _family(
    "hv",
    """
    --fix --fix-dry-run --fix-type --quiet --max-warnings --ext --cache --no-cache --color
    --no-color --ignore-pattern --no-ignore --no-inline-config --report-unused-disable-directives
    --debug --env-info --no-error-on-unmatched-pattern --no-warn-ignored --pass-on-no-patterns
    --exit-on-fatal-error --stats --format=stylish --format=json --format=html --version --help
    """,
)
PRETTIER: Final = _family(
    "cluw",
    """
    --check --write --list-different --log-level --loglevel --no-semi --semi --single-quote
    --tab-width --print-width --trailing-comma --use-tabs --cache --no-cache --color --no-color
    --ignore-unknown --no-error-on-unmatched-pattern --no-bracket-spacing --bracket-same-line
    --prose-wrap --end-of-line --arrow-parens --quote-props --jsx-single-quote --no-config
    --no-editorconfig --with-node-modules --version
    """,
)
STYLELINT: Final = _family(
    "qhv",
    """
    --fix --quiet --cache --allow-empty-input --aei --max-warnings --mw --color --no-color
    --ignore-disables --id --report-needless-disables --rd --disable-default-ignores --version
    --help
    """,
)
TSC: Final = _family(
    "",
    """
    -w --watch -d -h -v -t -m --noEmit --pretty --strict --skipLibCheck --listFiles --listFilesOnly
    --listEmittedFiles --showConfig --target --module --moduleResolution --lib --jsx --noEmitOnError
    --noImplicitAny --strictNullChecks --noUnusedLocals --noUnusedParameters --esModuleInterop
    --allowJs --checkJs --resolveJsonModule --isolatedModules --diagnostics --extendedDiagnostics
    --traceResolution --explainFiles --preserveWatchOutput --declaration --sourceMap --all --version
    --help
    """,
)
BIOME: Final = _family(
    "",
    """
    --write --fix --staged --changed --since --max-diagnostics --diagnostic-level
    --error-on-warnings --no-errors-on-unmatched --verbose --colors --only --skip
    --files-ignore-unknown --version --help
    """,
)
RUFF: Final = _family(
    "ehnqsvwV",
    """
    --fix --no-fix --fix-only --unsafe-fixes --no-unsafe-fixes --diff --watch --select --ignore
    --extend-select --extend-ignore --per-file-ignores --fixable --unfixable --show-fixes
    --show-files --show-settings --show-source --statistics --no-cache --check --quiet --verbose
    --silent --exit-zero --exit-non-zero-on-fix --line-length --target-version --preview
    --no-preview --exclude --extend-exclude --force-exclude --respect-gitignore --output-format
    --ignore-noqa --add-noqa --range --isolated --all --version --help
    """,
)
BLACK: Final = _family(
    "hlqtvCS",
    """
    --check --diff --quiet --verbose --line-length --target-version --fast --safe --pyi --ipynb
    --color --no-color --skip-string-normalization --skip-magic-trailing-comma --preview --unstable
    --exclude --extend-exclude --force-exclude --include --workers --version --help
    """,
)
ISORT: Final = _family(
    "cjlqvV",
    """
    --check --check-only --diff --df --quiet --verbose --profile=black --profile=django
    --profile=google --line-length --skip --skip-glob --extend-skip --extend-skip-glob
    --skip-gitignore --atomic --jobs --only-modified --filter-files --color --show-files --version
    --help
    """,
)
LINTS: Final = _family(
    "ehjqv",
    """
    --max-line-length --max-doc-length --select --ignore --extend-ignore --extend-select --exclude
    --extend-exclude --count --statistics --show-source --show-pep8 --max-complexity
    --per-file-ignores --jobs --benchmark --color --disable-noqa --doctests --quiet --verbose
    --first --convention --add-ignore --add-select --match --match-dir --min-confidence
    --ignore-names --ignore-decorators --sort-by-size --version --help
    """,
    colons=True,
)
PYLINT: Final = _family(
    "dehjrsvE",
    """
    --disable --enable --jobs --errors-only --score --reports --max-line-length --ignore
    --ignore-patterns --ignore-paths --recursive --exit-zero --fail-under --fail-on --py-version
    --verbose --output-format=text --output-format=colorized --output-format=json
    --output-format=parseable --version --help
    """,
)
BANDIT: Final = _family(
    "ahilnqrstvx",
    """
    --recursive --aggregate --number --tests --skip --severity-level --confidence-level --verbose
    --debug --quiet --silent --ignore-nosec --exclude --exit-zero --version --help
    """,
)
SHELL_LINTS: Final = _family(
    "aefhiqstvxCSV",
    """
    --check-sourced --color --exclude --include --format --shell --severity --external-sources
    --wiki-link-count --ignore --no-fail --no-color --failure-threshold --strict-labels --verbose
    --strict --no-warnings --list-files --version --help
    """,
)
GOLANGCI: Final = _family(
    "hjpvED",
    """
    --fix --fast --fast-only --verbose --timeout --enable --disable --enable-only --disable-all
    --enable-all --new --new-from-rev --new-from-merge-base --tests --presets --concurrency
    --max-issues-per-linter --max-same-issues --issues-exit-code --color --no-config
    --allow-parallel-runners --allow-serial-runners --help
    """,
)
TASKS: Final = _family(
    "jknqsv",
    """
    --info --stacktrace --full-stacktrace --offline --parallel --no-parallel --quiet --warn --silent
    --tests --rerun-tasks --continue --no-daemon --daemon --build-cache --no-build-cache --dry-run
    --trace --verbose --force --jobs --list --summary --status --tasks --all --prereqs --console
    """,
    rest=False,
    colons=True,
)
CARGO: Final = _family(
    "dehijpqrvADFW",
    """
    --release --lib --bin --bins --test --tests --example --examples --bench --benches --package
    --workspace --all --all-features --features --no-default-features --no-run --no-fail-fast
    --quiet --verbose --jobs --doc --exclude --locked --offline --frozen --profile --message-format
    --all-targets --keep-going --color --timings --no-deps --document-private-items --check --depth
    --invert --edges --duplicates --prefix --charset --limit --format-version --nocapture
    --no-capture --test-threads --ignored --include-ignored --exact --show-output --skip --list
    --emit=files --version --help
    """,
    colons=True,
)
GO_NAMES: Final = (
    "v race run count short timeout cover covermode coverpkg bench benchmem benchtime parallel failfast "
    "json shuffle list skip p n x a tags trimpath cpu fullpath m deps test e versions retracted "
    "reuse all src "
    "cmd compat go diff h help"
)
GO: Final = _family(
    "",
    " ".join(f"-{name} --{name}" for name in GO_NAMES.split())
    + " -mod=readonly -mod=vendor -vet=off -buildvcs=false -buildvcs=auto",
)
PIP: Final = _family(
    "aefhloqtTv",
    """
    --outdated --uptodate --local --user --editable --exclude-editable --include-editable --format
    --not-required --exclude --files --verbose --quiet --all --tree --latest --top-level --only
    --with --without --why --no-dev --json --full-name --version --help
    """,
)
KUBECTL: Final = _family(
    "hlnowAL",
    """
    --namespace --all-namespaces --output -oyaml -ojson -owide -oname --selector --field-selector
    --show-labels --show-kind --show-managed-fields --label-columns --watch --watch-only --sort-by
    --no-headers --chunk-size --ignore-not-found --containers --sum --recursive --api-version
    --api-group --namespaced --verbs --client --short --cached --categories --show-events --revision
    --timeout --list --quiet --subresource --help
    """,
    colons=True,
)
KUBECTL_LOGS: Final = _family(
    "cfhlnp",
    """
    --namespace --selector --container --all-containers --all-pods --follow --previous --tail
    --since --since-time --timestamps --prefix --limit-bytes --max-log-requests --ignore-errors
    --pod-running-timeout --help
    """,
    colons=True,
)
DOCKER: Final = _family(
    "afhlnqst",
    """
    --all --quiet --filter --format --no-trunc --last --latest --size --digests --follow --tail
    --since --until --timestamps --details --no-stream --type --human --no-color --no-log-prefix
    --services --status --orphans --images --volumes --profiles --networks --variables --hash
    --no-interpolate --index --help
    """,
    colons=True,
)
DOTNET: Final = _family(
    "v",
    """
    -c --configuration --no-build --no-restore --filter --verbosity --framework --nologo --blame
    --parallel --skip --verbose --quiet --enable-code-coverage --trace --seed --only --exclude
    --include --failed --stale --max-failures --cover --slowest --force --warnings-as-errors
    --check-formatted --dry-run --verify-no-changes --outdated --vulnerable --deprecated
    """,
    rest=False,
)
RUBY_PHP: Final = _family(
    "abehtvAD",
    """
    --fail-fast --no-fail-fast --only-failures --next-failure --seed --order --tag --example
    --backtrace --profile --dry-run --autocorrect --auto-correct --autocorrect-all --only --except
    --lint --parallel --no-parallel --display-cop-names --filter --testsuite --group --exclude-group
    --stop-on-failure --stop-on-error --testdox --color --no-color --verbose --version
    """,
    rest=False,
)
MAVEN: Final = _family(
    "",
    """
    -q -B -o -pl -am -amd -U -e -X -T -ntp -nsu -DskipTests -DskipITs --quiet --batch-mode --offline
    --projects --also-make --also-make-dependents --update-snapshots --errors --debug --threads
    --no-transfer-progress --fail-fast --fail-at-end --fail-never -ff -fae -fn
    """,
    rest=False,
)
COVERAGE: Final = _family(
    "aim",
    """
    --show-missing --skip-covered --skip-empty --include --omit --fail-under --sort --precision
    --ignore-errors --quiet --append --keep --show-contexts --pretty-print --format
    """,
    rest=False,
)
RUBY_PACKAGES: Final = _family(
    "aditlADo",
    """
    --strict --direct --latest --tree --installed --all --locked --no-dev --format --parseable
    --major --minor --patch --local --remote --versions --exact --details --name-only --no-check-all
    --no-check-publish
    """,
    rest=False,
)
HELM: Final = _family(
    "adnoqA",
    """
    --namespace --all-namespaces --output --filter --short --all --max --revision --deployed
    --failed --pending --date --reverse --versions --show-resources
    """,
    rest=False,
)
TERRAFORM: Final = _family(
    "",
    """
    -no-color -json -compact-warnings -input=false -lock=false -refresh=false -refresh-only -destroy
    -detailed-exitcode -check -diff -recursive -raw -target -lock-timeout -parallelism
    """,
    rest=False,
)
GH: Final = _family(
    "aclqsABLRS",
    """
    --state --author --label --limit --json --jq --assignee --search --base --head --comments --log
    --log-failed --name-only --patch --branch --workflow --repo --status --required --verbose --job
    --draft --milestone
    """,
    rest=False,
)
SYSTEM: Final = _family(
    "alntv",
    """
    --no-pager --full --all --type --state --lines --user --plain --no-legend --versions --formula
    --formulae --cask --casks --json --verbose --installed --upgradable --upgradeable --all-versions
    --names-only --tree --quiet
    """,
    rest=False,
)
JOURNAL: Final = _family(
    "abefklnoprstux",
    """
    --unit --user-unit --lines --follow --since --until --no-pager --reverse --output --priority
    --boot --dmesg --grep --catalog --full --quiet --identifier --listening --tcp --udp --numeric
    --all --processes
    """,
    rest=False,
    names=True,
)

OPEN: Final[Mapping[tuple[str, ...], Family]] = dict(
    [
        *_each(
            LOOKS,
            "ls cat head tail wc grep egrep fgrep stat du df pwd cut tr nl md5sum sha1sum "
            "sha256sum sha512sum "
            "cksum basename dirname realpath readlink cmp comm paste join fold column fmt echo "
            "printf whoami id "
            "uname cal uptime free ps which whereis type tac rev expand unexpand od strings exa "
            "eza lsblk lscpu "
            "groups users nproc arch getconf locale seq sleep",
        ),
        *_each(Family(LOOKS.letters - {"l"}, LOOKS.options), "diff"),  # -l sends it through another program
        *_each(
            _family("bhikLr", "--brief --mime --mime-type --mime-encoding --dereference --keep-going"),
            "file",
        ),
        *_each(
            _family("uIR", "--utc --universal --iso-8601 --rfc-3339 --rfc-email --date --reference -d -r"),
            "date",
        ),
        *_each(_family("abcgilnopstuwPRUVX"), "lsof"),
        *_each(_family("bcdnosvxC"), "hexdump"),
        *_each(
            _family(
                "acdfghilnpqrstuvxACDFIJLNPQSU",
                "--dirsfirst --filelimit --gitignore --noreport --du --prune --sort --matchdirs "
                "--ignore-case",
            ),
            "tree",
        ),
        *_each(
            _family(
                "bcdfghikmnrstuzCMRSV",
                """
                --reverse --numeric-sort --unique --key --field-separator --human-numeric-sort
                --version-sort --stable --check --ignore-case --general-numeric-sort
                --zero-terminated --month-sort --ignore-leading-blanks --dictionary-order --merge
                --buffer-size --parallel
                """,
            ),
            "sort",
        ),
        *_each(
            _family(
                "abcefghijlnopqrstuvwxABCDEFHILMNPSTU0",
                """
                --line-number --no-line-number --ignore-case --smart-case --case-sensitive --hidden
                --no-ignore --no-ignore-vcs --files --files-with-matches --files-without-match
                --count --count-matches --glob --iglob --type --type-not --type-list --fixed-strings
                --word-regexp --line-regexp --invert-match --only-matching --after-context
                --before-context --context --max-count --max-depth --multiline --multiline-dotall
                --pcre2 --follow --no-heading --heading --color --colors --column --vimgrep --json
                --stats --sort --sortr --replace --regexp --text --threads --trim --unrestricted
                --quiet --with-filename --no-filename --null --max-filesize --max-columns --passthru
                --version --help
                """,
            ),
            "rg",
        ),
        *_each(
            _family(
                "acdeghipqstuEHIL01FSj",
                """
                --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case
                --glob --fixed-strings --absolute-path --follow --full-path --max-depth --min-depth
                --exact-depth --exclude --type --extension --size --changed-within --changed-before
                --color --max-results --print0 --threads --quiet --version --help
                """,
            ),
            "fd fdfind",
        ),
        *_each(_family("cdfisuwz", "--count --repeated --unique --ignore-case", rest=False), "uniq"),
        *_each(_family("bcilpsu", rest=False), "xxd"),
        *_each(_family("diwD", "--decode --wrap --ignore-garbage", rest=False), "base64"),
        *_each(
            _family(
                "acejnrsCMS",
                """
                --raw-output --compact-output --exit-status --slurp --null-input --sort-keys
                --monochrome-output --color-output --arg --argjson --join-output --tab --indent
                """,
                rest=False,
            ),
            "jq",
        ),
        *_each(_family("eijnoprNPC", "--prettyPrint --no-colors --indent --exit-status", rest=False), "yq"),
        *_each(
            _family("lnprA", "--plain --style --paging --language --line-range --color --number", rest=False),
            "bat",
        ),
        *_each(
            _family(
                "abdfilnprtuvPRT",
                "--recursive --force --verbose --archive --no-clobber --update --interactive --dir --parents",
                rest=False,
            ),
            "cp mv rm rmdir",
        ),
        *_each(
            _family("acdhmprtv", "--parents --mode --verbose --no-create --date --time --reference"),
            "mkdir touch",
        ),
        *_each(_family("cnqtw46W", names=True, rest=False), "ping dig host nslookup"),
        *_each(_family("afkw", names=True, rest=False), "man whatis apropos"),
        *_each(_family("acflnouvx", names=True, rest=False), "pgrep"),
        # Git, as far as no argument of it names a program or another place.
        *_entries(
            GIT_LOOKS,
            "git log diff show blame shortlog whatchanged diff-tree diff-index diff-files "
            "range-diff status "
            "rev-parse rev-list ls-files ls-tree describe reflog+show merge-base name-rev "
            "show-ref for-each-ref "
            "check-ignore count-objects cherry stash+list stash+show",
        ),
        *_entries(GIT_GREPS, "git grep"),
        *_entries(
            _family(
                "fknqruvANSW",
                """
                --all --update --cached --staged --worktree --force --dry-run --quiet --verbose
                --intent-to-add --ignore-unmatch --ours --theirs
                """,
                rest=False,
            ),
            "git add rm mv restore",
        ),
        *_entries(
            # Its words are a message, in which a colon is one.
            _family(
                "amnqsv",
                """
                --message --all --amend --quiet --verbose --signoff --no-edit --no-verify
                --allow-empty --author --date --fixup --squash --dry-run --short
                """,
                rest=False,
                colons=True,
            ),
            "git commit",
        ),
        *_entries(
            REFS,
            "git checkout switch branch tag merge cherry-pick revert rebase reset stash+push stash+pop "
            "stash+apply stash+drop remote+show remote+get-url config+--get worktree+list",
        ),
        *_entries(
            # Nothing that overwrites or removes what is there, or takes more along than the words say.
            _family(
                "nquv",
                """
                --set-upstream --dry-run --quiet --verbose --progress --no-progress --porcelain
                --atomic --follow-tags --ipv4 --ipv6
                """,
                names=True,
            ),
            "git push",
        ),
        *_entries(
            _family(
                "npqtv46",
                """
                --all --prune --tags --no-tags --depth --deepen --unshallow --quiet --verbose
                --dry-run --progress --no-progress --jobs --ff-only --ff --no-ff --rebase
                --no-rebase --autostash --no-autostash --stat --no-stat --no-edit --ipv4 --ipv6
                """,
                names=True,
            ),
            "git fetch pull",
        ),
        # Tests, linters and what is written down in the project's own files.
        *_entries(SCRIPTS, "npm test t run run-script", "pnpm test t run", "yarn test"),
        *_entries(
            PACKAGES,
            "npm ls list outdated view info why explain search ping",
            "pnpm ls list outdated why",
            "yarn list outdated why info",
        ),
        *_entries(
            _family(
                "t",
                """
                --test-name-pattern --watch --bail --coverage --timeout --rerun-each --only --todo
                --update-snapshots --coverage-reporter=text --coverage-reporter=lcov
                """,
            ),
            "bun test",
        ),
        *_each(PYTEST, "pytest py.test"),
        *_each(
            _family(
                "bhijklmnqrsvwBS",
                """
                --jobs --keep-going --dry-run --just-print --recon --silent --quiet --always-make
                --question --no-print-directory --print-directory --load-average --max-load
                --output-sync --trace --version --help
                """,
                colons=True,
            ),
            "make gmake",
        ),
        *_each(TASKS, "rake task gradle ./gradlew ninja"),
        *_each(JEST, "jest"),
        *_each(VITEST, "vitest"),
        *_each(MOCHA, "mocha"),
        *_each(AVA, "ava"),
        *_each(ESLINT, "eslint"),
        *_each(PRETTIER, "prettier"),
        *_each(STYLELINT, "stylelint"),
        *_each(TSC, "tsc"),
        *_each(BIOME, "biome"),
        *_each(_family("hv", "--fix --verbose --ext --version --help"), "standard"),
        *_each(
            _family("dfhiqV", "--fix --ignore --dot --quiet --disable --enable --version --help"),
            "markdownlint",
        ),
        *_each(RUFF, "ruff"),
        *_each(BLACK, "black"),
        *_each(ISORT, "isort"),
        *_each(LINTS, "flake8 pydocstyle pycodestyle vulture"),
        *_each(PYLINT, "pylint"),
        *_each(BANDIT, "bandit"),
        *_each(SHELL_LINTS, "shellcheck hadolint yamllint"),
        *_entries(GOLANGCI, "golangci-lint run linters"),
        *_each(_family("", "-checks -tests -f -tags -go -explain -show-ignored"), "staticcheck"),
        *_each(_family("delsw"), "gofmt"),
        *_each(_family("in", "--dry-run --Werror --verbose --style -style --sort-includes"), "clang-format"),
        *_each(
            _family(
                "hvw",
                """
                --strict --no-strict-optional --ignore-missing-imports --show-error-codes
                --show-error-context --pretty --no-pretty --no-incremental --no-error-summary
                --disallow-untyped-defs --check-untyped-defs --warn-unused-ignores --warn-return-any
                --follow-imports --python-version --platform --exclude --explicit-package-bases
                --namespace-packages --outputjson --warnings --stats --level --verbose --version
                """,
                rest=False,
            ),
            "mypy pyright ty",
        ),
        *_each(RUBY_PHP, "rspec phpunit rubocop"),
        *_entries(
            MAVEN,
            "mvn test verify compile package clean validate",
            "./mvnw test verify compile package clean validate",
        ),
        *_entries(COVERAGE, "coverage report html xml json combine"),
        *_entries(CARGO, "cargo test build check clippy fmt doc tree metadata bench search"),
        *_entries(GO, "go test build vet list version env doc fmt mod+graph mod+why mod+tidy mod+verify"),
        *_entries(DOTNET, "dotnet test build list format", "swift test build", "mix test format compile"),
        *_entries(
            RUBY_PACKAGES,
            "composer validate show outdated",
            "bundle list outdated check",
            "gem list search",
        ),
        *_entries(
            PIP,
            "pip list show freeze check",
            "pip3 list show freeze check",
            "poetry show check",
            "conda list",
        ),
        # Looking at machines and clusters.
        *_entries(
            KUBECTL,
            "kubectl get describe top explain version api-resources api-versions cluster-info "
            "rollout+status "
            "rollout+history auth+can-i",
        ),
        *_entries(KUBECTL_LOGS, "kubectl logs"),
        *_entries(
            DOCKER,
            "docker ps images logs inspect stats top version info port diff history events container+ls "
            "image+ls volume+ls network+ls compose+ps compose+logs compose+ls compose+images "
            "compose+top "
            "compose+config",
            "podman ps images logs inspect stats top version info port diff history events",
        ),
        *_entries(HELM, "helm list status history get search version"),
        *_entries(TERRAFORM, "terraform plan validate fmt show output state+list providers version graph"),
        *_entries(
            GH,
            "gh pr+list pr+view pr+diff pr+checks pr+status issue+list issue+view issue+status "
            "repo+view "
            "run+list run+view release+list release+view",
        ),
        *_entries(
            SYSTEM,
            "systemctl status is-active is-enabled list-units list-unit-files cat",
            "brew list info search outdated deps",
            "apt list show search policy",
            "apt-cache search show policy",
        ),
        *_entries(_family(rest=False), "dpkg -l -L -s"),
        *_entries(_family("afil", rest=False), "rpm -q -qa -qi -ql"),
        *_each(JOURNAL, "journalctl netstat ss ifconfig"),
    ]
)

GLOBALS: Final[Mapping[str, Global]] = {
    "git": Global(("--no-pager", "-P", "--no-optional-locks"), ("-C",)),
    "npm": Global(("-s", "--silent", "-w"), ("-w", "--workspace")),
    "pnpm": Global(("-r", "--recursive", "-s", "--silent", "-w"), ("--filter", "-F")),
    "kubectl": Global((), ("-n", "--namespace", "--context", "--cluster")),
    "docker": Global((), ("-c", "--context")),
    "helm": Global((), ("-n", "--namespace", "--kube-context")),
    "terraform": Global(),
}
