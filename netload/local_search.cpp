// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include "common/util/error.hpp"
#include "netload/group_search.hpp"

namespace placement::netload {

namespace {

constexpr int most_steps = 200;

// The number of nodes examined in one search. A group whose sums alone exceed this is not changed.
constexpr std::int64_t most_search_work = 2'000'000;

// Adding one node and omitting several takes cubic time, so it is skipped for larger groups. Only the nodes that add
// the least T_G per processor are tried for addition.
constexpr std::size_t most_for_addition = 16;
constexpr std::size_t most_added = 64;

// A gain smaller than this part of T_G may be rounding.
constexpr double least_gain = 1e-12;

class LocalSearch {
 public:
  LocalSearch(const GroupInput& input, const GroupRequest& request, const GroupChoice& choice, const Group& group)
      : input_(input),
        request_(request),
        compute_factor_(choice.compute_sum > 0 ? input.alpha / choice.compute_sum : 0),
        network_factor_(choice.network_sum > 0 ? input.beta / choice.network_sum : 0),
        most_link_(network_factor_ * input.network->most()),
        members_(group.nodes),
        inside_(input.processors.size(), 0),
        required_(input.processors.size(), false),
        network_(input.processors.size(), 0.0),
        total_(group.total_load) {
    for (const std::int32_t node : request.required) required_[node] = true;
    for (const std::int32_t node : members_) count(node);
    alike_ = std::all_of(input.processors.begin(), input.processors.end(),
                         [&](std::int32_t count) { return count == 0 || count == input.processors[members_[0]]; });
  }

  std::vector<std::int32_t> run(const Deadline& deadline) {
    if (!spend(members_.size()) || !sum_network(deadline)) return members_;
    for (int step = 0; step < most_steps && spend(4) && !deadline.expired(); ++step)
      if (!omit() && !exchange() && !add_and_omit(deadline) && !omit_and_add(deadline)) break;
    std::sort(members_.begin(), members_.end());
    return members_;
  }

 private:
  std::int32_t nodes() const { return static_cast<std::int32_t>(input_.processors.size()); }
  // Returns whether the node has processors and is outside the group.
  bool is_free(std::int32_t node) const { return input_.processors[node] > 0 && inside_[node] == 0; }

  // Returns whether the limit of work allows this number of rows.
  bool spend(std::size_t rows) {
    work_ += static_cast<std::int64_t>(rows * network_.size());
    return work_ < most_search_work;
  }

  // Sums the load from each node to the members, row by row as in memory. Returns false after the deadline.
  bool sum_network(const Deadline& deadline) {
    std::fill(network_.begin(), network_.end(), 0.0);
    for (const std::int32_t member : members_) {
      if (deadline.expired()) return false;
      add_network(member, 1);
    }
    return true;
  }
  void add_network(std::int32_t member, double sign) { input_.network->add_row(member, sign, network_); }

  double weight(std::int32_t node) const { return compute_factor_ * input_.compute_load[node]; }
  bool gains(double change) const { return change < -least_gain * total_; }

  // Counts a node as a member.
  void count(std::int32_t node) {
    inside_[node] = 1;
    room_ += input_.processors[node];
  }

  void replace(std::size_t at, std::int32_t node) {
    const std::int32_t out = members_[at];
    add_network(out, -1);
    if (node >= 0) add_network(node, 1);
    inside_[out] = 0;
    room_ -= input_.processors[out];
    if (node >= 0) {
      count(node);
      members_[at] = node;
    } else {
      members_.erase(members_.begin() + at);
    }
  }

  // Omits the node whose omission lowers T_G most, if a node can be spared.
  bool omit() {
    if (std::ssize(members_) <= std::max(request_.min_nodes, 1)) return false;
    double best = 0;
    std::size_t best_at = members_.size();
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const std::int32_t node = members_[k];
      if (required_[node] || room_ - input_.processors[node] < request_.processes) continue;
      const double change = -addition(node);
      if (gains(change) && change < best) {
        best = change;
        best_at = k;
      }
    }
    if (best_at == members_.size()) return false;
    replace(best_at, -1);
    total_ += best;
    return true;
  }

