# SPDX-License-Identifier: GPL-2.0-or-later
# SP_SLURM_DIRECTORIES: checks the directories of Slurm before anything is compiled, so that a wrong one is reported at once. Sets
# with_slurm, slurm_version, slurm_headers, slurm_tried, slurm_source and slurm_source_report.
AC_DEFUN([SP_SLURM_DIRECTORIES], [
AC_ARG_WITH([slurm],
  [AS_HELP_STRING([--with-slurm=PREFIX], [prefix of the installed Slurm @<:@/usr@:>@])],
  [], [with_slurm=/usr])
AC_ARG_WITH([slurm-source],
  [AS_HELP_STRING([--with-slurm-source=DIR],
    [source tree of the installed version of Slurm, for the select plugin (contrib/slurm-source gets it)])],
  [], [with_slurm_source=no])

slurm_source=
AS_IF([test "x$enable_slurm_plugins" != xno], [SP_CHECK_SLURM_DIRECTORIES])
])

AC_DEFUN([SP_CHECK_SLURM_DIRECTORIES], [
AS_CASE([$with_slurm], [yes|no|''], [AC_MSG_ERROR([--with-slurm requires the directory below which Slurm is installed])])
AS_IF([test ! -d "$with_slurm"], [AC_MSG_ERROR([--with-slurm=$with_slurm: this directory does not exist])])
# With a relative path, programs would search for libslurm below their working directory.
with_slurm=`cd "$with_slurm" && pwd`
slurm_headers=$with_slurm/include
AC_MSG_CHECKING([for the installed Slurm])
slurm_number=`sed -n 's/^#define SLURM_VERSION_NUMBER 0x\(..\)\(..\)\(..\)$/0x\1 0x\2 0x\3/p' "$slurm_headers/slurm/slurm_version.h" 2>/dev/null`
slurm_version=
AS_IF([test "x$slurm_number" != x], [slurm_version=`printf '%d.%02d.%d' $slurm_number`])
AS_IF([test "x$slurm_version" = x], [
  AC_MSG_RESULT([none])
  AC_MSG_ERROR([no slurm/slurm_version.h below $slurm_headers: install libslurm-dev or give --with-slurm=PREFIX])])
AC_MSG_RESULT([$slurm_version])
AC_ARG_ENABLE([untested-slurm],
  [AS_HELP_STRING([--enable-untested-slurm], [continue with a version of Slurm with which this release was not tested])],
  [], [enable_untested_slurm=no])
# The table in README.md has the tested versions. Later micro releases of a series may have other structures. Their
# declarations are checked in SP_SLURM, and the plugin checks the structures when slurmctld starts.
AS_CASE([$slurm_version],
  [22.05.8|24.11.5|25.11.7|26.05.3], [slurm_tried=tested],
  [22.05.*|24.11.*|25.11.*|26.05.*], [slurm_tried="another release of this series is tested"],
  [23.11.11|24.05.8|25.05.8|26.11.0], [slurm_tried="smoke-tested"],
  [23.11.*|24.05.*|25.05.*|26.11.*], [slurm_tried="another release of this series is smoke-tested"],
  [slurm_tried=untested])
AS_IF([test "x$slurm_tried" = xuntested && test "x$enable_untested_slurm" != xyes],
  [AC_MSG_ERROR([Slurm $slurm_version is installed, and this release was tested with 22.05, 23.11, 24.05, 24.11, 25.05, 25.11, 26.05 and 26.11; with --enable-untested-slurm, configure continues])])

slurm_source_report="not given (--with-slurm-source=DIR)"
AS_CASE([$with_slurm_source], [yes|''],
  [AC_MSG_ERROR([--with-slurm-source names no directory; if contrib/slurm-source should have printed one, read the message of that command])])
AS_IF([test "x$with_slurm_source" != xno], [
  AC_MSG_CHECKING([for the Slurm source])
  AS_IF([test ! -f "$with_slurm_source/META" || test ! -f "$with_slurm_source/src/slurmctld/slurmctld.h"], [
    AC_MSG_RESULT([none])
    AC_MSG_ERROR([$with_slurm_source is not a Slurm source tree (no META or src/slurmctld/slurmctld.h)])])
  slurm_source=`cd "$with_slurm_source" && pwd`
  slurm_source_version=`sed -n 's/^[[[:space:]]]*Version:[[[:space:]]]*//p' "$slurm_source/META"`
  AC_MSG_RESULT([$slurm_source_version])
  AS_IF([test "x$slurm_source_version" != "x$slurm_version"], [
    AC_MSG_ERROR([the Slurm source is version $slurm_source_version and the installed Slurm is $slurm_version: a select plugin of another version crashes slurmctld, so get the matching source (contrib/slurm-source)])])
  AS_IF([test ! -f "$slurm_source/src/interfaces/select.c" && test ! -f "$slurm_source/src/common/select.c"], [
    AC_MSG_ERROR([$slurm_source has neither src/interfaces/select.c nor src/common/select.c, which name the functions of a select plugin: unpack the source anew])])
  slurm_source_report="$slurm_source_version ($slurm_source)"])
])

