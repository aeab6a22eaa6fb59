# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/deadline_test \
	%D%/nla_place_test \
	%D%/policy_table_test \
	%D%/step_sockets_test \
	#
endif
%C%_deadline_test_LDADD = $(policies) $(CHECK_LIBS)
%C%_nla_place_test_LDADD = $(policies) $(CHECK_LIBS)
%C%_policy_table_test_LDADD = $(policies) $(CHECK_LIBS)
%C%_step_sockets_test_LDADD = $(policies) $(CHECK_LIBS)
