# Pelton. `make run` builds and runs the main job, `make test` checks everything.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# One cargo invocation shape for everything: the same packages and features, so that no dependency is built twice.
BUILD := --release --workspace
TARGET := $(or $(CARGO_TARGET_DIR),target)
PELTON := $(TARGET)/release/pelton
PYTHON ?= python3
VENV := .venv
PYTHON_TESTS := /usr/lib/python3.11/test
LIBZ := $(TARGET)/release/libpelton_z
DUCKDB := $(TARGET)/release/pelton.duckdb_extension
JAR := bindings/jvm/java/target/pelton.jar
# The library's place in the jar, by operating system and processor.
JNI := bindings/jvm/java/target/native/org/pelton/native/linux-$(shell uname -m)/libpelton_jvm.so
MAVEN := mvn --quiet --batch-mode --no-transfer-progress
# The library stays when its class loader goes, as what it registers with the process does.
# Zig links for a glibc of 2012, which containers with older systems have. Its package has the libraries of all versions.
LINK_JNI = LINKER="$(VENV)/bin/python -m ziglang cc -target $(shell uname -m)-linux-gnu.2.17 -lunwind -Wl,-z,nodelete" \
	bindings/jvm/link.sh $(TARGET)/release/libpelton_jvm.a $(JNI)

.PHONY: help
help: ## Show what there is to make
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

# The build of the pelton program alone.
.PHONY: run-deps
run-deps:
	@scripts/install-packages g++:g++ protoc:protobuf-compiler

.PHONY: deps
deps: run-deps duckdb-headers ## Install what builds and tests need from Debian's packages
	@scripts/install-packages nasm:nasm autoreconf:autoconf automake:automake libtoolize:libtool cmake:cmake objcopy:binutils
	@# Programs that the tests run on our libz.
	@scripts/install-packages /usr/lib/postgresql/15/bin/postgres:postgresql-15 db_bench:rocksdb-tools git:git curl:curl \
		/usr/sbin/nginx:nginx javac:openjdk-17-jdk-headless mvn:maven rsync:rsync /usr/sbin/sshd:openssh-server ssh:openssh-client \
		/usr/bin/python3:python3 /usr/include/zlib.h:zlib1g-dev
	@# Python's own tests, for the libz: where Debian's Python is, and not otherwise.
	@test ! -x /usr/bin/python3.11 || test -e $(PYTHON_TESTS)/test_zlib.py || \
		scripts/install-packages test_zlib:libpython3.11-testsuite

# DuckDB's headers, for the native layer of the extension.
.PHONY: duckdb-headers
duckdb-headers:
	@scripts/install-packages curl:curl
	@scripts/fetch-duckdb-headers .cache/duckdb-headers

# Debian's emulators, and C compilers with libraries for the processors that they emulate.
.PHONY: deps-cross
deps-cross: ## Install what tests on s390x and powerpc64le under qemu need: Debian packages, Rust's targets
	@scripts/install-packages qemu-s390x:qemu-user s390x-linux-gnu-gcc:gcc-s390x-linux-gnu \
		powerpc64le-linux-gnu-gcc:gcc-powerpc64le-linux-gnu /usr/s390x-linux-gnu/lib/libc.so:libc6-dev-s390x-cross \
		/usr/powerpc64le-linux-gnu/lib/libc.so:libc6-dev-ppc64el-cross
	@scripts/install-targets s390x-unknown-linux-gnu powerpc64le-unknown-linux-gnu

.PHONY: build
build: deps ## Build everything, optimised
	cargo build $(BUILD)
	bindings/zlib/link.sh $(LIBZ).a $(LIBZ).so
	bindings/duckdb/package.sh $(TARGET)/release/libpelton_duckdb.so $(DUCKDB)
	@$(MAKE) --no-print-directory jar

.PHONY: zlib
zlib: ## Only the drop-in zlib, target/release/libpelton_z.so, in a minute
	cargo build --release -p pelton-zlib
	bindings/zlib/link.sh $(LIBZ).a $(LIBZ).so

# By itself it needs nothing of DataFusion.
.PHONY: duckdb
duckdb: deps ## Only the extension for DuckDB, target/release/pelton.duckdb_extension
	cargo build --release -p pelton-duckdb
	bindings/duckdb/package.sh $(TARGET)/release/libpelton_duckdb.so $(DUCKDB)

