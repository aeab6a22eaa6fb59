/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLACEMENT_COMPAT_SELF_TEST_H
#define PLACEMENT_COMPAT_SELF_TEST_H

/*
 * Whether slurmctld's records of nodes, partitions and jobs lie in memory as the headers say with which this plugin was
 * compiled: by the marks that Slurm keeps in each record, and by looking records up by their own names and numbers.
 * Returns NULL if they do, else what is wrong; xfree() it. To be called before anything else is read of them, with
 * slurmctld's locks for reading.
 */
char *records_do_not_fit(void);

#endif
