/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLACEMENT_COMPAT_SELF_TEST_H
#define PLACEMENT_COMPAT_SELF_TEST_H

/*
 * Tests whether slurmctld's records of nodes, partitions and jobs have the layout of the headers that this plugin was
 * compiled with. It checks the magic number that Slurm keeps in each record, and looks up records by their own names
 * and IDs. Returns NULL if the layout is right, otherwise a text that describes the difference; the caller frees it
 * with xfree(). Call this before anything else is read from the records. The caller holds slurmctld's locks for
 * reading.
 */
char *records_do_not_fit(void);

#endif
