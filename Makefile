# Two commands: `make run` opens the interface on a demo workspace, `make test` runs everything.
# Both set themselves up; they need Python >= 3.11, git and make.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# Thousands of tests make repositories and force them to the disk: in memory that takes half the time. `make test SHM=` uses the disk.
SHM := $(shell [ -w /dev/shm ] && df -Pk /dev/shm | awk 'NR == 2 && $$4 > 8000000 { print "/dev/shm" }')
SOURCES := workbench indexing screens themes tests benchmarks docs

.PHONY: run test check docs dist setup clean

run: $(READY)
	$(BIN)/workbench demo demo

test: $(READY) check
	$(if $(SHM),PYTEST_DEBUG_TEMPROOT=$(SHM)) $(BIN)/python -m pytest -n 2 --dist loadgroup

check: $(READY)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY)
	$(BIN)/mkdocs build --strict

# A source distribution, and the wheel that is built from it: in dist/. What an earlier build left must not come along.
dist: $(READY)
	rm -rf build dist *.egg-info
	$(BIN)/python -m build --no-isolation

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	@mkdir -p .venv/tmp # what pip leaves when it is interrupted goes with the environment, not into /tmp
	TMPDIR=$(CURDIR)/.venv/tmp $(BIN)/python -m pip install --quiet --upgrade --constraint constraints.txt pip
	TMPDIR=$(CURDIR)/.venv/tmp $(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[model,test]'
	@rm -rf .venv/tmp
	@touch $@

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
