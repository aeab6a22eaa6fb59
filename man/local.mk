# SPDX-License-Identifier: GPL-2.0-or-later
dist_man_MANS += \
	man/placectl.1 \
	man/placectl-explain.1 \
	man/placectl-report.1 \
	man/placectl-simulate.1 \
	man/placectl-state.1 \
	man/slurm-placement.7 \
	man/slurm-placement-gpus.7 \
	man/slurm-placement-mpirun.7 \
	man/slurm-placement-patterns.7 \
	man/slurm-placement-profiles.7 \
	#
if BUILD_MONITOR
dist_man_MANS += man/placement-agent.8
if HAVE_SQLITE
dist_man_MANS += man/placement-monitor.8
endif
endif
man_MANS = #
if BUILD_MPI
man_MANS += man/placement-profile.1
if BUILD_PLACECTL
man_MANS += man/placement-measure.1
endif
endif
if BUILD_REORDER
man_MANS += man/libplacement-reorder.7
endif

# The keys in the manual page come from the table that the parser uses.
if BUILD_PLACECTL
man_MANS += man/placement.conf.5
noinst_PROGRAMS += man/config_keys
endif
man_config_keys_LDADD = $(common_policy)
man_config_keys_SOURCES = man/config_keys.cpp
man/placement.conf.5: man/placement.conf.5.in man/config_keys$(EXEEXT)
	$(AM_V_GEN)man/config_keys$(EXEEXT) >$@.keys && \
	sed -e '/^@KEYS@$$/{' -e 'r $@.keys' -e 'd' -e '}' $(srcdir)/man/placement.conf.5.in >$@.tmp && \
	rm $@.keys && mv $@.tmp $@
CLEANFILES += man/placement.conf.5
EXTRA_DIST += \
	man/libplacement-reorder.7 \
	man/placement-agent.8 \
	man/placement-monitor.8 \
	man/placement-measure.1 \
	man/placement-profile.1 \
	man/placement.conf.5.in \
	#
