# SPDX-License-Identifier: GPL-2.0-or-later
# What is behind the C face of the select plugin, apart so that tests reach it without Slurm.
plugins_select = libplugins_select.la libcommon_decision.la $(policies)
noinst_LTLIBRARIES += libplugins_select.la
libplugins_select_la_SOURCES = \
	%D%/answer.cpp \
	%D%/answer.hpp \
	%D%/candidate_nodes.cpp \
	%D%/candidate_nodes.hpp \
	%D%/copy_text.hpp \
	%D%/decide.cpp \
	%D%/decide.h \
	%D%/decision_log.cpp \
	%D%/decision_log.hpp \
	%D%/decision_time_budget.hpp \
	%D%/job_request.cpp \
	%D%/job_request.hpp \
	%D%/live_feed.cpp \
	%D%/live_feed.hpp \
	%D%/machine.cpp \
	%D%/machine.hpp \
	%D%/planner.cpp \
	%D%/planner.hpp \
	%D%/plugin_configuration.cpp \
	%D%/plugin_configuration.hpp \
	%D%/plugin_state.hpp \
	%D%/policy_request.cpp \
	%D%/policy_request.hpp \
	%D%/policy_view.cpp \
	%D%/policy_view.hpp \
	%D%/step_layout.cpp \
	%D%/step_layout.hpp \
	#

if BUILD_SELECT
pkglib_LTLIBRARIES += select_cons_tres.la
endif
select_cons_tres_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_SOURCE_CPPFLAGS) $(SLURM_CPPFLAGS)
select_cons_tres_la_LDFLAGS = -module -avoid-version -Wl,-z,nodelete \
	-Wl,--version-script=$(srcdir)/%D%/select_cons_tres.map
select_cons_tres_la_LIBADD = libplugins_compat.la $(plugins_select)
select_cons_tres_la_SOURCES = \
	%D%/configuration.c \
	%D%/configuration.h \
	%D%/given_view.c \
	%D%/given_view.h \
	%D%/gres_room.c \
	%D%/gres_room.h \
	%D%/job_decision.c \
	%D%/job_decision.h \
	%D%/job_environment.c \
	%D%/job_environment.h \
	%D%/job_grant.c \
	%D%/job_grant.h \
	%D%/job_test.c \
	%D%/left_to_slurm.c \
	%D%/left_to_slurm.h \
	%D%/machine_from_slurm.c \
	%D%/machine_from_slurm.h \
	%D%/plan_call.c \
	%D%/plan_call.h \
	%D%/put_off.c \
	%D%/put_off.h \
	%D%/record.c \
	%D%/record.h \
	%D%/saved_job.c \
	%D%/saved_job.h \
	%D%/select_cons_tres.c \
	%D%/taken.c \
	%D%/taken.h \
	%D%/view_from_slurm.c \
	%D%/view_from_slurm.h \
	%D%/waiting.c \
	%D%/waiting.h \
	#
# a name that makes automake link with the C++ compiler: the C files call C++ code
nodist_EXTRA_select_cons_tres_la_SOURCES = %D%/none.cpp
EXTRA_select_cons_tres_la_DEPENDENCIES = %D%/select_cons_tres.map
EXTRA_DIST += %D%/select_cons_tres.map
