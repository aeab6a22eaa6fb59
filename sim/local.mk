# SPDX-License-Identifier: GPL-2.0-or-later
sim = libsim.la $(policies) $(ZLIB_LIBS)
EXTRA_LTLIBRARIES += libsim.la
libsim_la_SOURCES = \
	%D%/backfill.cpp \
	%D%/engine.cpp \
	%D%/failures.cpp \
	%D%/job_log.cpp \
	%D%/job_placement.cpp \
	%D%/line_source.cpp \
	%D%/machine.cpp \
	%D%/metrics.cpp \
	%D%/occupancy.cpp \
	%D%/pattern.cpp \
	%D%/running_jobs.cpp \
	%D%/sacct.cpp \
	%D%/stock_choice.cpp \
	#
libsim_la_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
