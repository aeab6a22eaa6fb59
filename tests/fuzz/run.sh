#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the named fuzz targets with clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer
# below ./fuzz and runs each for FUZZ_SECONDS. New inputs are kept in fuzz/NAME/corpus, those that fail in
# fuzz/NAME/failed. With FUZZ_KEEP=1 the inputs that reach new code are added to the corpus of the source.
# usage: run.sh SOURCE_DIRECTORY TARGET...    (environment: CPPFLAGS LIBS CLANGXX FUZZ_SECONDS FUZZ_KEEP)
set -eu
source=$1
shift
seconds=${FUZZ_SECONDS:-60}
flags="-std=c++20 -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"

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

mkdir -p fuzz/objects
objects=
for file in "$source"/core/*.cpp "$source"/netload/*.cpp "$source"/monitor/wire.cpp "$source"/monitor/frames.cpp "$source"/monitor/peer_wire.cpp \
	"$source"/sim/job_log.cpp "$source"/sim/line_source.cpp "$source"/sim/swf.cpp "$source"/sim/sacct.cpp; do
	object=fuzz/objects/$(basename "$file" .cpp).o
	objects="$objects $object"
	# shellcheck disable=SC2086  # lists of flags
	$compiler $flags -fsanitize=fuzzer-no-link -I"$source" ${CPPFLAGS:-} -c "$file" -o "$object"
done
# As a library: a target then needs no more other libraries than what it calls does.
rm -f fuzz/objects/all.a
# shellcheck disable=SC2086
ar rcs fuzz/objects/all.a $objects

status=0
for target in "$@"; do
	name=${target##*/fuzz_}
	mkdir -p "fuzz/$name/corpus" "fuzz/$name/failed"
	# shellcheck disable=SC2086
	$compiler $flags -fsanitize=fuzzer -I"$source" ${CPPFLAGS:-} "$source/$target.cpp" fuzz/objects/all.a ${LIBS:-} \
		-o "fuzz/$name/fuzz_$name"
	echo "fuzz: $name for $seconds s"
	"fuzz/$name/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
		-print_final_stats=1 -artifact_prefix="fuzz/$name/failed/" "fuzz/$name/corpus" \
		"$source/tests/fuzz/corpus/$name" >"fuzz/$name/log" 2>&1 || {
		status=1
		echo "fuzz: $name FAILED, see fuzz/$name/log"
	}
	grep -E '^stat::number_of_executed_units|^SUMMARY|not true:' "fuzz/$name/log" || true
	if [ "${FUZZ_KEEP:-0}" = 1 ]; then
		"fuzz/$name/fuzz_$name" -merge=1 "$source/tests/fuzz/corpus/$name" "fuzz/$name/corpus" >>"fuzz/$name/log" 2>&1
	fi
done
exit $status
