/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLACEMENT_COMPAT_TOPOLOGY_TEXT_H
#define PLACEMENT_COMPAT_TOPOLOGY_TEXT_H

/* slurmctld's switches or blocks, in the lines of "scontrol show topology"; NULL without any. xfree() it. */
char *topology_text(void);

#endif
