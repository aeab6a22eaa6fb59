# SPDX-License-Identifier: GPL-2.0-or-later
# Functions for the MPI tests, which source this file. It makes a scratch directory, and skips the test (exit 77) where
# MPI programs cannot be started.
: "${MPICC:=mpicc}" "${MPIRUN:=mpirun}" "${srcdir:=.}"
build=$PWD
source=$(cd "$srcdir" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo
export OMPI_MCA_plm=isolated OMPI_MCA_hwloc_base_binding_policy=none
export HWLOC_PLUGINS_PATH=/nonexistent  # the ranks load no libraries of X11 and OpenCL
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none  # of Open MPI 5

skip() { echo "skipped: $*"; exit 77; }
[ -n "$MPICC" ] && [ -x "$(command -v "$MPICC")" ] || skip "no mpicc"
[ -n "$MPIRUN" ] && [ -x "$(command -v "$MPIRUN")" ] || skip "no mpirun"
timeout 60 "$MPIRUN" -np 2 true >"$scratch/first" 2>&1 || { cat "$scratch/first"; skip "mpirun does not start programs here"; }

libraries=${MPI_LIBRARIES:-$build/.libs}
failures=0
cases=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
# under LIBRARY RANKS PROGRAM [ARGUMENT]..: run it with a library of ours preloaded.
under() {
  local library=$libraries/$1.so ranks=$2
  shift 2
  [ -f "$library" ] || { echo "no $library"; return 1; }
  timeout 180 "$MPIRUN" -np "$ranks" env LD_PRELOAD="${preload_first:+$preload_first:}$library" "$@"
}

# build_library LIBRARY HOOKS SOURCES LIBRARIES: libplacement-LIBRARY.so in $libraries as the Makefile builds it, for the
# MPI library of $MPICC, with $extra_flags. The last three are lists with blanks, as the Makefile has them.
: "${CXX:=c++}" "${CC:=cc}" "${AWK:=awk}"
extra_flags=()
build_library() {
  local library=$1 hooks=$2 sources=$3 needed=$4 source_file word includes=() links=() objects=() archives=() made=$libraries/build-$1
  [ -n "$sources" ] || { echo "PROFILE_SOURCES or REORDER_SOURCES is not set: run this by make check"; return 1; }
  for word in $("$MPICC" -show); do
    case $word in
      -I*) includes+=(-isystem "${word#-I}") ;;
      -L* | -l*) links+=("$word") ;;
    esac
  done
  for word in $needed; do
    case $word in
      *.la) archives+=("$build/.libs/${word%.la}.a") ;;
      *) links+=("$word") ;;
    esac
  done
  mkdir -p "$made/mpi" && printf '%s\n' '#include <mpi.h>' '#ifdef OPEN_MPI' '#include <mpi-ext.h>' '#endif' >"$made/mpi/prototypes.c" || return
  includes+=(-DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX)
  # shellcheck disable=SC2086
  $CC "${includes[@]}" -E "$made/mpi/prototypes.c" >"$made/mpi/prototypes.i" || return
  # shellcheck disable=SC2086
  (cd "$source" && $AWK -v library="$library" -f mpi/wrappers.awk $hooks "$made/mpi/prototypes.i") >"$made/mpi/${library}_wrappers.inc" || return
  for source_file in $sources; do
    case $source_file in *.cpp) ;; *) continue ;; esac
    objects+=("$made/$(basename "$source_file" .cpp).o")
    # shellcheck disable=SC2086
    $CXX -std=c++20 -O1 -fPIC -Wall -Wextra -Wno-unused-parameter -Werror -fvisibility=hidden -ftls-model=initial-exec \
      "${extra_flags[@]}" "${includes[@]}" -I"$made" -I"$source" -I"$build" -c "$source/$source_file" -o "${objects[-1]}" || return
  done
  # shellcheck disable=SC2086
  $CXX -shared "${extra_flags[@]}" -o "$libraries/libplacement-$library.so" "${objects[@]}" "${archives[@]}" "${links[@]}"
}
build_profile() {
  build_library profile "mpi/profile_calls.hpp mpi/profile_collectives.hpp" "$PROFILE_SOURCES" "$PROFILE_LIBS"
}
build_reorder() {
  build_library reorder mpi/reorder_calls.hpp "$REORDER_SOURCES" "$REORDER_LIBS"
}

