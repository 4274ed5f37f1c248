# Everything a developer runs, on a machine that has Python 3.11 or newer with
# venv, make and git; each target installs what it needs into $(VENV).
#
#   PYTHON=python3.13        another interpreter (give it a VENV of its own)
#   VENV=.venv-oldest        another environment
#   WITH="sphinx~=7.4.0"     requirements to install on top, to pin a version
#   LOCK=.github/requirements.txt  locked and hashed requirements, and no others
#   PYTEST_ARGS="-x -k sici" what pytest is given on top
#   SECONDS=600              for how long each reader is fuzzed
#   INTERPRETERS="python3.11 python3.14"  whose sets of versions are tried
#   ORDER=7                  the order in which tests run while coverage is measured

PYTHON ?= python3
VENV ?= .venv
WITH ?=
PYTEST_ARGS ?=
SECONDS ?= 60
INTERPRETERS ?= $(PYTHON)
ORDER ?= $(shell date +%s)

BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
EXAMPLE := build/example
# Side by side (`tests/conftest.py` says how many), and a file's tests together: many share a build.
SPREAD := -n auto --dist loadfile

# Tests start many processes; without cached bytecode each compiles the packages anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help test quick fuzz trials coverage example docs lint format types wheel dist lock recipes versions benchmarks clean

help: ## Say what there is
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 14

# `--group` needs pip 25.1; the pip that venv brings is older.
$(INSTALLED): pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; name one with PYTHON=…, for example: make test PYTHON=python3.13")'
	$(PYTHON) -m venv $(VENV)
ifdef LOCK
	$(BIN)/python -m pip install --quiet --require-hashes --requirement $(LOCK)
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
else
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[sphinx,markdown,cli,editor,python-markdown]" \
		--group test --group docs --group lint $(if $(WITH),"$(WITH)")
endif
	@touch $@

test: $(INSTALLED) ## Run the whole test suite
	$(BIN)/pytest $(SPREAD) $(PYTEST_ARGS)

quick: $(INSTALLED) ## Run the tests without the slow ones, in about a minute
	$(BIN)/pytest $(SPREAD) -m "not slow" --hypothesis-profile quick $(PYTEST_ARGS)

fuzz: $(INSTALLED) ## Fuzz each reader of hostile text for SECONDS
	$(BIN)/python -m trials.fuzz --seconds $(SECONDS)

# NPM_MODULES is a folder with the npm packages playwright-core and axe-core, NVIM the
# command of Neovim 0.11.
trials: $(INSTALLED) ## Run the long trials: documents, servers, kills, browsers
	$(BIN)/python -m trials.random_documents
	$(BIN)/python -m trials.hostile_servers
	$(BIN)/python -m trials.hostile_datagrams
	$(BIN)/python -m trials.kills
	$(BIN)/python -m trials.build_kills
	$(BIN)/python -m trials.full_disks
	$(BIN)/python -m trials.filter_at_work
	$(BIN)/python -m trials.site_builders
	$(if $(NVIM),$(BIN)/python -m trials.neovim $(NVIM))
	$(if $(EMACS),$(BIN)/python -m trials.emacs $(EMACS))
	$(if $(CODE_SERVER),$(BIN)/python -m trials.vscode $(CODE_SERVER) $(NPM_MODULES))
	$(if $(JUPYTER_LAB),$(BIN)/python -m trials.jupyterlab $(JUPYTER_LAB) $(NPM_MODULES))
	$(if $(SPARK),$(BIN)/python -m trials.spark)
	$(if $(NPM_MODULES),$(BIN)/python -m trials.card $(NPM_MODULES))
	$(if $(NPM_MODULES),$(BIN)/python -m trials.report_page $(NPM_MODULES))
	$(if $(NPM_MODULES),$(MAKE) example && $(BIN)/python -m trials.manual $(NPM_MODULES))

# In any order: what only passes behind another test fails here.
coverage: $(INSTALLED) ## Say which branches no test takes, in tests that run in any order
	$(BIN)/coverage run -m pytest --order $(ORDER) $(PYTEST_ARGS)
	$(BIN)/coverage report --show-missing --skip-covered

# Every page anew, so that the figures at the end are those of the whole example.
example: $(INSTALLED) ## Build the example, which is the manual, and verify its references
	$(BIN)/sphinx-build -W -n -E -b html -d $(EXAMPLE)/doctrees example_docs $(EXAMPLE)/html
	@echo "The page: $(CURDIR)/$(EXAMPLE)/html/index.html"

