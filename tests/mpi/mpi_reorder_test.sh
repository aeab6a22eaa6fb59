#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Communicators made with reorder under libplacement-reorder: right in all that MPI promises, really
# reordered where it pays, and as they were where it does not.
. "${srcdir:-.}/tests/mpi/mpi_environment.sh"
"$MPICC" -Wall -Werror -o "$scratch/plain" "$source/tests/mpi/mpi_reorder.c" &&
  "$MPICC" -Wall -Werror -DWITH_PLACEMENT -I"$source" -o "$scratch/linked" "$source/tests/mpi/mpi_reorder.c" \
    -L"$build/.libs" -lplacement-reorder -Wl,-rpath,"$build/.libs" || exit 1
printf '2\n4 2\n' >"$scratch/four_pairs"
printf '2\n5 3\n' >"$scratch/five_triples"
printf 'np 8\n0 4 1000\n1 5 1000\n2 6 1000\n3 7 1000\n' >"$scratch/partners"
printf '8\n1 4\n1 5\n1 6\n1 7\n1 0\n1 1\n1 2\n1 3\n' >"$scratch/neighbours"

# reorder NAME RANKS EXPECTED [VARIABLE=VALUE].. -- CASE [FILE]: EXPECTED is a pattern for the lines that the program prints.
reorder() {
  local name=$1 ranks=$2 expected=$3 settings=() got
  shift 3
  while [ "$1" != -- ]; do settings+=("$1"); shift; done
  shift
  local program=$scratch/plain library=$build/.libs/libplacement-reorder.so
  case $1 in matrix|neighbours) program=$scratch/linked library= ;; esac
  timeout "${SP_REORDER_SECONDS:-60}" "$MPIRUN" -np "$ranks" nice -n 19 env LD_PRELOAD="$library" "${settings[@]}" "$program" "$@" \
    >"$scratch/out" 2>"$scratch/err" ||
    { fail "$name: the program failed"; cat "$scratch/out" "$scratch/err"; return; }
  got=$(sort -n -k 1,1 -k 2,2 "$scratch/out" | cut -d ' ' -f 3- | tr '\n' ' ')
  # shellcheck disable=SC2053
  [[ $got == $expected ]] || { fail "$name: '$got' instead of '$expected'"; cat "$scratch/err"; }
}
says() { grep -q "$1" "$scratch/err" || { fail "does not say '$1'"; cat "$scratch/err"; }; }

# Eight ranks on four nodes of two: partners are never together, so all topologies but those of halves move.
reorder "four nodes" 8 "moved [1-8] moved [1-8] moved [1-8] moved [1-8] moved [1-8] *" \
  PLACEMENT_REORDER_HARDWARE="$scratch/four_pairs" -- topologies
reorder "uneven: 7 ranks on nodes of three" 7 "moved * moved * moved * moved * moved *" \
  PLACEMENT_REORDER_HARDWARE="$scratch/five_triples" -- topologies
# One rank knows all 28 or 32 edges, and rank 0 none.
printf '2\n8 2\n' >"$scratch/eight_pairs"
for ranks in 14 16; do
  reorder "$ranks ranks on nodes of two" $ranks "moved [1-9]* moved [1-9]* moved [1-9]* *" \
    PLACEMENT_REORDER_HARDWARE="$scratch/eight_pairs" -- topologies
done
# In contrib/check --all for 128 ranks; by hand for others: SP_REORDER_RANKS="128 256" SP_REORDER_SECONDS=300
for ranks in ${SP_REORDER_RANKS:-}; do
  printf '2\n%d 4\n' $(((ranks + 3) / 4)) >"$scratch/many_nodes"
  reorder "$ranks ranks" "$ranks" "moved [1-9]* moved [1-9]* moved [1-9]* *" PLACEMENT_REORDER_HARDWARE="$scratch/many_nodes" -- topologies
done
reorder "this machine" 6 "moved 0 moved 0 moved 0 *" -- topologies
reorder "switched off" 8 "moved 0 moved 0 moved 0 moved 0 moved 0 *" PLACEMENT_REORDER=off \
  PLACEMENT_REORDER_HARDWARE="$scratch/four_pairs" -- topologies

reorder "wrong degree" 4 "refused " PLACEMENT_REORDER_HARDWARE="$scratch/four_pairs" -- wrong_degree

# In the place of MPI_COMM_WORLD, and by a call of our own.
reorder "stand-in" 8 "moved [1-8] " PLACEMENT_REORDER_MATRIX="$scratch/partners" PLACEMENT_REORDER_REPORT=yes \
  PLACEMENT_REORDER_HARDWARE="$scratch/four_pairs" -- plain
says '8 ranks: 16000 hop-bytes .* 8000 '
says '[0-9.]* ms '
printf 'np 8\n0 1 9000 1\n2 3 9000 1\n4 5 9000 1\n6 7 9000 1\n0 4 10 50\n1 5 10 50\n2 6 10 50\n3 7 10 50\n' >"$scratch/profile"
for weight in bytes=0 messages=[1-8]; do
  reorder "stand-in by ${weight%=*} of a profile" 8 "moved ${weight#*=} " PLACEMENT_REORDER_MATRIX="$scratch/profile" \
    PLACEMENT_REORDER_WEIGHT="${weight%=*}" PLACEMENT_REORDER_HARDWARE="$scratch/four_pairs" -- plain
