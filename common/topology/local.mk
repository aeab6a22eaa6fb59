# SPDX-License-Identifier: GPL-2.0-or-later
# Trees, tori, the files that describe them, and a cluster as a policy sees it.
common_topology = libcommon_topology.la libcommon_state.la $(common_matrix)
noinst_LTLIBRARIES += libcommon_topology.la
libcommon_topology_la_SOURCES = \
	%D%/cluster_view.hpp \
	%D%/scontrol_topology.cpp \
	%D%/scontrol_topology.hpp \
	%D%/slurm_conf.cpp \
	%D%/slurm_conf.hpp \
	%D%/slurm_hosts.cpp \
	%D%/slurm_hosts.hpp \
	%D%/step_view.cpp \
	%D%/step_view.hpp \
	%D%/switch_forest.cpp \
	%D%/switch_forest.hpp \
	%D%/switch_tree.cpp \
	%D%/switch_tree.hpp \
	%D%/topology_conf.cpp \
	%D%/topology_conf.hpp \
	%D%/topology_read.cpp \
	%D%/topology_read.hpp \
	%D%/torus_read.cpp \
	%D%/torus_topology.cpp \
	%D%/torus_topology.hpp \
	%D%/tree_topology.cpp \
	%D%/tree_topology.hpp \
	#