# By itself it needs nothing of Arrow.
.PHONY: jvm
jvm: ## Only the jar for Java, Spark, Hadoop, Parquet, Cassandra and Kafka: bindings/jvm/java/target/pelton.jar
	@scripts/install-packages javac:openjdk-17-jdk-headless mvn:maven objcopy:binutils
	cargo build --release -p pelton-jvm
	@$(MAKE) --no-print-directory jar

.PHONY: jar
jar: $(VENV)/.zig
	@mkdir -p $(dir $(JNI))
	$(LINK_JNI)
	$(MAVEN) -f bindings/jvm/java package -DskipTests
	@echo "$(JAR)"

.PHONY: python
python: deps rivals ## The wheel of the Python package, into target/wheels: pip install target/wheels/pelton-*.whl
	$(VENV)/bin/maturin build --release --manifest-path bindings/python/Cargo.toml --interpreter $(PYTHON) \
		--out $(TARGET)/wheels

# On the same dependencies as all packages (`scripts/check-features`), so that `make test` does not build them again.
.PHONY: pelton
pelton: run-deps ## Only the pelton program
	cargo build --release -p pelton-cli

.PHONY: run
run: pelton ## TPC-H at scale factor 1 on gzip Parquet: 22 queries, every answer checked
	$(PELTON) tpch --sf 1

.PHONY: test
test: deps rivals nvrtc cassandra ## Every test, five seconds of fuzzing for each parser, and a minute of random queries
	@# All at once: the unit tests of the largest package are built beside what depends on it. The Python
	@# package's tests load its library, which no test program links.
	cargo build $(BUILD) --all-targets
	cargo test $(BUILD) --no-fail-fast
	scripts/test-cross smoke
	$(MAKE) test-jvm-quick
	$(MAKE) fuzz SECONDS=5
	$(MAKE) fuzz-sql SECONDS=60
	@# Last, as it builds the extension in another way: after it all others would be built again.
	scripts/sanitize-duckdb

.PHONY: test-quick
test-quick: deps ## The tests that need no Python and no TPC-H data
	cargo test --release --workspace --lib --bins

# Loops for one part, each under two minutes once built. Where a part is above DataFusion, all packages
# are selected, so that nothing is built again for it.
.PHONY: test-job
test-job: ## The router and the CPU device
	cargo test --release -p pelton-job -p pelton-device-cpu

.PHONY: test-codec
test-codec: ## Block formats and bit-packed kernels
	cargo test --release -p pelton-codec -p pelton-bitpack

.PHONY: test-pages
test-pages: ## Parquet pages: reading, filters on dictionaries, writing
	cargo test --release -p pelton-pages

.PHONY: test-query
test-query: deps rivals ## Plans and scans, the SQL cases in one configuration, and the order of rows
	cargo test --release -p pelton-query
	cargo test $(BUILD) --test all -- sql::with_four_threads row_order

.PHONY: test-zlib
test-zlib: ## The drop-in zlib, without the programs that are run on it
	cargo test --release -p pelton-zlib --lib

.PHONY: test-duckdb
test-duckdb: deps rivals ## The extension in DuckDB
	cargo test $(BUILD) --test all -- duckdb::

.PHONY: test-cross
test-cross: deps-cross ## Codecs, router, drivers and libz on big-endian s390x and on powerpc64le, emulated by qemu
	scripts/test-cross

# The agent's tests start other virtual machines by their own jar.
.PHONY: test-jvm-quick
test-jvm-quick: deps $(VENV)/.zig ## The jar for Java on one JDK: classes, agent, Hadoop, Parquet, Spark, the Cassandra class
	cargo build $(BUILD)
	@mkdir -p $(dir $(JNI))
	$(LINK_JNI)
	$(MAVEN) -f bindings/jvm/java package

JDKS := $(TARGET)/jdks
SEQUENCES ?= 20000
.PHONY: test-jvm
test-jvm: test-jvm-quick ## The same on Java 11, 17, 21 and 25, with SEQUENCES random sequences, and real servers of Kafka and Cassandra; half an hour
	jvms=$$(scripts/fetch-jdks $(JDKS) | tr '\n' ':'); \
	for home in /usr/lib/jvm/temurin-25-jdk-* $$(dirname $$(dirname $$(readlink -f $$(command -v javac)))); do \
		test ! -d $$home || jvms=$$jvms$$home:; done; \
	$(MAVEN) -f bindings/jvm/java surefire:test -Dtest=AgentTest -Dpelton.test.jvms=$${jvms%:} \
		-Dpelton.test.sequences=$(SEQUENCES) -Dpelton.test.stress=600
	$(MAVEN) -f bindings/jvm/servers package

