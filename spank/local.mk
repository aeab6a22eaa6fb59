# SPDX-License-Identifier: GPL-2.0-or-later
# What srun, sbatch, salloc and the tasks load: Slurm's public headers alone.
spank = libspank.la libcommon_slurm.la libcommon_decision.la $(policies) $(SLURM_LIBS)
noinst_LTLIBRARIES += libspank.la
libspank_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) $(profile_library)
libspank_la_SOURCES = \
	%D%/api/spank_api.hpp \
	%D%/api/task_environment.cpp \
	%D%/api/task_environment.hpp \
	%D%/client.cpp \
	%D%/client.hpp \
	%D%/client_state.cpp \
	%D%/client_state.hpp \
	%D%/hooks/allocation_hook.cpp \
	%D%/hooks/allocation_hook.hpp \
	%D%/hooks/dist_hook.cpp \
	%D%/hooks/dist_hook.hpp \
	%D%/hooks/function_hook.cpp \
	%D%/hooks/function_hook.hpp \
	%D%/hooks/import_slot.cpp \
	%D%/hooks/import_slot.hpp \
	%D%/mpirun/launcher_notice.cpp \
	%D%/mpirun/launcher_notice.hpp \
	%D%/mpirun/mpirun_environment.cpp \
	%D%/mpirun/mpirun_environment.hpp \
	%D%/mpirun/mpirun_options.cpp \
	%D%/mpirun/mpirun_options.hpp \
	%D%/mpirun/mpirun_parameters.cpp \
	%D%/mpirun/mpirun_parameters.hpp \
	%D%/mpirun/mpirun_plan.cpp \
	%D%/mpirun/mpirun_plan.hpp \
	%D%/mpirun/mpirun_words.cpp \
	%D%/mpirun/mpirun_words.hpp \
	%D%/mpirun/salloc_command.cpp \
	%D%/mpirun/salloc_command.hpp \
	%D%/mpirun/sequential_hostfile.cpp \
	%D%/mpirun/sequential_hostfile.hpp \
	%D%/mpirun/shell_commands.cpp \
	%D%/mpirun/shell_commands.hpp \
	%D%/profile/profile_store.cpp \
	%D%/profile/profile_store.hpp \
	%D%/profile/profiling.cpp \
	%D%/profile/profiling.hpp \
	%D%/request/client_options.cpp \
	%D%/request/client_options.hpp \
	%D%/request/job_decision.cpp \
	%D%/request/job_decision.hpp \
	%D%/request/options.cpp \
	%D%/request/options.hpp \
	%D%/request/pattern_matrix.cpp \
	%D%/request/pattern_matrix.hpp \
	%D%/request/shipped_request.cpp \
	%D%/request/shipped_request.hpp \
	%D%/step/allocation.cpp \
	%D%/step/allocation.hpp \
	%D%/step/launch_layout.cpp \
	%D%/step/launch_layout.hpp \
	%D%/step/scontrol.cpp \
	%D%/step/scontrol.hpp \
	%D%/step/slurm_view.cpp \
	%D%/step/slurm_view.hpp \
	%D%/step/state_query.cpp \
	%D%/step/state_query.hpp \
	%D%/step/step_ranks.cpp \
	%D%/step/step_ranks.hpp \
	%D%/step_placement.cpp \
	%D%/step_placement.hpp \
	%D%/submission.cpp \
	%D%/submission.hpp \
	%D%/task/batch_notice.cpp \
	%D%/task/batch_notice.hpp \
	%D%/task/bind_plan.cpp \
	%D%/task/bind_plan.hpp \
	%D%/task/bind_task.cpp \
	%D%/task/bind_task.hpp \
	%D%/task/cpu_masks.cpp \
	%D%/task/cpu_masks.hpp \
	%D%/task/earlier_start.cpp \
	%D%/task/earlier_start.hpp \
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
