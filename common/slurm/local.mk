# SPDX-License-Identifier: GPL-2.0-or-later
# Queries to slurmctld: by Slurm's commands, or by libslurm in Slurm's processes and the monitor.
common_slurm = libcommon_slurm.la $(common_util)
EXTRA_LTLIBRARIES += libcommon_slurm.la
libcommon_slurm_la_SOURCES = \
	%D%/slurm_command.cpp \
	#

common_slurm_library = libcommon_slurm_library.la $(common_topology) $(SLURM_LIBS)
EXTRA_LTLIBRARIES += libcommon_slurm_library.la
libcommon_slurm_library_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
libcommon_slurm_library_la_SOURCES = \
	%D%/controller_query.cpp \
	#

common_scontrol = libcommon_scontrol.la libcommon_slurm.la $(common_topology)
EXTRA_LTLIBRARIES += libcommon_scontrol.la
libcommon_scontrol_la_SOURCES = \
	%D%/controller_by_scontrol.cpp \
	#
