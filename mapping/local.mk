# SPDX-License-Identifier: GPL-2.0-or-later
# The mapping code that several policies use.
mapping = libmapping.la $(common_policy)
noinst_LTLIBRARIES += libmapping.la
libmapping_la_SOURCES = \
	%D%/bisection.cpp \
	%D%/bisection.hpp \
	%D%/coarsen.cpp \
	%D%/coarsen.hpp \
	%D%/fm.cpp \
	%D%/fm.hpp \
	%D%/gain_buckets.hpp \
	%D%/graph.cpp \
	%D%/graph.hpp \
	%D%/greedy.cpp \
	%D%/greedy.hpp \
	%D%/leaf_tree.cpp \
	%D%/leaf_tree.hpp \
	%D%/mapping_check.cpp \
	%D%/mapping_check.hpp \
	%D%/node_choice.cpp \
	%D%/node_choice.hpp \
	%D%/refine.cpp \
	%D%/refine.hpp \
	%D%/slots.cpp \
	%D%/slots.hpp \
	%D%/sparsify.cpp \
	%D%/sparsify.hpp \
	%D%/swap_search.cpp \
	%D%/swap_search.hpp \
	%D%/work_budget.hpp \
	#
