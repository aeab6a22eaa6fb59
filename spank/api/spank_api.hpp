// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <slurm/slurm.h>
#include <sys/types.h>

// spank.h declares the functions of a plugin outside its own extern "C", so this file adds one.
extern "C" {
#include <slurm/spank.h>
}

#define EXPORTED extern "C" __attribute__((visibility("default")))

// Defines the symbols by which Slurm knows a plugin.
#define SPANK_PLUGIN_SYMBOLS(name)                                  \
  EXPORTED const char plugin_name[], plugin_type[];                 \
  EXPORTED const unsigned int plugin_version, spank_plugin_version; \
  const char plugin_name[] = name;                                  \
  const char plugin_type[] = "spank";                               \
  const unsigned int plugin_version = SLURM_VERSION_NUMBER;         \
  const unsigned int spank_plugin_version = 1;
