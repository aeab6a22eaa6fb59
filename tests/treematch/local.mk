# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/canonical_test \
	%D%/dense_matrix_test \
	%D%/exact_map_test \
	%D%/grouping_test \
	%D%/map_memory_test \
	%D%/multisection_test \
	%D%/node_level_test \
	%D%/objectives_test \
	%D%/rank_units_test \
	%D%/tree_map_test \
	%D%/tree_map_scope_test \
	%D%/treematch_test \
	%D%/unit_mapping_test \
	#
endif
%C%_canonical_test_LDADD = $(treematch) $(CHECK_LIBS)
%C%_dense_matrix_test_LDADD = $(treematch) $(CHECK_LIBS)
%C%_exact_map_test_LDADD = $(treematch) $(CHECK_LIBS)
%C%_grouping_test_LDADD = $(treematch) $(CHECK_LIBS)
%C%_map_memory_test_LDADD = $(treematch) $(CHECK_LIBS)
%C%_multisection_test_LDADD = $(treematch) $(CHECK_LIBS)
%C%_node_level_test_LDADD = $(treematch) $(CHECK_LIBS)
%C%_objectives_test_LDADD = $(treematch) $(CHECK_LIBS)
%C%_rank_units_test_LDADD = $(treematch) $(CHECK_LIBS)
%C%_tree_map_test_LDADD = $(treematch) $(CHECK_LIBS)
%C%_tree_map_scope_test_LDADD = $(treematch) $(CHECK_LIBS)
%C%_treematch_test_LDADD = $(policies) $(CHECK_LIBS)
%C%_unit_mapping_test_LDADD = $(treematch) $(CHECK_LIBS)

EXTRA_DIST += \
	%D%/tree_map_fixture.hpp \
	#
