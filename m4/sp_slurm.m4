# SPDX-License-Identifier: GPL-2.0-or-later
# SP_SLURM: find the installed Slurm and, for the select plugin, its source tree.
#
# Sets slurm_version, SLURM_CPPFLAGS, SLURM_LIBS, SLURM_SOURCE_CPPFLAGS, slurm_source
# and the conditionals BUILD_SPANK and BUILD_SELECT.
AC_DEFUN([SP_SLURM], [
AC_ARG_WITH([slurm],
  [AS_HELP_STRING([--with-slurm=PREFIX], [prefix of the installed Slurm @<:@/usr@:>@])],
  [], [with_slurm=/usr])
AC_ARG_WITH([slurm-source],
  [AS_HELP_STRING([--with-slurm-source=DIR],
    [source tree of the very Slurm version that is installed, for the select plugin (contrib/slurm-source gets it)])],
  [], [with_slurm_source=no])

slurm_headers=$with_slurm/include
AC_MSG_CHECKING([for the installed Slurm])
slurm_number=`sed -n 's/^#define SLURM_VERSION_NUMBER 0x\(..\)\(..\)\(..\)$/0x\1 0x\2 0x\3/p' "$slurm_headers/slurm/slurm_version.h" 2>/dev/null`
slurm_version=
AS_IF([test "x$slurm_number" != x], [slurm_version=`printf '%d.%02d.%d' $slurm_number`])
AS_IF([test "x$slurm_version" = x], [
  AC_MSG_RESULT([none])
  AC_MSG_ERROR([no slurm/slurm_version.h below $slurm_headers: install libslurm-dev or give --with-slurm=PREFIX])])
AC_MSG_RESULT([$slurm_version])
AS_CASE([$slurm_version], [22.05.*], [],
  [AC_MSG_ERROR([Slurm $slurm_version is installed, and this release supports 22.05])])

slurm_save_CPPFLAGS=$CPPFLAGS
CPPFLAGS="$CPPFLAGS -I$slurm_headers"
AC_CHECK_HEADERS([slurm/spank.h], [build_spank=yes],
  [AC_MSG_ERROR([slurm/spank.h of Slurm $slurm_version is missing: install libslurm-dev])])
CPPFLAGS=$slurm_save_CPPFLAGS

build_select=no
slurm_source_report="not given (--with-slurm-source=DIR)"
slurm_source=
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
  build_select=yes
  slurm_source_report="$slurm_source_version ($slurm_source)"])

# Naming the compiler's own folder would move it behind the C++ library's headers.
SLURM_CPPFLAGS=
AS_IF([test "x$slurm_headers" != x/usr/include], [SLURM_CPPFLAGS="-isystem $slurm_headers"])
SLURM_SOURCE_CPPFLAGS="-isystem $slurm_source"
AC_DEFINE_UNQUOTED([SLURM_BINDIR], ["$with_slurm/bin"], [where Slurm's commands are])
AC_SUBST([SLURM_CPPFLAGS])
AC_SUBST([SLURM_SOURCE_CPPFLAGS])
AC_SUBST([slurm_source])
AC_SUBST([slurm_version])
AM_CONDITIONAL([BUILD_SPANK], [test "x$build_spank" = xyes])
AM_CONDITIONAL([BUILD_SELECT], [test "x$build_select" = xyes])
])
