// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// Reads and writes Slurm's host lists, the short form of many node names: "n[1-8,10],login", "r[1-2]n[01-16]".

// The largest number of names that a host list may stand for.
inline constexpr std::size_t max_hosts = 1 << 20;

// Returns the names of a host list in Slurm's order. If a name has several brackets, the last one varies fastest, then
// the first, the second and so on. Commas and blanks separate names; empty names are skipped. A number is as wide as
// the first one of its range. Throws Error for a list without a name, unbalanced brackets, more than 8 pairs of
// brackets in a name, or an entry that is neither a number nor an ascending range. Also throws Error, before it makes
// the names, for more than `most` names, more than 128 MiB of them, or more than 256 bytes times `most`.
std::vector<std::string> expand_hostlist(std::string_view list, std::size_t most = max_hosts);

// Returns a host list of the names. Successive names that differ only in their last number share a bracket.
// expand_hostlist() returns the names again, in their order.
std::string compress_hostlist(std::span<const std::string> names);

// Returns whether two host lists have the same names, in any order; false if expand_hostlist() rejects one of them.
bool same_hosts(std::string_view a, std::string_view b);

}  // namespace placement
