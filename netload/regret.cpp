// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/sequence.hpp"
#include "netload/group_search.hpp"

namespace placement::netload {

namespace {

// The slowdowns up to which nodes are admitted, relative to the slowest node of the fastest group, in the order of
// trial.
constexpr std::array limits{1.1, 1.4, 1.0, 1.2, 1.05, 1.7, 2.0, 2.5, 3.0, 4.0};
constexpr std::size_t limits_of_large = 2;  // if NetworkLoad is not a matrix, because each search takes long

// Among nodes of about equal speed the network makes the difference.
constexpr double alpha_among_fast = 0.05;

// Regrets that differ by less count as equal, because sums over equal links differ in the last digits. T_G then
// decides.
constexpr double same_regret = 1e-6;

constexpr double rounding = 1 + 1e-9;  // slowdowns that differ by less are equal

// A group may take this many times as long as the best group of a simpler rule, unless all groups take longer.
constexpr double most_over_rules = 1.1;

// The two parts of the run time of a group, before division by the best ones.
struct Parts {
  double slowest = 1;
  double network = 0;
};

Parts parts_of(const GroupInput& input, const Group& group) {
  Parts parts{0, 0};
  for (const std::int32_t node : group.nodes) parts.slowest = std::max(parts.slowest, input.slowdown[node]);
  const auto size = static_cast<double>(group.nodes.size());
  if (size > 1) parts.network = group.network_load / (size * (size - 1) / 2);
  // NL that is not dense() counts missing bandwidth, which is 0 on the best links. 1/nodes stands for their time.
  if (size > 1 && !input.network->dense()) parts.network += 1 / static_cast<double>(input.network->nodes());
  return parts;
}

// Returns the slowdown of the slowest node of the fastest group.
double slowest_of_fastest(const GroupInput& input, const GroupRequest& request) {
  const auto slowdown = [&](std::int32_t node) { return input.slowdown[node]; };
  double slowest = 0;
  for (const std::int32_t node : group_in_order(input, request, ordered_numbers(input.processors.size(), slowdown)))
    if (std::ranges::find(request.required, node) == request.required.end())
      slowest = std::max(slowest, slowdown(node));
  return slowest;
}

// Returns the groups whose nodes all take processes or are required.
std::vector<Group> groups_on(const std::vector<std::int32_t>& processors, const GroupRequest& request,
                             const std::vector<Group>& groups) {
  std::vector<Group> kept;
  std::ranges::copy_if(groups, std::back_inserter(kept), [&](const Group& group) {
    return std::ranges::all_of(group.nodes, [&](std::int32_t node) {
      return processors[node] > 0 || std::ranges::find(request.required, node) != request.required.end();
    });
  });
  return kept;
}

// Returns the processors of each node whose slowdown is at most `limit` or that is in `required`; 0 for other nodes.
std::vector<std::int32_t> processors_of_fast_nodes(std::span<const double> slowdown, double limit,
                                                   std::span<const std::int32_t> processors,
                                                   std::span<const std::int32_t> required) {
  std::vector<std::int32_t> kept(processors.begin(), processors.end());
  for (std::size_t n = 0; n < kept.size(); ++n)
    if (slowdown[n] > limit * rounding && std::ranges::find(required, static_cast<std::int32_t>(n)) == required.end())
      kept[n] = 0;
  return kept;
}

// Adds the groups chosen among the nodes up to each limit. `simple` are the simple_groups() of the input.
void add_groups_of_fast_nodes(const GroupInput& input, const GroupRequest& request, const Deadline& deadline,
                              const std::vector<Group>& simple, std::vector<Group>& groups) {
  const double fastest = slowest_of_fastest(input, request);
  std::vector<std::vector<std::int32_t>> tried;
  for (std::size_t k = 0; k < (input.network->dense() ? limits.size() : limits_of_large); ++k) {
    if (deadline.expired()) return;
    std::vector<std::int32_t> processors =
        processors_of_fast_nodes(input.slowdown, fastest * limits[k], input.processors, request.required);
    if (std::ranges::find(tried, processors) != tried.end()) continue;
    tried.push_back(std::move(processors));
    GroupInput fast = input;
    fast.processors = tried.back();
    fast.alpha = std::min(fast.alpha, alpha_among_fast);
    fast.beta = 1 - fast.alpha;
    const std::vector<Group> fast_simple = groups_on(tried.back(), request, simple);
    try {
      GroupChoice choice = choose_group(fast, request, GroupSearch::improved, deadline, &fast_simple);
      groups.push_back(std::move(choice.best));
      std::ranges::move(choice.runners_up, std::back_inserter(groups));
    } catch (const Error&) {  // too few nodes for the limits, or the deadline has passed
    }
  }
}

// Sets regret and over_rules of each group. The first `rules` groups are those of simpler rules.
void set_regrets(const GroupInput& input, std::vector<Group>& groups, std::size_t rules) {
  std::vector<Parts> parts;
  Parts best{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (const Group& group : groups) {
    parts.push_back(parts_of(input, group));
    best.slowest = std::min(best.slowest, parts.back().slowest);
    if (parts.back().network > 0) best.network = std::min(best.network, parts.back().network);
  }
  for (const double share : {input.shares.least, input.shares.most}) {
    std::vector<double> times;
    for (const Parts& of : parts)
      times.push_back((1 - share) * of.slowest / best.slowest +
                      (of.network > 0 ? share * of.network / best.network : 0));
    const double least = std::ranges::min(times), of_rules = std::ranges::min(std::span(times).first(rules));
    for (std::size_t k = 0; k < groups.size(); ++k) {
      groups[k].regret = std::max(groups[k].regret, least > 0 ? times[k] / least : 1);
      groups[k].over_rules = std::max(groups[k].over_rules, of_rules > 0 ? times[k] / of_rules : 1);
    }
  }
}

}  // namespace

GroupChoice choose_by_regret(const GroupInput& input, const GroupRequest& request, const Deadline& deadline) {
  std::size_t rules = 0;
  std::vector<Group> simple = simple_groups(input, request, deadline, &rules);
  GroupChoice choice = choose_group(input, request, GroupSearch::improved, deadline, &simple);
  std::vector<Group> groups{choice.of_starts};
  std::ranges::copy(simple, std::back_inserter(groups));
  groups.push_back(std::move(choice.best));
  std::ranges::move(choice.runners_up, std::back_inserter(groups));
  add_groups_of_fast_nodes(input, request, deadline, simple, groups);
  set_regrets(input, groups, 1 + rules);
  for (Group& group : groups) group.total_load = total_load(input, choice, group);
  std::ranges::stable_sort(groups, {}, [](const Group& group) {
    return std::tuple(std::round(std::max(group.over_rules, most_over_rules) / same_regret),
                      std::round(group.regret / same_regret), group.total_load);
  });
  choice.best = groups.front();
  choice.runners_up.clear();
  for (Group& group : groups)
    if (choice.runners_up.size() < most_runners_up && group.nodes != choice.best.nodes &&
        std::ranges::none_of(choice.runners_up, [&](const Group& other) { return other.nodes == group.nodes; }))
      choice.runners_up.push_back(std::move(group));
  return choice;
}

}  // namespace placement::netload
