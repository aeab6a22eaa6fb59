# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/job_log_test \
	%D%/node_plan_test \
	%D%/occupancy_test \
	%D%/simulate_choice_test \
	%D%/simulate_failures_test \
	%D%/simulate_replay_test \
	%D%/simulate_measures_test \
	%D%/simulate_room_test \
	%D%/simulate_site_test \
	#
endif
%C%_job_log_test_LDADD = $(sim) $(CHECK_LIBS)
%C%_node_plan_test_LDADD = $(sim) $(CHECK_LIBS)
%C%_occupancy_test_LDADD = $(sim) $(CHECK_LIBS)
%C%_simulate_choice_test_LDADD = $(sim) $(CHECK_LIBS)
%C%_simulate_failures_test_LDADD = $(sim) $(CHECK_LIBS)
%C%_simulate_replay_test_LDADD = $(sim) $(CHECK_LIBS)
%C%_simulate_measures_test_LDADD = $(sim) $(CHECK_LIBS)
%C%_simulate_room_test_LDADD = $(sim) $(CHECK_LIBS)
%C%_simulate_site_test_LDADD = $(tools_state) $(sim) $(CHECK_LIBS)

EXTRA_DIST += \
	%D%/simulate_runs.hpp \
	%D%/simulate_machines.hpp \
	#
