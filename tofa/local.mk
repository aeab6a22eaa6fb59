# SPDX-License-Identifier: GPL-2.0-or-later
tofa = libtofa.la libpattern.la $(treematch)
noinst_LTLIBRARIES += libtofa.la
libtofa_la_SOURCES = \
	%D%/assess.cpp \
	%D%/assess.hpp \
	%D%/box_sums.hpp \
	%D%/contention.cpp \
	%D%/contention.hpp \
	%D%/geometry.cpp \
	%D%/geometry.hpp \
	%D%/greedy_policy.cpp \
	%D%/greedy_policy.hpp \
	%D%/prefix_sums.hpp \
	%D%/node_order.cpp \
	%D%/node_order.hpp \
	%D%/node_sets.cpp \
	%D%/node_sets.hpp \
	%D%/fault_model.cpp \
	%D%/fault_model.hpp \
	%D%/route_faults.cpp \
	%D%/route_faults.hpp \
	%D%/scotch_hook.cpp \
	%D%/scotch_hook.hpp \
	%D%/slot_bisection.cpp \
	%D%/slot_bisection.hpp \
	%D%/slot_hops.hpp \
	%D%/tofa.cpp \
	%D%/tofa.hpp \
	%D%/tofa_paper.cpp \
	%D%/tofa_paper.hpp \
	%D%/torus_bisection.cpp \
	%D%/torus_bisection.hpp \
	%D%/torus_job.cpp \
	%D%/torus_job.hpp \
	%D%/torus_map.cpp \
	%D%/torus_map.hpp \
	%D%/torus_search.cpp \
	%D%/torus_search.hpp \
	#

# SCOTCH, for those who ask for it: never in slurmctld.
if HAVE_SCOTCH
noinst_LTLIBRARIES += libtofa_scotch.la
tofa_scotch = libtofa_scotch.la $(SCOTCH_LIBS)
endif
libtofa_scotch_la_CPPFLAGS = $(AM_CPPFLAGS) $(SCOTCH_CPPFLAGS)
libtofa_scotch_la_SOURCES = \
	%D%/scotch_map.cpp \
	%D%/scotch_map.hpp \
	#
