# SPDX-License-Identifier: GPL-2.0-or-later
# What a policy is asked and answers, and the configuration.
common_policy = libcommon_policy.la $(common_topology)
EXTRA_LTLIBRARIES += libcommon_policy.la
libcommon_policy_la_SOURCES = \
	%D%/config.cpp \
	%D%/config_keys.cpp \
	%D%/policy.cpp \
	%D%/policy_spec.cpp \
	%D%/probe_budget.cpp \
	#
