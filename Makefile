# Recipes use nothing but sh and Python, so that a bare machine with python3 and make is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Hundreds of processes load the same modules: Python keeps them compiled, whatever the shell says.
export PYTHONDONTWRITEBYTECODE :=
RUN_STAMP := $(VENV)/.run
DEV_STAMP := $(VENV)/.dev
DOCS_STAMP := $(VENV)/.docs

.PHONY: help setup check check-all quick test test-slow test-rest test-alone guard mutate lint docs bench pages agreement fixes resets widened mixed flips jars anchors callers refusals spot tlc scale sweep audit-speed record audit-found real natural audit-data conformance compared lock

help: ## show this list
	@$(PYTHON) -c "import re; [print(f'{m[1]:10} {m[2]}') for m in re.finditer(r'(?m)^([a-z-]+):.*?## (.*)', open('Makefile').read())]"

setup: $(RUN_STAMP) ## set up what checking needs in .venv

check: $(RUN_STAMP) ## decide the claims on the RocketMQ model in all releases (two minutes on two cores); the stories for a browser in report/
	$(BIN)/offsetproof check --html report

check-all: $(RUN_STAMP) ## the same with the questions that check leaves out for their size, and then all claims in larger worlds (fifteen minutes, 2 GiB)
	$(BIN)/offsetproof check --release all --html report
	$(BIN)/python -m studies.larger

quick: $(DEV_STAMP) ## ruff, mypy and the fast tests of what has changed, for half a minute
	$(BIN)/python -m tools.quick

test: $(DEV_STAMP) lint ## lint, types and the fast tests (eight minutes on two cores)
	$(BIN)/pytest -n 3 --dist loadgroup -m "not slow"

test-slow: ## the tests that take long: both of the following, whatever becomes of the first
	$(MAKE) --keep-going test-rest test-alone

test-rest: $(DEV_STAMP) ## all that the fast tests have a sample of, two at a time (PART=2 OF=5: a fifth; MINUTES=60: begins none after that)
	OFFSETPROOF_EXAMPLES=all $(BIN)/pytest -n 2 --dist loadgroup -m "(slow or hypothesis) and not alone" $(PART:%=--part=%/$(OF)) $(MINUTES:%=--minutes=%)

test-alone: $(DEV_STAMP) ## the slow tests that measure memory, use all cores or start a cluster
	$(BIN)/pytest -m "slow and alone"

guard: $(RUN_STAMP) ## compare all verdicts, counts and causes on RocketMQ's models with the committed baselines
	$(BIN)/offsetproof guard --no-progress $(TURN:%=--turn=%)
	$(BIN)/offsetproof guard orderly --no-progress $(TURN:%=--turn=%)
	$(BIN)/offsetproof guard offset-files --no-progress $(TURN:%=--turn=%)
	$(BIN)/offsetproof guard replicas --no-progress $(TURN:%=--turn=%)
	$(BIN)/offsetproof guard broadcasting --no-progress $(TURN:%=--turn=%)
	$(BIN)/offsetproof guard several-queues --no-progress $(TURN:%=--turn=%)

mutate: $(RUN_STAMP) ## break the RocketMQ model in hundreds of ways; which claim notices? (ten minutes)
	$(BIN)/offsetproof mutate

lint: $(DEV_STAMP) ## ruff, mypy and the import rules
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

pages: $(DEV_STAMP) ## write the generated parts of all pages, from data that are there (seconds; python -m studies --check says which are old)
	$(BIN)/python -m studies

docs: $(DOCS_STAMP) ## build the documentation into site/, to be read without a network
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open site/index.html"

bench: $(DEV_STAMP) ## time the engine, also beside SPIN, Stateright and TLC, for docs/measurements.md
	$(BIN)/python -m bench
	$(BIN)/python -m bench.beside
	$(BIN)/python -m studies

agreement: $(DEV_STAMP) ## ask every engine and TLC, SPIN and Stateright everything, for docs/studies/agreement.md (hours)
	$(BIN)/python -m studies.agreement $(SUBJECT)
	$(BIN)/python -m studies

fixes: $(DEV_STAMP) ## decide every claim with each fix and each assumption, and remedies in each release, for docs/studies/fixes.md and docs/questions.md
	$(BIN)/python -m studies.fixes
	$(BIN)/python -m studies.remedies
	$(BIN)/python -m studies

resets: $(DEV_STAMP) ## find all causes of claim I5 again, in 4.9.4 and 5.3.3, for docs/studies/resets.md (a quarter of an hour; needs Maven)
	$(BIN)/python -m studies.resets
	$(BIN)/python -m studies.resets broker
	$(BIN)/python -m studies

