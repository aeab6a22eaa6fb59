# SPDX-License-Identifier: GPL-2.0-or-later
if BUILD_SELECT
pkglib_LTLIBRARIES += select_cons_tres.la
endif
select_cons_tres_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_SOURCE_CPPFLAGS) $(SLURM_CPPFLAGS)
select_cons_tres_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -Wl,-z,nodelete \
	-Wl,--version-script=$(srcdir)/%D%/select_cons_tres.map
select_cons_tres_la_LIBADD = libplugins_compat.la $(plugins_planning)
select_cons_tres_la_SOURCES = \
	%D%/configuration.c \
	%D%/gres_room.c \
	%D%/job_test.c \
	%D%/left_to_slurm.c \
	%D%/plan_call.c \
	%D%/record.c \
	%D%/select_cons_tres.c \
	%D%/taken.c \
	%D%/view_from_slurm.c \
	%D%/waiting.c \
	#
# a name that makes automake link with the C++ compiler: the C files call C++ code
nodist_EXTRA_select_cons_tres_la_SOURCES = %D%/none.cpp
EXTRA_select_cons_tres_la_DEPENDENCIES = %D%/select_cons_tres.map
EXTRA_DIST += %D%/select_cons_tres.map
