// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/slurm/controller_query.hpp"

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "config.h"
#include "common/util/error.hpp"

namespace placement {

bool controller_tells_facts() {
#ifdef HAVE_SLURM_CONF_FACTS
  return true;
#else
  return false;
#endif
}

std::string ask_controller() {
#ifndef HAVE_SLURM_CONF_FACTS
  throw Error("Slurm " SLURM_RELEASE " does not ask a select plugin what it has to tell; slurmctld's log has it, in its lines with placement:");
#else
  slurm_conf_t* configuration = nullptr;
  if (slurm_load_ctl_conf(0, &configuration) != SLURM_SUCCESS)
    throw Error(std::string("slurmctld does not tell its configuration: ") + slurm_strerror(errno));
  // The list has a type that only Slurm knows. So Slurm's own function prints the pairs.
  char* text = nullptr;
  std::size_t size = 0;
  char title[] = "";
  if (FILE* const memory = open_memstream(&text, &size)) {
    slurm_print_key_pairs(memory, configuration->select_conf_key_pairs, title);
    std::fclose(memory);
  }
  slurm_free_ctl_conf(configuration);
  const std::string lines(text ? text : "", text ? size : 0);
  std::free(text);
  return lines;
#endif
}

}  // namespace placement
