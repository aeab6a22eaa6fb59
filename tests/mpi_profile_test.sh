#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each case of tests/mpi_traffic.c under the profiler, against the matrix that was worked out by hand.
. "${srcdir:-.}/tests/mpi_environment.sh"
"$MPICC" -Wall -Werror -o "$scratch/mpi_traffic" "$source/tests/mpi_traffic.c" || exit 1

# check_case NAME RANKS EXPECTED [VARIABLE=VALUE]..
check_case() {
  local name=$1 ranks=$2 expected=$3 out=$scratch/$1.profile
  shift 3
  if ! under libplacement-profile "$ranks" env PLACEMENT_PROFILE="$out" "$@" "$scratch/mpi_traffic" "$name" \
      >"$scratch/log" 2>&1; then
    fail "$name: the program failed"; cat "$scratch/log"; return
  fi
  diff -u --label "$name: expected" --label "$name: counted" "$expected" "$out" || fail "$name"
  ls "$out".rank* >/dev/null 2>&1 && fail "$name: tables of counters are left"
  [ -s "$out.summary" ] || fail "$name: no summary"
}

# Sections of the file: "case NAME RANKS [VARIABLE=VALUE]..", then "source target bytes messages".
cases=0
while read -r word name ranks settings <&3; do
  [ "$word" = case ] || continue
  awk -v case="$name" '$1 == "case" { inside = $2 == case; if (inside) print "np " $3; next }
                       /^(#|$)/ { next } inside' "$source/tests/mpi_traffic.expected" >"$scratch/expected"
  # shellcheck disable=SC2086
  check_case "$name" "$ranks" "$scratch/expected" $settings
  cases=$((cases + 1))
done 3<"$source/tests/mpi_traffic.expected"
[ "$cases" -gt 0 ] || fail "no cases"
echo "$cases cases, $failures failed"
[ "$failures" = 0 ]
