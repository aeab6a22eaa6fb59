// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/topology/switch_tree.hpp"

namespace placement {

// Slurm's configuration files as far as they say where the cores are: the NodeName lines of
// slurm.conf and all of topology.conf. They serve tools; inside Slurm its own tables are asked.

// A line of key=value pairs; the first key says what the line is about. Comments are gone, continued
// lines joined, quotes removed.
struct ConfLine {
  std::int64_t number = 0;  // of its first line in the file
  std::vector<std::pair<std::string, std::string>> pairs;
  std::string rest;  // what follows the last pair: no pair

  // The value of the last pair with that key in any case, or null.
  const std::string* value(std::string_view key) const;
};

std::vector<ConfLine> conf_lines(std::string_view text);

// Each line of a slurm.conf and of the files that it includes, in their order, with the name of its
// file. Throws Error when a file cannot be read or files include each other.
void for_each_conf_line(const std::string& path,
                        const std::function<void(const std::string& file, const ConfLine& line)>& take);

// The nodes of a slurm.conf and of the files that it includes, in their order. Sockets, cores and
// threads follow Slurm's rules for what is left out. Throws Error with file and line.
std::vector<NodeShape> read_node_shapes(const std::string& slurm_conf_path);

// The switches of a topology.conf over these nodes. Throws Error with file and line on names that do
// not exist, are given twice, or have two switches above them.
std::vector<SwitchShape> parse_topology_conf(std::string_view text, const std::string& name,
                                             std::span<const NodeShape> nodes);

}  // namespace placement
