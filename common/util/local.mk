# SPDX-License-Identifier: GPL-2.0-or-later
# What every room needs and what knows nothing of this project: text, files, bytes, time, errors.
common_util = libcommon_util.la $(ZSTD_LIBS)
noinst_LTLIBRARIES += libcommon_util.la
libcommon_util_la_SOURCES = \
	%D%/allowed_cpus.cpp \
	%D%/allowed_cpus.hpp \
	%D%/access_list.cpp \
	%D%/access_list.hpp \
	%D%/base64url.cpp \
	%D%/base64url.hpp \
	%D%/byte_reader.hpp \
	%D%/byte_writer.hpp \
	%D%/checksum.hpp \
	%D%/deadline.hpp \
	%D%/decimal.cpp \
	%D%/decimal.hpp \
	%D%/decision_outcome.h \
	%D%/error.hpp \
	%D%/file_descriptor.hpp \
	%D%/hostlist.cpp \
	%D%/hostlist.hpp \
	%D%/input_file.cpp \
	%D%/input_file.hpp \
	%D%/prometheus_text.cpp \
	%D%/prometheus_text.hpp \
	%D%/random.hpp \
	%D%/placement_error.hpp \
	%D%/text.cpp \
	%D%/text.hpp \
	%D%/text_scanner.cpp \
	%D%/text_scanner.hpp \
	%D%/zstd_frame.cpp \
	%D%/zstd_frame.hpp \
	#
