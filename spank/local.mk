# SPDX-License-Identifier: GPL-2.0-or-later
# The code that srun, sbatch, salloc and the tasks load. It includes only public headers of Slurm. placectl uses the files without any.
spank = libspank.la libcommon_scontrol.la libcommon_slurm.la libcommon_decision.la $(policies) $(ELF_LIBS)
EXTRA_LTLIBRARIES += libspank.la
libspank_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) $(ELF_CFLAGS) $(profile_library)
libspank_la_SOURCES = \
	%D%/function_hook.cpp \
	%D%/process_answer.cpp \
	%D%/profile/learned_profile.cpp \
	%D%/profile/profile_store.cpp \
	%D%/profile/program_facts.cpp \
	%D%/request/job_decision.cpp \
	%D%/request/options.cpp \
	%D%/request/sent_plan.cpp \
	%D%/request/shipped_request.cpp \
	%D%/step/allocation.cpp \
	%D%/step/gpu_order.cpp \
	%D%/step/sequential_hostfile.cpp \
	%D%/step/slurm_view.cpp \
	%D%/step/step_ranks.cpp \
	%D%/task/bind_plan.cpp \
	%D%/task/cpu_masks.cpp \
	%D%/task/gpu_devices.cpp \
	%D%/task/gpu_tasks.cpp \
	#
if BUILD_SPANK
libspank_la_SOURCES += \
	%D%/client.cpp \
	%D%/client_hooks.cpp \
	%D%/mpirun_plan.cpp \
	%D%/profile/profiling.cpp \
	%D%/request/client_options.cpp \
	%D%/request/spank_api.cpp \
	%D%/step/launch_layout.cpp \
	%D%/step_placement.cpp \
	%D%/submission.cpp \
	%D%/task/batch_notice.cpp \
	%D%/task/bind_task.cpp \
	#
endif

# The program that loads the plugin has Slurm's functions.
if BUILD_SPANK
pkglib_LTLIBRARIES += loadmatrix.la
endif
loadmatrix_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
loadmatrix_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,--version-script=$(srcdir)/%D%/spank.map
loadmatrix_la_LIBADD = libspank.la libcommon_slurm_library.la libcommon_slurm.la libcommon_decision.la $(policies) $(ELF_LIBS)
if BUILD_MONITOR
loadmatrix_la_LIBADD += libmonitor_protocol.la $(MUNGE_LIBS) $(GCRYPT_LIBS)
endif
loadmatrix_la_SOURCES = %D%/dispatch.cpp
EXTRA_loadmatrix_la_DEPENDENCIES = %D%/spank.map

# The plugin of slurmd that starts placement-agent.
spank_agent_start = libspank_agent_start.la
EXTRA_LTLIBRARIES += libspank_agent_start.la
libspank_agent_start_la_SOURCES = \
	%D%/agent_start.cpp \
	#
libspank_agent_start_la_SOURCES += monitor/agent/daemon_option.cpp
if BUILD_MONITOR
pkglib_LTLIBRARIES += nodestate.la
endif
nodestate_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) -DAGENT_PROGRAM='"$(sbindir)/placement-agent"'
nodestate_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,--version-script=$(srcdir)/%D%/spank.map
nodestate_la_LIBADD = $(spank_agent_start)
nodestate_la_SOURCES = %D%/nodestate.cpp
EXTRA_nodestate_la_DEPENDENCIES = %D%/spank.map
EXTRA_DIST += %D%/spank.map
