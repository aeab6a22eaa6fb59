# SPDX-License-Identifier: GPL-2.0-or-later
# Communication patterns that have a name, such as a ring or a grid, and the matrices that stand for them.
pattern = libpattern.la $(common_policy) $(common_matrix)
noinst_LTLIBRARIES += libpattern.la
libpattern_la_SOURCES = \
	%D%/grid.cpp \
	%D%/grid.hpp \
	%D%/parallelism.cpp \
	%D%/parallelism.hpp \
	%D%/pattern.cpp \
	%D%/pattern.hpp \
	#
