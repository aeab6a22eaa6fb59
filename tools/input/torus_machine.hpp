// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/topology_read.hpp"
#include "tofa/fault_model.hpp"
#include "tools/input/command_line.hpp"

namespace placement::tools {

// Options for a machine in a file.
inline constexpr Option topology_option{'t', "topology", "FILE",
                                        "the machine: a tree, tleaf or torus file, Slurm's topology.conf or\n"
                                        "topology.yaml[:NAME], output of \"scontrol show topology\", the arities of a\n"
                                        "tree as in 4:4:4, or the sizes of a torus as in 8x8x8"};
inline constexpr Option weight_option{0, "weight", "bytes|messages",
                                      "use bytes or numbers of messages of a profile [bytes]"};
inline constexpr Option slurm_conf_option{0, "slurm-conf", "FILE",
                                          "the nodes of a topology.conf [slurm.conf in its directory]"};
inline constexpr Option outage_option{0, "outage", "FILE",
                                      "outage probabilities: \"node probability\" lines, or \"leaf\n"
                                      "probability\" lines if the topology names no nodes"};

// Returns the weight of --weight. Throws UsageError for an unknown word.
TrafficWeight weight_given(const CommandLine& line);

// Faults in the input of `placectl map`.
struct MapFaults {
  std::vector<std::int32_t> faulty;  // positions in the "faulty" line of a torus file
  std::int64_t factor = 1;           // weight of a link at a faulty position; other links weigh 1
};

// Reads the file; "-" means standard input. If the file does not exist, a word like "4:4:4" means a balanced tree with
// these arities, from the root to the leaves, and "8x8x8" is a torus with these three sizes. A colon and a name after
// the path, as in "topology.yaml:gpu", select one of its topologies; without them it is the topology of the cluster.
// Throws Error.
MachineFile read_machine_file(const std::string& path);

// Returns the machine of the file, by parse_topology() unless it is a torus file, and prints its warning. Throws Error.
// For a torus file, stores its "faulty" line in `faults`. The nodes of a torus file are, in this order of preference:
// - those of the slurm.conf at `slurm_conf`, if it is not empty;
// - those that the file names, in its order, each with the shape `shape`, or with one core;
// - if `shape` is given, numbered nodes of this shape, one per position;
// - none: the leaves are the positions.
ClusterView read_machine(const MachineFile& file, const std::string& slurm_conf, MapFaults& faults,
                         std::span<const std::int64_t> level_distance = {}, const std::optional<NodeShape>& shape = {});

// Returns the outage probabilities for the view: those in `file`, if it is given, and `of_faulty` for the positions in
// the torus file's "faulty" line. Throws Error for a node that the machine does not have.
std::shared_ptr<const NodeOutages> map_outages(const ClusterView& view, const MapFaults& faults,
                                               const std::optional<std::string>& file, double of_faulty);

// Removes the leaves that no rank can use: cores that Slurm does not offer, and on a torus leaves without coordinates.
void drop_unusable(const ClusterView& view, std::vector<std::int32_t>& leaves);

// Returns the position of each leaf of the view's tree; -1: it has none. The view must have a torus.
std::vector<std::int32_t> leaf_positions(const ClusterView& view);

// Returns the hop-bytes on the torus, if there is one, else by the distances of the tree.
Cost mapping_cost(const ClusterView& view, const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank);

// Returns hop-bytes, link load and faults of a mapping, on the torus of the view or on its tree. On a torus, each link
// at a node of `faults` counts its factor along the fixed routes [TOFA §3, eq. 1]. On a tree, routes go through the
// lowest common ancestor, and only nodes with ranks can abort the job.
tofa::Assessment assess_mapping(const ClusterView& view, const MapFaults& faults, const CommMatrix& matrix,
                                std::span<const std::int32_t> leaf_of_rank);

}  // namespace placement::tools
