# SPDX-License-Identifier: GPL-3.0-or-later
#
# The front door; CMakeLists.txt does the work.  `make help` lists what there is.

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
SCORE_RUNS ?= 50
SENSITIVITY_RUNS ?= 4
SOAK_SECONDS ?= 600
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# Below make -jN the N is handed down; a second -j would only be warned about.
jobs = $(if $(findstring --jobserver,$(MAKEFLAGS)),,-j$(JOBS))
configure = cmake -S . -B $(BUILD) $(CMAKE_FLAGS)
setup = tools/setup $(if $(findstring SEEP_PLOT=OFF,$(CMAKE_FLAGS)),--no-plot)
MAKEFLAGS += --no-print-directory

.PHONY: all configure build product demo test test-real real score zoo bare soak no-plot full lint
.PHONY: real-python accept rules-table bench install clean help

all: build
	@echo "built: $(BUILD)/bin/seep, $(BUILD)/lib/libseep.so, $(BUILD)/lib/libseep-heap.so"
	@echo "try:   $(BUILD)/bin/seep demo"

configure:
	@$(configure) >/dev/null

build: configure
	+@cmake --build $(BUILD) $(jobs)

# Without the tests, which are most of the work.
product: configure
	+@cmake --build $(BUILD) $(jobs) --target product

demo:
	@$(setup)
	+@$(MAKE) product
	@$(BUILD)/bin/seep demo

test:
	@$(setup) --test
	+@JOBS=$(JOBS) FUZZ_SECONDS=$(FUZZ_SECONDS) tools/test $(BUILD)

test-real:
	@$(setup) --real
	+@$(MAKE) build
	@tools/test-real $(BUILD)

real:
	@$(setup) --corpus
	+@$(MAKE) product
	@SEEP_BUILD="$(abspath $(BUILD))" tests/real/corpus/run $(REAL_FLAGS)

real-python:
	@tools/setup --real-python
	+@$(MAKE) product
	@SEEP_BUILD="$(abspath $(BUILD))" tests/real/python/check

ifeq ($(SENSITIVITY),)
score: build
	@$(BUILD)/tests/score/score --set dev --runs $(SCORE_RUNS)
	@echo
	@$(BUILD)/tests/score/score --set held-out --runs $(SCORE_RUNS)
	@echo
	@$(BUILD)/tests/score/score --set lifelike --runs $(SCORE_RUNS)
else
# Thresholds are variables there, so it has a build of its own.
score:
	@cmake -S . -B $(BUILD)-sensitivity $(CMAKE_FLAGS) -DSEEP_SENSITIVITY=ON >/dev/null
	+@cmake --build $(BUILD)-sensitivity $(jobs) --target score
	@$(BUILD)-sensitivity/tests/score/score sensitivity --runs $(SENSITIVITY_RUNS) \
		--jobs $(JOBS)
endif

zoo: build
	@SEEP_BUILD="$(abspath $(BUILD))" tests/zoo/score $(ZOO_FLAGS)

bare:
	@JOBS=$(JOBS) FUZZ_SECONDS=$(FUZZ_SECONDS) tools/bare

soak: build
	@JOBS=$(JOBS) SOAK_SECONDS=$(SOAK_SECONDS) tools/soak $(BUILD)

no-plot:
	@JOBS=$(JOBS) tools/test-no-plot $(BUILD)

# All that takes too long for .ci/run, one after the other; a failure does not stop the rest.
full = test-real real-python score zoo soak no-plot bare

full:
	+@failed=; for part in $(full); do \
		echo; echo "=== make $$part"; \
		$(MAKE) $$part || failed="$$failed $$part"; \
	done; \
	echo; echo "make full: failed:$${failed:- nothing}"; [ -z "$$failed" ]

lint:
	@tools/setup --lint
	@tools/lint

# The outputs in tests/golden, as they are now: read the differences before you commit them.
accept: product
	@SEEP_BUILD="$(abspath $(BUILD))" tests/golden/check --accept $(ACCEPT)

# The table of rules in the documentation, as the code has it.
rules-table: configure
	+@cmake --build $(BUILD) $(jobs) --target test_rules
	@$(BUILD)/tests/unit/test_rules --write docs/method.md

bench: build
	@if [ -x bench/run ]; then SEEP_BUILD="$(abspath $(BUILD))" bench/run; \
	else echo "bench/run: there is no benchmark in this tree" >&2; exit 1; fi

install:
	@$(configure) -DCMAKE_INSTALL_PREFIX="$(PREFIX)" >/dev/null
	+@cmake --build $(BUILD) $(jobs) --target product
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD)
	@if [ -z "$(DESTDIR)" ]; then \
	echo "Programs that link with -lseep may need one run of ldconfig."; fi
	@echo "For Python: export PYTHONPATH=$(PREFIX)/share/seep/python"

clean:
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-fuzz $(BUILD)-no-plot \
		$(BUILD)-sensitivity

help:
	@echo "make              build into $(BUILD)/"
	@echo "make demo         install what is missing, build, find a planted leak"
	@echo "make test         all tests, with sanitizers too, $(FUZZ_SECONDS) s of fuzzing"
	@echo "make test-real    the tracker in real programs and servers, 15 minutes"
	@echo "make real         the verdict on real programs whose truth is known, some hours"
	@echo "make score        verdicts on made-up runs whose truth is known"
	@echo "make score SENSITIVITY=1"
	@echo "                  what each threshold does to these scores, half an hour"
	@echo "make zoo          the verdict on programs that know their own truth, 3 minutes"
	@echo "make soak         $(SOAK_SECONDS) s of stress; statistics with sanitizers"
	@echo "make no-plot      a command without cairo: what it still can, and that it says so"
	@echo "make bare         make demo and make test in a new, empty Debian; needs root"
	@echo "make full         what .ci/run has no time for: $(full)"
	@echo "make lint         layers, style, scripts, manual pages, warnings of gcc and clang"
	@echo "make accept       accept the current outputs as those that tests/golden expects"
	@echo "make rules-table  write the table of rules into docs/method.md"
	@echo "make bench        what the tracker costs"
	@echo "make install      into PREFIX=$(PREFIX), below DESTDIR"
	@echo "make clean        remove $(BUILD)/ and $(BUILD)-{asan,fuzz,no-plot,sensitivity}/"
	@echo
	@echo "variables: BUILD=dir JOBS=n FUZZ_SECONDS=n SCORE_RUNS=n SOAK_SECONDS=n"
	@echo "           SENSITIVITY_RUNS=n PREFIX=dir DESTDIR=dir CMAKE_FLAGS=..."
	@echo "           BARE_ROOT=dir BARE_CACHE=dir; see tools/bare"
	@echo "           ZOO_FLAGS='--only 7,40 --repeat 3'; see tests/zoo/README.md"
	@echo "           REAL_FLAGS='--half tune --only redis'; see tests/real/corpus/README.md"
	@echo "           ACCEPT='report/exact plot/delta'; see tests/golden/README.md"
	@echo "another compiler: CC=clang make BUILD=build-clang"
