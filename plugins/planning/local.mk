# SPDX-License-Identifier: GPL-2.0-or-later
plugins_planning = libplugins_planning.la libcommon_decision.la $(policies)
EXTRA_LTLIBRARIES += libplugins_planning.la
libplugins_planning_la_SOURCES = \
	%D%/answer.cpp \
	%D%/candidate_nodes.cpp \
	%D%/current_decision.cpp \
	%D%/decide.cpp \
	%D%/decision_log.cpp \
	%D%/job_request.cpp \
	%D%/live_feed.cpp \
	%D%/machine.cpp \
	%D%/planner.cpp \
	%D%/plugin_configuration.cpp \
	%D%/policy_view.cpp \
	%D%/step_costs.cpp \
	#
