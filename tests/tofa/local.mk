# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/tofa_assess_test \
	%D%/tofa_baselines_test \
	%D%/tofa_test \
	#
endif
%C%_tofa_assess_test_LDADD = $(policies) $(CHECK_LIBS)
%C%_tofa_baselines_test_LDADD = $(policies) $(CHECK_LIBS)
%C%_tofa_test_LDADD = $(policies) $(CHECK_LIBS)

EXTRA_DIST += \
	%D%/tofa_machines.hpp \
	#
