# Everything a developer does, one word each. Every target builds what it needs and says so.
.DEFAULT_GOAL := help
.PHONY: help serve test test-all check coverage fix demo migration messages bench bench-catalogue bench-import wheel extension lock lint browser proxies
# The system's own Python where it is new enough: distributions compile it with all optimizations, pyenv for instance does not,
# and with these the tests take a fifth less. `make PYTHON=…` takes another.
PYTHON ?= $(shell for found in /usr/bin/python3 python3; do \
  $$found -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; done; echo $$found)
BIN := .venv/bin
READY := .venv/ready
unexport PYTHONDONTWRITEBYTECODE # else every process that tests compiles all of them again, ten seconds each
PYTEST := $(BIN)/pytest --durations=15 --durations-min=2 # the slowest are listed, so that they can be mended
# Four runs side by side that take about as long as each other. Browsers are waited for, and so are killed servers and silent
# sites: that keeps two cores busy to the end; and to collect a test costs as much as many a test, so each is collected once.
RUNS := "tests/browser tests/workspace" "tests/attacks tests/cli tests/deploy tests/faults tests/infra tests/outside" "tests/ingest tests/library"
OTHERS := tests $(addprefix --ignore=,$(subst ",,$(RUNS)))
# What is found out without a server: only to collect all tests takes half a minute.
QUICK := tests/test_architecture.py tests/infra tests/markdown tests/metadata/parsing tests/metadata/test_urls.py \
  tests/ingest/parser tests/search tests/library/matching tests/workspace/export/formats \
  tests/web/test_errors.py tests/web/test_flashes.py tests/web/test_transactions.py tests/web/test_colours.py
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-emit-index-url --custom-compile-command "make lock"

help: ## list these targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/make \1\t\2/' | expand -t 22

serve: $(READY) ## set up, bring the database in .data up to date and serve it; prints the address to open
	READTRACK_DATA=.data $(BIN)/readtrack serve

test: $(READY) lint browser proxies ## what CI runs: format, lint, types, tests on both databases and in a real browser
	@printed=$$(mktemp -d); trap 'kill $$running' INT TERM; failed=0; \
	for run in $(RUNS); do $(PYTEST) $$run >"$$printed/$$(echo $$run | tr / _)" 2>&1 & running="$$running $$!"; done; \
	$(PYTEST) $(OTHERS) || failed=$$?; \
	for process in $$running; do wait $$process || failed=$$?; done; cat $$printed/*; rm -r $$printed; exit $$failed

test-all: export READTRACK_TEST_DEEP = 1
test-all: test ## the same, with every test on both databases, every theme and width, and many more examples

check: $(READY) lint ## format, lint, types, and the tests that need little: less than a minute
	$(PYTEST) -n 2 --dist worksteal -m "not slow" --sqlite-only $(QUICK)

coverage: $(READY) browser proxies ## which lines and branches of src make test runs
	rm -rf .coverage*
	$(BIN)/coverage run -m pytest -n 2 --dist worksteal --ignore=tests/browser
	$(BIN)/coverage run -m pytest -n 1 tests/browser
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: $(READY)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy --num-workers 2

fix: $(READY) ## format, and mend what ruff can mend
	$(BIN)/ruff check --fix; $(BIN)/ruff format

demo: $(READY) ## serve a throw-away library with sample people, papers and notes
	$(BIN)/readtrack demo

migration: $(READY) ## write a migration for the models as they are now: make migration m="what changes"
	$(BIN)/python migrations "$(or $(m),$(error say what changes: make migration m="what changes"))"

messages: $(READY) ## collect what is said from source and templates into the catalogues under locale/
	$(BIN)/pybabel --quiet extract --mapping=locale/babel.cfg --keyword=N_ --no-wrap --add-location=file --sort-by-file --project=readtrack --copyright-holder="the readtrack authors" --output=locale/readtrack.pot .
	for language in ja zh_Hans; do $(BIN)/pybabel --quiet update --no-fuzzy-matching --ignore-obsolete --no-wrap --domain=readtrack --locale=$$language --input-file=locale/readtrack.pot --output-file=locale/$$(echo $$language | tr _ -)/LC_MESSAGES/readtrack.po; done

bench-import: $(READY) ## what the importer finds in every form of note, and what it takes
	$(BIN)/python -m bench.import_bench

bench-catalogue: $(READY) ## load invented dumps of 100,000 works into a catalogue, and look up names and titles in it
	$(BIN)/python -m bench.catalogue --lines 100000

bench: $(READY) ## time the pages on libraries of 10,000 and 100,000 papers and of a team of 50, then what fetches, compares and looks up
	$(BIN)/python -m bench.run
	$(BIN)/python -m bench.team
	$(BIN)/python -m bench.under_load
	$(BIN)/python -m bench.importing --entries 1000
	$(BIN)/python -m bench.enriching
	$(BIN)/python -m bench.texts
	$(BIN)/python -m bench.near
	$(BIN)/python -m bench.duplicates --papers 10000
	$(BIN)/python -m bench.catalogue --lines 20000

wheel: $(READY) ## build dist/*.tar.gz and dist/*.whl
	$(BIN)/python -m build --no-isolation

extension: ## pack the browser extension: dist/readtrack-extension.zip
	@mkdir -p dist
	cd extension && $(PYTHON) -m zipfile -c ../dist/readtrack-extension.zip *

lock: $(READY) ## pin the newest versions that pyproject.toml allows in requirements*.txt
	$(COMPILE) --upgrade --extra postgres pyproject.toml --output-file requirements.txt
	$(COMPILE) --upgrade --extra postgres --group dev --constraint requirements.txt pyproject.toml --output-file requirements-dev.txt
	$(COMPILE) --group build --constraint requirements-dev.txt --output-file requirements-build.txt

# uv takes a third of the time that pip takes; but only pip reads the mirrors in pip's own settings.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps
$(READY): requirements-dev.txt pyproject.toml hatch_build.py package-lock.json
	@echo "Setting up .venv with what requirements-dev.txt pins (a minute, only when it changed) …"
	@$(PYTHON) -c 'import sys; sys.exit("readtrack needs Python 3.11 or newer: make PYTHON=…" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@sed -n '/^uv==/,/[^\\]$$/p' requirements-dev.txt >.venv/uv.txt
	@$(PIP) --require-hashes --requirement .venv/uv.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes --compile-bytecode --requirement requirements-dev.txt \
	  || $(PIP) --require-hashes --requirement requirements-dev.txt
	@$(PIP) --no-build-isolation --editable .
	@touch $@

browser: # Chromium, from Debian where that is possible
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Chromium for the browser tests …"; \
	    apt-get update --quiet=2 && apt-get install --quiet=2 --yes --no-install-recommends chromium-headless-shell fonts-noto-cjk; \
	  else \
	    echo "The browser tests need Chromium, which is not installed. Install it (Debian: apt-get install chromium fonts-noto-cjk), or run 'make check', which does without." >&2; exit 1; \
	  fi; }

proxies: # nginx and Caddy for their tests, where CI may install them; elsewhere those tests are skipped without them
	@if [ -n "$$CI" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! { command -v nginx && command -v caddy; } >/dev/null; then \
	  echo "Installing nginx and Caddy for the tests of the proxies …"; \
	  apt-get update --quiet=2 && apt-get install --quiet=2 --yes --no-install-recommends nginx-light caddy; \
	fi
