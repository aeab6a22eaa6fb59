# SPDX-License-Identifier: GPL-2.0-or-later
# The files that do not include mpi.h are built and tested without MPI, too. The profiler links with no other library of this project.
mpi_traffic = libmpi_traffic.la
EXTRA_LTLIBRARIES += libmpi_traffic.la
libmpi_traffic_la_SOURCES = \
	%D%/collective_model.cpp \
	%D%/profile_file.cpp \
	%D%/settings.cpp \
	%D%/traffic.cpp \
	#

mpi_order = libmpi_order.la $(treematch)
EXTRA_LTLIBRARIES += libmpi_order.la
libmpi_order_la_SOURCES = \
	%D%/assignment_files.cpp \
	%D%/rank_order.cpp \
	#

if BUILD_MPI
bin_PROGRAMS += placement-profile
lib_LTLIBRARIES += libplacement-profile.la
if BUILD_PLACECTL
bin_PROGRAMS += placement-measure
endif
endif
profile_library = -DPROFILE_LIBRARY='"$(libdir)/libplacement-profile.so"'
placement_profile_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS) $(profile_library)
placement_profile_LDADD = $(mpi_traffic)
placement_profile_SOURCES = %D%/placement_profile.cpp common/matrix/written_profile.cpp \
	common/matrix/written_profile.hpp

placement_measure_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
placement_measure_LDADD = $(common_state) $(MPI_LIBS)
placement_measure_SOURCES = %D%/placement_measure.cpp

libplacement_profile_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
libplacement_profile_la_CXXFLAGS = $(AM_CXXFLAGS) -ftls-model=initial-exec
libplacement_profile_la_LDFLAGS = $(AM_LDFLAGS) -no-undefined
libplacement_profile_la_LIBADD = $(mpi_traffic) $(MPI_LIBS)
libplacement_profile_la_SOURCES = \
	%D%/profile.cpp \
	%D%/profile_calls.cpp \
	%D%/profile_collectives.cpp \
	%D%/profile_library.cpp \
	%D%/profile_write.cpp \
	%D%/world_ranks.cpp \
	%D%/wrap.cpp \
	#

if BUILD_REORDER
lib_LTLIBRARIES += libplacement-reorder.la
include_HEADERS = %D%/placement_mpi.h
endif
libplacement_reorder_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS) $(HWLOC_CFLAGS)
libplacement_reorder_la_CXXFLAGS = $(AM_CXXFLAGS)
libplacement_reorder_la_LDFLAGS = $(AM_LDFLAGS) -no-undefined
libplacement_reorder_la_LIBADD = $(mpi_order) $(HWLOC_LIBS) $(MPI_LIBS)
libplacement_reorder_la_SOURCES = \
	%D%/reorder.cpp \
	%D%/reorder_library.cpp \
	%D%/reorder_topologies.cpp \
	%D%/wrap.cpp \
	#

# The wrapped functions are those of the installed mpi.h.
profile_hooks = $(srcdir)/%D%/profile_calls.hpp $(srcdir)/%D%/profile_collectives.hpp
reorder_hooks = $(srcdir)/%D%/reorder_calls.hpp
%D%/prototypes.i: Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && printf '%s\n' '#include <mpi.h>' '#ifdef OPEN_MPI' '#include <mpi-ext.h>' '#endif' >%D%/prototypes.c && \
	$(CC) $(MPI_CPPFLAGS) -E %D%/prototypes.c >$@.tmp && mv $@.tmp $@
%D%/profile_wrappers.inc: $(srcdir)/%D%/wrappers.awk $(profile_hooks) %D%/prototypes.i
	$(AM_V_GEN)$(AWK) -v library=profile -f $(srcdir)/%D%/wrappers.awk $(profile_hooks) %D%/prototypes.i >$@.tmp && mv $@.tmp $@
%D%/reorder_wrappers.inc: $(srcdir)/%D%/wrappers.awk $(reorder_hooks) %D%/prototypes.i
	$(AM_V_GEN)$(AWK) -v library=reorder -f $(srcdir)/%D%/wrappers.awk $(reorder_hooks) %D%/prototypes.i >$@.tmp && mv $@.tmp $@
$(libplacement_profile_la_OBJECTS): %D%/profile_wrappers.inc
$(libplacement_reorder_la_OBJECTS): %D%/reorder_wrappers.inc
CLEANFILES += %D%/reorder_wrappers.inc %D%/profile_wrappers.inc %D%/prototypes.c %D%/prototypes.i
EXTRA_DIST += %D%/wrappers.awk
