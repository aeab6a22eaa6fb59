# SPDX-License-Identifier: GPL-2.0-or-later
# Trees, tori, the files that describe them, and a cluster as a policy sees it.
common_topology = libcommon_topology.la libcommon_state.la $(common_matrix)
EXTRA_LTLIBRARIES += libcommon_topology.la
libcommon_topology_la_SOURCES = \
	%D%/gres_conf.cpp \
	%D%/link_traffic.cpp \
	%D%/node_topology.cpp \
	%D%/scontrol_topology.cpp \
	%D%/slurm_conf.cpp \
	%D%/slurm_hosts.cpp \
	%D%/step_view.cpp \
	%D%/switch_tree.cpp \
	%D%/topology_conf.cpp \
	%D%/topology_read.cpp \
	%D%/torus_read.cpp \
	%D%/torus_topology.cpp \
	%D%/tree_topology.cpp \
	#

# A separate library, so that no plugin needs libyaml.
common_topology_yaml = libcommon_topology_yaml.la $(common_topology) $(YAML_LIBS)
EXTRA_LTLIBRARIES += libcommon_topology_yaml.la
libcommon_topology_yaml_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS)
libcommon_topology_yaml_la_SOURCES = \
	%D%/slurm_partitions.cpp \
	%D%/topology_yaml.cpp \
	#

# The topology of a node from hwloc's XML. Only tools use it, because no plugin parses XML.
common_topology_hwloc = libcommon_topology_hwloc.la $(common_topology) $(HWLOC_LIBS)
EXTRA_LTLIBRARIES += libcommon_topology_hwloc.la
libcommon_topology_hwloc_la_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
libcommon_topology_hwloc_la_SOURCES = \
	%D%/node_hwloc.cpp \
	#
