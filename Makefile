# Two targets are all a newcomer needs: `make demo` and `make test`.
# ReplayTracing is built and tested here, and debug builds check what must hold; see Package.swift.
export REPLAY_TRACING = 1
export REPLAY_CHECKS = 1

SWIFT ?= swift
REPLAY = .build/debug/replay
RECORD = .build/debug/record-sample
DEMO = .build/demo

.PHONY: demo test test-macros test-python test-swiftui test-page fleet fleet-statistics pictures torture torture-faults torture-bits torture-threads torture-memory plugin mutants build libraries samples readme man golden cases bench-agents precision bench bench-page bench-summarize bench-follow bench-debug bench-build bench-shapes instructions fuzz lint format install uninstall release docs docs-open clean

## demo: build, record the chat sample in both versions, and ask what happened
demo: libraries
	$(SWIFT) build --product record-sample
	$(SWIFT) build --product replay
	@rm -rf $(DEMO) && mkdir -p $(DEMO)
	@echo; echo '== Record the same chat twice: once with the hot read in the parent, once isolated'
	$(RECORD) chat-wide --fast --output $(DEMO)/wide.evlog
	$(RECORD) chat-isolated --fast --output $(DEMO)/isolated.evlog
	@echo; echo '== Which writes woke the most work?'
	$(REPLAY) cascades $(DEMO)/wide.evlog --limit 3
	@echo; echo '== Why did this MarkdownText run?'
	$(REPLAY) why $(DEMO)/wide.evlog 'MarkdownText#7'
	@echo; echo '== What changed between the two versions?'
	$(REPLAY) diff $(DEMO)/wide.evlog $(DEMO)/isolated.evlog || test $$? -eq 1
	@echo; echo '== All of it on a page, to open in a browser'
	$(REPLAY) report $(DEMO)/wide.evlog -o $(DEMO)/wide.html

TEST_PYTHON = .build/test-python
# The official client of each generation of the protocol of agents.
TEST_MCP = 1.30.0 2.3.0

## test: run every test
test: libraries test-python test-macros
	$(SWIFT) build --build-tests
	@SWIFT="$(SWIFT)" Tests/summary --skip-build --parallel

# In the same build folder as the other tests, and before them; see Package.swift.
test-macros: export REPLAY_MACROS = 1
test-macros: libraries
	$(SWIFT) build --build-tests
	@SWIFT="$(SWIFT)" Tests/summary --skip-build --parallel

# Python's zstandard reads logs, the other packages read summaries. What the machine lacks of them is installed into an
# environment of the tests. Agents' clients are in an environment each. Where that is not possible, as without a network, the
# tests that need them are skipped.
test-python:
	@test -e $(TEST_PYTHON)/installed || { rm -rf $(TEST_PYTHON) && \
	  python3 -m venv --system-site-packages $(TEST_PYTHON) && \
	  $(TEST_PYTHON)/bin/python -m pip install --quiet --disable-pip-version-check --retries 1 zstandard pyarrow duckdb && \
	  touch $(TEST_PYTHON)/installed; } || { rm -rf $(TEST_PYTHON); \
	  echo 'The Python packages zstandard, pyarrow and duckdb cannot be installed: the tests that need them are skipped.'; }
	@for version in $(TEST_MCP); do python=$(TEST_PYTHON)-mcp-$$version; \
	  test -e $$python/installed || { rm -rf $$python && python3 -m venv $$python && \
	  $$python/bin/python -m pip install --quiet --disable-pip-version-check --retries 1 mcp==$$version && \
	  touch $$python/installed; } || { rm -rf $$python; \
	  echo "The Python package mcp $$version cannot be installed: the tests with that client are skipped."; }; done

## test-swiftui: run the tests of ReplayUI, on a stand-in for SwiftUI; not on a Mac, whose own it would hide
test-swiftui: libraries plugin
	cd Tests/SwiftUIHost && $(SWIFT) build --build-tests $(WITH_PLUGIN)
	cd Tests/SwiftUIHost && $(SWIFT) test --skip-build $(WITH_PLUGIN)

