# SPDX-License-Identifier: GPL-2.0-or-later
# SP_MPI: finds an MPI library for the profiler and the reorder library. Without MPI, neither is built.
#
# --with-mpi=PREFIX uses PREFIX/bin/mpicc. --with-mpi uses mpicc from PATH, and stops if it is missing.
# Sets MPICC, MPIFC, MPIRUN, MPI_CPPFLAGS, MPI_LIBS, mpi_report, reorder_report
# and the conditionals BUILD_MPI and BUILD_REORDER.
AC_DEFUN([SP_MPI], [
AC_ARG_WITH([mpi],
  [AS_HELP_STRING([--with-mpi@<:@=PREFIX@:>@],
    [build the MPI profiler and the reorder library @<:@if mpicc is found@:>@])],
  [], [with_mpi=maybe])
AC_REQUIRE([AC_PROG_AWK])

build_mpi=no
mpi_report=no
MPICC=
AS_IF([test "x$with_mpi" != xno], [
  AS_CASE([$with_mpi],
    [maybe|yes], [mpi_path=$PATH],
    [mpi_path=$with_mpi/bin])
  AC_PATH_PROG([MPICC], [mpicc], [], [$mpi_path])
  AC_PATH_PROGS([MPIFC], [mpifort mpif90], [], [$mpi_path])
  AC_PATH_PROG([MPIRUN], [mpirun], [], [$mpi_path])
  mpi_report="no: mpicc not found (libopenmpi-dev)"])
AS_IF([test "x$MPICC" != x], [
  MPI_CPPFLAGS="-DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX"
  MPI_LIBS=
  # Open MPI and MPICH print the command of the wrapper. Its words after the compiler are used.
  for mpi_word in `"$MPICC" -show 2>/dev/null | sed 's/^[[^ ]]* *//'`; do
    AS_CASE([$mpi_word],
      [-I*], [MPI_CPPFLAGS="$MPI_CPPFLAGS -isystem `expr "X$mpi_word" : 'X-I\(.*\)'`"],
      [-L*|-l*], [MPI_LIBS="$MPI_LIBS $mpi_word"])
  done
  mpi_save_CPPFLAGS=$CPPFLAGS
  mpi_save_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $MPI_CPPFLAGS"
  LIBS="$MPI_LIBS $LIBS"
  AC_MSG_CHECKING([for MPI 3 and its profiling interface])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
    [[MPI_Count size; return MPI_VERSION < 3 || PMPI_Type_size_x(MPI_INT, &size);]])],
    [build_mpi=yes
     mpi_report=$MPICC], [])
  AC_MSG_RESULT([$build_mpi])
  CPPFLAGS=$mpi_save_CPPFLAGS
  LIBS=$mpi_save_LIBS
  AS_IF([test $build_mpi = no], [mpi_report="no: $MPICC does not link an MPI 3 program"])])
AS_CASE([$with_mpi:$build_mpi], [no:*|maybe:*|*:yes], [],
  [AC_MSG_ERROR([--with-mpi was given, and the answer is $mpi_report])])
# The reorder library also uses hwloc, to find where a process runs.
reorder_report=$mpi_report
build_reorder=no
AS_IF([test $build_mpi = yes], [
  AS_IF([test $have_hwloc = no], [reorder_report="no: hwloc 2.1 is missing (libhwloc-dev)"],
    [test "x$missing" != x], [reorder_report=$build_placectl],
    [build_reorder=yes])])
AM_CONDITIONAL([BUILD_REORDER], [test $build_reorder = yes])
AC_SUBST([MPI_CPPFLAGS])
AC_SUBST([MPI_LIBS])
AM_CONDITIONAL([BUILD_MPI], [test $build_mpi = yes])
])
