# SPDX-License-Identifier: GPL-2.0-or-later
# The code that depends on the version of Slurm. The select plugin links it.
EXTRA_LTLIBRARIES += libplugins_compat.la
libplugins_compat_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_SOURCE_CPPFLAGS) $(SLURM_CPPFLAGS)
libplugins_compat_la_SOURCES = \
	%D%/job_test_call.c \
	%D%/pass_through.c \
	%D%/pass_through_jumps.S \
	%D%/self_test.c \
	%D%/topology_text.c \
	#
