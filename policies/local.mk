# SPDX-License-Identifier: GPL-2.0-or-later
policies = libpolicies.la libtofa.la libnetload.la libpattern.la $(treematch)
EXTRA_LTLIBRARIES += libpolicies.la
libpolicies_la_SOURCES = \
	%D%/baselines.cpp \
	%D%/fabric_choice.cpp \
	%D%/measured_ranks.cpp \
	%D%/nla.cpp \
	%D%/table.cpp \
	#
