# SPDX-License-Identifier: GPL-2.0-or-later
monitor_agent = libmonitor_agent.la $(monitor_protocol)
libmonitor_agent_la_SOURCES = \
	%D%/agent.cpp \
	%D%/daemon_option.cpp \
	%D%/node_sample.cpp \
	%D%/probe.cpp \
	%D%/proc_text.cpp \
	%D%/slurm_processes.cpp \
	#

placement_agent_LDADD = $(monitor_agent)
placement_agent_SOURCES = %D%/agent_main.cpp
EXTRA_LTLIBRARIES += libmonitor_agent.la
if BUILD_MONITOR
sbin_PROGRAMS += placement-agent
endif
