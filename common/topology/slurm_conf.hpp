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
#include "common/topology/topology_read.hpp"

namespace placement {

// Reads Slurm's configuration files: their lines, and the nodes of a slurm.conf. This is for tools; the plugins inside
// Slurm use Slurm's own tables.

// A line of key=value pairs. The first key is the kind of the line, such as NodeName. Comments and quotes are removed,
// and lines that continue on the next one are joined.
struct ConfLine {
  std::int64_t number = 0;  // line number in the file; of joined lines, that of the first
  std::vector<std::pair<std::string, std::string>> pairs;
  std::string rest;  // the text after the last pair, which is not a pair

  // Returns the value of the last pair with this key, or null. The case of the key does not matter.
  const std::string* value(std::string_view key) const;
};

// Returns the lines of a configuration file, without blank lines and comments.
std::vector<ConfLine> conf_lines(std::string_view text);

// Sets `kind` to K, in lower case, if the line has TopologyPlugin=topology/K.
void take_topology_kind(const ConfLine& line, std::string& kind);

using TakeLine = std::function<void(const std::string& file, const ConfLine& line)>;

// Calls take(file, line) for each line of a configuration file and of the files that it includes, in their order;
// `file` is the name of the file that has the line. An include is relative to the directory of the first file, and
// before Slurm 23.02 to the file that has it. Throws Error when a file cannot be read, or when files include each
// other. `text` is the text of the file, if it is known.
void for_each_conf_line(const std::string& path, const TakeLine& take);
void for_each_conf_line(const std::string& path, std::string_view text, const TakeLine& take);

// Returns the names of a host list that stands in the line `line` of `file`; none for a list without a name, such as
// "" or ",". Throws Error with file and line.
std::vector<std::string> hosts_at(const std::string& list, const std::string& file, const ConfLine& line);

// Returns a warning about names in `file` that are not nodes of slurm.conf and are ignored; empty if there are none.
std::string unknown_nodes(const std::string& file, std::span<const std::string> names);

// Returns the nodes of a slurm.conf and of the files that it includes, in slurmctld's order, which is that of their
// names (is_before_naturally()). Missing numbers of sockets, cores and threads follow Slurm's rules. NodeShape::offered
// excludes cores that CoreSpecCount or CpuSpecList reserve, and all cores of nodes that State= or DownNodes= keep from
// jobs. Returns no nodes if all are dynamic, because only slurmctld knows these. Also calls take(file, line) for each
// line, so that a caller reads other settings in one pass. If TopologyParam= sorts the nodes by switch, `read_topology`
// reads the file with the switches; null: topology.conf. Throws Error, with file and line, when a line is wrong or a
// node is given twice.
std::vector<NodeShape> read_slurm_nodes(const std::string& slurm_conf_path, const TakeLine& take = nullptr,
                                        TopologyReader read_topology = nullptr);

// Returns read_slurm_nodes(). Throws Error when there are none.
std::vector<NodeShape> read_node_shapes(const std::string& slurm_conf_path, TopologyReader read_topology = nullptr);

}  // namespace placement
