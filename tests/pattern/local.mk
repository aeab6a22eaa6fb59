# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/grid_test \
	%D%/parallelism_test \
	%D%/pattern_test \
	%D%/scaling_test \
	#
endif
%C%_grid_test_LDADD = $(pattern) $(CHECK_LIBS)
%C%_parallelism_test_LDADD = $(pattern) $(CHECK_LIBS)
%C%_pattern_test_LDADD = $(pattern) $(CHECK_LIBS)
%C%_scaling_test_LDADD = $(pattern) $(CHECK_LIBS)
