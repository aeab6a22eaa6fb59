// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace placement {

// Outage probabilities of nodes by name, as a site knows them. A node that is not listed has 0.
class NodeOutages {
 public:
  void set(std::string name, double probability, std::int64_t line = 0) { of_[std::move(name)] = {probability, line}; }
  double of(std::string_view name) const {
    const auto found = of_.find(std::string(name));
    return found == of_.end() ? 0.0 : found->second.probability;
  }
  bool lists(std::string_view name) const { return of_.contains(std::string(name)); }
  std::size_t size() const { return of_.size(); }

  struct Place {
    std::string name;
    std::int64_t line = 0;  // of the file; 0: of none
  };
  // The name that `known` does not answer true for and that comes first; an empty one when there is none.
  template <typename Known>
  Place first_unknown(Known known) const {
    Place first;
    for (const auto& [name, entry] : of_)
      if ((first.name.empty() || entry.line < first.line || (entry.line == first.line && name < first.name)) && !known(name))
        first = {name, entry.line};
    return first;
  }

 private:
  struct Entry {
    double probability = 0;
    std::int64_t line = 0;
  };
  std::unordered_map<std::string, Entry> of_;
};

// Whether the word is a number from 0 to 1; it is in `value` then.
bool parse_probability(std::string_view word, double& value);

// Lines of a node, or a list of nodes as "n[1-4]", and the probability from 0 to 1 that it fails while a
// job runs; '#' starts a comment. On a machine without names a node is the number of its leaf. Throws Error
// naming file, line and value; also on a node that is listed twice.
NodeOutages parse_outages(std::string_view text, const std::string& file);
NodeOutages read_outages(const std::string& path);

// What a site should know whose file lists a node that is not one of `nodes`; empty when it lists none. A name too
// many does no harm, and may be that of a node which is away for a while; a name mistyped does.
std::string unknown_outage_node(const NodeOutages& outages, std::span<const std::string> nodes, const std::string& file);

}  // namespace placement
