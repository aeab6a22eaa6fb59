# SPDX-License-Identifier: GPL-2.0-or-later
# Live state of nodes, snapshots of it, outages.
common_state = libcommon_state.la $(common_util)
noinst_LTLIBRARIES += libcommon_state.la
libcommon_state_la_SOURCES = \
	%D%/controller_state.cpp \
	%D%/controller_state.hpp \
	%D%/live_check.cpp \
	%D%/live_check.hpp \
	%D%/live_range.hpp \
	%D%/live_state.hpp \
	%D%/node_fields.hpp \
	%D%/node_outage.cpp \
	%D%/node_outage.hpp \
	%D%/outage_file.cpp \
	%D%/outage_file.hpp \
	%D%/pair_arrays.cpp \
	%D%/pair_arrays.hpp \
	%D%/snapshot.cpp \
	%D%/snapshot.hpp \
	%D%/snapshot_extra.cpp \
	%D%/snapshot_extra.hpp \
	%D%/snapshot_layout.hpp \
	%D%/snapshot_text.cpp \
	%D%/snapshot_text.hpp \
	%D%/snapshot_text_form.hpp \
	%D%/snapshot_text_read.cpp \
	#