  // Returns the increase of T_G when a node joins the group.
  double addition(std::int32_t node) const { return weight(node) + network_factor_ * network_[node]; }

  bool exchange() {
    // If the processors are too few anyway, an exchange must not reduce them further.
    const std::int64_t needed = std::min<std::int64_t>(request_.processes, room_);
    double least = 0;
    for (const std::int32_t member : members_)
      if (!required_[member]) least = std::min(least, -addition(member));
    // The cost of a new node excludes its link to the node that leaves, which costs at most most_link_.
    newcomers_.clear();
    for (std::int32_t node = 0; node < nodes(); ++node) {
      const double more = addition(node);
      if (more + least - most_link_ < 0 && is_free(node)) newcomers_.push_back({more, node});
    }
    double best = 0;
    std::size_t best_at = 0;
    std::int32_t best_node = -1;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const std::int32_t out = members_[k];
      if (required_[out]) continue;
      const double without = -addition(out);
      const std::int64_t room = room_ - input_.processors[out];
      for (const auto& [addition, in] : newcomers_) {
        if (without + addition - most_link_ >= best || room + input_.processors[in] < needed) continue;
        const double change = without + addition - network_factor_ * input_.network->at(out, in);
        if (gains(change) && change < best) {
          best = change;
          best_at = k;
          best_node = in;
        }
      }
    }
    if (best_node < 0) return false;
    replace(best_at, best_node);
    total_ += best;
    return true;
  }

  // Adds a node that makes several others unnecessary. Does nothing if all nodes have equal processors.
  bool add_and_omit(const Deadline& deadline) {
    if (alike_ || members_.size() < 3 || members_.size() > most_for_addition) return false;
    const std::vector<std::int32_t> members = members_;
    double best = 0;
    std::vector<std::int32_t> best_members;
    for (const std::int32_t added : cheapest_additions())
      for (const bool for_each_processor : {false, true}) {
        double change = addition(added);
        std::vector<std::int32_t> left = members;
        std::int64_t room = room_ + input_.processors[added];
        while (omit_from(left, added, room, change, for_each_processor)) continue;
        if (!gains(change) || !(change < best)) continue;
        best = change;
        best_members = left;
        best_members.push_back(added);
      }
    return take(best_members, best, deadline);
  }

  // Makes `members` the group, with T_G changed by `change`. Returns false if the list is empty, or after the deadline.
  bool take(const std::vector<std::int32_t>& members, double change, const Deadline& deadline) {
    if (members.empty()) return false;
    total_ += change;
    for (const std::int32_t node : members_) inside_[node] = 0;
    members_ = members;
    room_ = 0;
    for (const std::int32_t node : members_) count(node);
    return sum_network(deadline);
  }

  // Replaces a node by several nodes of other sizes, each the node that adds the least T_G per missing processor.
  bool omit_and_add(const Deadline& deadline) {
    if (alike_ || members_.size() > most_for_addition || std::ssize(members_) >= request_.max_nodes) return false;
    const std::vector<std::int32_t> members = members_;
    double best = 0;
    std::vector<std::int32_t> best_members;
    std::vector<double> to_left;  // from each node to the remaining members
    for (std::size_t k = 0; k < members.size() && spend(2) && !deadline.expired(); ++k) {
      if (required_[members[k]]) continue;
      double change = -addition(members[k]);
      std::vector<std::int32_t> left = members;
      left.erase(left.begin() + k);
      to_left = network_;
      input_.network->add_row(members[k], -1, to_left);
      std::int64_t missing =
          std::min<std::int64_t>(request_.processes, room_) - (room_ - input_.processors[members[k]]);
      const auto enough = [&] { return missing <= 0 && std::ssize(left) >= request_.min_nodes; };
      while (!enough() && std::ssize(left) < request_.max_nodes && spend(2)) {
        const std::int32_t added = cheapest(to_left, left, members[k], std::max<std::int64_t>(missing, 1));
        if (added < 0) break;
        change += weight(added) + network_factor_ * to_left[added];
        if (change >= best) break;
        left.push_back(added);
        input_.network->add_row(added, 1, to_left);
        missing -= input_.processors[added];
      }
      if (!enough() || !gains(change) || !(change < best)) continue;
      best = change;
      best_members = left;
    }
    return take(best_members, best, deadline);
  }

