// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/state/live_state.hpp"

namespace placement {

// Outage probabilities of nodes by name, as the administrator gives them. A node that is not listed has 0.
class NodeOutages {
 public:
  // Sets the probability, 0 to 1, of a node. `line` is the line of the file that gives it; 0: none.
  void set(std::string name, double probability, std::int64_t line = 0) { of_[std::move(name)] = {probability, line}; }
  // Returns the probability of the node.
  double of(std::string_view name) const {
    const auto found = of_.find(std::string(name));
    return found == of_.end() ? 0.0 : found->second.probability;
  }
  bool lists(std::string_view name) const { return of_.contains(std::string(name)); }
  std::size_t size() const { return of_.size(); }

  // A node and the line that lists it.
  struct Place {
    std::string name;
    std::int64_t line = 0;  // line number in the file; 0: not from a file
  };
  // Returns the first node, ordered by line and then by name, for which known(name) is false. Returns an empty name
  // when there is none.
  template <typename Known>
  Place first_unknown(Known known) const {
    Place first;
    for (const auto& [name, entry] : of_)
      if ((first.name.empty() || entry.line < first.line || (entry.line == first.line && name < first.name)) &&
          !known(name))
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

// Stores the number `word` in `value` and returns true if it is from 0 to 1. Otherwise returns false.
bool parse_probability(std::string_view word, double& value);

// Parses the text of an outage file. Each line has a node, or a list of nodes such as "n[1-4]", and a probability from
// 0 to 1. It is the probability that each node of the line fails while a job runs. '#' starts a comment. On a machine
// whose nodes have no names, a node is the number of its leaf. `file` is the name of the file in errors. Throws Error,
// with file, line and value, when a line is wrong or a node is listed twice.
NodeOutages parse_outages(std::string_view text, const std::string& file);
// Reads an outage file, in the form of parse_outages(). Throws Error, with file, line and value, when a line is wrong.
NodeOutages read_outages(const std::string& path);

// Returns a warning for the administrator when the file lists a node that is not one of `nodes`, otherwise an empty
// text. It is no error, because the node may be missing for a time. But with a misspelt name the node counts as safe.
std::string unknown_outage_node(const NodeOutages& outages, std::span<const std::string> nodes,
                                const std::string& file);

// Converts an outage probability for the next `horizon_s` seconds into that for a job of `job_seconds` seconds:
// 1 - (1 - p)^(job_seconds / horizon_s). When one of the times is not known (NaN, 0 or less), it returns `probability`.
// Returns a number from 0 to 1; a probability that is not known counts as 0.
double outage_for(double probability, double horizon_s, double job_seconds);

// Returns the probability, 0 to 1, that the node fails while a job of `job_seconds` seconds runs. It is the estimate
// for `horizon_s` seconds, converted by outage_for(); for a silent node at least outage_of_silent_node.
double outage_of(const NodeState& state, double horizon_s, double job_seconds);

// Returns whether the state has data on outages: an estimate for some node, or a node that does not answer. A
// state that was imported, or whose monitor cannot estimate, has none.
bool outages_known(const LiveState& live);

}  // namespace placement
