# Two commands set everything up on a machine with Python 3.11 or newer: make benchmark, make test.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed
TESTING := .venv/testing
TESTING_ALL := .venv/testing-all
# Byte code is kept, whatever is set: without it every process that a test starts compiles all modules anew.
unexport PYTHONDONTWRITEBYTECODE
# Compiling what is never imported would take as long as all the rest.
PIP := $(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable

.PHONY: help benchmark test test-slow test-exhaustive test-extras mutants check docs bench-speed bench-agents clean
help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "This needs Python 3.11 or newer, for instance: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv

$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) '.[benchmark,render]'
	@touch $@

$(TESTING): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) '.[benchmark,offline,ray,render,dev]'
	@touch $(INSTALLED) $@

$(TESTING_ALL): $(TESTING)
	$(PIP) '.[slow]'
	@touch $@

benchmark: $(INSTALLED) ## compare the fast agents with the optimum on 1,000 evaluation deals
	$(BIN)/python -m experiments compare experiments/configs/benchmark.yaml

test: check ## lint, check types, run the fast tests
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-slow: $(TESTING_ALL) ## run the long tests (minutes)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'slow and not exhaustive'

test-exhaustive: $(TESTING_ALL) ## run the longest sweeps (an hour)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m exhaustive

test-extras: $(TESTING) ## install each extra alone, newest and oldest versions, and run its example (a quarter of an hour)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/python -m pytest -m installs tests/test_extras.py

mutants: $(TESTING) ## change the code in one place after the other, see whether its tests notice, write docs/mutants.md (hours)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt mutmut
	$(BIN)/python -m tests.mutants $(MODULES)

check: $(TESTING) ## lint, check types and the order of imports only
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-logo

docs: benchmark ## make the pictures of the README, the animation too
	$(BIN)/python -m experiments.pages.pictures docs
	cp runs/benchmark/leaderboard.svg docs/

bench-speed: $(INSTALLED) ## measure speed beside other libraries, write docs/speed.md (10 minutes)
	$(PIP) '.[benchmark,render,peers]'
	$(BIN)/python -m experiments speed --output docs/speed.md

bench-agents: $(INSTALLED) ## play all agents, also the slow ones, train ppo with 5 seeds, write docs/agents.md (an hour)
	for name in agents-easy agents-classic agents-pimc-easy; do \
	  $(BIN)/python -m experiments compare experiments/configs/$$name.yaml || exit; done
	for seed in 0 1 2 3 4; do $(BIN)/python -m experiments train experiments/configs/ppo-easy.yaml --seed $$seed || exit; done
	$(BIN)/python -m experiments train experiments/configs/ppo-easy-distilled.yaml
	$(BIN)/python -m experiments compare experiments/configs/ppo-easy-seeds.yaml
	$(BIN)/python -m experiments results --output docs/agents.md --comparison runs/agents-easy \
	  --comparison runs/agents-classic --comparison runs/agents-pimc-easy \
	  --comparison runs/ppo-easy-seeds --training runs/ppo-easy-seed0 \
	  --training runs/ppo-easy-seed1 --training runs/ppo-easy-seed2 --training runs/ppo-easy-seed3 \
	  --training runs/ppo-easy-seed4 --training runs/ppo-easy-distilled

clean: ## remove the virtual environment and caches, that of compiled code too
	-test ! -x $(BIN)/python || $(BIN)/python -c 'import shutil; from tripeaks_env._jit.cache import folder; shutil.rmtree(folder(), True)'
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
