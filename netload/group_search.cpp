// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/group_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "netload/local_search.hpp"
#include "netload/row_kernels.hpp"

namespace placement {

namespace {

// Steps of about a nanosecond that one choice may take: some thousand nodes are looked at in full.
constexpr std::int64_t most_work = 60'000'000;
constexpr std::int64_t work_per_pair = 4;
constexpr std::int64_t work_per_far_pair = 40;  // of measurements that no cache holds

constexpr std::size_t most_runners_up = 5;

constexpr const char* no_time = "no time is left to choose nodes by load and network";

// The local search begins from so many groups, from all of few nodes.
constexpr std::size_t most_improved(std::size_t nodes) { return std::max<std::size_t>(4, 256 / std::max<std::size_t>(nodes, 1)); }

// The shortest beginning of a sorted order that fulfils the request, while the order comes unsorted: the last element
// leaves as soon as the others are enough. Of equal values the one of the lower node comes first.
template <typename Real>
class Beginning {
 public:
  explicit Beginning(std::span<const std::int32_t> processors) : processors_(processors) {}

  void start(std::int64_t processes, std::int64_t nodes) {
    processes_ = processes;
    nodes_ = nodes;
    room_ = 0;
    limit_ = std::numeric_limits<Real>::infinity();
    first_.clear();
  }

  // What is above this does not get in.
  Real limit() const { return limit_; }
  bool takes(Real value, std::int32_t node) const {
    return value < limit_ || (value == limit_ && !first_.empty() && node < first_.back().node);
  }

  void add(Real value, std::int32_t node) {
    std::size_t at = first_.size();
    first_.push_back({value, node});
    for (; at > 0 && (value < first_[at - 1].value || (value == first_[at - 1].value && node < first_[at - 1].node)); --at)
      first_[at] = first_[at - 1];
    first_[at] = {value, node};
    room_ += processors(node);
    while (room_ - processors(first_.back().node) >= processes_ && static_cast<std::int64_t>(first_.size()) > nodes_) {
      room_ -= processors(first_.back().node);
      first_.pop_back();
    }
    if (room_ >= processes_ && static_cast<std::int64_t>(first_.size()) >= nodes_) limit_ = first_.back().value;
  }

  template <typename Take>
  void each(Take take) const {
    for (const Element& element : first_) take(element.node);
  }

 private:
  struct Element {
    Real value;
    std::int32_t node;
  };

  std::int64_t processors(std::int32_t node) const { return processors_[static_cast<std::size_t>(node)]; }

  std::span<const std::int32_t> processors_;
  std::int64_t processes_ = 0;
  std::int64_t nodes_ = 0;
  std::int64_t room_ = 0;
  Real limit_ = std::numeric_limits<Real>::infinity();
  std::vector<Element> first_;  // sorted
};

// Algorithm 1 for one start after another.
class Starter {
 public:
  Starter(const GroupInput& input, const GroupRequest& request)
      : input_(input), request_(request), rest_(input.processors), rest_single_(input.processors) {
    const std::size_t nodes = input.processors.size();
    if (input.network->dense()) {
      for (const double load : input.compute_load) base_.push_back(input.alpha * load);
      sum_.resize(nodes);
    } else {
      for (const double load : input.compute_load) base_single_.push_back(static_cast<float>(input.alpha * load));
      sum_single_.resize(nodes);
      least_.resize(nodes / row_block + 1);
    }
  }

  std::vector<std::int32_t> group(std::int32_t start) {
    if (input_.processors[static_cast<std::size_t>(start)] <= 0) return {};
    std::vector<std::int32_t> group = request_.required;
    if (std::find(group.begin(), group.end(), start) == group.end()) group.push_back(start);
    std::int64_t room = request_.processes;
    for (const std::int32_t node : group) room -= input_.processors[static_cast<std::size_t>(node)];
    const std::int64_t nodes = request_.min_nodes - static_cast<std::int64_t>(group.size());
    if (room > 0 || nodes > 0) {
      if (input_.network->dense())
        fill(group, start, room, nodes);
      else
        fill_single(group, start, room, nodes);
    }
    if (static_cast<std::int64_t>(group.size()) > request_.max_nodes) return {};
    std::sort(group.begin(), group.end());
    return group;
  }

 private:
  void fill(std::vector<std::int32_t>& group, std::int32_t start, std::int64_t room, std::int64_t nodes) {
    const std::span<const double> row = input_.network->row(start);
    for (std::size_t u = 0; u < sum_.size(); ++u) sum_[u] = base_[u] + input_.beta * row[u];
    rest_.start(room, nodes);
    offer(group, rest_, sum_, 0, sum_.size());
    rest_.each([&](std::int32_t node) { group.push_back(node); });
  }