# check_case PROGRAM NAME RANKS EXPECTED [VARIABLE=VALUE]..: the matrix of PROGRAM NAME under the profiler.
check_case() {
  local program=$1 name=$2 ranks=$3 expected=$4 out=$scratch/$2.profile
  shift 4
  cases=$((cases + 1))
  if ! under libplacement-profile "$ranks" env PLACEMENT_PROFILE="$out" "$@" "$program" "$name" >"$scratch/log" 2>&1; then
    fail "$name: the program failed"; cat "$scratch/log"; return
  fi
  diff -u --label "$name: expected" --label "$name: counted" "$expected" "$out" || fail "$name"
  ls "$out".rank* >/dev/null 2>&1 && fail "$name: tables of counters are left"
  python3 -m json.tool "$out.summary" /dev/null || fail "$name: no summary, or one that is not JSON"
}

# The section of a file of cases: "case NAME RANKS [VARIABLE=VALUE]..", then "source target bytes messages".
expected_of() {  # file name
  awk -v case="$2" '$1 == "case" { inside = $2 == case; if (inside) print "np " $3; next }
                    /^(#|$)/ { next } inside' "$1"
}

# check_cases PROGRAM FILE [NAME]..: all cases of the file but those named.
check_cases() {
  local program=$1 file=$2 word name ranks settings
  shift 2
  while read -r word name ranks settings <&3; do
    [ "$word" = case ] || continue
    case " $* " in *" $name "*) continue ;; esac
    expected_of "$file" "$name" >"$scratch/expected"
    # shellcheck disable=SC2086
    check_case "$program" "$name" "$ranks" "$scratch/expected" $settings
  done 3<"$file"
}

# Fortran: each interface (mpif.h, mpi, mpi_f08) is counted like C, once.
# Between ranks 0 and 1: 40 bytes sent, 80 back, 2 x 12 persistent, 8 for each step of bcast from rank 0, and 4 put. The allreduce of
# 16 bytes in place goes both ways.
check_fortran() {  # compiler
  local interface
  # Open MPI's mpifort is there without gfortran too, and then compiles nothing.
  printf 'end program\n' >"$scratch/nothing.f90"
  "${1:-none}" -o "$scratch/nothing" "$scratch/nothing.f90" >/dev/null 2>&1 ||
    { echo "no Fortran compiler of MPI: its interfaces are not tested"; return; }
  printf 'np 2\n0 1 188 8\n' >"$scratch/expected"
  for interface in mpif_h mpi mpi_f08; do
    # mpif.h declares no argument types, and gfortran takes the first call of a function as the rule.
    "$1" -cpp -D"use_$interface" -fallow-argument-mismatch -o "$scratch/fortran_$interface" "$source/tests/mpi/mpi_fortran.F90" \
      >"$scratch/log" 2>&1 || { fail "Fortran $interface does not compile"; cat "$scratch/log"; continue; }
    under libplacement-profile 2 env PLACEMENT_PROFILE="$scratch/f" "$scratch/fortran_$interface" >"$scratch/log" 2>&1 ||
      { fail "Fortran $interface: the program failed"; cat "$scratch/log"; continue; }
    diff -u "$scratch/expected" "$scratch/f" || fail "Fortran $interface"
  done
  check_loaded_fortran "$1"
}

# Rank 0 sends 4 bytes in a library with Fortran that is loaded only after MPI_Init, as a module of Python is.
check_loaded_fortran() {  # compiler
  cat >"$scratch/module.f90" <<'end'
subroutine exchange() bind(c)
  use mpi
  integer :: rank, error, number = 1
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank == 0) call MPI_Send(number, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
  if (rank == 1) call MPI_Recv(number, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
end subroutine
end
  cat >"$scratch/loads.c" <<'end'
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  void *module = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (!module) MPI_Abort(MPI_COMM_WORLD, 1);
  ((void (*)(void))dlsym(module, "exchange"))();
  MPI_Finalize();
}
end
  "$1" -shared -fPIC -o "$scratch/module.so" "$scratch/module.f90" && "$MPICC" -o "$scratch/loads" "$scratch/loads.c" -ldl ||
    { fail "a library with Fortran does not compile"; return; }
  printf 'np 2\n0 1 4 1\n' >"$scratch/expected"
  under libplacement-profile 2 env PLACEMENT_PROFILE="$scratch/f" "$scratch/loads" "$scratch/module.so" >"$scratch/log" 2>&1 ||
    { fail "Fortran that is loaded later: the program failed"; cat "$scratch/log"; return; }
  diff -u "$scratch/expected" "$scratch/f" || fail "Fortran that is loaded later"
}
