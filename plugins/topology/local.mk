# SPDX-License-Identifier: GPL-2.0-or-later
# The topology plugin, with its C interface.
plugins_topology = libplugins_topology.la $(tofa)
EXTRA_LTLIBRARIES += libplugins_topology.la
libplugins_topology_la_SOURCES = \
	%D%/fatt_order.cpp \
	#

if BUILD_SELECT
if BUILD_FATT
pkglib_LTLIBRARIES += topology_fatt.la
else
EXTRA_LTLIBRARIES += topology_fatt.la
endif
endif
topology_fatt_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_SOURCE_CPPFLAGS) $(SLURM_CPPFLAGS)
topology_fatt_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-Wl,--version-script=$(srcdir)/%D%/topology_fatt.map
topology_fatt_la_LIBADD = $(plugins_topology)
topology_fatt_la_SOURCES = \
	%D%/topology_fatt.c \
	#
nodist_EXTRA_topology_fatt_la_SOURCES = %D%/none.cpp
EXTRA_topology_fatt_la_DEPENDENCIES = %D%/topology_fatt.map
EXTRA_DIST += %D%/topology_fatt.map
