# Two targets matter: `make run` sets everything up and serves, `make test` sets up and tests. Both can be repeated.

.DEFAULT_GOAL := help
.NOTPARALLEL:
PYTHON_IN := .venv/bin
# The contract test runs in one process, the browser's tests in processes without another event loop.
APART := --ignore=tests/integration/openapi --ignore=tests/integration/browser

.PHONY: help run setup setup-dev documents models test test-fast test-long test-postgres compose-test lint format clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: setup  ## set up what is missing and serve on http://127.0.0.1:8765 until Ctrl-C
	@exec $(PYTHON_IN)/python -m memory_appliance.launch

setup:
	@scripts/setup

setup-dev:
	@scripts/setup --dev

documents: setup  ## install the converter for PDF, Word, PowerPoint, HTML, EPUB and e-mail (docs/documents.md)
	@$(PYTHON_IN)/python -m memory_appliance.launch.documents_setup

models: setup  ## build and install the local model runtime (make run does it in the background)
	@$(PYTHON_IN)/python -m memory_appliance.launch.models_setup

test: setup-dev models lint  ## lint, types, import contract, unit and integration tests: under ten minutes
	@echo "▸ Unit tests"
	@$(PYTHON_IN)/pytest -n 2 tests/unit
	@echo "▸ Integration tests: real broker, worker, models"
	@$(PYTHON_IN)/pytest tests/integration/openapi
	@$(PYTHON_IN)/pytest -n 2 --dist loadfile -m "not long" $(APART) tests/integration
	@echo "▸ The pages in a real browser"
	@$(PYTHON_IN)/pytest -n 2 --dist loadfile -m "not long" tests/integration/browser

test-long: setup-dev models test-postgres  ## what takes longer: servers killed; a power cut; every page in every way; PostgreSQL
	@$(PYTHON_IN)/pytest -n 2 --dist loadfile -m long $(APART) tests/integration
	@$(PYTHON_IN)/pytest -m long tests/integration/browser

test-postgres: setup-dev  ## the unit tests that ask the control database, on a PostgreSQL of their own
	@$(PYTHON_IN)/pytest -n 2 --ds tests.settings_postgres -m postgres tests/unit

test-pythons: setup-dev  ## the quick unit tests on each newer Python that is on this machine
	@scripts/test-pythons

test-fast: setup-dev  ## the unit tests but the slowest, less than a minute
	@$(PYTHON_IN)/pytest -n 2 -m "not slow" tests/unit

clients-test: setup-dev  ## real clients from npm and PyPI against the server and a model on loopback (skips without them)
	@$(PYTHON_IN)/pytest -rs --timeout 900 tests/clients

compose-test:  ## build the containers, run them in an engine of their own and break them (root; 77: no engine can run)
	@tests/compose/check

lint: setup-dev  ## style, formatting, types, direction of imports
	@echo "▸ Style" && $(PYTHON_IN)/ruff check .
	@echo "▸ Formatting" && $(PYTHON_IN)/ruff format --check .
	@echo "▸ Templates" && $(PYTHON_IN)/djlint --lint --quiet templates
	@echo "▸ Types" && $(PYTHON_IN)/mypy
	@echo "▸ Import contract" && $(PYTHON_IN)/lint-imports

format:
	@$(PYTHON_IN)/ruff check --fix . && $(PYTHON_IN)/ruff format .

clean:  ## remove the environment and the caches; your data folder stays
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -not -path './data/*' -prune -exec rm -rf {} +
