# SPDX-License-Identifier: GPL-2.0-or-later
monitor_agent = libmonitor_agent.la $(monitor_protocol)
libmonitor_agent_la_SOURCES = \
	%D%/agent.cpp \
	%D%/agent.hpp \
	%D%/daemon_option.cpp \
	%D%/daemon_option.hpp \
	%D%/node_sample.cpp \
	%D%/node_sample.hpp \
	%D%/probe.cpp \
	%D%/probe.hpp \
	%D%/proc_text.cpp \
	%D%/proc_text.hpp \
	%D%/slurm_processes.cpp \
	%D%/slurm_processes.hpp \
	#

placement_agent_LDADD = $(monitor_agent)
placement_agent_SOURCES = %D%/agent_main.cpp
if BUILD_MONITOR
noinst_LTLIBRARIES += libmonitor_agent.la
sbin_PROGRAMS += placement-agent
endif
