# SPDX-License-Identifier: GPL-2.0-or-later
tofa = libtofa.la libpattern.la $(treematch)
EXTRA_LTLIBRARIES += libtofa.la
libtofa_la_SOURCES = \
	%D%/contention.cpp \
	%D%/geometry.cpp \
	%D%/node_sets.cpp \
	%D%/fault_model.cpp \
	%D%/route_faults.cpp \
	%D%/slot_bisection.cpp \
	%D%/tofa.cpp \
	%D%/torus_job.cpp \
	%D%/torus_map.cpp \
	%D%/torus_search.cpp \
	#

# The mapper by SCOTCH, for placectl and benchmarks; slurmctld never links it.
if HAVE_SCOTCH
EXTRA_LTLIBRARIES += libtofa_scotch.la
tofa_scotch = libtofa_scotch.la $(SCOTCH_LIBS)
endif
libtofa_scotch_la_CPPFLAGS = $(AM_CPPFLAGS) $(SCOTCH_CPPFLAGS)
libtofa_scotch_la_SOURCES = \
	%D%/scotch_map.cpp \
	#
