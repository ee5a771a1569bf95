# Needs Python 3.11 or newer, make and a package registry. Everything is installed into .venv.

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
# Newer than pyproject.toml exactly when what it asks for is installed.
INSTALLED := .venv/installed
SERVER := .venv/server-installed

.DEFAULT_GOAL := help
.PHONY: help run test check protos protos-release bench
MAKEFLAGS += --no-print-directory

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(SERVER) ## Start the server
	@$(BIN)/plangate serve

test: $(INSTALLED) ## Run every test, on all cores
	@$(BIN)/python -m pytest -n auto --dist loadgroup

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
$(INSTALLED): EXTRA = dev
$(SERVER) $(INSTALLED): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Plangate needs Python 3.11 or newer: none found; set PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "installing into .venv ($$($(PYTHON) --version))"
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "this Python has no venv: on Debian, apt-get install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip --disable-pip-version-check --quiet install --editable '.[$(EXTRA)]'
	@touch $@
