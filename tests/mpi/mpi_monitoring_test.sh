#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the profiler counts against what Open MPI's own monitoring sees, for the same program: point-to-point messages and
# neighbourhood collectives must be equal, in bytes and messages.
. "${srcdir:-.}/tests/mpi/mpi_environment.sh"
"$MPIRUN" --version 2>/dev/null | grep -q 'Open MPI.* 4\.1\.' || skip "the monitoring is that of Open MPI 4.1"
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

# Making a communicator sends messages of the library's own, which are not the program's.
monitored EI 6 "$scratch/mpi_collectives" grid=1 >"$scratch/grid" && monitored EI 6 "$scratch/mpi_collectives" neighbour=100 |
  awk 'NR == FNR { bytes[$1 " " $2] = $3; messages[$1 " " $2] = $4; next }
       { b = $3 - bytes[$1 " " $2]; m = $4 - messages[$1 " " $2]; if (m) print $1, $2, b, m }' "$scratch/grid" - >"$scratch/monitoring"
profiled 6 "$scratch/mpi_collectives" neighbour=100 >"$scratch/profile"
diff -u "$scratch/monitoring" "$scratch/profile" || fail "neighbourhood collectives"

echo "${#points[@]} point-to-point programs and neighbourhood collectives: $failures differ"
[ "$failures" = 0 ]
