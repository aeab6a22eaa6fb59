/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Includes Slurm's internal headers from the places where this version has them. Only plugins/compat/slurm_compat.h and
 * configure's checks include this file.
 */
#ifndef PLACEMENT_COMPAT_SLURM_HEADERS_H
#define PLACEMENT_COMPAT_SLURM_HEADERS_H

/* This header comes first. It renames Slurm's functions to the names that libslurm exports, where libslurm has them. */
#ifndef USE_ALIAS
#define USE_ALIAS 1
#endif
#include "src/common/slurm_xlator.h"

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/common/bitstring.h"
#include "src/common/job_resources.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#if __has_include("src/interfaces/select.h")
#include "src/common/core_array.h"
#include "src/interfaces/gres.h"
#include "src/interfaces/select.h"
#include "src/interfaces/topology.h"
#else
#include "src/common/gres.h"
#include "src/common/select.h"
#include "src/common/slurm_topology.h"
#endif
#if __has_include("src/interfaces/mpi.h")
#include "src/interfaces/mpi.h"
#endif
#include "src/slurmctld/slurmctld.h"

#endif
