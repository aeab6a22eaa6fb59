# SPDX-License-Identifier: GPL-2.0-or-later
# The request to a policy, its answer, and the configuration.
common_policy = libcommon_policy.la $(common_topology)
EXTRA_LTLIBRARIES += libcommon_policy.la
libcommon_policy_la_SOURCES = \
	%D%/config.cpp \
	%D%/config_keys.cpp \
	%D%/policy_spec.cpp \
	#
