# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/decision_text_test \
	%D%/gpus_of_job_test \
	%D%/heatmap_test \
	%D%/json_test \
	%D%/launcher_files_test \
	%D%/leaf_files_test \
	%D%/local_rank_test \
	%D%/report_gains_test \
	%D%/report_html_test \
	%D%/simulate_report_test \
	%D%/slurmctld_differences_test \
	%D%/snapshot_json_test \
	%D%/srun_words_test \
	%D%/switch_drawing_test \
	#
endif
%C%_decision_text_test_LDADD = $(common_decision) $(CHECK_LIBS)
%C%_decision_text_test_SOURCES = %D%/decision_text_test.cpp tools/output/decision_text.cpp tools/output/output.cpp
if HAVE_HWLOC
gpus_of_job_test_hwloc = $(common_topology_hwloc)
endif
%C%_gpus_of_job_test_LDADD = $(spank) $(gpus_of_job_test_hwloc) $(common_topology) $(CHECK_LIBS)
%C%_gpus_of_job_test_SOURCES = %D%/gpus_of_job_test.cpp tools/map/node_gpus.cpp tools/input/command_line.cpp tools/output/output.cpp
%C%_heatmap_test_LDADD = $(common_matrix) $(CHECK_LIBS)
%C%_heatmap_test_SOURCES = %D%/heatmap_test.cpp tools/input/command_line.cpp tools/pictures/heatmap.cpp tools/output/output.cpp
%C%_json_test_LDADD = $(common_matrix) $(CHECK_LIBS)
%C%_json_test_SOURCES = %D%/json_test.cpp tools/output/output.cpp
%C%_launcher_files_test_LDADD = $(common_topology) $(CHECK_LIBS)
%C%_launcher_files_test_SOURCES = %D%/launcher_files_test.cpp tools/map/launcher_files.cpp tools/output/output.cpp
%C%_leaf_files_test_LDADD = $(common_util) $(CHECK_LIBS)
%C%_leaf_files_test_SOURCES = %D%/leaf_files_test.cpp tools/input/leaf_files.cpp
%C%_local_rank_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_local_rank_test_SOURCES = %D%/local_rank_test.cpp tools/launch/local_rank.cpp
%C%_report_gains_test_LDADD = $(sim) $(common_decision) $(CHECK_LIBS)
%C%_report_gains_test_SOURCES = %D%/report_gains_test.cpp tools/report/gains.cpp tools/report/html.cpp \
	tools/output/decision_text.cpp tools/output/output.cpp
%C%_report_html_test_LDADD = $(sim) $(common_decision) $(CHECK_LIBS)
%C%_report_html_test_SOURCES = %D%/report_html_test.cpp tools/report/cluster_section.cpp tools/report/sections.cpp \
	tools/report/html.cpp tools/pictures/heatmap.cpp tools/input/command_line.cpp \
	tools/output/decision_text.cpp tools/output/output.cpp
%C%_simulate_report_test_LDADD = $(sim) $(CHECK_LIBS)
%C%_simulate_report_test_SOURCES = %D%/simulate_report_test.cpp tools/output/output.cpp \
	tools/simulate/simulate_report.cpp
%C%_slurmctld_differences_test_LDADD = $(common_topology_yaml) $(CHECK_LIBS)
%C%_slurmctld_differences_test_SOURCES = %D%/slurmctld_differences_test.cpp tools/input/slurmctld_differences.cpp
%C%_snapshot_json_test_LDADD = $(tools_state) $(CHECK_LIBS)
%C%_srun_words_test_LDADD = $(common_util) $(CHECK_LIBS)
%C%_srun_words_test_SOURCES = %D%/srun_words_test.cpp tools/launch/srun_words.cpp
%C%_switch_drawing_test_LDADD = $(common_decision) $(CHECK_LIBS)
%C%_switch_drawing_test_SOURCES = %D%/switch_drawing_test.cpp tools/output/decision_text.cpp tools/output/output.cpp

EXTRA_DIST += \
	%D%/enable_test.sh \
	%D%/user_guide_test.sh \
	%D%/map_gpus_test.sh \
	%D%/map_test.sh \
	%D%/measure_test.sh \
	%D%/placectl_lib.sh \
	%D%/words_lib.sh \
	%D%/placectl_test.sh \
	%D%/report_browser_test.sh \
	%D%/report_page.py \
	%D%/report_test.sh \
	%D%/select_test.sh \
	%D%/simulate_test.sh \
	%D%/simulate_totals.py \
	%D%/stable_json_test.sh \
	%D%/stand_in_test.sh \
	%D%/strangers_test.sh \
	%D%/state_test.sh \
	%D%/topology_test.sh \
	#
TESTS += \
	%D%/enable_test.sh \
	%D%/user_guide_test.sh \
	%D%/map_gpus_test.sh \
	%D%/map_test.sh \
	%D%/measure_test.sh \
	%D%/placectl_test.sh \
	%D%/report_browser_test.sh \
	%D%/report_test.sh \
	%D%/select_test.sh \
	%D%/simulate_test.sh \
	%D%/stable_json_test.sh \
	%D%/stand_in_test.sh \
	%D%/strangers_test.sh \
	%D%/topology_test.sh \
	#
