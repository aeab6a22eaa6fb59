/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLACEMENT_COMPAT_TOPOLOGY_TEXT_H
#define PLACEMENT_COMPAT_TOPOLOGY_TEXT_H

/*
 * Returns slurmctld's switches or blocks as lines of "scontrol show topology", or NULL if it has none. The caller frees
 * the text with xfree().
 */
char *topology_text(void);

#endif
