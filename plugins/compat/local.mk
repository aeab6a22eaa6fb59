# SPDX-License-Identifier: GPL-2.0-or-later
# What differs between versions of Slurm; linked into the select plugin.
if BUILD_SELECT
noinst_LTLIBRARIES += libplugins_compat.la
endif
libplugins_compat_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_SOURCE_CPPFLAGS) $(SLURM_CPPFLAGS)
libplugins_compat_la_SOURCES = \
	%D%/excluded_cores.h \
	%D%/job_test_call.c \
	%D%/job_test_call.h \
	%D%/pass_through.c \
	%D%/pass_through.h \
	%D%/pass_through_jumps.S \
	%D%/plugin_directory.h \
	%D%/self_test.c \
	%D%/self_test.h \
	%D%/slurm_compat.h \
	%D%/slurm_headers.h \
	%D%/topology_text.c \
	%D%/topology_text.h \
	#
