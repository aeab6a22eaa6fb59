// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/switch_address.hpp"

#include "common/util/text.hpp"

namespace placement::mpi {

std::vector<std::string> switches_of_address(std::string_view address, std::string_view pattern) {
  const std::vector<std::string_view> kinds = split_at(pattern, '.');
  const std::vector<std::string_view> names = split_at(address, '.');
  if (kinds.back() != "node" || names.size() < kinds.size()) return {};
  std::vector<std::string> switches;
  for (std::size_t level = 0; level + 1 < kinds.size(); ++level) {
    if (kinds[level] != "switch" || names[level].empty()) return {};
    switches.emplace_back(names[level]);
  }
  return switches;
}

}  // namespace placement::mpi
