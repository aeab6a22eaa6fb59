# SPDX-License-Identifier: GPL-2.0-or-later
# What agent and monitor share; left out, with both of them, where munge or libgcrypt is missing.
monitor_protocol = libmonitor_protocol.la libcommon_decision.la $(common_policy) $(MUNGE_LIBS) $(GCRYPT_LIBS)
if BUILD_MONITOR
noinst_LTLIBRARIES += libmonitor_protocol.la
endif
libmonitor_protocol_la_CPPFLAGS = $(AM_CPPFLAGS) $(MUNGE_CFLAGS) $(GCRYPT_CFLAGS)
libmonitor_protocol_la_SOURCES = \
	%D%/agent_config.cpp \
	%D%/agent_config.hpp \
	%D%/credentials.hpp \
	%D%/daemon.cpp \
	%D%/daemon.hpp \
	%D%/handshake_packets.cpp \
	%D%/handshake_packets.hpp \
	%D%/munge_credentials.cpp \
	%D%/probe_limits.cpp \
	%D%/probe_limits.hpp \
	%D%/query_client.cpp \
	%D%/query_client.hpp \
	%D%/query_server.cpp \
	%D%/query_server.hpp \
	%D%/query_wire.cpp \
	%D%/query_wire.hpp \
	%D%/safe_start.cpp \
	%D%/safe_start.hpp \
	%D%/seal.cpp \
	%D%/seal.hpp \
	%D%/session.cpp \
	%D%/session.hpp \
	%D%/socket_address.cpp \
	%D%/socket_address.hpp \
	%D%/tcp.cpp \
	%D%/tcp.hpp \
	%D%/udp.cpp \
	%D%/udp.hpp \
	%D%/messages.cpp \
	%D%/messages.hpp \
	%D%/message_fields.hpp \
	#
