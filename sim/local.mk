# SPDX-License-Identifier: GPL-2.0-or-later
sim = libsim.la $(policies) $(ZLIB_LIBS)
noinst_LTLIBRARIES += libsim.la
libsim_la_SOURCES = \
	%D%/backfill.cpp \
	%D%/backfill.hpp \
	%D%/decision.cpp \
	%D%/decision.hpp \
	%D%/engine.cpp \
	%D%/engine.hpp \
	%D%/failures.cpp \
	%D%/failures.hpp \
	%D%/fragmentation.cpp \
	%D%/fragmentation.hpp \
	%D%/free_leaves.cpp \
	%D%/free_leaves.hpp \
	%D%/job_log.cpp \
	%D%/job_log.hpp \
	%D%/job_selection.cpp \
	%D%/job_selection.hpp \
	%D%/line_source.cpp \
	%D%/line_source.hpp \
	%D%/live_cost.cpp \
	%D%/live_cost.hpp \
	%D%/machine.cpp \
	%D%/machine.hpp \
	%D%/metrics.cpp \
	%D%/metrics.hpp \
	%D%/occupancy.cpp \
	%D%/occupancy.hpp \
	%D%/pattern.cpp \
	%D%/pattern.hpp \
	%D%/running_jobs.cpp \
	%D%/running_jobs.hpp \
	%D%/sacct.cpp \
	%D%/site_data.cpp \
	%D%/site_data.hpp \
	%D%/statistics.cpp \
	%D%/statistics.hpp \
	%D%/stock_choice.cpp \
	%D%/stock_choice.hpp \
	%D%/strategy.cpp \
	%D%/strategy.hpp \
	%D%/rng_streams.hpp \
	%D%/svg_plot.cpp \
	%D%/svg_plot.hpp \
	%D%/swf.cpp \
	#
libsim_la_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
