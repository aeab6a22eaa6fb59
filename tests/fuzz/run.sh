#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the named fuzz targets in ./fuzz/build with clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer. The
# makefile's lists give the sources and libraries. Runs each target for FUZZ_SECONDS, or FUZZ_RUNS times if that is set. Run it
# in a build directory. New inputs go to fuzz/NAME/corpus, failing inputs to fuzz/NAME/failed. FUZZ_KEEP=1 adds inputs that
# reach new code to the corpus of the source. FUZZ_FAST=1 disables learning from comparisons, the preference for rare code, and
# leak detection before the end, and so tries many more inputs per second.
# usage: run.sh SOURCE_DIRECTORY TARGET...    (environment: CLANGXX FUZZ_SECONDS FUZZ_RUNS FUZZ_KEEP FUZZ_FAST)
set -eu
source=$(cd "$1" && pwd -P)
shift
options="-g1 -O1 -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all"
build=fuzz/build how=
if [ "${FUZZ_FAST:-0}" = 1 ]; then
	options="$options -fno-sanitize-coverage=trace-cmp"
	build=fuzz/build-fast how="-entropic=0 -detect_leaks=0"
fi

compiler=
for candidate in ${CLANGXX:-} clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14; do
	if command -v "$candidate" >/dev/null 2>&1; then
		compiler=$candidate
		break
	fi
done
if [ -z "$compiler" ]; then
	echo "make fuzz: no clang++ found: install clang and its libclang-rt development package" >&2
	exit 1
fi
if [ -e "$source/config.status" ]; then
	echo "make fuzz: $source is configured itself, so nothing can be built apart from it:" \
		"run \"make distclean\" there, and configure in a directory of its own" >&2
	exit 1
fi

mkdir -p "$build"
if [ ! -e "$build/config.status" ] || [ "$source/configure" -nt "$build/config.status" ]; then
	configured_with=$(./config.status --config)
	(
		cd "$build"
		eval "set -- $configured_with"
		"$source/configure" "$@" --disable-werror --disable-shared --enable-static CC="${compiler%%++*}${compiler#*++}" \
			CXX="$compiler" CFLAGS="$options" CXXFLAGS="$options" LDFLAGS=-fsanitize=address,undefined
	) >fuzz/configure.log 2>&1 || {
		tail -n 20 fuzz/configure.log >&2
		exit 1
	}
fi
# libFuzzer brings the main() of the programs; tests/fuzz/fuzz_driver.cpp then has none.
# shellcheck disable=SC2086
make -C "$build" ${FUZZ_JOBS:+-j "$FUZZ_JOBS"} CPPFLAGS=-DFUZZ_WITH_LIBFUZZER LDFLAGS=-fsanitize=address,undefined,fuzzer "$@" \
	>fuzz/build.log 2>&1 || {
	grep -E 'error|undefined reference|\*\*\*' fuzz/build.log >&2 || tail -n 20 fuzz/build.log >&2
	exit 1
}

limit=-max_total_time=${FUZZ_SECONDS:-60}
[ -z "${FUZZ_RUNS:-}" ] || limit=-runs=$FUZZ_RUNS
status=0
for target in "$@"; do
	name=${target##*/fuzz_}
	mkdir -p "fuzz/$name/corpus" "fuzz/$name/failed"
	echo "fuzz: $name, $limit"
	# shellcheck disable=SC2086
	"$build/$target" "$limit" $how -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
		-print_final_stats=1 -artifact_prefix="fuzz/$name/failed/" "fuzz/$name/corpus" \
		"$source/tests/fuzz/corpus/$name" >"fuzz/$name/log" 2>&1 || {
		status=1
		echo "fuzz: $name FAILED, see fuzz/$name/log"
	}
	grep -E '^stat::number_of_executed_units|^SUMMARY|not true:' "fuzz/$name/log" || true
	if [ "${FUZZ_KEEP:-0}" = 1 ]; then
		"$build/$target" -merge=1 "$source/tests/fuzz/corpus/$name" "fuzz/$name/corpus" >>"fuzz/$name/log" 2>&1
	fi
done
exit $status