  void fill_single(std::vector<std::int32_t>& group, std::int32_t start, std::int64_t room, std::int64_t nodes) {
    input_.network->add_row(start, static_cast<float>(input_.beta), base_single_, sum_single_, least_, scratch_);
    rest_single_.start(room, nodes);
    const std::size_t count = sum_single_.size();
    const auto offer_block = [&](std::size_t block) {
      if (least_[block] <= rest_single_.limit())
        offer(group, rest_single_, sum_single_, block * row_block, std::min((block + 1) * row_block, count));
    };
    // The nearest nodes mostly have numbers close by; after them hardly a block holds anything that could get in.
    const std::size_t own = static_cast<std::size_t>(start) / row_block;
    offer_block(own);
    for (std::size_t block = 0; block * row_block < count; ++block)
      if (block != own) offer_block(block);
    rest_single_.each([&](std::int32_t node) { group.push_back(node); });
  }

  // The nodes from..to-1 to the rest of a group that has the required nodes and the start.
  template <typename Real>
  void offer(const std::vector<std::int32_t>& group, Beginning<Real>& rest, const std::vector<Real>& sum,
             std::size_t from, std::size_t to) const {
    for (std::size_t k = from; k < to; ++k) {
      const auto node = static_cast<std::int32_t>(k);
      if (!rest.takes(sum[k], node) || input_.processors[k] <= 0) continue;
      if (std::find(group.begin(), group.end(), node) == group.end()) rest.add(sum[k], node);
    }
  }

  const GroupInput& input_;
  const GroupRequest& request_;
  Beginning<double> rest_;
  Beginning<float> rest_single_;
  std::vector<double> base_, sum_;
  std::vector<float> base_single_, sum_single_, least_, scratch_;
};

// Every so manieth node, so that the work is bounded and all parts of the machine are seen.
std::int32_t step_between_starts(const GroupInput& input, const GroupRequest& request) {
  const auto nodes = static_cast<std::int64_t>(input.processors.size());
  std::int64_t room = 0;
  for (const std::int32_t processors : input.processors) room += processors;
  const std::int64_t size =
      std::min(nodes, std::max<std::int64_t>(request.min_nodes, nodes * request.processes / std::max<std::int64_t>(room, 1) + 1));
  const std::int64_t each = nodes + size * size / 2 * (input.network->dense() ? work_per_pair : work_per_far_pair);
  return static_cast<std::int32_t>(std::max<std::int64_t>(1, (nodes * each + most_work - 1) / most_work));
}

struct Candidate {
  std::int32_t start;
  Group group;
};

// Every step-th node, in an order in which each beginning is spread over all of them: a deadline then leaves no
// part of the machine unseen.
std::vector<std::int32_t> spread_starts(std::int32_t nodes, std::int32_t step) {
  constexpr std::int64_t widest = 64;
  std::vector<std::int32_t> starts;
  for (std::int64_t stride = widest; stride >= 1; stride /= 2)
    for (std::int64_t k = stride == widest ? 0 : stride; k * step < nodes; k += stride == widest ? stride : 2 * stride)
      starts.push_back(static_cast<std::int32_t>(k * step));
  return starts;
}

double part(double value, double sum) { return sum > 0 ? value / sum : 0; }

// The best groups that differ, least T_G first.
std::vector<Group> best_groups(std::vector<Group>& groups, std::size_t count) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return groups[a].total_load < groups[b].total_load; });
  std::vector<Group> best;
  for (const std::size_t k : order) {
    if (best.size() == count) break;
    const bool known = std::any_of(best.begin(), best.end(), [&](const Group& g) { return g.nodes == groups[k].nodes; });
    if (!known) best.push_back(std::move(groups[k]));
  }
  return best;
}

}  // namespace

std::vector<double> addition_loads(const GroupInput& input, std::int32_t start) {
  std::vector<double> sum;
  for (std::size_t u = 0; u < input.compute_load.size(); ++u)
    sum.push_back(input.alpha * input.compute_load[u] +
                  input.beta * input.network->at(start, static_cast<std::int32_t>(u)));
  sum[static_cast<std::size_t>(start)] = 0;
  return sum;
}

std::vector<std::int32_t> candidate_group(const GroupInput& input, const GroupRequest& request, std::int32_t start) {
  return Starter(input, request).group(start);
}

Group measured_group(const GroupInput& input, std::vector<std::int32_t> nodes, const Deadline& deadline) {
  Group group;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (k % 64 == 63 && deadline.expired()) throw Error(no_time);
    group.compute_load += input.compute_load[static_cast<std::size_t>(nodes[k])];
    for (std::size_t l = k + 1; l < nodes.size(); ++l) group.network_load += input.network->at(nodes[k], nodes[l]);
  }
  group.nodes = std::move(nodes);
  return group;
}

