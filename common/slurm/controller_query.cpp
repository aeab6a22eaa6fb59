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

namespace {

// Slurm 26.05 gave this function of libslurm another name.
void free_configuration(slurm_conf_t* configuration) {
#if HAVE_DECL_SLURM_FREE_CONF
  slurm_free_conf(configuration);
#else
  slurm_free_ctl_conf(configuration);
#endif
}

}  // namespace

std::string ask_controller() {
  slurm_conf_t* configuration = nullptr;
  if (slurm_load_ctl_conf(0, &configuration) != SLURM_SUCCESS)
    throw Error(std::string("cannot get the configuration from slurmctld: ") + slurm_strerror(errno));
  // The lists have a type that only Slurm knows. So Slurm's own function prints the pairs.
  char* text = nullptr;
  std::size_t size = 0;
  char title[] = "";
  if (FILE* const memory = open_memstream(&text, &size)) {
    for (void* const pairs :
         {static_cast<void*>(configuration->select_conf_key_pairs), static_cast<void*>(configuration->mpi_conf)})
      slurm_print_key_pairs(memory, pairs, title);
    std::fclose(memory);
  }
  free_configuration(configuration);
  std::string lines(text ? text : "", text ? size : 0);
  std::free(text);
  return lines;
}

}  // namespace placement
