# SPDX-License-Identifier: GPL-2.0-or-later
# What contrib's benchmarks of daemons and of the ring start.
if BUILD_SPANK
noinst_PROGRAMS += %D%/ring_writer
endif
%C%_ring_writer_LDADD = $(common_decision)
%C%_ring_writer_SOURCES = %D%/ring_writer.cpp
%C%_agent_listener_LDADD = $(monitor_agent)
%C%_agent_listener_SOURCES = %D%/agent_listener.cpp
# All agents of a machine in one process, for contrib/evaluation/bench-monitor.
%C%_agent_crowd_LDADD = $(monitor_protocol)
%C%_agent_crowd_SOURCES = %D%/agent_crowd.cpp
if BUILD_MONITOR
noinst_PROGRAMS += %D%/agent_listener
if HAVE_SQLITE
noinst_PROGRAMS += %D%/agent_crowd
endif
endif

# "make bench-mapping": the mapper compared with METIS and SCOTCH, if installed.
EXTRA_PROGRAMS = %D%/bench_mapping
%C%_bench_mapping_SOURCES = %D%/bench_mapping.cpp %D%/instances.cpp %D%/instances.hpp %D%/peers.hpp tools/input/leaf_files.cpp tools/input/leaf_files.hpp
%C%_bench_mapping_CPPFLAGS = $(AM_CPPFLAGS) $(SCOTCH_CPPFLAGS)
%C%_bench_mapping_LDADD = $(treematch) $(METIS_LIBS) $(SCOTCH_LIBS)
if HAVE_METIS
%C%_bench_mapping_SOURCES += %D%/peer_metis.cpp
endif
if HAVE_SCOTCH
%C%_bench_mapping_SOURCES += %D%/peer_scotch.cpp
endif
# BENCH_FLAGS: --salt S, --seeds N, --peer-limit RANKS, names of instances
.PHONY: bench-mapping
bench-mapping: %D%/bench_mapping$(EXEEXT) tools/placectl$(EXEEXT)
	SCOTCH_PTHREAD_NUMBER=1 %D%/bench_mapping$(EXEEXT) --placectl tools/placectl$(EXEEXT) $(BENCH_FLAGS)

# "make bench-choice STATES=FOLDER": the mapper's scopes on states of Curie, from "placectl simulate --free-cores".
EXTRA_PROGRAMS += %D%/bench_choice
%C%_bench_choice_SOURCES = %D%/bench_choice.cpp %D%/instances.cpp %D%/instances.hpp tools/input/leaf_files.cpp tools/input/leaf_files.hpp
%C%_bench_choice_LDADD = $(treematch)
.PHONY: bench-choice
bench-choice: %D%/bench_choice$(EXEEXT)
	%D%/bench_choice$(EXEEXT) $(BENCH_FLAGS) $(STATES)/*.leaves

# "make bench-groups STATES=FOLDER": training jobs by their pattern on these states, and the leaf switches of their groups.
EXTRA_PROGRAMS += %D%/bench_groups
%C%_bench_groups_SOURCES = %D%/bench_groups.cpp tools/input/leaf_files.cpp tools/input/leaf_files.hpp
%C%_bench_groups_LDADD = $(sim)
.PHONY: bench-groups
bench-groups: %D%/bench_groups$(EXEEXT)
	%D%/bench_groups$(EXEEXT) $(STATES)/*.leaves

# "make bench-order": the processor time of a decision of libplacement-reorder, by treematch and by matching.
EXTRA_PROGRAMS += %D%/bench_order
%C%_bench_order_SOURCES = %D%/bench_order.cpp
%C%_bench_order_LDADD = $(mpi_order)
.PHONY: bench-order
bench-order: %D%/bench_order$(EXEEXT)
	%D%/bench_order$(EXEEXT)

# "make bench-netload": the time of a network- and load-aware choice, and how it grows.
EXTRA_PROGRAMS += %D%/bench_netload
%C%_bench_netload_LDADD = $(netload)
%C%_bench_netload_SOURCES = %D%/bench_netload.cpp
.PHONY: bench-netload bench-torus
bench-netload: %D%/bench_netload$(EXEEXT)
	%D%/bench_netload$(EXEEXT)

# "make bench-decision": the processor time of slurmctld's decisions about the largest jobs; BENCH_FLAGS: nodes, policy, ms, ranks.
EXTRA_PROGRAMS += %D%/bench_decision
%C%_bench_decision_LDADD = $(plugins_planning)
%C%_bench_decision_SOURCES = %D%/bench_decision.cpp
.PHONY: bench-decision
bench-decision: %D%/bench_decision$(EXEEXT)
	%D%/bench_decision$(EXEEXT) $(BENCH_FLAGS)

# "make bench-torus": TOFA compared with SCOTCH on tori; BENCH_FLAGS: number of seeds.
if HAVE_SCOTCH
EXTRA_PROGRAMS += %D%/bench_torus
%C%_bench_torus_CPPFLAGS = $(AM_CPPFLAGS) $(SCOTCH_CPPFLAGS)
%C%_bench_torus_LDADD = libtofa_scotch.la libcommon_topology_yaml.la $(policies) $(SCOTCH_LIBS) $(YAML_LIBS)
bench-torus: %D%/bench_torus$(EXEEXT)
	%D%/bench_torus$(EXEEXT) $(BENCH_FLAGS)
endif
%C%_bench_torus_SOURCES = %D%/bench_torus.cpp tools/input/torus_machine.cpp tools/input/torus_machine.hpp

# "make bench-tofa TRACE=FILE": TOFA and its baselines in SimGrid, by replaying a trace.
.PHONY: bench-tofa
bench-tofa: tools/placectl$(EXEEXT)
	$(srcdir)/contrib/evaluation/bench-tofa --placectl tools/placectl$(EXEEXT) $(BENCH_FLAGS) $(TRACE)
CLEANFILES += $(EXTRA_PROGRAMS)
EXTRA_DIST += %D%/delay_line.py