## test-page: run the tests of the page's script, and those of the page in headless Chromium
test-page: libraries
	$(SWIFT) build --product replay
	$(SWIFT) build --product log-child
	REPLAY=$(REPLAY) Tests/Page/run

## fleet-statistics: how often fleet diff raises what is none, and finds what is there, of COMPARISONS made-up pairs of versions
fleet-statistics: COMPARISONS ?= 400
fleet-statistics: libraries
	$(SWIFT) build -c release --product fleet-statistics
	.build/release/fleet-statistics $(COMPARISONS)

## fleet: make the logs of SESSIONS sessions, and find a planted fault by fleet, DuckDB, ClickHouse and Spark (SPARK=no)
# 10,000 sessions take 90 MB of disk, 100,000 take 900. What needs another Python package is in an environment of its own.
fleet: SESSIONS ?= 2000
fleet: libraries
	$(SWIFT) build -c release --product replay
	$(SWIFT) build -c release --product fleet-sessions
	@mkdir -p .build/fleet
	test -x .build/fleet-python/bin/python || python3 -m venv .build/fleet-python
	.build/fleet-python/bin/python -m pip install --quiet duckdb pyarrow \
	  $(if $(filter no,$(CLICKHOUSE)),,chdb) $(if $(filter no,$(SPARK)),,'pyspark>=4' 'pandas<3')
	.build/fleet-python/bin/python -B Fleet/check.py .build/release/replay .build/release/fleet-sessions .build/fleet $(SESSIONS) \
	  $(if $(filter no,$(CLICKHOUSE)),--no-clickhouse) $(if $(filter no,$(SPARK)),--no-spark) $(if $(DOCUMENT),--document)

## pictures: make the pictures of the page in docs/pictures again; look at them
pictures: libraries
	$(SWIFT) build --product replay
	REPLAY=$(REPLAY) Tests/Page/run --pictures

## torture: inject faults into logs for SECONDS, from SEED on, SCENARIO= picks one kind; then bits and threads
torture: SECONDS ?= 300
torture: torture-faults torture-bits torture-threads

# Optimised, in a package without swift-syntax, whose compiler plug-in is this package's.
WITH_PLUGIN = -Xswiftc -load-plugin-executable \
  -Xswiftc "$(CURDIR)/.build/debug/RecordedMacros-tool\#RecordedMacros"
IN_TORTURE = cd Torture &&
RELEASE = -c release -Xswiftc -enable-testing $(WITH_PLUGIN)
SANITIZED = --sanitize=thread --scratch-path .build/thread $(WITH_PLUGIN)
ADDRESSES = --sanitize=address --scratch-path .build/address $(WITH_PLUGIN)
ASKED = TORTURE_SECONDS=$(SECONDS) $(if $(SEED),TORTURE_SEED=$(SEED))

# The smallest program that the plug-in is built for.
plugin:
	$(SWIFT) build --product quickstart

torture-faults torture-bits: SECONDS ?= 300
torture-faults torture-bits: libraries plugin

## torture-faults: random trials of every scenario, for SECONDS from SEED on
torture-faults:
	$(IN_TORTURE) $(SWIFT) build $(RELEASE) --build-tests
	$(IN_TORTURE) $(ASKED) $(if $(SCENARIO),TORTURE_SCENARIO=$(SCENARIO)) \
	  $(SWIFT) test --skip-build $(RELEASE) --filter "TortureTests|aSyncThatIsLeftOut"

## torture-bits: cut a log of 64 KiB at every byte and flip its every bit, for SECONDS; EVERY=cuts or flips, FROM= goes on
torture-bits:
	$(IN_TORTURE) $(SWIFT) build $(RELEASE) --build-tests
	$(IN_TORTURE) $(ASKED) TORTURE_EVERY=$(or $(EVERY),all) TORTURE_FROM=$(or $(FROM),0) \
	  $(SWIFT) test --skip-build $(RELEASE) --filter EveryFaultTests

## torture-threads: what threads do at once, under the thread sanitizer
torture-threads: libraries plugin
	$(IN_TORTURE) $(SWIFT) build $(SANITIZED) --build-tests
	$(IN_TORTURE) TSAN_OPTIONS=halt_on_error=1 $(SWIFT) test --skip-build $(SANITIZED) \
	  --filter "StressTests|ActionTreeTests|ActorProgramTests|ActorPromiseTests|FollowThreadTests|WriterTests|FollowerTests|RotationTests|FlightRecorderTests|FaultTests" --skip aCrashLeavesADump