widened: $(DEV_STAMP) ## ask each claim that holds with one bound or fault raised by one, for docs/studies/widened.md (SUBJECT=orderly: that one alone; hours)
	$(BIN)/python -m studies.widened $(SUBJECT)
	$(BIN)/python -m studies

mixed: $(DEV_STAMP) ## decide every claim in mixed clusters again, for docs/releases.md (ten minutes)
	$(BIN)/python -m studies.mixed
	$(BIN)/python -m studies.mixed_wider
	$(BIN)/python -m studies.mixed_tools
	$(BIN)/python -m studies

flips: $(DEV_STAMP) ## take each behaviour from the release that brought it, for docs/releases.md (an hour)
	$(BIN)/python -m studies.flips
	$(BIN)/python -m studies

jars: $(DEV_STAMP) ## lock the published jars of RocketMQ again (needs Maven and a network)
	$(BIN)/python -m tools.lock_jars

anchors: $(DEV_STAMP) ## find the lines of the RocketMQ model's anchors in the published jars (needs Maven)
	$(BIN)/python -m tools.anchors

callers: $(DEV_STAMP) ## find who touches offsets and caches in the published client, for docs/studies/callers.md (needs Maven)
	$(BIN)/python -m tools.callers
	$(BIN)/python -m studies.callers_later
	$(BIN)/python -m studies

spot: $(DEV_STAMP) ## measure what spot checks notice of seeded defects, and what they cost, for docs/measurements.md
	$(BIN)/python -m studies.spot
	$(BIN)/python -m studies

refusals: $(DEV_STAMP) ## ask what is refused, in which words, for docs/studies/refusals.md
	$(BIN)/python -m studies.refusals
	$(BIN)/python -m studies

tlc: $(DEV_STAMP) ## measure TLC on exports, beside a specification by hand, for docs/measurements.md (half an hour)
	$(BIN)/python -m studies.tlc
	$(BIN)/python -m studies

audit-speed: $(DEV_STAMP) ## measure the audit from log files to silver, for docs/measurements.md
	$(BIN)/python -m studies.audit_speed
	$(BIN)/python -m studies

sweep: $(DEV_STAMP) ## decide the built-in grid on Spark, for docs/measurements.md
	$(BIN)/python -m studies.sweep
	$(BIN)/python -m studies

scale: $(DEV_STAMP) ## measure exploration on Spark, for docs/measurements.md
	$(BIN)/python -m studies.scale
	$(BIN)/python -m studies

record: $(DEV_STAMP) ## write the recorded traces again, and the changes of the model that refute what holds
	$(BIN)/python -m studies.recorded
	$(BIN)/python -m studies.refuting

audit-found: $(DEV_STAMP) ## audit the recorded logs of real clusters, for docs/audit.md (a minute)
	$(BIN)/python -m studies.audit_found
	$(BIN)/python -m studies

real: $(DEV_STAMP) ## replay every recorded story on the published classes of RocketMQ, for docs/studies/real.md (two minutes)
	$(BIN)/python -m studies.real
	$(BIN)/python -m studies

natural: $(DEV_STAMP) ## count how often stories happen by themselves on a whole cluster, for docs/studies/natural.md (LOGS=folder keeps all logs; an hour)
	$(BIN)/python -m studies.natural $(LOGS:%=--logs %)
	$(BIN)/python -m studies

audit-data: $(DEV_STAMP) ## record logs of real clusters with what happened on them, for tests/audit/data (half an hour; needs Maven)
	$(BIN)/python -m studies.audit_data

conformance: $(DEV_STAMP) ## walk wrong models, and other releases, beside the real classes, for docs/studies/real.md (ten minutes)
	$(BIN)/python -m studies.conforming
	$(BIN)/python -m studies

compared: $(DEV_STAMP) ## compare 200,000 steps of walks and 5,000 that Hypothesis draws with the classes of each release, for docs/studies/real.md (an hour)
	$(BIN)/python -m studies.compared
	$(BIN)/python -m studies

lock: $(DEV_STAMP) ## pin versions that pyproject.toml allows, each file by its hash
	$(BIN)/uv pip compile -q --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --extra dev --group docs pyproject.toml -o requirements-dev.lock
	$(BIN)/uv pip compile -q --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --group docs -c requirements-dev.lock -o requirements-docs.lock

$(RUN_STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -c "import pathlib; pathlib.Path('$(RUN_STAMP)').touch()"

$(DEV_STAMP): $(RUN_STAMP) requirements-dev.lock tools/install_tools.py
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python tools/install_tools.py
	@$(BIN)/python -c "import pathlib; pathlib.Path('$(DEV_STAMP)').touch()"

$(DOCS_STAMP): requirements-docs.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.lock
	@$(BIN)/python -c "import pathlib; pathlib.Path('$(DOCS_STAMP)').touch()"
