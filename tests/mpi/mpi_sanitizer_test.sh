#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The MPI libraries under the address and undefined behaviour sanitizers, with the programs of the other tests:
# every case, programs that die and start twice among them. Skipped where the compiler has no
# sanitizers, in the first tier of contrib/check, and with --no-sanitizers.
. "${srcdir:-.}/tests/mpi/mpi_environment.sh"
[ "${SP_SANITIZERS:-yes}" != no ] || skip "contrib/check runs it only with --all"
libraries=$scratch
extra_flags=(-g -fno-omit-frame-pointer -fsanitize=address -fsanitize=undefined)
printf 'int main() { return 0; }\n' >"$scratch/try.cpp"
# shellcheck disable=SC2086
$CXX "${extra_flags[@]}" -o "$scratch/try" "$scratch/try.cpp" 2>/dev/null && "$scratch/try" || skip "no sanitizers"
printf 'int main() { int *freed = new int[1]; delete[] freed; return *(volatile int *)freed; }\n' >"$scratch/try.cpp"
$CXX "${extra_flags[@]}" -w -o "$scratch/try" "$scratch/try.cpp" && ! "$scratch/try" 2>/dev/null || fail "the sanitizer finds nothing"
preload_first=$($CXX -print-file-name=libasan.so)
[ -f "$preload_first" ] || skip "no libasan.so that could be preloaded"
# MPI itself leaks, and catches signals. Only the sanitizer's message distinguishes programs that it ends from
# programs that die.
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_abort=0:exitcode=86 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
build_profile || { echo "the profiler does not build with sanitizers"; exit 1; }
"$MPICC" -Wall -Wno-stringop-overflow -pthread -o "$scratch/mpi_traffic" "$source/tests/mpi/mpi_traffic.c" || exit 1

check_cases "$scratch/mpi_traffic" "$source/tests/mpi/mpi_traffic.expected" spawns
for name in aborts killed init_twice exits; do
  under libplacement-profile 3 env PLACEMENT_PROFILE="$scratch/$name" "$scratch/mpi_traffic" "$name" >"$scratch/log" 2>&1
  if grep -E 'AddressSanitizer|runtime error' "$scratch/log"; then fail "$name"; fi
  cases=$((cases + 1))
done
if [ -n "$REORDER_SOURCES" ]; then
  build_reorder || { echo "the reorder library does not build with sanitizers"; exit 1; }
  "$MPICC" -Wall -o "$scratch/mpi_reorder" "$source/tests/mpi/mpi_reorder.c" || exit 1
  printf '2\n4 2\n' >"$scratch/four_pairs"
  printf 'np 8\n0 4 1000\n1 5 1000\n2 6 1000\n3 7 1000\n' >"$scratch/partners"
  for name in topologies plain; do
    matrix=$scratch/partners
    [ "$name" = plain ] || matrix=
    under libplacement-reorder 8 env PLACEMENT_REORDER_HARDWARE="$scratch/four_pairs" PLACEMENT_REORDER_MATRIX="$matrix" \
      "$scratch/mpi_reorder" "$name" >"$scratch/log" 2>&1 || { fail "reorder $name"; cat "$scratch/log"; }
    grep -q ' moved [1-8]' "$scratch/log" || { fail "reorder $name: nothing moved"; cat "$scratch/log"; }
    cases=$((cases + 1))
  done
fi
echo "$cases cases, $failures failed"
[ "$failures" = 0 ]
