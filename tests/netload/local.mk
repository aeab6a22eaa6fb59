# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/compute_load_test \
	%D%/group_search_tables_test \
	%D%/group_search_test \
	%D%/load_tables_test \
	%D%/network_load_test \
	%D%/slowdown_test \
	#
endif
%C%_compute_load_test_LDADD = $(netload) $(CHECK_LIBS)
%C%_group_search_tables_test_LDADD = $(netload) $(CHECK_LIBS)
%C%_group_search_test_LDADD = $(netload) $(CHECK_LIBS)
%C%_load_tables_test_LDADD = $(netload) $(CHECK_LIBS)
%C%_network_load_test_LDADD = $(netload) $(CHECK_LIBS)
%C%_slowdown_test_LDADD = $(netload) $(CHECK_LIBS)

EXTRA_DIST += \
	%D%/nla_cases.hpp \
	#
