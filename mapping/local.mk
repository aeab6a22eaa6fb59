# SPDX-License-Identifier: GPL-2.0-or-later
# The mapping code that several policies use.
mapping = libmapping.la $(common_policy)
EXTRA_LTLIBRARIES += libmapping.la
libmapping_la_SOURCES = \
	%D%/assignment.cpp \
	%D%/bisection.cpp \
	%D%/coarsen.cpp \
	%D%/fm.cpp \
	%D%/gpu_mapping.cpp \
	%D%/graph.cpp \
	%D%/greedy.cpp \
	%D%/leaf_tree.cpp \
	%D%/node_choice.cpp \
	%D%/part_annealing.cpp \
	%D%/slots.cpp \
	%D%/swap_search.cpp \
	#
