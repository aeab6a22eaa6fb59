# SPDX-License-Identifier: GPL-2.0-or-later
# What the MPI tests share; read by `.`. Makes a scratch directory, and skips the test (exit 77) where
# MPI programs cannot be started.
: "${MPICC:=mpicc}" "${MPIRUN:=mpirun}" "${srcdir:=.}"
build=$PWD
source=$(cd "$srcdir" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo
export OMPI_MCA_plm=isolated OMPI_MCA_hwloc_base_binding_policy=none

skip() { echo "skipped: $*"; exit 77; }
[ -n "$MPICC" ] && [ -x "$(command -v "$MPICC")" ] || skip "no mpicc"
[ -n "$MPIRUN" ] && [ -x "$(command -v "$MPIRUN")" ] || skip "no mpirun"
timeout 60 "$MPIRUN" -np 2 true >"$scratch/first" 2>&1 || { cat "$scratch/first"; skip "mpirun does not start programs here"; }

failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
# under LIBRARY RANKS PROGRAM [ARGUMENT]..: run it with a library of ours preloaded.
under() {
  local library=$build/.libs/$1.so ranks=$2
  shift 2
  [ -f "$library" ] || { echo "no $library"; return 1; }
  timeout 60 "$MPIRUN" -np "$ranks" env LD_PRELOAD="$library" "$@"
}
