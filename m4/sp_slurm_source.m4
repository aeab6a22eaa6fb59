# SPDX-License-Identifier: GPL-2.0-or-later
# SP_SLURM_SOURCE: finds out what Slurm's source tree in $slurm_source declares.
#
# Defines HAVE_SLURM_... for plugins/compat, which hides the differences between versions. Also makes select_symbols.h, the
# list of functions that Slurm looks up in a select plugin: OWN(NAME) if this plugin defines it, else PASS(NAME).

# SP_SLURM_DECLARES(name, C statement that compiles if Slurm has it, macro to define)
AC_DEFUN([SP_SLURM_DECLARES], [
AC_MSG_CHECKING([whether this Slurm has $1])
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include "plugins/compat/slurm_headers.h"]], [[$2]])],
  [AC_MSG_RESULT([yes])
   m4_ifval([$3], [AC_DEFINE([$3], [1], [this Slurm has $1])])],
  [AC_MSG_RESULT([no])
   m4_ifval([$3], [], [AC_MSG_ERROR([the headers of Slurm's source in $slurm_source do not compile (see config.log)])])])
])

AC_DEFUN([SP_SLURM_SOURCE], [
sp_select_facts=no
AS_IF([test "x$build_select" = xyes], [
AC_LANG_PUSH([C])
sp_save_CPPFLAGS=$CPPFLAGS
sp_save_CFLAGS=$CFLAGS
# Slurm's headers include config.h, which does not exist yet.
AS_MKDIR_P([conftest.headers])
: >conftest.headers/config.h
CPPFLAGS="$CPPFLAGS -Iconftest.headers -I$srcdir $SLURM_SOURCE_CPPFLAGS $SLURM_CPPFLAGS"
CFLAGS="$CFLAGS -Werror=implicit-function-declaration -Werror=int-conversion"
SP_SLURM_DECLARES([headers that compile], [])
SP_SLURM_DECLARES([a table of switches in slurmctld], [switch_record_cnt = switch_record_table->num_switches;],
  [HAVE_SLURM_SWITCH_RECORDS])
SP_SLURM_DECLARES([topology_g_topology_get], [topology_g_topology_get(0);], [HAVE_SLURM_TOPOLOGY_G_TOPOLOGY_GET])
SP_SLURM_DECLARES([several topologies], [topology_g_get(0, 0, 0);], [HAVE_SLURM_TOPOLOGY_G_GET_NAMED])
SP_SLURM_DECLARES([partitions with a topology], [part_record_t *p = 0; return p->topology_idx;],
  [HAVE_SLURM_PARTITION_TOPOLOGY])
SP_SLURM_DECLARES([topology_g_topology_print of units], [topology_g_topology_print(0, 0, 0, 0);],
  [HAVE_SLURM_TOPOLOGY_PRINT_UNIT])
SP_SLURM_DECLARES([topology_g_topoinfo_print], [topology_g_topoinfo_print(0, 0, 0, 0);], [HAVE_SLURM_TOPOINFO_PRINT])
SP_SLURM_DECLARES([excluded cores of each node], [resv_exc_t e; return e.exc_cores != 0;], [HAVE_SLURM_RESV_EXC])
SP_SLURM_DECLARES([will_run_data_t in select_p_job_test], [select_g_job_test(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);],
  [HAVE_SLURM_JOB_TEST_WILL_RUN])
SP_SLURM_DECLARES([SELECT_CORE], [return SELECT_CORE;], [HAVE_SLURM_SELECT_CORE])
SP_SLURM_DECLARES([cores of nodes in add_job_to_cores], [add_job_to_cores(0, 0, 0);], [HAVE_SLURM_ADD_JOB_WITH_CORES])
SP_SLURM_DECLARES([a bitmap in gres_job_test], [gres_job_test(0, 0, 0, 0, 0, 0, 0, 0, 0);],
  [HAVE_SLURM_GRES_TEST_WITH_BITMAP])
SP_SLURM_DECLARES([--segment], [job_record_t *j = 0; return j->details->segment_size;], [HAVE_SLURM_SEGMENT])
SP_SLURM_DECLARES([required plugins in plugin_load_from_file], [plugin_load_from_file(0, 0, true);],
  [HAVE_SLURM_PLUGIN_LOAD_REQUIRED])
CPPFLAGS=$sp_save_CPPFLAGS
CFLAGS=$sp_save_CFLAGS
rm -rf conftest.headers
AC_LANG_POP([C])

AC_MSG_CHECKING([which functions Slurm looks up in a select plugin])
for sp_file in interfaces/select.c common/select.c; do
  test -f "$slurm_source/src/$sp_file" && break
done
sp_symbols=`sed -n '/_syms.*{/,/};/s/.*"\(select_p_[[a-z_]]*\)".*/\1/p' "$slurm_source/src/$sp_file"`
sp_count=`echo $sp_symbols | wc -w`
AC_MSG_RESULT([$sp_count in src/$sp_file])
sp_select_lines=
for sp_symbol in select_p_job_test select_p_node_init select_p_reconfigure; do
  AS_CASE([" "`echo $sp_symbols`" "], [*" $sp_symbol "*], [],
    [AC_MSG_ERROR([Slurm $slurm_version looks up no $sp_symbol in a select plugin (src/$sp_file): this release does not know it])])
done
for sp_symbol in $sp_symbols; do
  AS_CASE([$sp_symbol],
    [select_p_job_test|select_p_node_init|select_p_reconfigure], [sp_kind=OWN],
    [select_p_get_info_from_plugin], [
      sp_kind=OWN
      sp_select_facts=yes
      AC_DEFINE([HAVE_SLURM_SELECT_FACTS], [1], [a select plugin can add lines to what scontrol show config prints])],
    [sp_kind=PASS])
  sp_select_lines="$sp_select_lines$sp_kind($sp_symbol) "
done
AC_CONFIG_COMMANDS([select_symbols.h],
  [{ echo "/* Made by configure from Slurm $sp_release's $sp_file. */"; echo "$sp_lines" | tr ' ' '\n' | sed '/^$/d'; } >select_symbols.h],
  [sp_release='$slurm_version' sp_file='src/$sp_file' sp_lines='$sp_select_lines'])
])
# If the select plugin cannot add lines to "scontrol show config", mpi_placement.so adds them.
AM_CONDITIONAL([BUILD_MPI_FACTS], [test "x$sp_select_facts" != xyes])
])
