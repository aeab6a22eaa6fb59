# SPDX-License-Identifier: GPL-2.0-or-later
# The estimates and decisions of a monitor, without sockets and files.
monitor_conclusions = libmonitor_conclusions.la $(common_policy)
EXTRA_LTLIBRARIES += libmonitor_conclusions.la
libmonitor_conclusions_la_SOURCES = \
	%D%/forecast.cpp \
	%D%/liveness.cpp \
	%D%/outage.cpp \
	%D%/pair_model.cpp \
	%D%/schedule.cpp \
	#

# The files of a monitor, which placectl reads.
monitor_history = libmonitor_history.la $(common_util) $(SQLITE_LIBS)
EXTRA_LTLIBRARIES += libmonitor_history.la
libmonitor_history_la_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
libmonitor_history_la_SOURCES = \
	%D%/database.cpp \
	%D%/history.cpp \
	#

monitor_monitor = libmonitor_monitor.la libmonitor_conclusions.la libmonitor_history.la libcommon_slurm_library.la libcommon_decision.la \
	libcommon_topology_yaml.la $(YAML_LIBS) \
	$(monitor_protocol) $(SQLITE_LIBS) $(SLURM_LIBS)
libmonitor_monitor_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
libmonitor_monitor_la_SOURCES = \
	%D%/decision_counts.cpp \
	%D%/history_keeper.cpp \
	%D%/monitor.cpp \
	%D%/mpi_pairs.cpp \
	%D%/node_watch.cpp \
	%D%/probing.cpp \
	%D%/node_switches.cpp \
	%D%/query_service.cpp \
	%D%/running_configuration.cpp \
	%D%/slurm_nodes.cpp \
	%D%/snapshot_publisher.cpp \
	%D%/stored_decisions.cpp \
	#

placement_monitor_LDADD = $(monitor_monitor)
placement_monitor_SOURCES = %D%/monitor_main.cpp
EXTRA_LTLIBRARIES += libmonitor_monitor.la
if BUILD_MONITOR
if HAVE_SQLITE
sbin_PROGRAMS += placement-monitor
endif
endif
