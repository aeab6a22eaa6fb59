// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/local_search.hpp"

#include <algorithm>
#include <numeric>

namespace placement {

namespace {

constexpr int most_steps = 200;

// Steps of about a nanosecond for all of one search.
constexpr std::int64_t most_work = 4'000'000;

// Larger groups are not tried with one node more and several fewer: that takes cubic time.
constexpr std::size_t most_for_addition = 16;

// A gain smaller than this part of T_G is rounding.
constexpr double least_gain = 1e-12;

class LocalSearch {
 public:
  LocalSearch(const GroupInput& input, const GroupRequest& request, const GroupChoice& choice, const Group& group)
      : input_(input),
        request_(request),
        compute_factor_(choice.compute_sum > 0 ? input.alpha / choice.compute_sum : 0),
        network_factor_(choice.network_sum > 0 ? input.beta / choice.network_sum : 0),
        members_(group.nodes),
        inside_(input.processors.size(), false),
        required_(input.processors.size(), false),
        network_(input.processors.size(), 0.0),
        total_(group.total_load) {
    for (const std::int32_t node : request.required) required_[index(node)] = true;
    for (const std::int32_t node : members_) {
      inside_[index(node)] = true;
      room_ += input.processors[index(node)];
    }
    sum_network();
    alike_ = std::all_of(input.processors.begin(), input.processors.end(),
                         [&](std::int32_t count) { return count == 0 || count == input.processors[index(members_[0])]; });
  }

  std::vector<std::int32_t> run(const Deadline& deadline) {
    const auto work = static_cast<std::int64_t>(members_.size() * network_.size());
    for (int step = 0; step < most_steps && (step + 1) * work < most_work && !deadline.expired(); ++step)
      if (!omit() && !exchange() && !add_and_omit()) break;
    std::sort(members_.begin(), members_.end());
    return members_;
  }

 private:
  static std::size_t index(std::int32_t node) { return static_cast<std::size_t>(node); }

  // Row by row, as the measurements lie.
  void sum_network() {
    std::fill(network_.begin(), network_.end(), 0.0);
    for (const std::int32_t member : members_) add_network(member, 1);
  }
  void add_network(std::int32_t member, double sign) {
    for (std::size_t u = 0; u < network_.size(); ++u)
      network_[u] += sign * input_.network->at(member, static_cast<std::int32_t>(u));
  }
  double weight(std::int32_t node) const { return compute_factor_ * input_.compute_load[index(node)]; }
  bool gains(double change) const { return change < -least_gain * total_; }

  void replace(std::size_t at, std::int32_t node) {
    const std::int32_t out = members_[at];
    add_network(out, -1);
    if (node >= 0) add_network(node, 1);
    inside_[index(out)] = false;
    room_ -= input_.processors[index(out)];
    if (node >= 0) {
      inside_[index(node)] = true;
      room_ += input_.processors[index(node)];
      members_[at] = node;
    } else {
      members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  // Leaves out the node without which T_G is least, if one can be spared.
  bool omit() {
    if (static_cast<std::int64_t>(members_.size()) <= std::max(request_.min_nodes, 1)) return false;
    double best = 0;
    std::size_t best_at = members_.size();
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const std::int32_t node = members_[k];
      if (required_[index(node)] || room_ - input_.processors[index(node)] < request_.processes) continue;
      const double change = -weight(node) - network_factor_ * network_[index(node)];
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

  bool exchange() {
    // Where processors are too few anyway, an exchange must not make them fewer.
    const std::int64_t needed = std::min<std::int64_t>(request_.processes, room_);
    double best = 0;
    std::size_t best_at = 0;
    std::int32_t best_node = -1;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const std::int32_t out = members_[k];
      if (required_[index(out)]) continue;
      const double without = -weight(out) - network_factor_ * network_[index(out)];
      const std::int64_t room = room_ - input_.processors[index(out)];
      for (std::size_t u = 0; u < network_.size(); ++u) {
        if (inside_[u] || input_.processors[u] <= 0 || room + input_.processors[u] < needed) continue;
        const auto in = static_cast<std::int32_t>(u);
        // What the newcomer adds to the network load is not below 0, so that most need not be looked at.
        double change = without + weight(in);
        if (!(change < best)) continue;
        change += network_factor_ * (network_[u] - input_.network->at(out, in));
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

  // Takes in a node that makes several others needless, which none does where all have the same processors.
  bool add_and_omit() {
    if (alike_ || members_.size() < 3 || members_.size() > most_for_addition) return false;
    const std::vector<std::int32_t> members = members_;
    double best = 0;
    std::vector<std::int32_t> best_members;
    for (std::size_t u = 0; u < network_.size(); ++u) {
      if (inside_[u] || input_.processors[u] <= 0) continue;
      const auto added = static_cast<std::int32_t>(u);
      double change = weight(added) + network_factor_ * network_[u];
      std::vector<std::int32_t> left = members;
      std::int64_t room = room_ + input_.processors[u];
      while (omit_from(left, added, room, change)) continue;
      if (!gains(change) || !(change < best)) continue;
      best = change;
      best_members = left;
      best_members.push_back(added);
    }
    if (best_members.empty()) return false;
    total_ += best;
    for (const std::int32_t node : members_) inside_[index(node)] = false;
    members_ = std::move(best_members);
    room_ = 0;
    for (const std::int32_t node : members_) {
      inside_[index(node)] = true;
      room_ += input_.processors[index(node)];
    }
    sum_network();
    return true;
  }

  // Leaves out of the group `left` + `added` the node without which T_G is least.
  bool omit_from(std::vector<std::int32_t>& left, std::int32_t added, std::int64_t& room, double& change) const {
    if (static_cast<std::int64_t>(left.size()) + 1 <= std::max(request_.min_nodes, 1)) return false;
    double least = 0;
    std::size_t least_at = left.size();
    for (std::size_t k = 0; k < left.size(); ++k) {
      const std::int32_t out = left[k];
      if (required_[index(out)] || room - input_.processors[index(out)] < request_.processes) continue;
      double difference = -weight(out) - network_factor_ * input_.network->at(out, added);
      for (const std::int32_t other : left) difference -= network_factor_ * input_.network->at(out, other);
      if (difference < least) {
        least = difference;
        least_at = k;
      }
    }
    if (least_at == left.size()) return false;
    room -= input_.processors[index(left[least_at])];
    change += least;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(least_at));
    return true;
  }

  const GroupInput& input_;
  const GroupRequest& request_;
  const double compute_factor_;
  const double network_factor_;
  std::vector<std::int32_t> members_;
  std::vector<bool> inside_;
  std::vector<bool> required_;
  std::vector<double> network_;  // of each node to all members
  std::int64_t room_ = 0;
  bool alike_ = false;
  double total_;
};

}  // namespace

Group improved_group(const GroupInput& input, const GroupRequest& request, const GroupChoice& choice,
                     const Group& group, const Deadline& deadline) {
  if (group.nodes.size() == input.processors.size()) return group;
  Group better = measured_group(input, LocalSearch(input, request, choice, group).run(deadline));
  better.total_load = total_load(input, choice, better);
  return better.total_load < group.total_load ? better : group;
}

}  // namespace placement