# The compiler's option for a sanitizer is not stable. Java catches its own faults of memory, so the sanitizer must not.
SANITIZED := $(TARGET)/sanitized
.PHONY: sanitize-jvm
sanitize-jvm: jvm ## Every entry point of the jar from eight threads under AddressSanitizer, for SECONDS
	RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address -Zexternal-clangrt" \
		cargo build --release -p pelton-jvm --target $(shell uname -m)-unknown-linux-gnu --target-dir $(SANITIZED)
	LINKER="cc -fsanitize=address" bindings/jvm/link.sh \
		$(SANITIZED)/$(shell uname -m)-unknown-linux-gnu/release/libpelton_jvm.a $(SANITIZED)/libpelton_jvm.so
	$(MAVEN) -f bindings/jvm/java test-compile
	ASAN_OPTIONS=handle_segv=0:handle_sigill=0:detect_leaks=0 LD_PRELOAD=$$(cc -print-file-name=libasan.so) java -Xmx400m \
		-Dpelton.native.path=$(abspath $(SANITIZED))/libpelton_jvm.so -javaagent:$(JAR) \
		-cp $(JAR):bindings/jvm/java/target/test-classes org.pelton.Stress $(SECONDS)

# CI has clippy run with the compiler, so that dependencies are not checked and built both.
LINTER := cargo clippy $(BUILD) --all-targets -- -D warnings
ifdef RUSTC_WORKSPACE_WRAPPER
LINTER := cargo build $(BUILD) --all-targets
endif
.PHONY: lint
lint: deps ## Formatting, clippy, and how the code reads (docs/STYLE.md), as CI checks them
	cargo fmt --all --check
	scripts/check-house
	scripts/check-features
	$(LINTER)

.PHONY: bench
bench: build rivals ## Pelton against DuckDB and stock DataFusion; the record goes to bench/records
	$(TARGET)/release/pelton-bench tpch --sf 1 --codecs gzip,snappy,zstd,lz4_raw --runs 5
	$(TARGET)/release/pelton-bench scan --runs 5
	$(TARGET)/release/pelton-bench memory

.PHONY: bench-sf10
bench-sf10: build rivals ## TPC-H at scale factor 10, 8 GB of files, against DuckDB; recorded in bench/records
	$(TARGET)/release/pelton-bench tpch --sf 10 --name tpch-sf10 --codecs gzip,snappy,zstd --engines pelton,duckdb --runs 3

# Built by itself, in minutes: it needs nothing of DataFusion, and little is built again for the other shape.
.PHONY: bench-deflate
bench-deflate: deps ## Pelton's DEFLATE against other libraries on one core; half an hour, recorded in bench/records
	cargo build --release -p pelton-bench-deflate
	$(TARGET)/release/pelton-bench-deflate inflate --batches 1,4,8,15,16,32 --records bench/records
	$(TARGET)/release/pelton-bench-deflate coder --records bench/records

.PHONY: bench-filter
bench-filter: deps ## Filters on packed values against memory and arrow-rs on one core; recorded in bench/records
	cargo build --release -p pelton-bench-filter
	$(TARGET)/release/pelton-bench-filter --records bench/records

# CORPORA is a folder with the Calgary, Canterbury and Silesia corpora, in archives or unpacked.
.PHONY: bench-nxu
bench-nxu: ## The paper on IBM's accelerator (NX-GZIP, DFLTCC): its figures and tables by a model, CORPORA=folder for all of them; recorded in bench/records
	cargo build --release -p pelton-bench-nxu
	$(TARGET)/release/pelton-bench-nxu $(if $(CORPORA),--corpora $(CORPORA)) --records bench/records

.PHONY: bench-encoded
bench-encoded: build ## TPC-H Q1 and Q6 with conditions on codes and Pelton's decoders against rows that parquet-rs decoded, on one core; recorded in bench/records
	taskset -c 0 $(TARGET)/release/pelton-bench tpch --sf 1 --threads 1 --queries 1,6 --runs 9 --name encoded \
		--engines pelton,pelton+encoded_filters=false --codecs gzip,snappy,zstd,lz4_raw,none

