# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/gpu_mapping_test \
	%D%/mapping_cost_test \
	%D%/part_annealing_test \
	%D%/sparsify_test \
	#
endif
%C%_gpu_mapping_test_LDADD = $(mapping) $(CHECK_LIBS)
%C%_mapping_cost_test_LDADD = $(mapping) $(CHECK_LIBS)
%C%_part_annealing_test_LDADD = $(mapping) $(CHECK_LIBS)
%C%_sparsify_test_LDADD = $(mapping) $(CHECK_LIBS)
