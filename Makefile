# The commands of the project; each installs what it needs first (tools/setup). Start with `make run` or `make test`.
.PHONY: help run test check build bench peers experiments torture format lint asan tsan clean

export CTEST_OUTPUT_ON_FAILURE = 1
JOBS ?= $(shell nproc)

help:
	@echo "make run     build, convert the paper's programs and draw their machines"
	@echo "make test    build and run every test"
	@echo "make check   build and run the unit tests (the fast loop)"
	@echo "make bench   build and run the benchmarks"
	@echo "make peers   the benchmarks beside NumPyro, BlackJAX, Stan and nutpie (from PyPI; about an hour)"
	@echo "make experiments  the paper's figures and tables, measured, with a page (20 minutes; FULL=1: hours)"
	@echo "make torture a thousand random jobs in all ways of running, kills while writing, and bad inputs (half an hour)"
	@echo "make asan    the tests (but the longest) under the address and undefined-behaviour sanitizers"
	@echo "make tsan    the tests of what runs on threads, under the thread sanitizer"
	@echo "make format  format the sources;  make lint  check format and run clang-tidy"

build:
	@tools/setup build test bench
	@cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@rm -f build-configure.log
	@cmake --build --preset release -j $(JOBS)

run: build
	@tools/run

test: build
	@ctest --preset release -j $(JOBS)

check: build
	@ctest --preset release -j $(JOBS) -L unit

bench: build
	@tools/bench

peers: build
	@tools/peers $(PEERS)

experiments: build
	@tools/experiments $(if $(FULL),--full) $(EXPERIMENTS)

torture: build
	@tools/torture $(TORTURE)

# What thousands of draws are like tells a sanitizer nothing that a few do not (the same_ tests make a few in every way of
# running), and would take it hours.
MANY_DRAWS = ^sampler_|^runtime_golden|WarmUp.(ReachesThe|AimsAt)|Chees.FindsTheBest
asan:
	@tools/setup build test
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan -j $(JOBS) -LE "slow|package" -E "$(MANY_DRAWS)"

# Everything else runs on one thread, where there is nothing to find.
THREADED = runtime_same_elliptical_slice runtime_same_nuts runtime_run runtime_faults runtime_warm_up calibration_calibrate
tsan:
	@tools/setup build test
	@cmake --preset tsan >/dev/null
	@cmake --build --preset tsan -j $(JOBS) --target $(THREADED)
	@ctest --preset tsan -j $(JOBS) -R "^($$(echo $(THREADED) | tr ' ' '|')):"

format:
	@tools/setup lint
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

lint:
	@tools/setup lint
	@tools/lint

clean:
	rm -rf build
