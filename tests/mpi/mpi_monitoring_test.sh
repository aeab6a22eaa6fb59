#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the profiler counts against what Open MPI's own monitoring sees below the collectives, for the
# same program: point-to-point and collectives of one communicator must be equal, in bytes and messages.
. "${srcdir:-.}/tests/mpi/mpi_environment.sh"
"$MPIRUN" --version 2>/dev/null | grep -q 'Open MPI.* 4\.1\.' || skip "the algorithms of collectives are those of Open MPI 4.1"
for program in mpi_traffic mpi_collectives; do
  "$MPICC" -O1 -Wall -Werror -o "$scratch/$program" "$source/tests/mpi/$program.c" || exit 1
done

# Sums both directions of each pair; $1: which lines of the files count (E, I or both).
pairs() { awk -v kinds="$1" 'index(kinds, $1) && $2 != $3 {
    pair = $2 < $3 ? $2 " " $3 : $3 " " $2; bytes[pair] += $4; messages[pair] += $6 }
  END { for (pair in bytes) print pair, bytes[pair], messages[pair] }' | sort -n -k1,1 -k2,2; }

# monitored KINDS RANKS PROGRAM ARGUMENT..
monitored() {
  local kinds=$1 ranks=$2
  shift 2
  rm -f "$scratch"/m.*.prof
  timeout 60 "$MPIRUN" -np "$ranks" --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 \
    --mca pml_monitoring_filename "$scratch/m" "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; return 1; }
  cat "$scratch"/m.*.prof | pairs "$kinds"
}
# profiled RANKS PROGRAM ARGUMENT..
profiled() {
  under libplacement-profile "$1" env PLACEMENT_PROFILE="$scratch/p" "${@:2}" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; return 1; }
  tail -n +2 "$scratch/p"
}
# same KINDS RANKS PROGRAM ARGUMENT..: 0 when both agree; the difference is in $scratch/difference.
same() {
  monitored "$@" >"$scratch/monitoring" && profiled "${@:2}" >"$scratch/profile" || return 1
  diff --label monitoring --label profiler -u "$scratch/monitoring" "$scratch/profile" >"$scratch/difference"
}

# Open MPI's monitoring does not see persistent sends, and crashes on inter-communicators and on
# neighbourhood collectives over a graph.
points=(send_modes:2 sendrecv:4 datatypes:2)
for point in "${points[@]}"; do
  same E "${point#*:}" "$scratch/mpi_traffic" "${point%:*}" ||
    { fail "point-to-point ${point%:*}"; cat "$scratch/difference"; }
done

operations=(barrier=0 bcast:1=5 bcast:2=100 bcast=3000 bcast:1=70000 bcast:3=300000 reduce:o:1=40 reduce:1=1 reduce=30
  reduce:2=3000 reduce=20000 reduce:2=200000 allreduce=1 allreduce:p=30 allreduce:o=5000 allreduce=5000 allreduce=90000
  scan=10 exscan=10 gather:1=10 gather=600 gather:2=5000 gather=100000 gatherv:1=10 scatter:1=10 scatter=600 scatter:2=5000
  scatterv:1=10 allgather=10 allgather:p=10 allgather=5000 allgatherv=10 allgatherv=700 allgatherv=30000 alltoall=10
  alltoall:p=10 alltoall=100 alltoallv=10 alltoallv:p=0 alltoallw=10 reduce_scatter=10 reduce_scatter:o=10
  reduce_scatter=30000 reduce_scatter_block=1 reduce_scatter_block=20 reduce_scatter_block=300
  reduce_scatter_block:o=300 reduce_scatter_block=50000
  barrier:i=0 bcast:i:1=10 bcast:i=50000 reduce:i:1=2 reduce:i:2=500 reduce:i:o:1=20 allreduce:i=10 allreduce:i=50000
  scan:i=10 exscan:i=10 gather:i:1=10 gatherv:i:1=10 scatter:i:1=10 scatterv:i:1=10 allgather:i=10 allgatherv:i=10
  alltoall:i=10 alltoallv:i=10 alltoallw:i=10 reduce_scatter:i=10 reduce_scatter_block:i=10)
for ranks in 3 6 16; do
  if same EI "$ranks" "$scratch/mpi_collectives" "${operations[@]}"; then
    [ -s "$scratch/profile" ] || fail "$ranks ranks: nothing was counted"
    continue
  fi
  for operation in "${operations[@]}"; do
    same EI "$ranks" "$scratch/mpi_collectives" "$operation" && continue
    fail "$operation on $ranks ranks"
    cat "$scratch/difference"
  done
done

# Making a communicator sends messages of the library's own, which are not the program's.
monitored EI 6 "$scratch/mpi_collectives" grid=1 >"$scratch/grid" && monitored EI 6 "$scratch/mpi_collectives" neighbour=100 |
  awk 'NR == FNR { bytes[$1 " " $2] = $3; messages[$1 " " $2] = $4; next }
       { b = $3 - bytes[$1 " " $2]; m = $4 - messages[$1 " " $2]; if (m) print $1, $2, b, m }' "$scratch/grid" - >"$scratch/monitoring"
profiled 6 "$scratch/mpi_collectives" neighbour=100 >"$scratch/profile"
diff -u "$scratch/monitoring" "$scratch/profile" || fail "neighbourhood collectives"

echo "${#points[@]} point-to-point programs, ${#operations[@]} collective calls on 3, 6 and 16 ranks: $failures differ"
[ "$failures" = 0 ]