# SP_SLURM: checks the headers and libraries of the Slurm that SP_SLURM_DIRECTORIES found.
#
# Sets slurm_report, SLURM_CPPFLAGS, SLURM_LIBS, SLURM_SOURCE_CPPFLAGS and the conditionals BUILD_SPANK and BUILD_SELECT.
# With --disable-slurm-plugins it does not search for Slurm.
AC_DEFUN([SP_SLURM], [
build_spank=no
build_select=no
slurm_plugins=
AS_IF([test "x$slurm_source" != x], [build_select=yes])
AS_IF([test "x$enable_slurm_plugins" != xno], [SP_FIND_SLURM], [
  # Without Slurm, placectl reads slurm.conf and its files as the newest release does.
  slurm_version=26.05
  slurm_report="not needed: --disable-slurm-plugins"
  slurm_source_report=$slurm_report])
SLURM_SOURCE_CPPFLAGS="-isystem $slurm_source"
AC_DEFINE_UNQUOTED([SLURM_RELEASE], ["$slurm_version"], [the version of Slurm that this is built for])
AC_DEFINE_UNQUOTED([SLURM_BINDIR], ["$slurm_bindir"], [where Slurm's commands are; empty: in PATH])
AC_SUBST([SLURM_LIBS])
AC_SUBST([SLURM_CPPFLAGS])
AC_SUBST([SLURM_SOURCE_CPPFLAGS])
AC_SUBST([slurm_headers])
AC_SUBST([slurm_source])
AC_SUBST([slurm_version])
AC_SUBST([slurm_plugins])
AM_CONDITIONAL([BUILD_SPANK], [test "x$build_spank" = xyes])
build_fatt=$build_select
AS_IF([test "x${slurm_version%.*}" != x22.05], [build_fatt="no: it is for Slurm 22.05 alone"])
AM_CONDITIONAL([BUILD_FATT], [test "x${slurm_version%.*}" = x22.05])
AM_CONDITIONAL([BUILD_SELECT], [test "x$build_select" = xyes])
])

# SP_FIND_SLURM: the part of SP_SLURM for a build with plugins.
AC_DEFUN([SP_FIND_SLURM], [
slurm_save_CPPFLAGS=$CPPFLAGS
CPPFLAGS="$CPPFLAGS -I$slurm_headers"
AC_CHECK_HEADERS([slurm/spank.h], [build_spank=yes],
  [AC_MSG_ERROR([slurm/spank.h of Slurm $slurm_version is missing: install libslurm-dev])])
AC_CHECK_DECLS([slurm_free_conf], [], [], [[#include <slurm/slurm.h>]])
AC_CHECK_MEMBERS([partition_info_t.topology_name], [], [], [[#include <slurm/slurm.h>]])
CPPFLAGS=$slurm_save_CPPFLAGS

# The linker finds the library of a distribution by itself. Any other Slurm has its library below its PREFIX.
SLURM_LIBS=-lslurm
for slurm_library in "$with_slurm"/lib64 "$with_slurm/lib/`$CC -print-multiarch 2>/dev/null`" "$with_slurm"/lib; do
  AS_IF([test -e "$slurm_library/libslurm.so"], [
    AS_IF([test "x$with_slurm" != x/usr], [SLURM_LIBS="-L$slurm_library -Wl,-rpath,$slurm_library -lslurm"])
    for slurm_directory in slurm-wlm slurm; do
      AS_IF([test -e "$slurm_library/$slurm_directory/select_cons_tres.so"], [slurm_plugins=$slurm_library/$slurm_directory])
    done
    break])
done

# /usr/include is omitted, because -isystem would move it behind the headers of the C++ library.
SLURM_CPPFLAGS=
AS_IF([test "x$slurm_headers" != x/usr/include], [SLURM_CPPFLAGS="-isystem $slurm_headers"])
slurm_bindir=$with_slurm/bin
slurm_report="$slurm_version ($slurm_headers), $slurm_tried"
])
