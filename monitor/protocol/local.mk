# SPDX-License-Identifier: GPL-2.0-or-later
# The common code of agent and monitor. Without munge or libgcrypt, neither daemon is built.
monitor_protocol = libmonitor_protocol.la libcommon_decision.la $(common_policy) $(MUNGE_LIBS) $(GCRYPT_LIBS)
EXTRA_LTLIBRARIES += libmonitor_protocol.la
libmonitor_protocol_la_CPPFLAGS = $(AM_CPPFLAGS) $(MUNGE_CFLAGS) $(GCRYPT_CFLAGS)
libmonitor_protocol_la_SOURCES = \
	%D%/daemon.cpp \
	%D%/munge_credentials.cpp \
	%D%/query_client.cpp \
	%D%/query_server.cpp \
	%D%/query_wire.cpp \
	%D%/safe_start.cpp \
	%D%/seal.cpp \
	%D%/session.cpp \
	%D%/sockets.cpp \
	%D%/messages.cpp \
	#
