// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/slurm/controller_query.hpp"

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>

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

[[noreturn]] void fail(const std::string& what) {
  const bool denied = errno == ESLURM_ACCESS_DENIED;
  throw Error("cannot get " + what + " from slurmctld: " + slurm_strerror(errno) + (denied ? private_nodes : ""));
}

}  // namespace

std::string ask_controller() {
  slurm_conf_t* configuration = nullptr;
  if (slurm_load_ctl_conf(0, &configuration) != SLURM_SUCCESS) fail("the configuration");
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

std::vector<NodeShape> ask_nodes() {
  node_info_msg_t* message = nullptr;
  if (slurm_load_node(0, &message, SHOW_ALL) != SLURM_SUCCESS) fail("the nodes");
  const std::unique_ptr<node_info_msg_t, void (*)(node_info_msg_t*)> nodes(message, slurm_free_node_info_msg);
  std::vector<NodeShape> shapes;
  for (const node_info_t& node : std::span(message->node_array, message->record_count))
    if (node.name)  // null: the record of a dynamic node that was removed
      shapes.push_back({node.name, std::max<std::int32_t>(node.sockets, 1), std::max<std::int32_t>(node.cores, 1),
                        std::max<std::int32_t>(node.threads, 1)});
  return shapes;
}

std::string ask_topology_of([[maybe_unused]] const std::string& partition) {
#ifdef HAVE_PARTITION_INFO_T_TOPOLOGY_NAME
  partition_info_msg_t* message = nullptr;
  if (slurm_load_partitions(0, &message, SHOW_ALL) != SLURM_SUCCESS) fail("the partitions");
  const std::unique_ptr<partition_info_msg_t, void (*)(partition_info_msg_t*)> partitions(
      message, slurm_free_partition_info_msg);
  for (const partition_info_t& known : std::span(message->partition_array, message->record_count))
    if (known.name == partition && known.topology_name) return known.topology_name;
#endif
  return {};
}

}  // namespace placement