## torture-memory: what is read and written by its layout, under the address sanitizer
torture-memory: libraries plugin
	$(IN_TORTURE) $(SWIFT) build $(ADDRESSES) --build-tests
	$(IN_TORTURE) ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --skip-build $(ADDRESSES) \
	  --filter "LayoutRestoringTests|FollowTests|FollowOracleTests|FollowedObservationTests"

## mutants: take out one check at a time, and see that some test fails
mutants: libraries
	Tests/mutants

## build: build everything but the tests
build: libraries
	$(SWIFT) build

## libraries: install what is not Swift, libzstd, SQLite and zlib, where it is missing
libraries:
	@pkg-config --exists libzstd sqlite3 zlib 2>/dev/null || .ci/install-libraries

## samples: record SampleLogs again by running the programs in Examples
# A debug build, since callbacks are called by key paths, whose names an optimised program has not; the library is optimised.
samples: libraries
	$(SWIFT) build --product record-sample
	$(RECORD) --all --into SampleLogs

## readme: run the commands of README and tutorials, and put what they print into these
readme: build
	.ci/readme --update
	.ci/tutorials --update

## man: write manual pages to .build/man; see one with `man -l .build/man/replay-why.1`
man: build
	$(REPLAY) manual --into .build/man --replace

## golden: put what every command prints on the samples into Tests/ReplayToolTests/Golden/Files, and look at the change
golden: libraries
	$(SWIFT) build --build-tests
	GOLDEN=update $(SWIFT) test --skip-build --filter GoldenTests
	git --no-pager diff --stat -- Tests/ReplayToolTests/Golden/Files

## cases: score the analyses on bugs whose causes are known: cause first, price, silence; NAME=page-enum for one
cases: libraries
	$(SWIFT) build --product cases
	.build/debug/cases $(NAME)

## bench-agents: walk the loop of the skill over all cases by a scripted client of `replay mcp`: calls, bytes, what is kept; NAME= for one
bench-agents: libraries
	$(SWIFT) build --product cases
	$(SWIFT) build --product replay
	@rm -rf .build/bench-agents
	.build/debug/cases --into .build/bench-agents $(NAME)
	python3 -B Cases/agent.py $(REPLAY) .build/bench-agents

## precision: judge lint on COUNT apps from SEED with planted faults and without; KIND=, KEEP=, JSON= and AGAINST= as its options
precision: COUNT ?= 1000
precision: SEED ?= 1
precision: libraries plugin
	$(SWIFT) build --product replay
	cd Precision && $(SWIFT) build -c release $(WITH_PLUGIN)
	@rm -rf .build/precision && mkdir -p .build/precision
	@cd .build/precision && ../debug/quickstart >/dev/null
	Precision/.build/release/precision --tool $(REPLAY) --count $(COUNT) --seed $(SEED) $(if $(KIND),--only $(KIND)) \
	  $(if $(KEEP),--keep $(KEEP)) $(if $(JSON),--json $(JSON)) $(if $(AGAINST),--against $(AGAINST)) \
	  $(HEALTHY_SAMPLES:%=--healthy SampleLogs/%.evlog) --healthy .build/precision/run.evlog

# Those of which SampleLogs/README.md says that they are as they should be.
HEALTHY_SAMPLES = chat-isolated list-property list-element episodes-identity catalog-split game-split stream-input feed-latest

## bench: measure the engine and the log beside their peers
bench: libraries
	@mkdir -p .build && rm -f .build/mailbox.evlog
	cd Benchmarks && $(SWIFT) run -c release bench \
	  --mail-log ../.build/mailbox.evlog --churn-log ../.build/churn.evlog
	$(SWIFT) build -c release --product replay
	cd Benchmarks && $(SWIFT) run -c release log-bench --replay ../.build/release/replay
	cd Benchmarks && $(SWIFT) run -c release log-bench --replay ../.build/release/replay \
	  --only commands --log ../.build/mailbox.evlog --rounds 1
	cd Benchmarks && $(SWIFT) run -c release log-bench --replay ../.build/release/replay \
	  --only commands --log ../.build/churn.evlog --rounds 1
	$(MAKE) bench-page LOGS=".build/mailbox.evlog .build/churn.evlog"

