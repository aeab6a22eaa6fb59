// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/topology/switch_tree.hpp"
#include "common/topology/topology_read.hpp"

namespace placement {

// Reads topology.yaml(5), in which Slurm 25.05 and later find the topologies of a cluster. This is for tools; the
// plugins inside Slurm use Slurm's own tables.

// One topology of the file.
struct YamlTopology {
  std::string name;  // may be empty
  std::string kind;  // tree, block, flat, ring or torus3d, as in the file
  // The lines that describe the tree, the blocks or the rings in a topology.conf, for parse_topology_conf(). For
  // torus3d it is a torus file, for parse_torus(). It is empty for flat, and for several toruses. Each line has the
  // line number at which its switch or block starts in the topology.yaml, unless several start on one line.
  std::string conf;
  std::string toruses = {};  // for torus3d: topology.conf lines that describe each torus as a ring
};

// Returns whether a file is a topology.yaml: the name ends in .yaml, or it starts with ---, %YAML, topology: or a list.
bool is_topology_yaml(const MachineFile& file);

// Returns the topology with the name `wanted`. Without it, returns the cluster's default: the first topology with
// cluster_default, otherwise the first one. `text` has at most max_topology_yaml bytes; `file` is its name in errors.
// Unknown keys are ignored, because later versions of Slurm may have them. Throws Error, with file and line if
// possible.
YamlTopology parse_topology_yaml(std::string_view text, const std::string& file,
                                 const std::optional<std::string>& wanted = {});

// If the file is a topology.yaml, returns it with the text and the name of one of its topologies
// (parse_topology_yaml()). Returns any other file unchanged.
MachineFile without_yaml(MachineFile file, const std::optional<std::string>& wanted = {});

// Returns the path of the file from which Slurm reads the switches: the topology.yaml next to the file `slurm_conf`,
// else the topology.conf. If this is built for Slurm before 25.05, which does not know topology.yaml, the topology.conf
// comes first. Returns an empty path if neither exists.
std::string topology_file(const std::string& slurm_conf);

// Reads topology_file(); of a topology.yaml, returns the cluster's topology. Throws Error if there is no file.
MachineFile read_site_topology(const std::string& slurm_conf);

// Returns parse_switches() of topology_file(); none without a file. Throws Error as parse_switches() does.
std::vector<SwitchShape> read_switches(const std::string& slurm_conf, std::span<const NodeShape> nodes,
                                       std::string* warning = nullptr);

// Returns parse_topology_places() of topology_file(), with the toruses of torus3d; none without a file. Throws Error.
std::vector<SwitchRecord> read_places(const std::string& slurm_conf, std::span<const NodeShape> nodes);

inline constexpr std::size_t max_topology_yaml = 16 << 20;  // bytes; the reader takes about ten times this memory

}  // namespace placement