docs: example ## The same

lint: $(INSTALLED) ## Check style and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: $(INSTALLED) ## Mend what can be mended by machine
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: $(INSTALLED) ## Check types, strictly
	$(BIN)/mypy

wheel: $(INSTALLED) ## Build the wheel into dist and try it in clean environments
	$(BIN)/python tests/tools/check_wheel.py --keep dist

dist: $(INSTALLED) ## Build what is published into dist, and check how it is described
ifndef LOCK
	$(BIN)/python -m pip install --quiet --group release
endif
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/twine check --strict dist/*

lock: $(INSTALLED) ## Lock the requirements of CI, with the digests of their files
	$(BIN)/python -m pip install --quiet --group release
	mkdir -p build
	{ echo "# Made by: make lock"; $(BIN)/uv pip compile --quiet --generate-hashes --universal --no-header \
		--no-annotate --no-emit-index-url --python-version 3.11 --all-extras --group test --group docs \
		--group lint --group release --group bench pyproject.toml; } > build/requirements.txt
	mv build/requirements.txt .github/requirements.txt
	{ echo "# What builds a release. Made by: make lock"; $(BIN)/uv pip compile --quiet --generate-hashes --universal \
		--no-header --no-annotate --no-emit-index-url --python-version 3.11 --group release \
		--constraint .github/requirements.txt; } > build/requirements-release.txt
	mv build/requirements-release.txt .github/requirements-release.txt
	{ echo "# What action.yml installs. Made by: make lock"; $(BIN)/uv pip compile --quiet --generate-hashes --universal \
		--no-header --no-annotate --no-emit-index-url --python-version 3.11 --extra cli \
		--constraint .github/requirements.txt pyproject.toml; } > build/requirements-action.txt
	mv build/requirements-action.txt .github/requirements-action.txt

recipes: $(INSTALLED) ## Run the hooks, the action and the recipe as others do
	$(BIN)/python -m tests.tools.check_recipes

versions: $(INSTALLED) ## Try sets of versions with INTERPRETERS, and write the table of the manual
	$(BIN)/python -m tests.tools.versions $(INTERPRETERS)

# Each with a size that takes seconds: the figures say nothing, and no goal is judged.
benchmarks: $(INSTALLED) ## Run each benchmark to its end, with a small size
ifndef LOCK
	$(BIN)/python -m pip install --quiet --group bench
endif
	$(BIN)/python -m benchmarks.checking --megabytes 1 --rounds 1
	$(BIN)/python -m benchmarks.citing_builds --pages 4 --citations 5 --works 10 --jobs 2 --rounds 1
	$(BIN)/python -m benchmarks.instructions --pages 1 2 --no-instructions
	$(BIN)/python -m benchmarks.linearity --from 4 --to 8 --others-to 8 --documents-to 8 --limit 100
	$(BIN)/python -m benchmarks.linking_builds --pages 2 --references 5 --rounds 1
	$(BIN)/python -m benchmarks.editor --rounds 1 --edits 100 --megabytes 0.05
	$(BIN)/python -m benchmarks.names --identifiers 200 --megabytes 1 --rounds 1 --no-goals
	$(BIN)/python -m benchmarks.python_markdown --kilobytes 10 --rounds 1
	$(BIN)/python -m benchmarks.rebuilds --pages 2 3 4 --no-instructions
	$(BIN)/python -m benchmarks.reference_lists --pages 2 --references 5 --rounds 1 --no-instructions
	$(BIN)/python -m benchmarks.rendering --megabytes 0.1 --hostile 0.05 --rounds 1
	$(BIN)/python -m benchmarks.resolving --handles 20 --latency 0 --connections 4 --many 20 --rounds 1 --linkcheck --no-goals
	$(BIN)/python -m benchmarks.starting --rounds 1 --no-instructions --no-goals
	$(BIN)/python -m benchmarks.verifying_builds --pages 2 --references 3 --latency 0 --jobs 1 --rounds 1 --no-instructions --no-goals
	@echo "These sizes show that each benchmark runs; none of their figures is judged."
	@echo "Judged with the sizes that each has by itself, on a quiet machine:"
	@echo "instructions (benchmarks.instructions, rebuilds, verifying_builds), and ratios of processor seconds inside a"
	@echo "round (benchmarks.names, rendering, linking_builds, reference_lists, starting,"
	@echo "verifying_builds)."

clean: ## Remove what was built, and caches; the environment stays
	rm -rf build dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -not -path './.venv*' -prune -exec rm -rf {} +
