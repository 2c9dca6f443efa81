# Everything a person runs. State lives in KEEPSAKE_HOME (var/), the port is PORT (8000):
#   make run PORT=8001 KEEPSAKE_HOME=/somewhere/else

PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
MANAGE := .venv/bin/python manage.py
PYTEST ?=
# What `check --deploy` is asked about: an installation with its own servers.
PRODUCTION := KEEPSAKE_HOME=var/check DATABASE_URL=postgresql://keepsake_app@localhost/keepsake \
	DATABASE_OWNER_URL=postgresql://keepsake_owner@localhost/keepsake ALLOWED_HOSTS=keepsake.example \
	SECRET_KEY=only-for-this-check-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFG \
	CRON_SECRET=only-for-this-check DEBUG=off HTTPS=on

.PHONY: run stop demo test test-clients check format bench lock install install-dev python

run: install  ## everything under one console; Ctrl-C ends it
	@exec $(MANAGE) serve

stop:  ## end whatever still runs of this KEEPSAKE_HOME
	@if [ -x .venv/bin/python ]; then $(MANAGE) stop; fi

demo: install  ## play the main loop in the terminal
	@$(MANAGE) migrate --verbosity 0
	@exec $(MANAGE) demo

test: install-dev  ## all tests; PYTEST="-k word" for some
	@exec .venv/bin/python -m pytest $(PYTEST)

test-clients: install-dev  ## clients that cannot live beside ours, each in its own environment
	@[ -x var/clients/bin/python ] || .venv/bin/uv venv --quiet --python .venv/bin/python var/clients
	@.venv/bin/uv pip install --quiet --python var/clients/bin/python "dinomem-crewai>=1,<2"
	@[ -x var/older-mcp/bin/python ] || \
		.venv/bin/uv venv --quiet --python .venv/bin/python var/older-mcp
	@.venv/bin/uv pip install --quiet --python var/older-mcp/bin/python "mcp<2"
	@CREWAI_PYTHON=var/clients/bin/python OLDER_MCP_PYTHON=var/older-mcp/bin/python \
		exec .venv/bin/python -m pytest tests/memory/interfaces/wire/test_crewai.py \
		tests/memory/interfaces/mcp/test_older_client.py $(PYTEST)

check: install-dev  ## what must hold before anything lands
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo
	$(MANAGE) makemigrations --check --dry-run
	$(PRODUCTION) $(MANAGE) check --deploy --fail-level WARNING

format: install-dev
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

bench: install-dev  ## figures for this machine
	@exec .venv/bin/python -m pytest tests/benchmarks -m bench -s $(PYTEST)

# Locked for every platform and Python from 3.11 at once, which needs uv. Two files, so that
# running Keepsake does not install a browser driver and two type checkers; the second holds
# the first, at the same versions.
lock: install-dev
	$(LOCK) pyproject.toml --output-file requirements.txt
	$(LOCK) --group dev pyproject.toml --constraint requirements.txt --output-file requirements-dev.txt
	@! grep -nE '://|file:|^-' requirements.txt requirements-dev.txt

LOCK := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links

install: python
	@$(PYTHON) -P config/install.py

install-dev: python
	@$(PYTHON) -P config/install.py --dev

python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "Keepsake needs Python 3.11 or newer; none was found (set PYTHON=/path/to/it)."; \
		exit 1; fi
