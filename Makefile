# engine2d: every target makes its own environment (.venv), installs what it needs and builds first.
# PYTHON chooses the interpreter (>= 3.10) that .venv is made from; ENGINE_BUILD the build mode.
PYTHON ?= python3
PY = .venv/bin/python
# Tests run on all cores; each worker takes from the others when it has nothing left to do.
PYTEST = $(PY) -m pytest -n auto --dist worksteal
# How long 'make fuzz' looks for failures.
MINUTES ?= 10
SETUP = $(PYTHON) tools/bootstrap.py

.PHONY: help demo test test-core test-slow test-space laws golden fuzz build debug profile annotate bench pictures lint wheel clean have-python
.DEFAULT_GOAL := help

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

have-python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo "engine2d: no Python found ('$(PYTHON)' is not a command): install Python 3.10 or newer, or say which with 'make PYTHON=...'."; exit 1; }

demo: have-python  ## open the demo window; without a display, draw it into files and say where
	@$(SETUP) --extras demo,record
	@$(PY) -m demos

test: have-python  ## run the test suite
	@$(SETUP) --extras test
	@$(PYTEST) -m "not slow"

test-core: have-python  ## the tests that need numpy, pytest and hypothesis only
	@$(SETUP) --extras test-core
	@$(PY) -m pytest -m "not slow"

test-slow: have-python  ## run the tests that take long
	@$(SETUP) --extras test
	@$(PYTEST) -m slow || [ $$? -eq 5 ]  # 5: there is none at present

test-space: have-python  ## the tests of space that take long: passes, grazing hits and rooms at full count
	@$(SETUP) --extras test
	@$(PYTEST) -m slow tests/laws/test_bars3d_laws.py

laws: have-python  ## run the conservation, symmetry and complementarity laws only
	@$(SETUP) --extras test
	@$(PYTEST) tests/laws

golden: have-python  ## run the reference cases only
	@$(SETUP) --extras test
	@$(PYTEST) tests/golden

fuzz: have-python  ## look for failures with random rooms, calls and states for MINUTES=10
	@$(SETUP) --extras test
	@$(PY) -m tests.fuzz --minutes $(MINUTES)

build: have-python  ## build the extension modules in place
	@$(SETUP)

debug: have-python  ## build with bounds checks and assertions
	@ENGINE_BUILD=debug $(SETUP)

profile: have-python  ## build optimised, with line numbers for perf
	@ENGINE_BUILD=profile $(SETUP)

annotate: have-python  ## build and write Cython's annotated HTML under build/
	@ENGINE_ANNOTATE=1 $(SETUP) --force

bench: have-python  ## measure speed and write benchmarks/RESULTS.md
	@$(SETUP) --extras bench
	@$(PY) -m benchmarks

pictures: have-python  ## draw the pictures of the docs again
	@$(SETUP) --extras plot,demo,record,bench
	@$(PY) -m demos --to docs/pictures
	@$(PY) -m demos compare --scene heavy_stack --headless --seconds 2 --record docs/pictures/compare.png

lint: have-python  ## style, stubs and the GIL check
	@$(SETUP) --extras test,bench,dev
	@$(PY) tools/lint.py

wheel: have-python  ## prove that a wheel built from the sdist installs and imports
	@$(SETUP) --extras dev
	@$(PY) tools/check_wheel.py

clean:  ## remove everything built, the environment too
	rm -rf .venv build dist *.egg-info .hypothesis .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
	find enginecore engine2d engine3d \( -name '*.so' -o -name '*.pyd' -o -name '*.c' -o -name '*.html' \) -delete
