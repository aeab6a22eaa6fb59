# SPDX-License-Identifier: GPL-2.0-or-later
# The communication matrix, its files and its form on the wire.
common_matrix = libcommon_matrix.la $(common_util)
EXTRA_LTLIBRARIES += libcommon_matrix.la
libcommon_matrix_la_SOURCES = \
	%D%/comm_matrix.cpp \
	%D%/matrix_coarsen.cpp \
	%D%/matrix_format.cpp \
	%D%/matrix_graph.cpp \
	%D%/matrix_monitoring.cpp \
	%D%/matrix_read.cpp \
	%D%/matrix_table.cpp \
	%D%/matrix_text.cpp \
	%D%/matrix_wire.cpp \
	%D%/traffic_table.cpp \
	%D%/written_profile.cpp \
	#
