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
	%D%/commands/cmd_check_config.cpp \
	%D%/commands/cmd_cost.cpp \
	%D%/commands/cmd_enable.cpp \
	%D%/commands/cmd_explain.cpp \
	%D%/commands/cmd_export.cpp \
	%D%/commands/cmd_map.cpp \
	%D%/commands/cmd_matrix.cpp \
	%D%/commands/cmd_metrics.cpp \
	%D%/commands/cmd_nodes.cpp \
	%D%/commands/cmd_pairs.cpp \
	%D%/commands/cmd_predict.cpp \
	%D%/commands/cmd_rankfile.cpp \
	%D%/commands/cmd_select.cpp \
	%D%/commands/cmd_simulate.cpp \
	%D%/commands/cmd_status.cpp \
	%D%/commands/command.hpp \
	%D%/input/command_line.cpp \
	%D%/input/command_line.hpp \
	%D%/input/controller_input.cpp \
	%D%/input/controller_input.hpp \
	%D%/input/decision_input.cpp \
	%D%/input/decision_input.hpp \
	%D%/input/known_job.cpp \
	%D%/input/known_job.hpp \
	%D%/input/leaf_files.cpp \
	%D%/input/leaf_files.hpp \
	%D%/input/monitor_input.cpp \
	%D%/input/monitor_input.hpp \
	%D%/input/pair_lookup.hpp \
	%D%/input/settings_in_force.cpp \
	%D%/input/settings_in_force.hpp \
	%D%/input/site_files.cpp \
	%D%/input/site_files.hpp \
	%D%/input/snapshot_input.cpp \
	%D%/input/snapshot_input.hpp \
	%D%/input/state_input.cpp \
	%D%/input/state_input.hpp \
	%D%/input/torus_machine.cpp \
	%D%/input/torus_machine.hpp \
	%D%/map/map_report.cpp \
	%D%/map/map_report.hpp \
	%D%/map/map_run.cpp \
	%D%/map/map_run.hpp \
	%D%/map/matrix_facts.cpp \
	%D%/map/matrix_facts.hpp \
	%D%/output/decision_text.cpp \
	%D%/output/decision_text.hpp \
	%D%/output/json.cpp \
	%D%/output/json.hpp \
	%D%/output/output.cpp \
	%D%/output/output.hpp \
	%D%/output/text_table.cpp \
	%D%/output/text_table.hpp \
	%D%/pictures/bitmap_font.hpp \
	%D%/pictures/heatmap.cpp \
	%D%/pictures/heatmap.hpp \
	%D%/pictures/picture.cpp \
	%D%/pictures/picture.hpp \
	%D%/placectl.cpp \
	%D%/simulate/simulate_files.cpp \
	%D%/simulate/simulate_machine.cpp \
	%D%/simulate/simulate_machine.hpp \
	%D%/simulate/simulate_options.cpp \
	%D%/simulate/simulate_options.hpp \
	%D%/simulate/simulate_report.cpp \
	%D%/simulate/simulate_report.hpp \
	%D%/simulate/simulate_run.cpp \
	%D%/simulate/simulate_run.hpp \
	#
