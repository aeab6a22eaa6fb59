# SPDX-License-Identifier: GPL-2.0-or-later
# The record of a decision, the ring of the latest records, and the variables of a job.
common_decision = libcommon_decision.la $(common_topology)
EXTRA_LTLIBRARIES += libcommon_decision.la
libcommon_decision_la_SOURCES = \
	%D%/decision.cpp \
	%D%/decision_ring.cpp \
	%D%/job_state.cpp \
	%D%/planned_ranks.cpp \
	%D%/process_map.cpp \
	%D%/step_records.cpp \
	#
