// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/topology/cluster_view.hpp"
#include "tofa/assess.hpp"

namespace placement {

// Faults as `placectl map` is told of them.
struct MapFaults {
  std::vector<std::int32_t> faulty;  // positions of a torus file's "faulty" line
  std::int64_t factor = 1;           // how much heavier links at these are
};

// A file that describes a machine. It may be a pipe, and is read once; "-" is the standard input.
struct MachineFile {
  std::string path;
  std::string text;
};

// Reads the file, or, where there is none of that name, takes "4:4:4" for a balanced tree of these arities from the root to
// the leaves. Throws Error.
MachineFile read_machine_file(const std::string& path);

// The machine of a torus file. Without names in the file the view has no nodes, and the leaves are the
// positions; else the nodes are those of the file in its order, each with one core, or with the cores that a
// slurm.conf gives them. Throws Error.
ClusterView torus_machine(const MachineFile& file, const std::string& slurm_conf, MapFaults& faults);

// Whether the file is one for torus_machine().
bool is_torus_file(const MachineFile& file);

// Outage probabilities for the view: those of the file, if one is named, and `of_faulty` for nodes of the
// torus file's "faulty" line. Throws Error on a node that the machine does not have.
std::shared_ptr<const NodeOutages> map_outages(const ClusterView& view, const MapFaults& faults,
                                               const std::optional<std::string>& file, double of_faulty);

// Hop-bytes over the shortest ways in which links at a faulty node count `factor` times; on a torus.
Cost weighted_hop_bytes(const TorusTopology& torus, const MapFaults& faults, const CommMatrix& matrix,
                        std::span<const std::int32_t> position);

// The position of each leaf of the view's tree; -1: it has none. For a view with a torus.
std::vector<std::int32_t> leaf_positions(const ClusterView& view);

// Hop-bytes by the distances of the machine: the torus where there is one, with its faults.
Cost mapping_cost(const ClusterView& view, const MapFaults& faults, const CommMatrix& matrix,
                  std::span<const std::int32_t> leaf_of_rank);

// Hop-bytes, link load and faults of a mapping, on the torus of the view or on its tree, where routes go up to
// the common ancestor and only nodes with ranks can fail the job.
Assessment assess_mapping(const ClusterView& view, const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank);

}  // namespace placement
