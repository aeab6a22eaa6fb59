# SPDX-License-Identifier: GPL-2.0-or-later
# The live state as JSON, and the file that has it.
EXTRA_LTLIBRARIES += libtools_state.la
tools_state = libtools_state.la $(common_state) $(JSON_C_LIBS)
libtools_state_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_C_CFLAGS)
libtools_state_la_SOURCES = \
	%D%/input/snapshot_json.cpp \
	%D%/output/output.cpp \
	#
if HAVE_JSON_C
libtools_state_la_SOURCES += %D%/input/snapshot_json_read.cpp
endif

# placectl.
if BUILD_PLACECTL
bin_PROGRAMS += tools/placectl
endif
tools_placectl_CPPFLAGS = $(AM_CPPFLAGS) $(SCOTCH_CPPFLAGS) \
	-DREORDER_LIBRARY='"$(libdir)/libplacement-reorder.so"' \
	-DPLACEMENT_PLUGINS='"$(pkglibdir)"' -DSLURM_PLUGINS='"$(slurm_plugins)"'
tools_placectl_LDADD = libtools_state.la libcommon_topology_yaml.la $(tofa_scotch) libsim.la
if HAVE_SQLITE
tools_placectl_LDADD += libmonitor_history.la
endif
if BUILD_MONITOR
tools_placectl_LDADD += libmonitor_protocol.la
endif
if HAVE_HWLOC
tools_placectl_LDADD += libcommon_topology_hwloc.la
endif
tools_placectl_LDADD += $(spank) $(ZLIB_LIBS) $(YAML_LIBS) $(JSON_C_LIBS)
if HAVE_SQLITE
tools_placectl_LDADD += $(SQLITE_LIBS)
endif
if HAVE_HWLOC
tools_placectl_LDADD += $(HWLOC_LIBS)
endif
if BUILD_MONITOR
tools_placectl_LDADD += $(MUNGE_LIBS) $(GCRYPT_LIBS)
endif
tools_placectl_SOURCES = \
	monitor/monitor/stored_decisions.cpp \
	%D%/commands/cmd_check_config.cpp \
	%D%/commands/cmd_choose.cpp \
	%D%/commands/cmd_cost.cpp \
	%D%/commands/cmd_enable.cpp \
	%D%/commands/cmd_explain.cpp \
	%D%/commands/cmd_export.cpp \
	%D%/commands/cmd_gres_conf.cpp \
	%D%/commands/cmd_map.cpp \
	%D%/commands/cmd_matrix.cpp \
	%D%/commands/cmd_measure.cpp \
	%D%/commands/cmd_metrics.cpp \
	%D%/commands/cmd_nodes.cpp \
	%D%/commands/cmd_predict.cpp \
	%D%/commands/cmd_report.cpp \
	%D%/commands/cmd_run.cpp \
	%D%/commands/cmd_select.cpp \
	%D%/commands/cmd_simulate.cpp \
	%D%/commands/cmd_status.cpp \
	%D%/commands/cmd_topology.cpp \
	%D%/input/command_line.cpp \
	%D%/input/controller_input.cpp \
	%D%/input/slurmctld_differences.cpp \
	%D%/input/leaf_files.cpp \
	%D%/input/monitor_input.cpp \
	%D%/input/torus_machine.cpp \
	%D%/launch/launchers.cpp \
	%D%/launch/srun_launchers.cpp \
	%D%/launch/local_rank.cpp \
	%D%/launch/srun_words.cpp \
	%D%/map/launcher_files.cpp \
	%D%/map/map_report.cpp \
	%D%/map/map_run.cpp \
	%D%/map/map_task.cpp \
	%D%/map/node_gpus.cpp \
	%D%/output/decision_text.cpp \
	%D%/pictures/heatmap.cpp \
	%D%/placectl.cpp \
	%D%/report/cluster_section.cpp \
	%D%/report/sections.cpp \
	%D%/report/gains.cpp \
	%D%/report/gather.cpp \
	%D%/report/html.cpp \
	%D%/simulate/simulate_options.cpp \
	%D%/simulate/simulate_report.cpp \
	#
