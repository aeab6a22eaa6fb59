# SPDX-License-Identifier: GPL-2.0-or-later
treematch = libtreematch.la $(mapping)
noinst_LTLIBRARIES += libtreematch.la
libtreematch_la_SOURCES = \
	%D%/annealing.cpp \
	%D%/annealing.hpp \
	%D%/canonical.cpp \
	%D%/canonical.hpp \
	%D%/exact_map.cpp \
	%D%/exact_map.hpp \
	%D%/graph_growing.cpp \
	%D%/graph_growing.hpp \
	%D%/grouping.cpp \
	%D%/grouping.hpp \
	%D%/group_spread.cpp \
	%D%/group_spread.hpp \
	%D%/heavy_groups.cpp \
	%D%/heavy_groups.hpp \
	%D%/leaf_choice.cpp \
	%D%/leaf_choice.hpp \
	%D%/level_search.cpp \
	%D%/level_search.hpp \
	%D%/matching.cpp \
	%D%/matching.hpp \
	%D%/multisection.cpp \
	%D%/multisection.hpp \
	%D%/objectives.cpp \
	%D%/objectives.hpp \
	%D%/packing.cpp \
	%D%/packing.hpp \
	%D%/pairing.cpp \
	%D%/pairing.hpp \
	%D%/portfolio.cpp \
	%D%/portfolio.hpp \
	%D%/subtree_classes.cpp \
	%D%/subtree_classes.hpp \
	%D%/tree_map.cpp \
	%D%/tree_map.hpp \
	%D%/treematch.cpp \
	%D%/treematch.hpp \
	%D%/unit_mapping.cpp \
	%D%/unit_mapping.hpp \
	%D%/within_nodes.cpp \
	%D%/within_nodes.hpp \
	#
