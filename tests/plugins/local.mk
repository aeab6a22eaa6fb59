# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/decide_partition_test \
	%D%/decide_test \
	%D%/decide_again_test \
	%D%/decide_state_test \
	%D%/decide_weight_test \
	%D%/decision_log_test \
	%D%/decision_time_test \
	%D%/fatt_order_test \
	%D%/illegal_placement_test \
	%D%/job_request_test \
	%D%/live_feed_test \
	%D%/decision_time_budget_test \
	#
endif
%C%_decide_partition_test_LDADD = $(plugins_planning) $(CHECK_LIBS)
%C%_decide_test_LDADD = $(plugins_planning) $(CHECK_LIBS)
%C%_decide_again_test_LDADD = $(plugins_planning) $(CHECK_LIBS)
%C%_decide_state_test_LDADD = $(plugins_planning) $(CHECK_LIBS)
%C%_decide_weight_test_LDADD = $(plugins_planning) $(CHECK_LIBS)
%C%_decision_log_test_LDADD = $(plugins_planning) $(CHECK_LIBS)
%C%_decision_time_test_LDADD = $(plugins_planning) $(CHECK_LIBS)
%C%_fatt_order_test_LDADD = $(plugins_topology) $(CHECK_LIBS)
%C%_illegal_placement_test_LDADD = $(plugins_planning) $(CHECK_LIBS)
%C%_job_request_test_LDADD = $(plugins_planning) $(CHECK_LIBS)
%C%_live_feed_test_LDADD = $(plugins_planning) $(CHECK_LIBS)
%C%_decision_time_budget_test_LDADD = $(plugins_planning) $(CHECK_LIBS)

EXTRA_DIST += \
	%D%/decide_fixture.hpp \
	%D%/plugin_check.sh \
	%D%/slurm_trees_test.sh \
	%D%/slurm_version_test.sh \
	#
TESTS += \
	%D%/plugin_check.sh \
	%D%/slurm_trees_test.sh \
	%D%/slurm_version_test.sh \
	#
