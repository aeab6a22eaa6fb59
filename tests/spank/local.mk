# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CHECK
check_PROGRAMS += \
	%D%/agent_start_test \
	%D%/bind_plan_test \
	%D%/gpu_order_test \
	%D%/gpu_tasks_test \
	%D%/import_slot_test \
	%D%/job_decision_test \
	%D%/learned_profile_test \
	%D%/placement_options_test \
	%D%/process_answer_test \
	%D%/profile_store_test \
	%D%/program_facts_test \
	%D%/sequential_hostfile_test \
	%D%/shipped_request_test \
	%D%/step_ranks_test \
	%D%/travel_limits_test \
	#
endif
%C%_agent_start_test_LDADD = $(spank_agent_start) $(CHECK_LIBS)
%C%_bind_plan_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_gpu_order_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_gpu_tasks_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_import_slot_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_import_slot_test_CPPFLAGS = $(AM_CPPFLAGS) -DIMPORT_LIBRARIES='"$(abs_builddir)/%D%"'
%C%_job_decision_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_learned_profile_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_placement_options_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_process_answer_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_profile_store_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_program_facts_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_sequential_hostfile_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_shipped_request_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_step_ranks_test_LDADD = $(spank) $(CHECK_LIBS)
%C%_travel_limits_test_LDADD = $(spank) $(CHECK_LIBS)

EXTRA_DIST += \
	%D%/import_library.c \
	#

# Libraries with three kinds of calls to functions of Slurm. The tests of the hook on -m use them.
import_libraries = %D%/import_lazy.so %D%/import_now.so %D%/import_symbolic.so
import_link = $(AM_V_CCLD)$(MKDIR_P) %D% && $(CC) -shared -fPIC -O1
%D%/import_lazy.so: $(srcdir)/%D%/import_library.c
	$(import_link) -Wl,-z,lazy,-z,relro $(srcdir)/%D%/import_library.c -o $@
%D%/import_now.so: $(srcdir)/%D%/import_library.c
	$(import_link) -Wl,-z,now,-z,relro $(srcdir)/%D%/import_library.c -o $@
%D%/import_symbolic.so: $(srcdir)/%D%/import_library.c
	$(import_link) -Wl,-Bsymbolic $(srcdir)/%D%/import_library.c -o $@
CLEANFILES += $(import_libraries)
EXTRA_%C%_import_slot_test_DEPENDENCIES = $(import_libraries)
