# Two targets are all a newcomer needs: `make tournament` and `make test`. Everything is installed into .venv.

VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help tournament test test-all lint format fuzz hostile cluster-test serve-soak figures golden stubs screenshots bench-engine bench-referee bench-startup bench-strength bench-ratings bench-tournament bench-sandbox bench-viewer bench-web bench-cluster bench-postgresql bench-scale bench-serve bench-growth bench-peers bench-faults clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

tournament: $(VENV)/.installed ## Install, then run a tournament of the bundled bots and show the leaderboard
	$(BIN)/arena tournament random greedy counter
	$(BIN)/arena leaderboard --html leaderboard.html
	$(BIN)/arena replay verify 1-mantis-1-1 1-tentagram-1-1

AT_ONCE := 2
PYTEST = $(BIN)/python -m pytest --numprocesses $(AT_ONCE) --dist loadfile --no-loadscope-reorder
test: $(VENV)/.test-installed system-packages ## Install what the tests need and run all but the slow ones, AT_ONCE=2 files at a time
	$(PYTEST) -m "not slow and not quarantined"

test-all: $(VENV)/.test-installed system-packages ## Run all tests, the slow fault tests too; a skipped test is a failure
	$(PYTEST) --no-skips -m "not quarantined"

lint: $(VENV)/.lint-installed ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@for bot in bots/*/bot.py; do $(BIN)/mypy --no-error-summary $$bot || exit 1; done # each a program of its own
	$(BIN)/lint-imports
	tools/lint-protos

format: $(VENV)/.lint-installed ## Lay the code out
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

SECONDS := 60
fuzz: $(VENV)/.fuzz-installed ## Breed inputs for all that reads what others send, for SECONDS=60 each; a crash fails
	$(BIN)/python -m tests.fuzz.guided --seconds $(SECONDS)

hostile: $(VENV)/.test-installed system-packages ## Play with hostile bots in every tier, and write the table in SECURITY.md
	$(BIN)/python -m tests.hostile

cluster-test: $(VENV)/.test-installed system-packages ## Cut links and kill machines of a cluster in network namespaces; needs root
	$(BIN)/python -m tests.tournament.runners.dask.namespaces

serve-soak: $(VENV)/.test-installed ## Let 100 bots dial in for five minutes that hang up and come back, and check the books
	$(BIN)/python -m bench.serve --soak --seconds 300

figures: ## Print how the code keeps to the targets for names, words and size
	@tools/figures

golden: $(VENV)/.test-installed ## Write the golden playthroughs anew, after a change of rules that is meant
	$(BIN)/python -m pytest tests/test_golden.py --update

stubs: $(VENV)/.test-installed ## Generate arena/v1 from the .proto files
	tools/generate-stubs .

screenshots: $(VENV)/.test-installed system-packages ## Take the pictures in docs/ anew, after a change of how pages look
	$(BIN)/python tools/screenshots

bench-engine: $(VENV)/.bench-installed ## Measure the engine beside OpenSpiel, RLCard and PettingZoo
	$(BIN)/python bench/engine.py

bench-referee: $(VENV)/.installed ## Measure the referee and real bot processes beside a raw pipe and plain gRPC
	$(BIN)/python bench/referee.py

bench-startup: $(VENV)/.installed ## Measure how long commands and imports take to start, and a tournament's first match
	$(BIN)/python -m bench.startup

bench-strength: $(VENV)/.installed ## Play the bundled bots against each other in the engine, with win rates
	$(BIN)/python bench/strength.py

bench-ratings: $(VENV)/.test-installed ## Measure the ratings and the refit beside the trueskill package
	$(BIN)/python bench/ratings.py

AGAINST :=
bench-tournament: $(VENV)/.test-installed ## Measure the CPU time of tournaments by process and stage; AGAINST=COMMIT compares with it
	$(BIN)/python -m bench.tournament $(if $(AGAINST),--against $(AGAINST))

bench-peers: $(VENV)/.installed ## Measure the same games here, in OpenSpiel, in kaggle-environments and over a raw pipe
	$(BIN)/python -m bench.peers

bench-faults: $(VENV)/.installed ## Count the matches that a bot's exceptions and crashes cost, by matches at the same time
	$(BIN)/python -m bench.faults

bench-growth: $(VENV)/.test-installed ## Measure what grows with the number of matches: tournaments, and a big store
	$(BIN)/python -m bench.growth

bench-sandbox: $(VENV)/.test-installed system-packages ## Measure what the sandbox costs, and honest bots beside hogs
	$(BIN)/python -m bench.sandbox

bench-scale: $(VENV)/.installed ## Measure the costs that grow with the number of bots (docs/scale.md)
	$(BIN)/python -m bench.scale

bench-viewer: $(VENV)/.test-installed system-packages ## Measure how smoothly the match viewer plays beside an empty page
	$(BIN)/python -m bench.viewer

bench-web: $(VENV)/.installed ## Measure the web pages with few and with many matches on record, and with many followers
	$(BIN)/python -m bench.web

bench-postgresql: $(VENV)/.test-installed system-packages ## Measure tournaments with PostgreSQL beside the same with SQLite
	$(BIN)/python -m bench.postgresql

bench-cluster: $(VENV)/.test-installed system-packages ## Measure tournaments on a cluster of this machine beside the same without
	$(BIN)/python -m bench.cluster

bench-serve: $(VENV)/.test-installed ## Measure arena serve with 100 bots that have dialled in beside local processes
	$(BIN)/python -m bench.serve

clean: ## Remove everything that make has made
	rm -rf $(VENV) .arena .bench .fuzz leaderboard.html .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

.PHONY: system-packages
system-packages:
	@tools/system-packages

$(BIN)/python:
	@tools/create-venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.%-installed: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group $*
	@touch $@
