# SPDX-License-Identifier: GPL-2.0-or-later
# What a person runs.
bin_PROGRAMS += tools/placectl
tools_placectl_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS) $(SCOTCH_CPPFLAGS) \
	-DPLACEMENT_PLUGINS='"$(pkglibdir)"' -DSLURM_PLUGINS='"$(slurm_plugins)"'
tools_placectl_LDADD = $(tofa_scotch) libsim.la
if HAVE_SQLITE
tools_placectl_LDADD += libmonitor_history.la
endif
if BUILD_MONITOR
tools_placectl_LDADD += libmonitor_protocol.la
endif
tools_placectl_LDADD += $(spank) $(ZLIB_LIBS)
if HAVE_SQLITE
tools_placectl_LDADD += $(SQLITE_LIBS)
endif
if BUILD_MONITOR
tools_placectl_LDADD += $(MUNGE_LIBS) $(GCRYPT_LIBS)
endif
tools_placectl_SOURCES = \
	monitor/monitor/stored_decisions.cpp \
	monitor/monitor/stored_decisions.hpp \
	%D%/bitmap_font.hpp \
	%D%/cmd_check_config.cpp \
	%D%/cmd_cost.cpp \
	%D%/cmd_enable.cpp \
	%D%/cmd_explain.cpp \
	%D%/cmd_export.cpp \
	%D%/cmd_map.cpp \
	%D%/cmd_matrix.cpp \
	%D%/cmd_metrics.cpp \
	%D%/cmd_nodes.cpp \
	%D%/cmd_pairs.cpp \
	%D%/cmd_rankfile.cpp \
	%D%/cmd_select.cpp \
	%D%/cmd_simulate.cpp \
	%D%/cmd_status.cpp \
	%D%/command.hpp \
	%D%/command_line.cpp \
	%D%/command_line.hpp \
	%D%/controller_input.cpp \
	%D%/controller_input.hpp \
	%D%/settings_in_force.cpp \
	%D%/settings_in_force.hpp \
	%D%/decision_input.cpp \
	%D%/decision_input.hpp \
	%D%/heatmap.cpp \
	%D%/heatmap.hpp \
	%D%/json.cpp \
	%D%/json.hpp \
	%D%/leaf_files.cpp \
	%D%/leaf_files.hpp \
	%D%/map_report.cpp \
	%D%/map_report.hpp \
	%D%/map_run.cpp \
	%D%/map_run.hpp \
	%D%/matrix_facts.cpp \
	%D%/matrix_facts.hpp \
	%D%/output.cpp \
	%D%/output.hpp \
	%D%/pair_lookup.hpp \
	%D%/picture.cpp \
	%D%/picture.hpp \
	%D%/placectl.cpp \
	%D%/simulate_machine.cpp \
	%D%/simulate_machine.hpp \
	%D%/simulate_options.cpp \
	%D%/simulate_options.hpp \
	%D%/simulate_report.cpp \
	%D%/simulate_report.hpp \
	%D%/simulate_run.cpp \
	%D%/simulate_run.hpp \
	%D%/site_files.cpp \
	%D%/site_files.hpp \
	%D%/snapshot_input.cpp \
	%D%/snapshot_input.hpp \
	%D%/monitor_input.cpp \
	%D%/monitor_input.hpp \
	%D%/state_input.cpp \
	%D%/state_input.hpp \
	%D%/text_table.cpp \
	%D%/text_table.hpp \
	%D%/torus_machine.cpp \
	%D%/torus_machine.hpp \
	#
