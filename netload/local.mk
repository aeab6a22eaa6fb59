# SPDX-License-Identifier: GPL-2.0-or-later
netload = libnetload.la $(common_policy)
noinst_LTLIBRARIES += libnetload.la
libnetload_la_SOURCES = \
	%D%/candidates.cpp \
	%D%/candidates.hpp \
	%D%/compute_load.cpp \
	%D%/compute_load.hpp \
	%D%/group_search.cpp \
	%D%/group_search.hpp \
	%D%/live_input.cpp \
	%D%/live_input.hpp \
	%D%/load_tables.cpp \
	%D%/load_tables.hpp \
	%D%/local_search.cpp \
	%D%/local_search.hpp \
	%D%/network_load.cpp \
	%D%/network_load.hpp \
	%D%/pair_columns.cpp \
	%D%/pair_columns.hpp \
	%D%/pair_error.cpp \
	%D%/pair_error.hpp \
	%D%/pair_scale.cpp \
	%D%/pair_scale.hpp \
	%D%/profile_weights.cpp \
	%D%/profile_weights.hpp \
	%D%/rank_mapping.cpp \
	%D%/rank_mapping.hpp \
	%D%/row_kernels.cpp \
	%D%/row_kernels.hpp \
	%D%/selection.cpp \
	%D%/selection.hpp \
	%D%/typical_link.cpp \
	%D%/typical_link.hpp \
	%D%/weights.cpp \
	%D%/weights.hpp \
	#
