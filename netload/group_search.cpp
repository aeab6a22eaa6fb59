// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/group_search.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"
#include "common/util/sequence.hpp"

namespace placement::netload {

namespace {

// The work of one choice in steps of about a nanosecond. It covers some thousand nodes in full.
constexpr std::int64_t most_work = 29'000'000;
constexpr std::int64_t work_per_pair = 4;
constexpr std::int64_t work_per_far_pair = 16;  // work per pair if NetworkLoad is not a matrix

// The number of pairs between two readings of the clock.
constexpr std::size_t pairs_per_look = 8192;

// The number of groups of consecutive nodes that an improved choice compares.
constexpr std::int64_t most_windows = 64;

constexpr const char* no_time = "no time is left to choose nodes by load and network";

// Returns the number of groups from which the local search starts. It falls with the number of nodes and of members.
std::size_t most_improved(std::size_t nodes, std::size_t members) {
  constexpr std::size_t most_sums = 1'300'000;
  const std::size_t few = std::clamp<std::size_t>(most_sums / std::max<std::size_t>(nodes * members, 1), 1, 4);
  return std::max(few, 256 / std::max<std::size_t>(nodes, 1));
}

// Returns whether only some nodes of each column are start nodes.
bool by_columns(const GroupInput& input, GroupSearch search) {
  return search == GroupSearch::improved && !input.network->dense() &&
         2 * input.network->columns().columns() <= input.network->nodes();
}

// Returns k if every k-th node is a start. This bounds the work and still covers all parts of the machine. The nodes of
// a column of the table differ only in their own load. If a local search follows, two starts of each column suffice:
// one as a sample for the scale of loads, and the least loaded node.
std::int32_t step_between_starts(const GroupInput& input, const GroupRequest& request, GroupSearch search) {
  const auto nodes = std::ssize(input.processors);
  std::int64_t room = 0;
  for (const std::int32_t processors : input.processors) room += processors;
  const std::int64_t enough = (nodes * request.processes + room - 1) / std::max<std::int64_t>(room, 1);
  const std::int64_t size = std::min(nodes, std::max<std::int64_t>(request.min_nodes, enough));
  const std::int64_t each = (nodes + size * size / 2) * (input.network->dense() ? work_per_pair : work_per_far_pair);
  const std::int64_t in_columns = by_columns(input, search) ? nodes / (input.network->columns().columns() + 1) : 1;
  return static_cast<std::int32_t>(std::max<std::int64_t>({1, (nodes * each + most_work - 1) / most_work, in_columns}));
}

// Returns the least loaded node with processors of each column.
std::vector<std::int32_t> least_loaded_of_columns(const GroupInput& input) {
  const PairColumns& columns = input.network->columns();
  std::vector<std::int32_t> starts;
  for (std::int32_t c = 0; c < columns.columns(); ++c) {
    std::int32_t least = -1;
    for (const std::int32_t node : columns.members(c)) {
      const auto load = [&](std::int32_t n) { return input.compute_load[n]; };
      if (input.processors[node] > 0 && (least < 0 || load(node) < load(least))) least = node;
    }
    if (least >= 0) starts.push_back(least);
  }
  return starts;
}

struct Candidate {
  std::int32_t start;
  bool in_sample;  // contributes to the scale of loads
  Group group;
};

// Returns every `step`-th node. The first nodes of the list are spread over the machine, so a deadline leaves no part
// of it unexamined.
std::vector<std::int32_t> spread_starts(std::int32_t nodes, std::int32_t step) {
  constexpr std::int64_t widest = 64;
  std::vector<std::int32_t> starts;
  for (std::int64_t stride = widest; stride >= 1; stride /= 2)
    for (std::int64_t k = stride == widest ? 0 : stride; k * step < nodes; k += stride == widest ? stride : 2 * stride)
      starts.push_back(static_cast<std::int32_t>(k * step));
  return starts;
}

// Returns whether a group fulfils the request.
bool serves(const GroupInput& input, const GroupRequest& request, const std::vector<std::int32_t>& group) {
  std::int64_t room = 0;
  for (const std::int32_t node : group) {
    const std::int32_t processors = input.processors[node];
    if (processors <= 0 && std::ranges::find(request.required, node) == request.required.end()) return false;
    room += processors;
  }
  const auto size = std::ssize(group);
  return room >= request.processes && size >= request.min_nodes && size <= request.max_nodes &&
         std::ranges::all_of(request.required, [&](std::int32_t n) { return std::ranges::count(group, n) > 0; });
}

double part(double value, double sum) { return sum > 0 ? value / sum : 0; }

// Returns the best `count` different groups, least T_G first. It moves them out of `groups`.
std::vector<Group> best_groups(std::vector<Group>& groups, std::size_t count) {
  std::vector<Group> best;
  for (const std::int32_t k : ordered_numbers(groups.size(), [&](std::int32_t g) { return groups[g].total_load; })) {
    if (best.size() == count) break;
    if (std::ranges::find(best, groups[k].nodes, &Group::nodes) == best.end()) best.push_back(std::move(groups[k]));
  }
  return best;
}

}  // namespace

std::vector<Group> simple_groups(const GroupInput& input, const GroupRequest& request, const Deadline& deadline,
                                 std::size_t* rules) {
  std::vector<Group> groups;
  const auto add = [&](const auto& members) {
    try {
      std::vector<std::int32_t> nodes = members();
      std::ranges::sort(nodes);
      groups.push_back(measured_group(input, std::move(nodes), deadline));
    } catch (const Error&) {  // no group meets the limits, or the deadline has passed
    }
  };
  for (const std::vector<std::int32_t>& known : input.known_groups)
    if (serves(input, request, known)) add([&] { return known; });
  add([&] { return least_loaded_group(input, request); });
  const auto nodes = std::ssize(input.processors);
  std::int64_t windows = 1;
  std::vector<std::int32_t> twice(2 * input.processors.size());  // the nodes twice, so that a window may cross the end
  for (std::size_t k = 0; k < twice.size(); ++k) twice[k] = static_cast<std::int32_t>(k % input.processors.size());
  for (std::int64_t k = 0; k < windows && (k == 0 || !deadline.expired()); ++k) {
    const auto order = std::span(twice).subspan(static_cast<std::size_t>(k * nodes / windows), input.processors.size());
    add([&] { return group_in_order(input, request, order); });
    if (k == 0 && rules != nullptr) *rules = groups.size();
    if (k > 0 || groups.empty()) continue;
    const auto size = static_cast<std::int64_t>(groups.back().nodes.size());
    windows = std::clamp<std::int64_t>(most_work / (4 * size * size * work_per_pair), 1, std::min(nodes, most_windows));
  }
  return groups;
}

StartGroups::StartGroups(const GroupInput& input, const GroupRequest& request) : input_(input), request_(request) {
  const bool dense = input.network->dense();
  lists_.resize(dense ? 1 : static_cast<std::size_t>(input.network->columns().columns()) + 1);
  for (std::int32_t u = 0; u < static_cast<std::int32_t>(input.processors.size()); ++u)
    if (input.processors[u] > 0)
      lists_[dense ? 0 : static_cast<std::size_t>(input.network->columns().column_of(u))].push_back(u);
  for (std::vector<std::int32_t>& list : lists_)
    std::ranges::stable_sort(list, {}, [&](std::int32_t u) { return input.compute_load[u]; });
}

std::vector<std::int32_t> StartGroups::of_start(std::int32_t start) const {
  const auto processors = [&](std::int32_t node) { return input_.processors[node]; };
  if (processors(start) <= 0) return {};
  std::vector<std::int32_t> group = request_.required;
  if (std::ranges::find(group, start) == group.end()) group.push_back(start);
  std::int64_t missing = request_.processes;
  for (const std::int32_t node : group) missing -= processors(node);
  const std::int64_t missing_nodes = request_.min_nodes - std::ssize(group);
  std::vector<std::pair<double, std::int32_t>> others;  // a heap, the largest addition load first
  double limit = std::numeric_limits<double>::infinity();
  std::int64_t room = 0;  // processors of the others
  const auto offer = [&](std::size_t list) {
    const NetworkLoad::ToColumn to(*input_.network, start, static_cast<std::int32_t>(list));
    const double least = input_.beta * to.least();
    for (const std::int32_t u : lists_[list]) {
      const double base = input_.alpha * input_.compute_load[u];
      if (base + least > limit) break;
      const double load = base + input_.beta * to.at(u);
      if (load > limit || std::ranges::find(group, u) != group.end()) continue;
      others.emplace_back(load, u);
      std::push_heap(others.begin(), others.end());
      room += processors(u);
      while (room - processors(others.front().second) >= missing && std::ssize(others) > missing_nodes) {
        room -= processors(others.front().second);
        std::pop_heap(others.begin(), others.end());
        others.pop_back();
      }
      if (room >= missing && std::ssize(others) >= missing_nodes) limit = others.front().first;
    }
  };
  if (missing > 0 || missing_nodes > 0) {
    // The column of the start has most of the nearest nodes and comes first. The others then rarely have nearer nodes.
    const std::size_t own =
        lists_.size() == 1 ? 0 : static_cast<std::size_t>(input_.network->columns().column_of(start));
    offer(own);
    for (std::size_t list = 0; list < lists_.size(); ++list)
      if (list != own) offer(list);
  }
  for (const auto& [load, node] : others) group.push_back(node);
  if (std::ssize(group) > request_.max_nodes) return {};
  std::ranges::sort(group);
  return group;
}

Group measured_group(const GroupInput& input, std::vector<std::int32_t> nodes, const Deadline& deadline) {
  Group group;
  std::size_t looked = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    looked += nodes.size() - k;
    if (looked > pairs_per_look) {
      looked = 0;
      if (deadline.expired()) throw PlacementError(STOCK_NO_TIME, no_time);
    }
    group.compute_load += input.compute_load[nodes[k]];
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
                         const Deadline& deadline, const std::vector<Group>* known_simple) {
  const auto nodes = static_cast<std::int32_t>(input.processors.size());
  GroupChoice choice;
  std::vector<Group> groups;
  std::vector<Group> simple;
  if (search == GroupSearch::improved)
    simple = known_simple != nullptr ? *known_simple : simple_groups(input, request, deadline);
  const StartGroups starts(input, request);
  const std::int32_t step = step_between_starts(input, request, search);
  bool late = false;
  std::vector<Candidate> candidates;
  const auto try_start = [&](std::int32_t start, bool in_sample = true) {
    std::vector<std::int32_t> members = starts.of_start(start);
    if (members.empty()) return;
    const bool again = !candidates.empty() && candidates.back().group.nodes == members;
    candidates.push_back(
        {start, in_sample, again ? candidates.back().group : measured_group(input, std::move(members), deadline)});
  };
  try {
    for (const std::int32_t start : spread_starts(nodes, step)) {
      late = deadline.expired();
      if (late) break;
      try_start(start);
    }
    if (by_columns(input, search) && step > 1 && !late)
      for (const std::int32_t start : least_loaded_of_columns(input))
        if (start % step != 0) try_start(start, false);
    // No start of the sample has a group, but another start may have one.
    for (std::int32_t start = 0; start < nodes && candidates.empty() && step > 1 && !late; ++start) try_start(start);
  } catch (const Error&) {
    late = true;
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.start < b.start; });
  if (candidates.empty() && late)
    for (const Group& group : simple) candidates.push_back({0, true, group});
  for (Candidate& candidate : candidates) {
    if (candidate.in_sample) {
      choice.compute_sum += candidate.group.compute_load;
      choice.network_sum += candidate.group.network_load;
    }
    groups.push_back(std::move(candidate.group));
  }
  if (groups.empty())
    throw PlacementError(late ? STOCK_NO_TIME : STOCK_NO_ROOM,
                         late ? no_time : "no group of nodes meets the limits on nodes and on processes per node");
  choice.starts = std::ssize(groups);
  for (Group& group : groups) group.total_load = total_load(input, choice, group);
  const std::size_t improved = most_improved(input.processors.size(), groups[0].nodes.size());
  std::vector<Group> best = best_groups(groups, std::max(most_runners_up + 1, improved));
  std::int64_t room = 0;
  for (const std::int32_t node : best[0].nodes) room += input.processors[node];
  choice.short_of_processors = room < request.processes;
  choice.best = choice.of_starts = best[0];
  if (search == GroupSearch::improved) {
    for (Group& group : simple) group.total_load = total_load(input, choice, group);
    std::vector<Group> from(best.begin(), best.begin() + std::min(best.size(), improved));
    std::ranges::move(best_groups(simple, std::max<std::size_t>(improved / 4, 1)), std::back_inserter(from));
    for (const Group& start : from) {
      Group group = improved_group(input, request, choice, start, deadline);
      if (group.total_load < choice.best.total_load) choice.best = std::move(group);
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
  for (const std::int32_t node : group) room -= input.processors[node];
  for (const std::int32_t node : order) {
    if (room <= 0 && std::ssize(group) >= request.min_nodes) break;
    if (input.processors[node] <= 0) continue;
    if (std::find(request.required.begin(), request.required.end(), node) != request.required.end()) continue;
    group.push_back(node);
    room -= input.processors[node];
  }
  if (group.empty() || std::ssize(group) > request.max_nodes)
    throw PlacementError(STOCK_NO_ROOM, "no group of nodes meets the limits on nodes and on processes per node");
  return group;
}

std::vector<std::int32_t> least_loaded_group(const GroupInput& input, const GroupRequest& request) {
  std::vector<std::int32_t> group = group_in_order(
      input, request,
      ordered_numbers(input.processors.size(), [&](std::int32_t node) { return input.compute_load[node]; }));
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
  for (std::int32_t k = 0; k < count; ++k) share[k] += left / count + (k < left % count ? 1 : 0);
  return share;
}

}  // namespace placement::netload
