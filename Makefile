# A thin front: `make demo` and `make test` take a fresh Debian 12 to a graded submission and to a
# green test suite. Everything else is CMake (see CMakePresets.json and CONTRIBUTING.md).
BUILD ?= build
JOBS ?= $(shell nproc)
# Half of the tests' time is waiting: for limits, for processes, for the clock's lock. Five on 2 cores are each at most
# 2.5 times slower, which the limits of the tests' configs allow.
TEST_JOBS ?= $(shell expr $(JOBS) + 3)
CTEST_ARGS ?=

.PHONY: all packages build program installed data demo demo-service test test-fast test-gpu test-package test-asan test-tsan test-load fuzz mutants soak bench pictures install clean

all: build

packages:
	@tools/install-packages.sh

# From nothing, files compiled eight at a time take 0.4 of the processor time.
$(BUILD)/build.ninja: | packages
	@echo "configuring in $(BUILD)/"
	@cmake -G Ninja -S . -B $(BUILD) -DCMAKE_UNITY_BUILD=ON > $(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log; exit 1; }
	@mv $(BUILD)-configure.log $(BUILD)/configure.log

build: $(BUILD)/build.ninja
	@echo "building with $(JOBS) jobs"
	@cmake --build $(BUILD) -j $(JOBS) -- --quiet

# The program alone, with what it runs and loads; without the class, its service and the client.
program: $(BUILD)/build.ninja
	@echo "building the program with $(JOBS) jobs"
	@cmake --build $(BUILD) -j $(JOBS) --target opgrade-program $(if $(wildcard /dev/nvidiactl /dev/dxg),opgrade-gpu-parts) -- --quiet

# All that an installation has.
installed: $(BUILD)/build.ninja
	@echo "building what is installed with $(JOBS) jobs"
	@cmake --build $(BUILD) -j $(JOBS) --target opgrade-installed -- --quiet

data: program
	@mkdir -p $(BUILD)/data
	@test -f $(BUILD)/data/fmnist-86.h5 || OPGRADE_DATA=$(BUILD)/data $(BUILD)/bin/opgrade data --size 86

demo: data
	@OPGRADE_DATA=$(BUILD)/data tools/demo.sh $(BUILD)

# An example course behind opgrade serve: docs/service.md.
demo-service: installed data
	@tools/demo-service.sh $(BUILD)

test: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(TEST_JOBS) $(CTEST_ARGS)

# The daily round: no real sandboxed runs of whole submissions.
test-fast: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(TEST_JOBS) -L 'unit|lint' $(CTEST_ARGS)

# What needs a GPU; a missing one is a failure here.
test-gpu: build
	@OPGRADE_MUST_RUN=gpu ctest --test-dir $(BUILD) --output-on-failure -L gpu $(CTEST_ARGS)

# The pictures of docs/service.
pictures: installed data
	@tools/install-packages.sh --browser
	@OPGRADE_MUST_RUN=browser OPGRADE_PICTURES=$(CURDIR)/docs/service tests/service/pages.sh $(BUILD) .

# Takes one rule of the clock, of a verdict or of the points out at a time; its test must turn red.
mutants: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target cases_test measure_test pipeline_test report_test results_test score_test -- --quiet
	@for rules in tests/mutants/*.txt; do tests/mutants/run.sh $(BUILD) $$rules || exit 1; done

# Each way to install, in clean Debian trees, as root: docs/install.md.
test-package: installed
	@tools/install-packages.sh --packaging
	@OPGRADE_MUST_RUN=package ctest --test-dir $(BUILD) --output-on-failure -V -L package $(CTEST_ARGS)
	@tests/package/table.sh $(BUILD) docs/install.md

# The whole suite under the address and undefined-behaviour sanitizers. `make test` runs a part of it:
# docs/testing.md.
test-asan: packages
	@cmake --workflow --preset asan

# Every module with threads under the thread sanitizer, but the emulated device: docs/testing.md.
test-tsan: packages
	@cmake --workflow --preset tsan

# On a busy machine, three times: what is red once is a bug. Unit tests wait for half of their time. The hostile
# suites, one at a time, have LOAD programs beside them that only compute.
LOAD ?= 8
test-load: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(shell expr 2 \* $(LOAD)) -L unit --repeat until-fail:3 $(CTEST_ARGS)
	@tools/busy.sh $(LOAD) ctest --test-dir $(BUILD) --output-on-failure -L busy --repeat until-fail:3 $(CTEST_ARGS)

# Each fuzzer for so long: docs/testing.md.
MINUTES ?= 10
fuzz: packages
	@tools/fuzz.sh $(MINUTES)

# A thousand gradings by one process, which must leave nothing behind.
soak: build
	@$(BUILD)/bin/opgrade-soak 1000

bench: build data
	@OPGRADE_DATA=$(BUILD)/data $(BUILD)/bin/opgrade-bench
	@$(BUILD)/bin/opgrade-task-bench
	@tests/bench/class_pages.sh $(BUILD) .

install: build
	@cmake --install $(BUILD)

clean:
	@rm -rf $(BUILD) $(BUILD)-configure.log
