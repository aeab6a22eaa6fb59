// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <slurm/slurm.h>
#include <sys/types.h>

// The header declares what a plugin provides outside its own extern "C".
extern "C" {
#include <slurm/spank.h>
}
