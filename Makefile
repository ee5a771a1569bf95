# Needs Python 3.11 or newer, make and a package registry. Everything is installed into .venv.

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
# Newer than pyproject.toml exactly when what it asks for is installed.
SERVER := .venv/server-installed
TESTING := .venv/test-installed
INSTALLED := .venv/installed
PYTEST := $(BIN)/python -m pytest
# Files of a tier share servers and browsers, so a file stays with one process.
BESIDE := -n auto --dist loadscope

.DEFAULT_GOAL := help
.PHONY: help run test test-busy test-thorough test-postgres test-ui test-e2e test-release test-all check protos protos-release bench
MAKEFLAGS += --no-print-directory

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(SERVER) ## Start the server
	@$(BIN)/plangate serve

test: $(TESTING) ## Run the tests that need nothing but Python: three minutes on two cores
	@$(PYTEST) --tier fast -n auto --dist worksteal

test-busy: $(TESTING) ## The same while every core is busy with something else
	@$(BIN)/python -m tools.busy_machine $(PYTEST) --tier fast -n auto --dist worksteal

test-thorough: $(INSTALLED) ## Run property tests and races again, with more examples
	@$(PYTEST) --tier fast --tier postgres -m "hypothesis or thorough" --hypothesis-profile=thorough -n auto --dist worksteal

test-postgres: $(INSTALLED) ## Run the tests of stores, races and nodes on PostgreSQL
	@$(PYTEST) --tier postgres $(BESIDE)

test-ui: $(INSTALLED) ## Run the tests of the review page, the terminal and shell completion
	@$(PYTEST) --tier ui $(BESIDE)

test-e2e: $(INSTALLED) ## Run the tests of whole processes; those under load alone
	@$(PYTEST) --tier e2e $(BESIDE)
	@$(PYTEST) --tier load

test-release: $(INSTALLED) ## Test what is built, version bounds and the upgrade from the last release
	@$(PYTEST) --tier release -n auto --dist loadgroup
	@$(BIN)/python -m tools.version_matrix lowest -- --tier fast --tier postgres tests/contract tests/rpc tests/web tests/unit --ignore tests/unit/domain --ignore tests/unit/usecases --ignore-glob "*races.py"
	@$(BIN)/python -m tools.version_matrix newest --unless-here -- --tier fast

test-all: test test-thorough test-postgres test-ui test-e2e test-release ## Run every test there is

check: $(INSTALLED) ## Lint, types, layers, the contract, generated files
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary
	@report=$$($(BIN)/lint-imports --no-logo) || { echo "$$report"; exit 1; }
	@$(BIN)/buf lint
	@$(BIN)/buf format --diff --exit-code
	@$(BIN)/buf breaking --against protos/released.binpb
	@$(BIN)/python tools/generate_protos.py --check
	@$(BIN)/python tools/generate_docs.py --check
	@$(BIN)/python tools/generate_text_safety.py --check
	@echo "everything checked"

protos: $(INSTALLED) ## Generate code and reference pages from protos/
	@$(BIN)/python tools/generate_protos.py
	@$(BIN)/python tools/generate_docs.py

# The image is the contract that clients were promised. Refresh it in the commit of a release, when
# `buf breaking` passes; or to allow a breaking change, together with the decision record that says why.
protos-release: $(INSTALLED) ## Record protos/ as the published contract (at a release)
	@$(BIN)/buf build --exclude-source-info -o protos/released.binpb

bench: $(INSTALLED) ## Measure side by side
	@$(BIN)/python -m bench

# What is needed to serve is less than what is needed to test, and installs in a fraction of the time.
$(SERVER): EXTRA = postgres,tui
$(TESTING): EXTRA = test
$(INSTALLED): EXTRA = dev
$(SERVER) $(TESTING) $(INSTALLED): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Plangate needs Python 3.11 or newer: none found; set PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "installing plangate[$(EXTRA)] into .venv ($$($(PYTHON) --version)): takes up to a minute"
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "this Python has no venv: on Debian, apt-get install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip --disable-pip-version-check --quiet install --editable '.[$(EXTRA)]'
	@touch $@ $(if $(filter dev,$(EXTRA)),$(TESTING))
