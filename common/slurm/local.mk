# SPDX-License-Identifier: GPL-2.0-or-later
# What processes ask of slurmctld, with Slurm's public headers alone.
common_slurm = libcommon_slurm.la $(common_util) $(SLURM_LIBS)
noinst_LTLIBRARIES += libcommon_slurm.la
libcommon_slurm_la_SOURCES = \
	%D%/controller_query.cpp \
	#
libcommon_slurm_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