# Compresses on the model of an IAA; a minute.
.PHONY: bench-iaa
bench-iaa: build ## The published codec tables of an Intel IAA beside ours: this CPU, and the model; recorded in bench/records
	$(TARGET)/release/pelton-bench iaa --sf 1

# Tables and texts by DuckDB's extension for TPC-DS, kept beside those of TPC-H.
TPCDS := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/pelton/tpcds-sf1
$(TPCDS)-%: | rivals
	PYTHONPATH=$(VENV)/tpcds $(VENV)/bin/python bench/tpcds/generate.py 1 $* $@

.PHONY: bench-tpcds
bench-tpcds: build rivals $(TPCDS)-zstd $(TPCDS)-snappy ## The 99 queries derived from TPC-DS: Pelton against DuckDB; recorded in bench/records
	$(TARGET)/release/pelton-bench tpcds --engines pelton,duckdb --codecs zstd,snappy --runs 5

.PHONY: bench-windows
bench-windows: build rivals ## Window functions over the TPC-H tables: Pelton, with its operators and without, against DuckDB; recorded in bench/records
	$(TARGET)/release/pelton-bench windows --engines pelton,duckdb,pelton+running_windows=false,pelton+packed_sorts=false --runs 5

# The names of settings, each with the value that turns its rule off.
RULES_OFF := join_order=written common_subplans=false rollups=direct window_top_k=false dense_groups=false \
	running_windows=false eager_aggregation=false join_key_bitmaps=false clustered_groups=false key_ranges=false \
	large_broadcasts=false group_joins=false set_joins=false packed_sorts=false
empty :=
comma := ,
.PHONY: bench-settings
bench-settings: build rivals $(TPCDS)-zstd ## TPC-H and TPC-DS with each rule of plans off, and in little memory; recorded in bench/records
	$(TARGET)/release/pelton-bench tpch --sf 1 --name tpch-rules --codecs zstd --runs 5 \
		--engines pelton,$(subst $(empty) $(empty),$(comma),$(addprefix pelton+,$(RULES_OFF)))
	$(TARGET)/release/pelton-bench tpcds --name tpcds-rules --codecs zstd --runs 5 \
		--engines pelton,$(subst $(empty) $(empty),$(comma),$(addprefix pelton+,$(RULES_OFF)))
	$(TARGET)/release/pelton-bench tpch --sf 1 --name tpch-memory --codecs zstd --engines pelton+memory=130MB,pelton
	$(TARGET)/release/pelton-bench tpcds --name tpcds-memory --codecs zstd --engines pelton+memory=110MB,pelton

.PHONY: bench-duckdb
bench-duckdb: build rivals $(TPCDS)-zstd $(TPCDS)-snappy $(TPCDS)-gzip ## DuckDB with Pelton's extension against its own Parquet reader and writer: TPC-H, TPC-DS and COPY; recorded in bench/records
	$(TARGET)/release/pelton-bench tpch --sf 1 --name duckdb --engines duckdb-pelton,duckdb --codecs gzip,zstd,snappy --runs 5
	$(TARGET)/release/pelton-bench tpch --sf 1 --name duckdb-first --first-runs --engines duckdb-pelton,duckdb --codecs gzip,zstd,snappy --runs 5
	$(TARGET)/release/pelton-bench tpch --sf 10 --name duckdb-sf10 --engines duckdb-pelton,duckdb --codecs zstd --runs 3
	$(TARGET)/release/pelton-bench copy --sf 1 --runs 5
	$(TARGET)/release/pelton-bench tpcds --name duckdb-tpcds --engines duckdb-pelton,duckdb --codecs zstd,snappy,gzip --runs 5

# Minutes for the batches, and some for the queries.
.PHONY: bench-python
bench-python: build rivals ## The Python package: batches of gzip against other packages, SQL against DuckDB and polars; recorded in bench/records
	bindings/python/assemble.sh $(TARGET)/release/lib_pelton.so $(TARGET)/python
	$(PELTON) tpch --sf 1 >/dev/null
	PYTHONPATH=$(TARGET)/python $(VENV)/bin/python bench/python/main.py batches --records bench/records
	PYTHONPATH=$(TARGET)/python $(VENV)/bin/python bench/python/main.py sql --records bench/records

