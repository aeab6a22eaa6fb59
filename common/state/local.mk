# SPDX-License-Identifier: GPL-2.0-or-later
# Live state of nodes, snapshots of it, outages.
common_state = libcommon_state.la $(common_util)
EXTRA_LTLIBRARIES += libcommon_state.la
libcommon_state_la_SOURCES = \
	%D%/controller_state.cpp \
	%D%/live_check.cpp \
	%D%/measured_pairs.cpp \
	%D%/outage_file.cpp \
	%D%/pair_arrays.cpp \
	%D%/snapshot.cpp \
	#