double total_load(const GroupInput& input, const GroupChoice& choice, const Group& group) {
  return input.alpha * part(group.compute_load, choice.compute_sum) +
         input.beta * part(group.network_load, choice.network_sum);
}

GroupChoice choose_group(const GroupInput& input, const GroupRequest& request, GroupSearch search,
                         const Deadline& deadline) {
  const auto nodes = static_cast<std::int32_t>(input.processors.size());
  GroupChoice choice;
  std::vector<Group> groups;
  Starter starter(input, request);
  const std::int32_t step = step_between_starts(input, request);
  bool late = false;
  std::vector<Candidate> candidates;
  const auto try_start = [&](std::int32_t start) {
    std::vector<std::int32_t> members = starter.group(start);
    if (members.empty()) return;
    const bool again = !candidates.empty() && candidates.back().group.nodes == members;
    candidates.push_back({start, again ? candidates.back().group : measured_group(input, std::move(members), deadline)});
  };
  try {
    for (const std::int32_t start : spread_starts(nodes, step)) {
      late = deadline.expired();
      if (late) break;
      try_start(start);
    }
    // Those that were left out may still have a group.
    for (std::int32_t start = 0; start < nodes && candidates.empty() && step > 1 && !late; ++start) try_start(start);
  } catch (const Error&) {
    late = true;
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.start < b.start; });
  for (Candidate& candidate : candidates) {
    choice.compute_sum += candidate.group.compute_load;
    choice.network_sum += candidate.group.network_load;
    groups.push_back(std::move(candidate.group));
  }
  if (groups.empty())
    throw Error(late ? no_time : "no group of nodes keeps to the limits on nodes and processes per node");
  choice.starts = static_cast<std::int64_t>(groups.size());
  for (Group& group : groups) group.total_load = total_load(input, choice, group);
  const std::size_t improved = most_improved(input.processors.size());
  std::vector<Group> best = best_groups(groups, std::max(most_runners_up + 1, improved));
  std::int64_t room = 0;
  for (const std::int32_t node : best[0].nodes) room += input.processors[static_cast<std::size_t>(node)];
  choice.short_of_processors = room < request.processes;
  choice.best = best[0];
  if (search == GroupSearch::improved)
    for (std::size_t k = 0; k < std::min(best.size(), improved); ++k) {
      Group group = improved_group(input, request, choice, best[k], deadline);
      if (group.total_load < choice.best.total_load) {
        choice.best = std::move(group);
        choice.improved = true;
      }
    }
  for (Group& group : best)
    if (group.nodes != choice.best.nodes && choice.runners_up.size() < most_runners_up)
      choice.runners_up.push_back(std::move(group));
  return choice;
}

std::vector<std::int32_t> group_in_order(const GroupInput& input, const GroupRequest& request,
                                         std::span<const std::int32_t> order) {
  std::vector<std::int32_t> group = request.required;
  std::int64_t room = request.processes;
  for (const std::int32_t node : group) room -= input.processors[static_cast<std::size_t>(node)];
  for (const std::int32_t node : order) {
    if (room <= 0 && static_cast<std::int64_t>(group.size()) >= request.min_nodes) break;
    if (input.processors[static_cast<std::size_t>(node)] <= 0) continue;
    if (std::find(request.required.begin(), request.required.end(), node) != request.required.end()) continue;
    group.push_back(node);
    room -= input.processors[static_cast<std::size_t>(node)];
  }
  if (group.empty() || static_cast<std::int64_t>(group.size()) > request.max_nodes)
    throw Error("no group of nodes keeps to the limits on nodes and processes per node");
  return group;
}

std::vector<std::int32_t> least_loaded_group(const GroupInput& input, const GroupRequest& request) {
  std::vector<std::int32_t> order(input.processors.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return input.compute_load[static_cast<std::size_t>(a)] < input.compute_load[static_cast<std::size_t>(b)];
  });
  std::vector<std::int32_t> group = group_in_order(input, request, order);
  std::sort(group.begin(), group.end());
  return group;
}

std::vector<std::int32_t> processes_per_node(std::span<const std::int32_t> processors, std::int32_t processes) {
  std::vector<std::int32_t> share(processors.size(), 0);
  std::int32_t left = processes;
  for (const bool first_of_each : {true, false})
    for (std::size_t k = 0; k < share.size(); ++k) {
      const std::int32_t more = std::min(first_of_each ? std::min(processors[k], 1) : processors[k] - share[k], left);
      share[k] += more;
      left -= more;
    }
  if (share.empty() || left == 0) return share;
  const auto count = static_cast<std::int32_t>(share.size());
  for (std::int32_t k = 0; k < count; ++k) share[static_cast<std::size_t>(k)] += left / count + (k < left % count ? 1 : 0);
  return share;
}

}  // namespace placement