  // Returns the node outside the group, except `out`, that adds the least T_G per missing processor; -1 if there is
  // none.
  std::int32_t cheapest(const std::vector<double>& to_left, const std::vector<std::int32_t>& left, std::int32_t out,
                        std::int64_t missing) const {
    std::int32_t found = -1;
    double least = 0;
    for (std::int32_t node = 0; node < nodes(); ++node) {
      if (!is_free(node) || node == out) continue;
      const std::int64_t share = std::min<std::int64_t>(input_.processors[node], missing);
      const double cost = (weight(node) + network_factor_ * to_left[node]) / static_cast<double>(share);
      if (found >= 0 && !(cost < least)) continue;
      if (std::find(left.begin(), left.end(), node) != left.end()) continue;
      found = node;
      least = cost;
    }
    return found;
  }

  // Returns up to most_added nodes outside the group that add the least T_G per processor.
  std::vector<std::int32_t> cheapest_additions() const {
    std::vector<std::pair<double, std::int32_t>> costs;
    for (std::int32_t node = 0; node < nodes(); ++node)
      if (is_free(node)) costs.emplace_back(addition(node) / input_.processors[node], node);
    const std::size_t count = std::min(costs.size(), most_added);
    std::partial_sort(costs.begin(), costs.begin() + count, costs.end());
    costs.resize(count);
    std::vector<std::int32_t> cheapest;
    for (const auto& [cost, node] : costs) cheapest.push_back(node);
    return cheapest;
  }

  // Omits the node of the group `left` + `added` that saves most, in total or, with `for_each_processor`, per
  // processor. Returns whether a node was omitted.
  bool omit_from(std::vector<std::int32_t>& left, std::int32_t added, std::int64_t& room, double& change,
                 bool for_each_processor) const {
    if (std::ssize(left) + 1 <= std::max(request_.min_nodes, 1)) return false;
    double least = 0, least_change = 0;
    std::size_t least_at = left.size();
    for (std::size_t k = 0; k < left.size(); ++k) {
      const std::int32_t out = left[k];
      if (required_[out] || room - input_.processors[out] < request_.processes) continue;
      double difference = -weight(out) - network_factor_ * input_.network->at(out, added);
      for (const std::int32_t other : left) difference -= network_factor_ * input_.network->at(out, other);
      const double measure = for_each_processor ? difference / input_.processors[out] : difference;
      if (measure < least) {
        least = measure;
        least_change = difference;
        least_at = k;
      }
    }
    if (least_at == left.size()) return false;
    room -= input_.processors[left[least_at]];
    change += least_change;
    left.erase(left.begin() + least_at);
    return true;
  }

  const GroupInput& input_;
  const GroupRequest& request_;
  const double compute_factor_;
  const double network_factor_;
  const double most_link_;  // no pair adds more to T_G
  std::vector<std::int32_t> members_;
  std::vector<char> inside_;
  std::vector<bool> required_;
  std::vector<double> network_;  // from each node to all members
  std::vector<std::pair<double, std::int32_t>> newcomers_;
  std::int64_t room_ = 0;
  std::int64_t work_ = 0;
  bool alike_ = false;
  double total_;
};

}  // namespace

Group improved_group(const GroupInput& input, const GroupRequest& request, const GroupChoice& choice,
                     const Group& group, const Deadline& deadline) {
  if (group.nodes.size() == input.processors.size()) return group;
  Group better;
  try {
    better = measured_group(input, LocalSearch(input, request, choice, group).run(deadline), deadline);
  } catch (const Error&) {  // the deadline has passed
    return group;
  }
  better.total_load = total_load(input, choice, better);
  return better.total_load < group.total_load ? better : group;
}

}  // namespace placement::netload