## bench-page: measure pages in headless Chromium: how long they take to make and to open, and to draw; LOGS= picks the logs
bench-page: LOGS ?= SampleLogs/chat-wide.evlog SampleLogs/mailbox.evlog
bench-page: libraries
	$(SWIFT) build -c release --product replay
	REPLAY=.build/release/replay Tests/Page/run --bench $(LOGS)

## bench-summarize: what summarize takes beside reading every row of the same logs: SESSIONS= of EVENTS= at the mail app
bench-summarize: SESSIONS ?= 1000
bench-summarize: EVENTS ?= 30000
bench-summarize: libraries
	$(SWIFT) build -c release --product replay
	$(SWIFT) build -c release --product fleet-sessions
	rm -rf .build/bench-summarize && mkdir -p .build/bench-summarize
	.build/release/fleet-sessions --sessions $(SESSIONS) --events $(EVENTS) --into .build/bench-summarize/logs
	.build/release/replay summarize .build/bench-summarize/logs -o .build/bench-summarize/tables --timings

## bench-follow: measure how a page follows a log that grows by RATE events a second: its frames, the tool's memory
bench-follow: RATE ?= 100000
bench-follow: libraries
	$(SWIFT) build -c release --product replay
	$(SWIFT) build -c release --product log-child
	REPLAY=.build/release/replay LOG_CHILD=.build/release/log-child Tests/Page/run --follow $(RATE)

## bench-shapes: which costs grow faster than the work, and what plain arrays and dictionaries cost
bench-shapes: libraries
	cd Benchmarks && $(SWIFT) run -c release bench --only shapes --rounds 3
	cd Benchmarks && $(SWIFT) run -c release bench --only plain --rounds 5

## bench-debug: measure what an app does most, unoptimised, beside `@Observable` unoptimised
# As an app builds it, without the checks.
bench-debug: libraries
	cd Benchmarks && env -u REPLAY_CHECKS $(SWIFT) run bench --few --rounds 5
	cd Benchmarks && env -u REPLAY_CHECKS $(SWIFT) run bench --only mailbox --mail-messages 300 --mail-hours 1

## bench-build: what @Recorded adds to the build of an app, beside @Observable: ROUNDS= of CLASSES= classes
bench-build: ROUNDS ?= 5
bench-build: CLASSES ?= 100
bench-build: libraries
	SWIFT="$(SWIFT)" Benchmarks/BuildTime/measure --classes $(CLASSES) --rounds $(ROUNDS)

## instructions: count what is done most by callgrind, and compare with Benchmarks/Instructions/expected.txt; UPDATE=1
instructions: libraries plugin
	cd Benchmarks/Instructions && $(SWIFT) build -c release $(WITH_PLUGIN)
	@# valgrind gives up where it cannot read the debugging information, whose version is newer than it is.
	strip --strip-debug Benchmarks/Instructions/.build/release/instructions
	Benchmarks/Instructions/count $(if $(UPDATE),--update)

## fuzz: run the fuzz targets under the address sanitizer: make fuzz SECONDS=60 TARGET=reader
fuzz: libraries
	$(MAKE) -C Fuzz fuzz

## lint: check the format of all sources
lint:
	@missing=$$(grep -rL '^import ReplayAnalysis$$' $$(grep -rl '^import EventLog$$' Sources/ReplayTool)); test -z "$$missing" || \
	  { echo "These would trap on numbers of logs; import ReplayAnalysis, whose operators saturate:"; echo "$$missing"; exit 1; } >&2
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests Cases Examples Fleet/Generator Fleet/Statistics Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Instructions/Package.swift Benchmarks/Instructions/Sources/instructions Fuzz/Package.swift Fuzz/Sources Precision/Package.swift Precision/Sources/precision Torture/Package.swift