done
reorder "stand-in with a matrix of another size" 6 "moved 0 " PLACEMENT_REORDER_MATRIX="$scratch/partners" \
  PLACEMENT_REORDER_HARDWARE="$scratch/four_pairs" -- plain
says 'matrix .* 8 ranks.* 6; ranks '
reorder "stand-in without the file" 6 "moved 0 " PLACEMENT_REORDER_MATRIX="$scratch/none" -- plain
says 'none'
reorder "wrong setting" 4 "moved 0 " PLACEMENT_REORDER_GAIN=lots -- plain
says 'PLACEMENT_REORDER_GAIN=lots: .* 0 .* 100; nothing '
# An error at a rank other than 0 is reported too.
# shellcheck disable=SC2016
timeout 60 "$MPIRUN" -np 4 sh -c '[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" != 2 ] || export PLACEMENT_REORDER_HARDWARE="$1"; export LD_PRELOAD="$2"; exec "$3" plain' \
  sh "$scratch/none" "$build/.libs/libplacement-reorder.so" "$scratch/plain" >"$scratch/out" 2>"$scratch/err" ||
  { fail "a wrong setting at rank 2: the program failed"; cat "$scratch/err"; }
says 'none: cannot read.* (rank 2); nothing '
reorder "too small a machine" 8 "moved 0 " PLACEMENT_REORDER_HARDWARE="$scratch/one" -- plain
says "one: cannot read"
reorder "own call" 8 "moved [1-8] " PLACEMENT_REORDER_HARDWARE="$scratch/four_pairs" \
  PLACEMENT_REORDER_SAVE="$scratch/saved" -- matrix "$scratch/partners"
reorder "neighbour file" 8 "moved [1-8] " PLACEMENT_REORDER_HARDWARE="$scratch/four_pairs" -- neighbours "$scratch/neighbours"
reorder "neighbour file of another size" 6 "refused " -- neighbours "$scratch/neighbours"
says 'neighbours: 8 .* 6'
diff -u "$scratch/four_pairs" "$scratch/saved.hardware" || fail "saved hardware file"
diff -u "$scratch/neighbours" "$scratch/saved.neighbours" || fail "saved neighbour file"
[ "$(wc -l <"$scratch/saved.matrix")" -ge 8 ] || fail "saved matrix"

# Partners are neighbours on hardware with more places than there are processes, too.
printf '2\n3 4\n' >"$scratch/twelve_places"
reorder "own call, places left" 8 "moved [1-8] " PLACEMENT_REORDER_HARDWARE="$scratch/twelve_places" \
  PLACEMENT_REORDER_SAVE="$scratch/sparse" -- matrix "$scratch/partners"
diff -u "$scratch/neighbours" "$scratch/sparse.neighbours" || fail "saved neighbour file where places are left"

# Both libraries at once: the profile is in the program's own ranks.
timeout 60 "$MPIRUN" -np 8 env LD_PRELOAD="$build/.libs/libplacement-profile.so:$build/.libs/libplacement-reorder.so" \
  PLACEMENT_PROFILE="$scratch/p" PLACEMENT_PROFILE_COUNT=point-to-point PLACEMENT_REORDER_MATRIX="$scratch/partners" \
  PLACEMENT_REORDER_HARDWARE="$scratch/four_pairs" "$scratch/plain" plain >"$scratch/out" 2>&1 || { fail "both libraries"; cat "$scratch/out"; }
printf 'np 8\n0 4 8 2\n1 5 8 2\n2 6 8 2\n3 7 8 2\n' | diff -u - "$scratch/p" || fail "profile of a reordered program"
# Programs that abort, are killed, end without MPI_Finalize, fork or start MPI twice end as they do without the library.
"$MPICC" -Wall -Wno-stringop-overflow -pthread -o "$scratch/mpi_traffic" "$source/tests/mpi/mpi_traffic.c" || exit 1
printf 'np 4\n0 2 1000\n1 3 1000\n' >"$scratch/two_partners"
printf '2\n2 2\n' >"$scratch/two_pairs"
for name in aborts killed exits init_twice forks; do
  timeout 60 "$MPIRUN" -np 4 "$scratch/mpi_traffic" "$name" >"$scratch/log" 2>&1
  plain=$?
  grep -q 'unknown case' "$scratch/log" && fail "mpi_traffic has no case $name"
  for matrix in "" "$scratch/two_partners"; do
    under libplacement-reorder 4 env PLACEMENT_REORDER_MATRIX="$matrix" PLACEMENT_REORDER_HARDWARE="$scratch/two_pairs" \
      "$scratch/mpi_traffic" "$name" >"$scratch/log" 2>&1
    got=$?
    [ "$got" = "$plain" ] || { fail "$name${matrix:+ with a matrix}: exit status $got instead of $plain"; cat "$scratch/log"; }
  done
done
echo "$failures failed"
[ "$failures" = 0 ]
