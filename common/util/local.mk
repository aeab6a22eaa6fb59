# SPDX-License-Identifier: GPL-2.0-or-later
# General code for all folders: text, files, bytes, time, errors.
common_util = libcommon_util.la $(ZSTD_LIBS)
EXTRA_LTLIBRARIES += libcommon_util.la
libcommon_util_la_SOURCES = \
	%D%/base64url.cpp \
	%D%/cpu_list.cpp \
	%D%/hostlist.cpp \
	%D%/input_file.cpp \
	%D%/prometheus_text.cpp \
	%D%/replace_file.cpp \
	%D%/text.cpp \
	%D%/text_scanner.cpp \
	%D%/zstd_frame.cpp \
	#
