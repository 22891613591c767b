# `make test` on a fresh machine sets everything up and runs what CI runs.

SHELL := bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

export VENV ?= .venv
BIN := $(VENV)/bin
# pyright is complete in requirements/dev.txt and must not go looking for a newer one.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
# Text is UTF-8 whatever the machine's locale says.
export PYTHONUTF8 := 1

.PHONY: help
help: ## Show the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 22

.PHONY: setup
setup: ## Make .venv from requirements/dev.txt (nothing to do when it is up to date)
	@scripts/setup.sh

.PHONY: run
run: setup ## Start the service for the current folder and say how to reach it
	@scripts/run.sh

.PHONY: web
web: setup ## Build the dashboard's pages (nothing to do when they are fresh)
	@$(BIN)/python -m scripts.build_pages

.PHONY: pages
pages: web ## Check and test the dashboard's sources
	@echo "== pages"
	@$(BIN)/python -m scripts.build_pages check
	@$(BIN)/python -m scripts.build_pages test

.PHONY: test
test: ## Install what tests need, then check everything
	@scripts/system_packages.sh
	@$(MAKE) --no-print-directory check

.PHONY: check
check: lint types arrows generated pages wheel tests ## What CI runs

.PHONY: fmt
fmt: setup ## Format and fix what can be fixed
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

.PHONY: lint
lint: setup ## Style, spelling, sizes, names
	@echo "== lint"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/codespell
	@$(BIN)/python -m scripts.line_limit
	@$(BIN)/python -m scripts.check_test_names
	@$(BIN)/python -m scripts.check_pins

.PHONY: types
types: setup ## mypy and pyright, both strict
	@echo "== types"
	@$(BIN)/mypy
	@$(BIN)/pyright --pythonpath $(BIN)/python

.PHONY: arrows
arrows: setup ## Who may import whom
	@echo "== arrows"
	@$(BIN)/lint-imports --no-logo

.PHONY: generated
generated: setup ## Generated files are fresh
	@echo "== generated"
	@if [[ -e service/luvus_service/codegen ]]; then $(BIN)/python -m luvus_service.codegen --check; fi

.PHONY: wheel
wheel: setup ## Build the wheel and try it in an empty environment
	@echo "== wheel"
	@scripts/check_wheel.sh

.PHONY: tests
tests: setup ## All tests, without the other checks
	@scripts/run_tests.sh

.PHONY: bench
bench: setup ## Measure
	@$(BIN)/python -m tests.bench

.PHONY: oracle
oracle: setup ## Compare our emulators with others (REF=folder of alacritty's recordings)
	@$(BIN)/python -m tests.oracle $(REF)

.PHONY: soak
soak: setup ## Run a long time under load
	@$(BIN)/python -m tests.soak

.PHONY: agents
agents: setup ## Install real agents from npm outside the checkout and drive them (ONLY=pi,codex)
	@$(BIN)/python -m tests.agents $(if $(ONLY),--only $(ONLY))

COMPILE = uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
  --no-header --no-emit-index-url $(if $(UPGRADE),--upgrade)

.PHONY: lock
lock: setup ## Compile requirements/*.txt again (needs uv on PATH); UPGRADE=1 takes newer releases
	@$(COMPILE) pyproject.toml -o requirements/run.txt
	@$(COMPILE) pyproject.toml requirements/dev.in --all-extras -c requirements/run.txt -o requirements/dev.txt

.PHONY: clean
clean: ## Remove what was made here
	@rm -rf $(VENV) .reports dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
