# Two commands: `make run` opens the interface on a demo workspace, `make test` runs everything.
# Both set themselves up; they need Python >= 3.11, git and make.

PYTHON ?= python3
BIN := .venv/bin
# What running needs, and what tests, checks and builds need beside it.
READY := .venv/.ready
TOOLS := .venv/.ready-to-test
# What pip leaves when it is interrupted goes with the environment, not into /tmp. An editable installation is meant: no warning of it.
PIP := TMPDIR=$(CURDIR)/.venv/tmp PYTHONWARNINGS=ignore $(BIN)/python -m pip --disable-pip-version-check
# Thousands of tests make repositories and force them to the disk: in memory that takes half the time. `make test SHM=` uses the disk.
SHM := $(shell [ -w /dev/shm ] && df -Pk /dev/shm | awk 'NR == 2 && $$4 > 8000000 { print "/dev/shm" }')
# Processes that run tests, on two cores: half of the time a test waits, for a key, a lock or another process.
WORKERS ?= 3
# What `make test-fast` runs, without what is marked as slow fault injection or needs the embedding model.
FAST := tests/test_architecture.py tests/test_settings.py tests/memory tests/operations tests/history tests/graph tests/agent \
	tests/dreaming tests/workspace tests/jobs tests/importers tests/cli tests/mcp/test_server.py \
	tests/ingest/test_extract.py tests/health/test_checks.py tests/health/test_lint.py \
	tests/indexing/test_language.py tests/indexing/test_ranking.py tests/indexing/test_search.py \
	tests/screens/actions tests/screens/widgets tests/screens/test_hygiene.py tests/screens/main/test_curating.py
SOURCES := workbench indexing screens themes tests benchmarks docs

.PHONY: run test test-fast check docs dist setup clean

run: $(READY)
	$(BIN)/workbench demo demo

test: $(TOOLS) check
	$(if $(SHM),PYTEST_DEBUG_TEMPROOT=$(SHM)) $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

# Something of every package, in two or three minutes; `make test` before it is handed in.
test-fast: $(TOOLS)
	$(BIN)/ruff check $(SOURCES)
	$(if $(SHM),PYTEST_DEBUG_TEMPROOT=$(SHM)) $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadgroup -m "not faults and not model" --hypothesis-profile "a few" $(FAST)

check: $(TOOLS)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(TOOLS)
	$(BIN)/mkdocs build --strict

# A source distribution, and the wheel that is built from it: in dist/. What an earlier build left must not come along.
dist: $(TOOLS)
	@rm -rf build dist
	@$(BIN)/python -m build --no-isolation >.venv/dist.log 2>&1 || { cat .venv/dist.log; exit 1; }
	@ls -1 dist/*

setup: $(TOOLS)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Installing what running needs into .venv, for this folder only. This takes some minutes."
	@$(PYTHON) -m venv .venv
	@mkdir -p .venv/tmp
	@$(PIP) install --quiet --upgrade --constraint constraints.txt pip
	@$(PIP) install --constraint constraints.txt --editable '.[model]'
	@rm -rf .venv/tmp
	@touch $@

$(TOOLS): $(READY)
	@echo "Installing what tests and checks need beside it."
	@mkdir -p .venv/tmp
	@$(PIP) install --constraint constraints.txt --editable '.[model,test]'
	@rm -rf .venv/tmp
	@touch $@

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
