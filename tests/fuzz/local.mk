# SPDX-License-Identifier: GPL-2.0-or-later
# "make check" replays their corpus and some mutations, "make fuzz" looks for new inputs.
fuzz_targets = \
	%D%/fuzz_base64url \
	%D%/fuzz_bind_plan \
	%D%/fuzz_config \
	%D%/fuzz_decide \
	%D%/fuzz_decision \
	%D%/fuzz_hostlist \
	%D%/fuzz_job_log \
	%D%/fuzz_job_state \
	%D%/fuzz_load_tables \
	%D%/fuzz_matrix_read \
	%D%/fuzz_matrix_wire \
	%D%/fuzz_monitor_messages \
	%D%/fuzz_planned_ranks \
	%D%/fuzz_policy_spec \
	%D%/fuzz_proc_text \
	%D%/fuzz_query_wire \
	%D%/fuzz_site_files \
	%D%/fuzz_snapshot \
	%D%/fuzz_snapshot_json \
	%D%/fuzz_topology_conf \
	%D%/fuzz_topology_yaml \
	#
check_PROGRAMS += $(fuzz_targets)
fuzz_driver = %D%/fuzz_driver.cpp %D%/fuzz_target.hpp
%C%_fuzz_base64url_LDADD = $(common_util)
%C%_fuzz_base64url_SOURCES = %D%/fuzz_base64url.cpp $(fuzz_driver)
%C%_fuzz_bind_plan_LDADD = $(spank)
%C%_fuzz_bind_plan_SOURCES = %D%/fuzz_bind_plan.cpp $(fuzz_driver)
%C%_fuzz_config_LDADD = $(common_policy)
%C%_fuzz_config_SOURCES = %D%/fuzz_config.cpp $(fuzz_driver)
%C%_fuzz_decide_LDADD = $(plugins_planning)
%C%_fuzz_decide_SOURCES = %D%/fuzz_decide.cpp $(fuzz_driver)
%C%_fuzz_decision_LDADD = $(common_decision)
%C%_fuzz_decision_SOURCES = %D%/fuzz_decision.cpp $(fuzz_driver)
%C%_fuzz_hostlist_LDADD = $(common_util)
%C%_fuzz_hostlist_SOURCES = %D%/fuzz_hostlist.cpp $(fuzz_driver)
%C%_fuzz_job_log_LDADD = $(sim)
%C%_fuzz_job_log_SOURCES = %D%/fuzz_job_log.cpp $(fuzz_driver)
%C%_fuzz_job_state_LDADD = $(common_decision)
%C%_fuzz_job_state_SOURCES = %D%/fuzz_job_state.cpp $(fuzz_driver)
%C%_fuzz_load_tables_LDADD = $(netload)
%C%_fuzz_load_tables_SOURCES = %D%/fuzz_load_tables.cpp $(fuzz_driver)
%C%_fuzz_matrix_read_LDADD = $(common_matrix)
%C%_fuzz_matrix_read_SOURCES = %D%/fuzz_matrix_read.cpp $(fuzz_driver)
%C%_fuzz_matrix_wire_LDADD = $(common_matrix)
%C%_fuzz_matrix_wire_SOURCES = %D%/fuzz_matrix_wire.cpp $(fuzz_driver)
%C%_fuzz_monitor_messages_LDADD = $(common_policy)
%C%_fuzz_monitor_messages_SOURCES = %D%/fuzz_monitor_messages.cpp $(fuzz_driver) monitor/protocol/messages.cpp
%C%_fuzz_planned_ranks_LDADD = $(common_decision)
%C%_fuzz_planned_ranks_SOURCES = %D%/fuzz_planned_ranks.cpp $(fuzz_driver)
%C%_fuzz_policy_spec_LDADD = $(common_policy)
%C%_fuzz_policy_spec_SOURCES = %D%/fuzz_policy_spec.cpp $(fuzz_driver)
%C%_fuzz_proc_text_CPPFLAGS = $(AM_CPPFLAGS)
%C%_fuzz_proc_text_LDADD = $(common_util)
%C%_fuzz_proc_text_SOURCES = %D%/fuzz_proc_text.cpp $(fuzz_driver) monitor/agent/proc_text.cpp
%C%_fuzz_query_wire_LDADD = $(common_decision) $(common_policy)
%C%_fuzz_query_wire_SOURCES = %D%/fuzz_query_wire.cpp $(fuzz_driver) monitor/protocol/query_wire.cpp monitor/protocol/messages.cpp
%C%_fuzz_site_files_LDADD = $(netload)
%C%_fuzz_site_files_SOURCES = %D%/fuzz_site_files.cpp $(fuzz_driver)
%C%_fuzz_snapshot_LDADD = $(common_state)
%C%_fuzz_snapshot_SOURCES = %D%/fuzz_snapshot.cpp $(fuzz_driver)
%C%_fuzz_snapshot_json_LDADD = $(tools_state)
%C%_fuzz_snapshot_json_SOURCES = %D%/fuzz_snapshot_json.cpp $(fuzz_driver)
%C%_fuzz_topology_conf_LDADD = $(common_topology)
%C%_fuzz_topology_conf_SOURCES = %D%/fuzz_topology_conf.cpp $(fuzz_driver)
%C%_fuzz_topology_yaml_LDADD = $(common_topology_yaml)
%C%_fuzz_topology_yaml_SOURCES = %D%/fuzz_topology_yaml.cpp $(fuzz_driver)

fuzz:
	$(SHELL) $(srcdir)/%D%/run.sh $(srcdir) $(fuzz_targets)
.PHONY: fuzz
clean-local:
	rm -rf fuzz fuzz-*.failed
EXTRA_DIST += %D%/corpus %D%/run.sh
