# Needs make and Python 3.10 or newer; everything else is set up on first use, in .venv and .cache.

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

python := $(VENV)/bin/python
ready := $(VENV)/.ready
bench := .cache/bench

.DEFAULT_GOAL := help
.PHONY: help demo test test-matrix stress bench check security fix build deploy-check clean distclean

help: ## list what make can do here
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

demo: $(ready) ## see it work, on this machine alone
	@$(python) -m demo

# Two at a time: many tests wait for a Spark, a server or a signal. A file stays together, with what it set up.
test: $(ready) ## run the tests; ARGS="-k playbook" for some of them
	@$(python) -m pytest --numprocesses 2 --dist loadfile $(ARGS)

test-matrix: $(ready) ## run tests on Spark 3.3, Spark 4 and Spark Connect, and of the report in a browser
	@$(python) tests/matrix/run.py $(ARGS)

stress: $(ready) ## try to break it for longer than the tests do: an hour and a half at most
	@WATERMARKS_STRESS=1 $(python) -m pytest --session-timeout=5400 tests/proof $(ARGS)

bench: $(bench)/.ready ## compare it with its alternatives; ARGS="rows files" for some, ARGS=--quick to try
	@$(bench)/bin/python -m benchmarks $(ARGS)

check: $(ready) ## look for mistakes and change nothing: style, types, imports, Terraform, advisories
	@$(python) -m ruff check .
	@$(python) -m ruff format --check .
	@$(python) -m mypy
	@$(VENV)/bin/lint-imports
	@$(python) -m tests.support.terraform check
	@$(python) -m tests.support.audit

# In an environment of its own: Checkov brings more packages than everything else here together.
checkov := .cache/checkov/bin/checkov

security: $(checkov) ## look for weak spots in infra/ with Checkov
	@told=$$($(checkov) --directory infra --framework terraform --skip-download --quiet --compact) || { \
	  echo "$$told" >&2; exit 1; }; echo "$$told"; \
	if echo "$$told" | grep -q 'Parsing errors'; then echo "Checkov could not read a file of infra/." >&2; exit 1; fi

$(checkov):
	@$(PYTHON) -m venv .cache/checkov
	@.cache/checkov/bin/python -m pip install -qq --disable-pip-version-check 'checkov==3.*'

fix: $(ready) ## mend what can be mended: style, Terraform format
	@$(python) -m ruff check --fix-only --exit-zero --quiet .
	@$(python) -m ruff format .
	@if command -v terraform >/dev/null; then terraform fmt -recursive infra; fi

build: $(ready) ## make the wheel, the sdist and a zip for --extra-py-files, in dist/
	@$(python) tools/build.py

deploy-check: $(ready) ## run jobs from the wheel and the zip as Glue does: other Pythons, Sparks, a cluster
	@$(python) tests/deploy/run.py $(ARGS)

clean: ## remove what builds and tools left behind
	@rm -rf build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find benchmarks demo scripts tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## clean, and remove .venv and .cache too
	@rm -rf $(VENV) .cache

$(bench)/.ready: setup.cfg benchmarks/requirements.txt
	@echo "Setting up $(bench); the first time takes three minutes." >&2
	@test -x $(bench)/bin/python || $(PYTHON) -m venv $(bench)
	@$(bench)/bin/python -m pip install -qq --disable-pip-version-check -r benchmarks/requirements.txt --editable '.[cli]'
	@touch $@

$(ready): setup.cfg pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { \
	  echo "This needs Python 3.10 or newer, and '$(PYTHON)' is not: make ... PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up $(VENV); the first time takes a minute or two." >&2
	@test -x $(python) || $(PYTHON) -m venv $(VENV)
	@$(python) -m pip install -qq --disable-pip-version-check --editable '.[cli,report,test,dev]'
	@touch $@
