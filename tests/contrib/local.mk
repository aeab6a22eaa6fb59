# SPDX-License-Identifier: GPL-2.0-or-later
TESTS += \
	%D%/build_lists_test.py \
	%D%/client_test.py \
	%D%/cluster_options_test.sh \
	%D%/help_test.sh \
	%D%/install_packages_test.sh \
	%D%/install_test.sh \
	%D%/metrics_test.py \
	%D%/packages_test.sh \
	%D%/phrases_test.sh \
	%D%/rebuild_test.sh \
	%D%/reproduce_test.py \
	%D%/root_test.sh \
	%D%/service_test.sh \
	%D%/strangers_test.sh \
	%D%/ti_trace_test.sh \
	%D%/tiers_test.sh \
	%D%/version_test.sh \
	#
EXTRA_DIST += \
	%D%/build_lists_test.py \
	%D%/client_test.py \
	%D%/cluster_options_test.sh \
	%D%/help_test.sh \
	%D%/install_packages_test.sh \
	%D%/install_test.sh \
	%D%/metrics_test.py \
	%D%/packages_test.sh \
	%D%/phrases_test.sh \
	%D%/rebuild_test.sh \
	%D%/reproduce_test.py \
	%D%/root_test.sh \
	%D%/service_test.sh \
	%D%/strangers_test.sh \
	%D%/ti_trace_test.sh \
	%D%/tiers_test.sh \
	%D%/version_test.sh \
	#
