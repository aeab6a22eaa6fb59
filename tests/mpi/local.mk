# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/collective_test \
	%D%/rank_order_test \
	%D%/slice_sampling_test \
	%D%/traffic_test \
	#
endif
%C%_collective_test_LDADD = $(mpi_traffic) $(CHECK_LIBS)
%C%_rank_order_test_LDADD = $(mpi_order) $(CHECK_LIBS)
%C%_slice_sampling_test_LDADD = $(CHECK_LIBS)
%C%_traffic_test_LDADD = $(mpi_traffic) $(CHECK_LIBS)

EXTRA_DIST += \
	%D%/mpi_collectives.c \
	%D%/mpi_environment.sh \
	%D%/mpi_fortran.F90 \
	%D%/mpi_four.c \
	%D%/mpi_four.expected \
	%D%/mpi_container_test.sh \
	%D%/mpi_monitoring_test.sh \
	%D%/mpi_measure_test.sh \
	%D%/mpi_mpich_test.sh \
	%D%/mpi_profile_test.sh \
	%D%/mpi_reorder.c \
	%D%/mpi_reorder_test.sh \
	%D%/mpi_sanitizer_test.sh \
	%D%/mpi_traffic.c \
	%D%/mpi_traffic.expected \
	#

if BUILD_MPI
TESTS += \
	%D%/mpi_container_test.sh \
	%D%/mpi_monitoring_test.sh \
	%D%/mpi_mpich_test.sh \
	%D%/mpi_profile_test.sh \
	%D%/mpi_sanitizer_test.sh \
	#
if BUILD_PLACECTL
TESTS += %D%/mpi_measure_test.sh
endif
endif
if BUILD_REORDER
reorder_sources_to_test = $(libplacement_reorder_la_SOURCES)
TESTS += %D%/mpi_reorder_test.sh
endif