## format: put all sources into the project's format
format:
	$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests Cases Examples Fleet/Generator Fleet/Statistics Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Instructions/Package.swift Benchmarks/Instructions/Sources/instructions Fuzz/Package.swift Fuzz/Sources Precision/Package.swift Precision/Sources/precision Torture/Package.swift

DOCS = .build/docs
DOCUMENTED = EventLog Projection ReplayTesting ReplayTracing

## docs: documentation of the libraries with tutorials, as a site in .build/docs; see it with `make docs-open`
docs: libraries
	@mkdir -p $(DOCS)
	REPLAY_DOCS=1 $(SWIFT) package --allow-writing-to-directory $(DOCS) generate-documentation \
	  $(DOCUMENTED:%=--target %) --enable-experimental-combined-documentation --warnings-as-errors \
	  --transform-for-static-hosting --output-path $(DOCS)

## docs-open: serve .build/docs at http://localhost:8000/documentation, since its pages fetch their data
docs-open:
	python3 -m http.server --directory $(DOCS) 8000

PREFIX ?= /usr/local
# A folder of its own, since all is compiled in another way where Swift's runtime is linked in. Apple's systems bring it.
INSTALLED = .build/install
STATIC = $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib -Xlinker -L$(CURDIR)/$(INSTALLED)/none)
BIN = $(DESTDIR)$(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share

## install: build the tool optimised, and put it, manual pages and completions into PREFIX; it runs without Swift
install: libraries $(if $(STATIC),$(INSTALLED)/none/libcurl.a)
	$(SWIFT) build -c release $(STATIC) --scratch-path $(INSTALLED) --product replay
	install -d $(BIN) $(SHARE)/man/man1 $(SHARE)/bash-completion/completions \
	  $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -s -m 755 $(INSTALLED)/release/replay $(BIN)/replay
	rm -rf $(INSTALLED)/share && mkdir $(INSTALLED)/share
	$(BIN)/replay manual --into $(INSTALLED)/share/man
	$(BIN)/replay --generate-completion-script bash >$(INSTALLED)/share/replay.bash
	$(BIN)/replay --generate-completion-script zsh >$(INSTALLED)/share/replay.zsh
	$(BIN)/replay --generate-completion-script fish >$(INSTALLED)/share/replay.fish
	install -m 644 $(INSTALLED)/share/man/*.1 $(SHARE)/man/man1
	install -m 644 $(INSTALLED)/share/replay.bash $(SHARE)/bash-completion/completions/replay
	install -m 644 $(INSTALLED)/share/replay.zsh $(SHARE)/zsh/site-functions/_replay
	install -m 644 $(INSTALLED)/share/replay.fish $(SHARE)/fish/vendor_completions.d/replay.fish

# The server's library refers to URLSession, and Swift's refers to libcurl. The tool requests nothing, so it needs no such
# library: in its place are functions that end the program.
$(INSTALLED)/none/libcurl.a:
	mkdir -p $(@D)
	resources=$$($(SWIFT)c -static-stdlib -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p') && \
	  nm -u "$$resources/linux/lib_CFURLSessionInterface.a" | \
	  awk '$$1 == "U" && $$2 ~ /^curl_/ && !seen[$$2]++ { print "void " $$2 "(void) { __builtin_trap(); }" }' >$(@D)/curl.c
	test -s $(@D)/curl.c
	clang -c $(@D)/curl.c -o $(@D)/curl.o
	ar rcs $@ $(@D)/curl.o

## uninstall: remove what `make install` put into PREFIX
uninstall:
	rm -f $(BIN)/replay $(SHARE)/man/man1/replay.1 $(SHARE)/man/man1/replay-*.1 \
	  $(SHARE)/bash-completion/completions/replay $(SHARE)/zsh/site-functions/_replay \
	  $(SHARE)/fish/vendor_completions.d/replay.fish

## release: check that VERSION is ready to be tagged, and print what to tag; it tags nothing
release:
	@SWIFT="$(SWIFT)" .ci/release "$(VERSION)"

clean:
	rm -rf .build Benchmarks/.build Benchmarks/Instructions/.build Fuzz/.build Precision/.build Tests/SwiftUIHost/.build Torture/.build
