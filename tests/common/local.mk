# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/allowed_cpus_test \
	%D%/bytes_test \
	%D%/comm_matrix_test \
	%D%/config_test \
	%D%/controller_by_scontrol_test \
	%D%/deadline_test \
	%D%/decision_ring_test \
	%D%/ring_trust_test \
	%D%/hostlist_test \
	%D%/job_state_test \
	%D%/link_traffic_test \
	%D%/matrix_file_test \
	%D%/matrix_read_test \
	%D%/matrix_wire_test \
	%D%/planned_ranks_test \
	%D%/policy_spec_test \
	%D%/process_map_test \
	%D%/prometheus_text_test \
	%D%/scontrol_topology_test \
	%D%/slurm_command_test \
	%D%/slurm_conf_test \
	%D%/slurm_hosts_test \
	%D%/slurm_partitions_test \
	%D%/snapshot_test \
	%D%/step_records_test \
	%D%/switch_tree_test \
	%D%/text_test \
	%D%/topology_conf_test \
	%D%/topology_read_test \
	%D%/topology_yaml_test \
	%D%/torus_topology_test \
	%D%/tree_topology_test \
	%D%/written_profile_test \
	#
if HAVE_HWLOC
check_PROGRAMS += \
	%D%/node_hwloc_test \
	#
endif
endif
%C%_node_hwloc_test_LDADD = $(common_topology_hwloc) $(CHECK_LIBS)
%C%_allowed_cpus_test_LDADD = $(common_util) $(CHECK_LIBS)
%C%_bytes_test_LDADD = $(CHECK_LIBS)
%C%_comm_matrix_test_LDADD = $(common_matrix) $(CHECK_LIBS)
%C%_controller_by_scontrol_test_LDADD = $(common_scontrol) $(CHECK_LIBS)
%C%_config_test_LDADD = $(common_policy) $(CHECK_LIBS)
%C%_deadline_test_LDADD = $(common_util) $(CHECK_LIBS)
%C%_decision_ring_test_LDADD = $(common_decision) $(CHECK_LIBS)
%C%_ring_trust_test_LDADD = $(common_decision) $(CHECK_LIBS)
%C%_hostlist_test_LDADD = $(common_util) $(CHECK_LIBS)
%C%_job_state_test_LDADD = $(common_decision) $(CHECK_LIBS)
%C%_link_traffic_test_LDADD = $(common_topology) $(CHECK_LIBS)
%C%_matrix_file_test_LDADD = $(common_matrix) $(CHECK_LIBS)
%C%_matrix_read_test_LDADD = $(common_matrix) $(CHECK_LIBS)
%C%_matrix_wire_test_LDADD = $(common_matrix) $(CHECK_LIBS)
%C%_planned_ranks_test_LDADD = $(common_decision) $(CHECK_LIBS)
%C%_step_records_test_LDADD = $(common_decision) $(CHECK_LIBS)
%C%_policy_spec_test_LDADD = $(common_policy) $(CHECK_LIBS)
%C%_process_map_test_LDADD = $(common_decision) $(CHECK_LIBS)
%C%_prometheus_text_test_LDADD = $(common_util) $(CHECK_LIBS)
%C%_scontrol_topology_test_LDADD = $(common_topology) $(CHECK_LIBS)
%C%_slurm_command_test_LDADD = $(common_slurm) $(CHECK_LIBS)
%C%_slurm_conf_test_LDADD = $(common_topology) $(CHECK_LIBS)
%C%_slurm_hosts_test_LDADD = $(common_topology) $(CHECK_LIBS)
%C%_slurm_partitions_test_LDADD = $(common_topology_yaml) $(CHECK_LIBS)
%C%_snapshot_test_LDADD = $(common_state) $(CHECK_LIBS)
%C%_switch_tree_test_LDADD = $(common_topology) $(CHECK_LIBS)
%C%_text_test_LDADD = $(common_util) $(CHECK_LIBS)
%C%_topology_conf_test_LDADD = $(common_topology) $(CHECK_LIBS)
%C%_topology_read_test_LDADD = $(common_topology) $(CHECK_LIBS)
%C%_topology_yaml_test_LDADD = $(common_topology_yaml) $(CHECK_LIBS)
%C%_torus_topology_test_LDADD = $(common_topology) $(CHECK_LIBS)
%C%_tree_topology_test_LDADD = $(common_topology) $(CHECK_LIBS)
%C%_written_profile_test_LDADD = $(common_matrix) $(CHECK_LIBS)

EXTRA_DIST += \
	%D%/decision_samples.hpp \
	%D%/snapshot_samples.hpp \
	%D%/switch_text.hpp \
	#