# Tests of rows and bytes that `make test` runs on the host build of the kernels. Orders of threads and sanitizers are that build's.
.PHONY: test-gpu
test-gpu: deps ## A GPU: decompression, pages and queries, tested on the GPU itself
	PELTON_TEST_GPU=cuda cargo test $(BUILD) --no-fail-fast --test decompress --test device --test pages -- --skip sanitize --skip orders
	PELTON_TEST_GPU=cuda cargo test $(BUILD) --no-fail-fast --test all -- gpu:: gpu_cache:: odd_files:: sql::

# A GPU with its driver and NVRTC; elsewhere it says what is missing.
.PHONY: bench-gpu
bench-gpu: build rivals ## A GPU: copies, decompression, TPC-H SF 10 and 30 against DuckDB on the CPU; recorded in bench/records
	$(TARGET)/release/pelton-bench gpu --sf 10,30

# As bench-deflate; PostgreSQL and RocksDB's db_bench are Debian's.
.PHONY: bench-zlib
bench-zlib: deps ## Pelton's libz.so.1 against Debian's and zlib-ng, in calls and under programs; recorded in bench/records
	@scripts/install-packages pg_ctlcluster:postgresql db_bench:rocksdb-tools
	cargo build --release -p pelton-zlib -p pelton-bench-zlib
	$(TARGET)/release/pelton-bench-zlib calls --records bench/records
	$(TARGET)/release/pelton-bench-zlib files --records bench/records
	$(TARGET)/release/pelton-bench-zlib memory --records bench/records
	$(TARGET)/release/pelton-bench-zlib minigzip --records bench/records
	$(TARGET)/release/pelton-bench-zlib pg-dump --records bench/records
	$(TARGET)/release/pelton-bench-zlib db-bench --records bench/records

# TEXT is a file of text, and STORE_SALES that table of TPC-DS as Parquet; without them, text is generated, and only
# lineitem is measured.
BENCH_JVM := java -cp "bench/jvm/target/pelton-bench.jar:bench/jvm/target/lib/*" org.pelton.bench
BENCH_SPARK := java -cp "bench/jvm/spark/target/pelton-bench-spark.jar:bench/jvm/spark/target/lib-3.5.9/*" org.pelton.bench
comma := ,
.PHONY: bench-jvm
bench-jvm: jvm pelton ## The jar for Java against the JDK's and other libraries: blocks, Parquet-java, a shuffle of Spark (as root also on a slow disk)
	$(PELTON) tpch --sf 0.1 --codec none --queries 6 >/dev/null
	$(MAVEN) -f bench/jvm package
	$(MAVEN) -f bench/jvm/spark package
	table=$${XDG_CACHE_HOME:-$$HOME/.cache}/pelton/tpch-sf0.1-none/lineitem.parquet; \
	taskset -c 0 $(BENCH_JVM).Blocks $(if $(TEXT),--text $(TEXT)) --parquet $$table --records bench/records && \
	$(BENCH_JVM).Parquet --files $$table$(if $(STORE_SALES),$(comma)$(STORE_SALES)) --records bench/records
	$(BENCH_SPARK).Shuffle --records bench/records
	test $$(id -u) != 0 || bench/jvm/spark/limited-disk 100 5 $(BENCH_SPARK).Shuffle --name jvm-shuffle-limited --records bench/records

BENCH_SERVERS = java -cp "bindings/jvm/servers/$(1)/target/classes:$$(cat bindings/jvm/servers/$(1)/target/class-path)" \
	-Dpelton.jar=$(abspath $(JAR)) org.pelton.servers.$(1)
.PHONY: bench-jvm-servers
bench-jvm-servers: jvm ## The jar under a server of Kafka and one of Cassandra, against their own codecs; an hour
	$(MAVEN) -f bindings/jvm/servers package -DskipTests
	$(call BENCH_SERVERS,kafka).KafkaBenchmark --records-folder bench/records
	$(call BENCH_SERVERS,cassandra).CassandraBenchmark --records-folder bench/records

