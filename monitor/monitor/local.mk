# SPDX-License-Identifier: GPL-2.0-or-later
# What a monitor concludes from what it hears: no socket, no file.
monitor_conclusions = libmonitor_conclusions.la $(common_policy)
noinst_LTLIBRARIES += libmonitor_conclusions.la
libmonitor_conclusions_la_SOURCES = \
	%D%/cause.cpp \
	%D%/cause.hpp \
	%D%/forecast.cpp \
	%D%/forecast.hpp \
	%D%/liveness.cpp \
	%D%/liveness.hpp \
	%D%/outage.cpp \
	%D%/outage.hpp \
	%D%/pair_model.cpp \
	%D%/pair_model.hpp \
	%D%/schedule.cpp \
	%D%/schedule.hpp \
	#

# What a monitor keeps on disk; placectl reads it.
monitor_history = libmonitor_history.la $(common_util) $(SQLITE_LIBS)
if HAVE_SQLITE
noinst_LTLIBRARIES += libmonitor_history.la
endif
libmonitor_history_la_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
libmonitor_history_la_SOURCES = \
	%D%/database.cpp \
	%D%/database.hpp \
	%D%/history.cpp \
	%D%/history.hpp \
	%D%/history_file.cpp \
	%D%/history_file.hpp \
	#

monitor_monitor = libmonitor_monitor.la libmonitor_conclusions.la libmonitor_history.la libcommon_slurm.la libcommon_decision.la \
	$(monitor_protocol) $(SQLITE_LIBS) $(SLURM_LIBS)
libmonitor_monitor_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
libmonitor_monitor_la_SOURCES = \
	%D%/bulk.cpp \
	%D%/bulk.hpp \
	%D%/decision_counts.cpp \
	%D%/decision_counts.hpp \
	%D%/history_keeper.cpp \
	%D%/history_keeper.hpp \
	%D%/monitor.cpp \
	%D%/monitor.hpp \
	%D%/monitor_metrics.cpp \
	%D%/monitor_metrics.hpp \
	%D%/monitor_port.hpp \
	%D%/node_watch.cpp \
	%D%/node_watch.hpp \
	%D%/node_watch_history.cpp \
	%D%/peer_exchange.cpp \
	%D%/peer_exchange.hpp \
	%D%/peer_messages.cpp \
	%D%/peer_messages.hpp \
	%D%/pending_records.cpp \
	%D%/pending_records.hpp \
	%D%/probing.cpp \
	%D%/probing.hpp \
	%D%/node_switches.cpp \
	%D%/node_switches.hpp \
	%D%/leader_election.cpp \
	%D%/leader_election.hpp \
	%D%/query_answers.cpp \
	%D%/query_answers.hpp \
	%D%/query_service.cpp \
	%D%/query_service.hpp \
	%D%/running_configuration.cpp \
	%D%/running_configuration.hpp \
	%D%/slurm_nodes.cpp \
	%D%/slurm_nodes.hpp \
	%D%/snapshot_publisher.cpp \
	%D%/snapshot_publisher.hpp \
	%D%/stored_decisions.cpp \
	%D%/stored_decisions.hpp \
	%D%/trouble_log.hpp \
	#

placement_monitor_LDADD = $(monitor_monitor)
placement_monitor_SOURCES = %D%/monitor_main.cpp
if BUILD_MONITOR
if HAVE_SQLITE
noinst_LTLIBRARIES += libmonitor_monitor.la
sbin_PROGRAMS += placement-monitor
endif
endif
