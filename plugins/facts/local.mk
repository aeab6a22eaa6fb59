# SPDX-License-Identifier: GPL-2.0-or-later
# Through this plugin slurmctld reports the mode in force, if it does not ask the select plugin.
if BUILD_SELECT
if BUILD_MPI_FACTS
controller_facts = mpi_placement.la
else
EXTRA_LTLIBRARIES += mpi_placement.la
endif
endif
pkglib_LTLIBRARIES += $(controller_facts)
# The plugins that fit one version of slurmctld, for slurm-placement-rebuild.
.PHONY: controller-plugins
controller-plugins: select_cons_tres.la $(controller_facts)
mpi_placement_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_SOURCE_CPPFLAGS) $(SLURM_CPPFLAGS)
mpi_placement_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -Wl,-z,nodelete \
	-Wl,--version-script=$(srcdir)/%D%/mpi_placement.map
mpi_placement_la_LIBADD =
mpi_placement_la_SOURCES = %D%/mpi_placement.c
EXTRA_mpi_placement_la_DEPENDENCIES = %D%/mpi_placement.map
EXTRA_DIST += %D%/mpi_placement.map
