# SPDX-License-Identifier: GPL-2.0-or-later
policies = libpolicies.la libtofa.la libnetload.la libpattern.la $(treematch)
noinst_LTLIBRARIES += libpolicies.la
libpolicies_la_SOURCES = \
	%D%/baselines.cpp \
	%D%/baselines.hpp \
	%D%/fabric_choice.cpp \
	%D%/fabric_choice.hpp \
	%D%/measured_ranks.cpp \
	%D%/measured_ranks.hpp \
	%D%/natural_order.cpp \
	%D%/natural_order.hpp \
	%D%/nla.cpp \
	%D%/nla.hpp \
	%D%/settings.cpp \
	%D%/settings.hpp \
	%D%/table.cpp \
	%D%/table.hpp \
	#
