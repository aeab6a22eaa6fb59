# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/forecast_test \
	%D%/liveness_test \
	%D%/outage_test \
	%D%/pair_model_test \
	%D%/schedule_test \
	#
endif
%C%_forecast_test_LDADD = $(monitor_conclusions) $(CHECK_LIBS)
%C%_liveness_test_LDADD = $(monitor_conclusions) $(CHECK_LIBS)
%C%_outage_test_LDADD = $(monitor_conclusions) $(CHECK_LIBS)
%C%_pair_model_test_LDADD = $(monitor_conclusions) $(CHECK_LIBS)
%C%_schedule_test_LDADD = $(monitor_conclusions) $(CHECK_LIBS)

if HAVE_CHECK
if HAVE_SQLITE
check_PROGRAMS += \
	%D%/history_test \
	#
endif
endif
%C%_history_test_LDADD = $(monitor_history) $(CHECK_LIBS)

if HAVE_CHECK
if BUILD_MONITOR
check_PROGRAMS += \
	%D%/agent_test \
	%D%/daemon_schedule_test \
	%D%/node_sample_test \
	%D%/probe_test \
	%D%/proc_text_test \
	%D%/query_test \
	%D%/session_limits_test \
	%D%/session_test \
	%D%/messages_test \
	%D%/stable_formats_test \
	%D%/udp_test \
	#
endif
endif
%C%_agent_test_LDADD = $(monitor_agent) $(CHECK_LIBS)
%C%_daemon_schedule_test_LDADD = $(monitor_agent) $(CHECK_LIBS)
%C%_node_sample_test_LDADD = $(monitor_agent) $(CHECK_LIBS)
%C%_probe_test_LDADD = $(monitor_agent) $(CHECK_LIBS)
%C%_proc_text_test_LDADD = $(monitor_agent) $(CHECK_LIBS)
%C%_query_test_LDADD = $(monitor_protocol) $(CHECK_LIBS)
%C%_session_limits_test_LDADD = $(monitor_protocol) $(CHECK_LIBS)
%C%_session_test_LDADD = $(monitor_protocol) $(CHECK_LIBS)
%C%_stable_formats_test_LDADD = libcommon_decision.la $(monitor_protocol) $(CHECK_LIBS)
%C%_udp_test_LDADD = $(monitor_protocol) $(CHECK_LIBS)
%C%_messages_test_LDADD = $(monitor_protocol) $(CHECK_LIBS)

if HAVE_CHECK
if BUILD_MONITOR
if HAVE_SQLITE
check_PROGRAMS += \
	%D%/decision_counts_test \
	%D%/history_keeper_test \
	%D%/mpi_pairs_test \
	%D%/node_watch_test \
	%D%/node_watch_restart_test \
	%D%/node_switches_test \
	%D%/query_service_test \
	%D%/slurm_nodes_test \
	%D%/snapshot_publisher_test \
	#
endif
endif
endif
%C%_decision_counts_test_LDADD = $(monitor_monitor) $(CHECK_LIBS)
%C%_history_keeper_test_LDADD = $(monitor_monitor) $(CHECK_LIBS)
%C%_mpi_pairs_test_LDADD = $(monitor_monitor) $(CHECK_LIBS)
%C%_node_watch_test_LDADD = $(monitor_monitor) $(CHECK_LIBS)
%C%_node_watch_restart_test_LDADD = $(monitor_monitor) $(CHECK_LIBS)
%C%_node_switches_test_LDADD = $(monitor_monitor) $(CHECK_LIBS)
%C%_query_service_test_LDADD = $(monitor_monitor) $(CHECK_LIBS)
%C%_slurm_nodes_test_LDADD = $(monitor_monitor) $(CHECK_LIBS)
%C%_snapshot_publisher_test_LDADD = $(monitor_monitor) $(CHECK_LIBS)

EXTRA_DIST += \
	%D%/node_watch_scene.hpp \
	%D%/fake_credentials.hpp \
	%D%/message_samples.hpp \
	%D%/session_world.hpp \
	#
