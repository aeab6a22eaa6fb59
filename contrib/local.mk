# SPDX-License-Identifier: GPL-2.0-or-later
# Units for systemd. Without systemd, nodestate.so starts the agent.
unit = $(AM_V_GEN)$(MKDIR_P) contrib/systemd && sed 's,[@]sbindir[@],$(sbindir),'
contrib/systemd/placement-agent.service: $(srcdir)/contrib/systemd/placement-agent.service.in Makefile
	$(unit) $(srcdir)/contrib/systemd/placement-agent.service.in >$@
contrib/systemd/placement-monitor.service: $(srcdir)/contrib/systemd/placement-monitor.service.in Makefile
	$(unit) $(srcdir)/contrib/systemd/placement-monitor.service.in >$@
CLEANFILES += contrib/systemd/placement-agent.service contrib/systemd/placement-monitor.service
completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = contrib/completion/placectl
if BUILD_MONITOR
systemdunitdir = $(prefix)/lib/systemd/system
nodist_systemdunit_DATA = contrib/systemd/placement-agent.service
dist_completion_DATA += contrib/completion/placement-agent contrib/completion/placement-monitor
if HAVE_SQLITE
nodist_systemdunit_DATA += contrib/systemd/placement-monitor.service
endif
endif

EXTRA_DIST += \
	contrib/check \
	contrib/check-odr \
	contrib/check-sanitizers \
	contrib/cluster \
	contrib/completion \
	contrib/demo \
	contrib/evaluation \
	contrib/fault-drill \
	contrib/lib \
	contrib/lint \
	contrib/package \
	contrib/package-rpm \
	contrib/packaging \
	contrib/prometheus \
	contrib/release \
	contrib/root \
	contrib/slurm-source \
	contrib/soak \
	contrib/start-time \
	contrib/systemd/placement-agent.service.in \
	contrib/systemd/placement-monitor.service.in \
	contrib/try \
	#
