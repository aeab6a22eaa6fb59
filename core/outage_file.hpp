// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace placement {

// Outage probabilities of nodes by name, as a site knows them. A node that is not listed has 0.
class NodeOutages {
 public:
  void set(std::string name, double probability) { of_[std::move(name)] = probability; }
  double of(std::string_view name) const {
    const auto found = of_.find(std::string(name));
    return found == of_.end() ? 0.0 : found->second;
  }
  bool lists(std::string_view name) const { return of_.contains(std::string(name)); }
  std::size_t size() const { return of_.size(); }

  // The names that `known` does not answer true for; in no order.
  template <typename Known>
  std::string first_unknown(Known known) const {
    std::string least;
    for (const auto& [name, probability] : of_)
      if (!known(name) && (least.empty() || name < least)) least = name;
    return least;
  }

 private:
  std::unordered_map<std::string, double> of_;
};

// Lines of a node, or a list of nodes as "n[1-4]", and the probability from 0 to 1 that it fails while a
// job runs; '#' starts a comment. On a machine without names a node is the number of its leaf. Throws Error
// naming file, line and value; also on a node that is listed twice.
NodeOutages parse_outages(std::string_view text, const std::string& file);
NodeOutages read_outages(const std::string& path);

}  // namespace placement
