// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// Names in Slurm's short form: "n[1-8,10],login", "r[1-2]n[01-16]".

inline constexpr std::size_t max_hosts = 1 << 20;

// The names in the order in which the list has them; the last bracket counts fastest. Throws Error on
// brackets that do not close, empty names, numbers that are none or run backwards, and more than
// max_hosts names.
std::vector<std::string> expand_hostlist(std::string_view list);

// The list of the names: neighbours that count up share a bracket. Expanding it gives the names again.
std::string compress_hostlist(std::span<const std::string> names);

}  // namespace placement
