# SPDX-License-Identifier: GPL-2.0-or-later
netload = libnetload.la $(common_policy)
EXTRA_LTLIBRARIES += libnetload.la
libnetload_la_SOURCES = \
	%D%/compute_load.cpp \
	%D%/group_search.cpp \
	%D%/live_input.cpp \
	%D%/load_tables.cpp \
	%D%/local_search.cpp \
	%D%/network_load.cpp \
	%D%/pair_measurements.cpp \
	%D%/profile_weights.cpp \
	%D%/rank_mapping.cpp \
	%D%/regret.cpp \
	%D%/selection.cpp \
	%D%/typical_link.cpp \
	%D%/weights.cpp \
	#
