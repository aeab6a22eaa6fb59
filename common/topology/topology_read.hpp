// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/topology/switch_tree.hpp"

namespace placement {

// Topology files. The content decides the form, never the name; '#' starts a comment in each.
//
//   tree a1 .. aL          arities from the root to the leaves, and perhaps a line
//   dist d1 .. dL          with the distance of two leaves that meet 1 .. L levels up (else 2 l)
//
//   tleaf L a1 c1 .. aL cL SCOTCH's architecture file, which TreeMatch reads too: arity and cost of
//                          each level from the root. Two leaves that meet at level i (1 is the root)
//                          are c_i + .. + c_L apart, each cost counted once as both programs do, so
//                          that costs of 2 are hops
//
//   SwitchName=s0 Nodes=n[1-4] | Switches=s[0-1]    Slurm's topology.conf(5); sockets and cores of
//                          the nodes come from a slurm.conf or from the caller
//
// All throw Error naming file, line and value; level_distance is for files that give no distances.

// For tools. The view has nodes only where the file is Slurm's; then slurm_conf names the slurm.conf,
// and is the one beside the file when empty.
ClusterView read_topology(const std::string& path, const std::string& slurm_conf = {},
                          std::span<const std::int64_t> level_distance = {});

// The same for a text that was read already; path is for messages, and where slurm.conf is looked for.
ClusterView parse_topology(std::string text, const std::string& path, const std::string& slurm_conf = {},
                           std::span<const std::int64_t> level_distance = {});

// For a known machine. The leaves of a tree or tleaf file are its cores, or its nodes, in this order.
ClusterView read_topology_of(const std::string& path, std::span<const NodeShape> nodes,
                             std::span<const std::int64_t> level_distance = {});

}  // namespace placement
