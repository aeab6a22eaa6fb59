#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The libraries built for MPICH, and the same programs as with the MPI library that configure found,
# if they do not depend on it; and the additions of MPI 4. Skipped where there is no MPICH.
: "${MPICH_CC:=mpicc.mpich}" "${MPICH_RUN:=mpiexec.mpich}" "${MPICH_FC:=mpif90.mpich}"
[ -x "$(command -v "$MPICH_CC")" ] || { echo "skipped: no $MPICH_CC"; exit 77; }
# shellcheck disable=SC2034
MPICC=$MPICH_CC MPIRUN=$MPICH_RUN MPI_LIBRARIES=
. "${srcdir:-.}/tests/mpi/mpi_environment.sh"
libraries=$scratch
build_profile || { echo "the profiler does not build with MPICH"; exit 1; }
cd "$scratch" || exit 1
"$MPICC" -Wall -Werror -Wno-stringop-overflow -pthread -o mpi_traffic "$source/tests/mpi/mpi_traffic.c" || exit 1

# Debian's MPICH cannot spawn.
check_cases "$scratch/mpi_traffic" "$source/tests/mpi/mpi_traffic.expected" spawns
if timeout 60 "$MPIRUN" -np 3 "$scratch/mpi_traffic" spawns >/dev/null 2>&1; then
  expected_of "$source/tests/mpi/mpi_traffic.expected" spawns >expected
  check_case "$scratch/mpi_traffic" spawns 3 expected
else
  echo "this MPICH does not spawn processes: that is not tested"
fi
check_fortran "$MPICH_FC"

if printf '#include <mpi.h>\n#if MPI_VERSION < 4\n#error\n#endif\n' | "$MPICC" -E - >/dev/null 2>&1; then
  "$MPICC" -Wall -Werror -o mpi_four "$source/tests/mpi/mpi_four.c" || exit 1
  check_cases "$scratch/mpi_four" "$source/tests/mpi/mpi_four.expected"
  under libplacement-profile 2 env PLACEMENT_PROFILE="$scratch/session" "$scratch/mpi_four" session || fail "a session under the profiler"
  [ ! -e session ] || fail "a session is profiled"
else
  echo "this MPICH is older than MPI 4: large counts and partitioned messages are not tested"
fi

# ---- the reorder library, where it is built at all
if [ -n "$REORDER_SOURCES" ]; then
  build_reorder || { echo "the reorder library does not build with MPICH"; exit 1; }
  "$MPICC" -Wall -Werror -o mpi_reorder "$source/tests/mpi/mpi_reorder.c" || exit 1
  printf '2\n4 2\n' >four_pairs
  printf 'np 8\n0 4 1000\n1 5 1000\n2 6 1000\n3 7 1000\n' >partners
  for name in topologies plain; do
    # The second one has a matrix for MPI_COMM_WORLD itself.
    matrix=$scratch/partners
    [ "$name" = plain ] || matrix=
    under libplacement-reorder 8 env PLACEMENT_REORDER_HARDWARE="$scratch/four_pairs" PLACEMENT_REORDER_MATRIX="$matrix" \
      "$scratch/mpi_reorder" "$name" >out 2>err || { fail "reorder $name"; cat out err; }
    grep -q ' moved [1-8]' out || { fail "reorder $name: nothing moved"; cat out err; }
  done
fi
echo "$cases cases, $failures failed"
[ "$failures" = 0 ]
