# SPDX-License-Identifier: GPL-2.0-or-later
treematch = libtreematch.la $(mapping)
EXTRA_LTLIBRARIES += libtreematch.la
libtreematch_la_SOURCES = \
	%D%/annealing.cpp \
	%D%/balanced_shares.cpp \
	%D%/canonical.cpp \
	%D%/chooser.cpp \
	%D%/exact_map.cpp \
	%D%/graph_growing.cpp \
	%D%/grouping.cpp \
	%D%/heavy_groups.cpp \
	%D%/leaf_choice.cpp \
	%D%/map_memory.cpp \
	%D%/multisection.cpp \
	%D%/pairing.cpp \
	%D%/portfolio.cpp \
	%D%/rank_structure.cpp \
	%D%/subtree_classes.cpp \
	%D%/subtree_search.cpp \
	%D%/tree_map.cpp \
	%D%/treematch.cpp \
	%D%/unit_mapping.cpp \
	%D%/within_nodes.cpp \
	%D%/worst_group.cpp \
	#
