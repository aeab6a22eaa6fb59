# SPDX-License-Identifier: GPL-2.0-or-later
# Communication patterns that have a name, such as a ring or a grid, and their matrices.
pattern = libpattern.la $(common_policy) $(common_matrix)
EXTRA_LTLIBRARIES += libpattern.la
libpattern_la_SOURCES = \
	%D%/grid.cpp \
	%D%/parallelism.cpp \
	%D%/pattern.cpp \
	%D%/scaling.cpp \
	#
