// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/selection.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "common/util/error.hpp"
#include "common/util/sequence.hpp"
#include "common/util/text.hpp"

namespace placement::netload {

namespace {

std::vector<std::int32_t> order_of_nodes(std::size_t nodes, SelectionRule rule, std::uint64_t seed) {
  std::vector<std::int32_t> order = numbers(nodes);
  std::mt19937_64 random(seed);
  if (rule == SelectionRule::sequential && seed != 0 && nodes != 0)  // a random node and its neighbours [NLA §9]
    std::rotate(order.begin(), order.begin() + (random() % nodes), order.end());
  if (rule != SelectionRule::random) return order;
  // std::shuffle may give different orders with different standard libraries.
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random() % k]);
  return order;
}

std::vector<std::int32_t> group_by_rule(const GroupInput& input, const GroupRequest& request, SelectionRule rule,
                                        std::uint64_t seed) {
  if (rule == SelectionRule::load_aware) return least_loaded_group(input, request);
  std::vector<std::int32_t> group = group_in_order(input, request, order_of_nodes(input.processors.size(), rule, seed));
  std::sort(group.begin(), group.end());
  return group;
}

}  // namespace

PairMeasure pair_measure(SelectionRule rule, const Parameters& parameters) {
  const bool weighed_by_user = parameters.contains("alpha") || parameters.contains("beta");
  return rule == SelectionRule::nla && !weighed_by_user ? PairMeasure::time : PairMeasure::difference;
}

WithinError within_error(SelectionRule rule) {
  return rule == SelectionRule::nla_paper ? WithinError::counts : WithinError::counts_nothing;
}

ProcessorFormula processor_formula(const Parameters& parameters) {
  const auto found = parameters.find("processors");
  if (found == parameters.end() || found->second == "loaded") return ProcessorFormula::loaded;
  if (found->second == "printed") return ProcessorFormula::printed;
  throw Error("processors=" + shown(found->second) + ": expected loaded or printed");
}

Overload overload_of(std::span<const double> cores, std::span<const double> load, double wanted) {
  Overload overload;
  overload.wanted = wanted;
  for (std::size_t n = 0; n < std::min(cores.size(), load.size()); ++n) {
    if (std::isnan(cores[n]) || std::isnan(load[n])) continue;
    overload.known = true;
    overload.idle += std::max(0.0, cores[n] - load[n]);
  }
  return overload;
}

std::string to_string(const Overload& overload, std::span<const double> cores) {
  double all = 0;
  for (const double value : cores)
    if (!std::isnan(value)) all += value;
  return "the cluster is overloaded: " + fixed_number(overload.idle, 1) + " of " + fixed_number(all, 0) +
         " processors are idle, " + fixed_number(overload.wanted, 0) + " are needed";
}

GroupChoice select_group(const GroupInput& input, const GroupRequest& request, SelectionRule rule, std::uint64_t seed,
                         const Deadline& deadline) {
  if (rule == SelectionRule::nla && !input.slowdown.empty()) return choose_by_regret(input, request, deadline);
  const GroupSearch search = rule == SelectionRule::nla ? GroupSearch::improved : GroupSearch::paper;
  GroupChoice choice = choose_group(input, request, search, deadline);
  if (rule == SelectionRule::nla || rule == SelectionRule::nla_paper) return choice;
  Group group = measured_group(input, group_by_rule(input, request, rule, seed), deadline);
  group.total_load = total_load(input, choice, group);
  choice.runners_up.insert(choice.runners_up.begin(), std::move(choice.best));
  std::erase_if(choice.runners_up, [&](const Group& other) { return other.nodes == group.nodes; });
  choice.best = std::move(group);
  return choice;
}

}  // namespace placement::netload
