.DEFAULT_GOAL := help
.PHONY: help install demo demo-airflow test test-docs test-real test-all coverage lint format docs peers benchmark clean

# A python3.11 that starts, else whatever python3 is (a shim may exist and not start).
ifeq ($(origin PYTHON),undefined)
PYTHON := $(shell python3.11 -c '' 2>/dev/null && echo python3.11 || echo python3)
endif
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
COMPILED := $(VENV)/.compiled
SPHINX := $(VENV)/.sphinx
REAL := $(VENV)/.real
KERNELS := $(shell find anon_transformers plugins/*/src -path '*_kernels/*.py' -o -path '*/jit/*.py')
# Distributions that are installed, in editable form, beside the library.
PLUGINS := plugins/graphs plugins/reproductions
RELEASE ?= releases/adult.yaml
PEERS := .venv-peers
LARGEST ?= 1000000
# The pins hold in the isolated build environment too: older pip reads the first
# variable there, newer pip the second.
PIP_PINNED := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' Makefile

# pip compiles what it installs, but not an editable package: do so here, for every
# process would compile it again where PYTHONDONTWRITEBYTECODE is set.
install: $(STAMP) ## Create .venv with pinned versions, compile the kernels (quick when done)
	@$(BIN)/python -m compileall -q anon_transformers $(PLUGINS:=/src)
	@$(MAKE) --no-print-directory $(COMPILED)

# One stamp for all kernels: numba need not be started to see that nothing has changed.
$(COMPILED): $(STAMP) $(KERNELS)
	@$(BIN)/anon compile
	@touch $@

# In this mode type checkers find the editable packages, too.
$(STAMP): pyproject.toml $(PLUGINS:=/pyproject.toml) constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP_PINNED) install --quiet --config-settings editable_mode=compat \
		-c constraints.txt -e ".[dev]" $(addprefix -e ,$(PLUGINS))
	@touch $@

demo: install ## Run the example release: load, anonymize, validate, publish
	$(BIN)/anon release $(RELEASE)

demo-airflow: install ## Run the same release as an Airflow DAG
	$(BIN)/python -m anon_transformers.airflow.demo $(RELEASE)

test: lint ## Lint, then every test that is not slow
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow and not docs and not real"

test-docs: install $(SPHINX) ## Run the code on the pages of the documentation, and every example
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "docs and not slow" tests/docs

# One at a time: these tests start services, and some have a heartbeat to keep.
test-real: install $(REAL) ## Tests on real services: PostgreSQL, Spark, Airflow's scheduler, a browser
	$(BIN)/python -m pytest -m real --durations=0 tests/real

test-all: lint $(REAL) ## Lint, then every test
	HYPOTHESIS_PROFILE=moderate $(BIN)/python -m pytest -n 2 --dist worksteal -m "not real"
	$(BIN)/python -m pytest -m real tests/real

$(REAL): pyproject.toml constraints.txt tests/real/install $(STAMP)
	$(PIP_PINNED) install --quiet --config-settings editable_mode=compat \
		-c constraints.txt -e ".[real]"
	tests/real/install
	@touch $@

coverage: install ## Every test that is not slow, with the lines and branches they reach
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow and not docs and not real" --cov --cov-report=term-missing:skip-covered

lint: install ## Check style, formatting and types; change nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install ## Mend what can be mended by a tool
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: install $(SPHINX) ## Build the documentation in docs/_build/html; a warning is an error
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo docs/_build/html/index.html

$(SPHINX): pyproject.toml constraints.txt $(STAMP)
	$(PIP_PINNED) install --quiet --config-settings editable_mode=compat \
		-c constraints.txt -e ".[docs]"
	@touch $@

peers: $(PEERS)/.installed ## Create .venv-peers with the libraries that benchmarks compare with

$(PEERS)/.installed: benchmarks/peers/requirements.txt
	$(PYTHON) -m venv $(PEERS)
	PIP_DISABLE_PIP_VERSION_CHECK=1 $(PEERS)/bin/python -m pip install --quiet -r $<
	@touch $@

benchmark: install ## Measure time and memory (LARGEST=rows), beside the peers if they are there
	$(BIN)/python benchmarks/generalization.py --largest $(LARGEST)
	$(BIN)/python benchmarks/full_domain.py
	$(BIN)/python benchmarks/validators.py
	$(BIN)/python benchmarks/composition.py
	$(BIN)/python benchmarks/microaggregation.py
	$(BIN)/python benchmarks/fuzzy.py
	$(BIN)/python benchmarks/graphs.py
	$(BIN)/python benchmarks/corpus.py
	$(BIN)/python benchmarks/engines.py --largest $(LARGEST)
	$(BIN)/python benchmarks/studio.py --rows $(LARGEST)

clean: ## Remove both .venv, caches and build results
	rm -rf $(VENV) $(PEERS) build dist htmlcov .coverage .coverage.* *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf docs/_build docs/api docs/gallery
	find anon_transformers tests plugins dags examples benchmarks -type d \
		-name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
