# SPDX-License-Identifier: GPL-2.0-or-later
# What srun, sbatch, salloc and the tasks load: Slurm's public headers alone.
spank = libspank.la libcommon_slurm.la libcommon_decision.la $(policies) $(SLURM_LIBS)
noinst_LTLIBRARIES += libspank.la
libspank_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) $(profile_library)
libspank_la_SOURCES = \
	%D%/allocation.cpp \
	%D%/allocation.hpp \
	%D%/allocation_hook.cpp \
	%D%/allocation_hook.hpp \
	%D%/batch_notice.cpp \
	%D%/batch_notice.hpp \
	%D%/bind_plan.cpp \
	%D%/bind_plan.hpp \
	%D%/bind_task.cpp \
	%D%/bind_task.hpp \
	%D%/client.cpp \
	%D%/client.hpp \
	%D%/client_options.cpp \
	%D%/client_options.hpp \
	%D%/cpu_masks.cpp \
	%D%/cpu_masks.hpp \
	%D%/dist_hook.cpp \
	%D%/dist_hook.hpp \
	%D%/function_hook.cpp \
	%D%/function_hook.hpp \
	%D%/import_slot.cpp \
	%D%/import_slot.hpp \
	%D%/job_decision.cpp \
	%D%/job_decision.hpp \
	%D%/launch_layout.cpp \
	%D%/launch_layout.hpp \
	%D%/launcher_notice.cpp \
	%D%/launcher_notice.hpp \
	%D%/mpirun_environment.cpp \
	%D%/mpirun_environment.hpp \
	%D%/mpirun_plan.cpp \
	%D%/mpirun_plan.hpp \
	%D%/mpirun_words.cpp \
	%D%/mpirun_words.hpp \
	%D%/options.cpp \
	%D%/options.hpp \
	%D%/pattern_matrix.cpp \
	%D%/pattern_matrix.hpp \
	%D%/profile_store.cpp \
	%D%/profile_store.hpp \
	%D%/profiling.cpp \
	%D%/profiling.hpp \
	%D%/scontrol.cpp \
	%D%/scontrol.hpp \
	%D%/sequential_hostfile.cpp \
	%D%/sequential_hostfile.hpp \
	%D%/shipped_request.cpp \
	%D%/shipped_request.hpp \
	%D%/slurm_view.cpp \
	%D%/slurm_view.hpp \
	%D%/spank_api.hpp \
	%D%/state_query.cpp \
	%D%/state_query.hpp \
	%D%/step_ranks.cpp \
	%D%/step_ranks.hpp \
	%D%/task_environment.cpp \
	%D%/task_environment.hpp \
	#

# Slurm's functions are those of the program that loads the plugin.
pkglib_LTLIBRARIES += loadmatrix.la
loadmatrix_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
loadmatrix_la_LDFLAGS = -module -avoid-version -shared -Wl,--version-script=$(srcdir)/%D%/spank.map
loadmatrix_la_LIBADD = libspank.la libcommon_slurm.la libcommon_decision.la $(policies)
if BUILD_MONITOR
loadmatrix_la_LIBADD += libmonitor_protocol.la $(MUNGE_LIBS) $(GCRYPT_LIBS)
endif
loadmatrix_la_SOURCES = %D%/dispatch.cpp
EXTRA_loadmatrix_la_DEPENDENCIES = %D%/spank.map

# What slurmd loads to have placement-agent started.
spank_agent_start = libspank_agent_start.la
noinst_LTLIBRARIES += libspank_agent_start.la
libspank_agent_start_la_SOURCES = \
	%D%/agent_start.cpp \
	%D%/agent_start.hpp \
	#
libspank_agent_start_la_SOURCES += monitor/agent/daemon_option.cpp monitor/agent/daemon_option.hpp
if BUILD_MONITOR
pkglib_LTLIBRARIES += nodestate.la
endif
nodestate_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) -DAGENT_PROGRAM='"$(sbindir)/placement-agent"'
nodestate_la_LDFLAGS = -module -avoid-version -shared -Wl,--version-script=$(srcdir)/%D%/spank.map
nodestate_la_LIBADD = $(spank_agent_start)
nodestate_la_SOURCES = %D%/nodestate.cpp
EXTRA_nodestate_la_DEPENDENCIES = %D%/spank.map
EXTRA_DIST += %D%/spank.map