SECONDS ?= 60
.PHONY: fuzz
fuzz: deps ## Fuzz every parser and decoder for SECONDS each (default 60), one on each core at a time
	cargo build $(BUILD)
	$(TARGET)/release/pelton-fuzz --list | xargs -n 1 -P $$(nproc) $(TARGET)/release/pelton-fuzz --seconds $(SECONDS)

.PHONY: fuzz-sql
fuzz-sql: deps rivals ## Random queries over random files, Pelton against DuckDB, for SECONDS (default 60); SEED is where they start
	cargo build $(BUILD)
	$(TARGET)/release/pelton-fuzz-sql --seconds $(SECONDS) --seed $(or $(SEED),1)

.PHONY: rivals
rivals: $(VENV)/.installed ## A virtual environment with the engines that tests and benchmarks compare with

$(VENV)/bin/pip:
	@$(PYTHON) -m venv $(VENV) || { echo "cannot make a virtual environment: install Python 3.11 with its venv module"; exit 1; }

$(VENV)/.installed: bench/rivals/requirements.txt bench/rivals/duckdb-1.5.txt bench/rivals/tpcds.txt | $(VENV)/bin/pip
	@echo "installing DuckDB, DataFusion, pyarrow and polars into $(VENV)"
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -r bench/rivals/requirements.txt || \
		{ echo "cannot install the Python packages in bench/rivals/requirements.txt: is there a network?"; exit 1; }
	@for folder in duckdb-1.5 tpcds; do \
		$(VENV)/bin/pip install --quiet --disable-pip-version-check --upgrade --no-deps --target $(VENV)/$$folder \
			-r bench/rivals/$$folder.txt || \
			{ echo "cannot install the Python packages in bench/rivals/$$folder.txt: is there a network?"; exit 1; }; \
	done
	@touch $@

.PHONY: nvrtc
nvrtc: $(VENV)/.nvrtc ## NVIDIA's runtime compiler in the same environment: tests compile the GPU's kernels with it (58 MB, no GPU needed)

$(VENV)/.nvrtc: devices/cuda/requirements.txt | $(VENV)/bin/pip
	@echo "installing NVRTC into $(VENV)"
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -r devices/cuda/requirements.txt || \
		{ echo "cannot install the Python package in devices/cuda/requirements.txt: is there a network?"; exit 1; }
	@touch $@

$(VENV)/.zig: bindings/jvm/requirements.txt | $(VENV)/bin/pip
	@echo "installing Zig's linker into $(VENV)"
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -r bindings/jvm/requirements.txt || \
		{ echo "cannot install the Python package in bindings/jvm/requirements.txt: is there a network?"; exit 1; }
	@touch $@

PREFIX ?= /usr/local
BIN := $(DESTDIR)$(PREFIX)/bin
LIB := $(DESTDIR)$(PREFIX)/lib/pelton

.PHONY: install
install: ## Install pelton and the drop-in zlib below PREFIX (default /usr/local), staged in DESTDIR
	@test -x $(PELTON) || { echo "there is no $(PELTON): run \`make build\` first"; exit 1; }
	@$(MAKE) --no-print-directory install-zlib
	@scripts/install-file 755 $(PELTON) "$(BIN)/pelton"

.PHONY: install-zlib
install-zlib: ## Install the drop-in zlib alone: PREFIX/lib/pelton/libpelton_z.so, and libz.so.1 as a link to it
	@test -f $(LIBZ).so || { echo "there is no $(LIBZ).so: run \`make build\` or \`make zlib\` first"; exit 1; }
	@scripts/install-file 644 $(LIBZ).so "$(LIB)/libpelton_z.so"
	@scripts/install-file link libpelton_z.so "$(LIB)/libz.so.1"

.PHONY: uninstall
uninstall: ## Remove what `make install` with the same PREFIX and DESTDIR installed
	rm -f "$(BIN)/pelton" "$(LIB)/libz.so.1" "$(LIB)/libpelton_z.so"
	@test ! -d "$(LIB)" || rmdir --ignore-fail-on-non-empty "$(LIB)"

.PHONY: cassandra
cassandra: deps ## Apache Cassandra's compressor, which a test runs on our libz
	@scripts/fetch-cassandra $(TARGET)/cassandra

.PHONY: clean
clean: ## Remove what was built
	cargo clean
	rm -rf $(VENV) bindings/jvm/java/target bindings/jvm/servers/target bindings/jvm/servers/*/target bench/jvm/target bench/jvm/spark/target
