// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/decision_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "common/decision/step_records.hpp"
#include "common/topology/scontrol_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

std::string outcome_sentence(const Decision& d) {
  const std::string reason = d.reason.empty() ? "no reason is on record" : d.reason;
  switch (d.outcome) {
    case DECISION_NODES: return d.for_start ? "the policy's nodes" : "the policy's nodes would be taken";
    case DECISION_CORES: return "the policy's nodes and cores";
    case DECISION_ADVICE: return "stock, because of Mode=" + d.mode;
    case DECISION_WAIT: return "none, the job waits: " + reason;
    case DECISION_STOCK: break;
  }
  return "stock: " + reason;
}

void add_fact(std::string& text, std::string_view name, const std::string& value) {
  constexpr std::size_t width = 12;
  if (!value.empty()) text += "  " + std::string(name) + std::string(width - name.size(), ' ') + value + "\n";
}

std::string counted(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : what[0] == 'l' ? "es" : "s");
}

std::string on_leaf_switches(const std::string& nodes, std::string_view topology) {
  const std::size_t count = leaf_switches_of(nodes, topology);
  return count == 0 ? "" : ", on " + counted(count, "leaf switch");
}

bool is_cut(const std::string& hosts) { return hosts.ends_with(".."); }

// Returns the nodes that stock Slurm would have taken; empty if they are not known, or if it did choose.
std::string stock_nodes(const Decision& d, std::string_view topology) {
  const std::string& stock = d.stock_choice;
  if (is_cut(stock) && d.given.starts_with(std::string_view(stock).substr(0, stock.size() - 2)))
    return "not known: the list is too long for the record";
  if (!same_hosts(stock, d.given)) return stock + on_leaf_switches(stock, topology);
  return d.outcome == DECISION_NODES || d.outcome == DECISION_CORES ? "the same nodes" : "";
}

std::string costs(const Decision& d) {
  if (d.cost.empty() && d.natural_cost.empty()) return {};
  std::string text = d.cost.empty() ? "hop-bytes not known" : d.cost + " hop-bytes";
  if (!d.natural_cost.empty()) text += ", in natural order " + d.natural_cost;
  if (!d.first_nodes_cost.empty()) text += ", stock " + d.first_nodes_cost;
  return text;
}

// Returns the share of the run time that is communication, of the job's comm-share=; nothing without it.
std::optional<double> communication_share(const std::string& parameters) {
  constexpr std::string_view key = "comm-share=";
  for (const std::string_view parameter : split_at(parameters, ','))
    if (parameter.starts_with(key))
      if (const auto percent = parse_integer(std::string(parameter.substr(key.size())));
          percent && *percent >= 0 && *percent <= 100)
        return static_cast<double>(*percent) / 100;
  return std::nullopt;
}

constexpr double assumed_share = 0.5;  // of a job without comm-share=

// Returns the expected run time divided by that of stock, if communication time is in proportion to hop-bytes.
// Returns nothing if the costs are unknown.
std::optional<double> expected_time_ratio(const Decision& d) {
  const double share = communication_share(d.parameters).value_or(assumed_share);
  const auto cost = parse_real(d.cost), first = parse_real(d.first_nodes_cost);
  if (!cost || !first || !(*first > 0)) return std::nullopt;
  return 1 - share + share * *cost / *first;
}

std::string expected_time(const Decision& d) {
  const auto ratio = expected_time_ratio(d);
  if (!ratio) return {};
  const auto share = communication_share(d.parameters);
  return formatted("%.2f of stock's run time, with %s%.0f %% communication in proportion to hop-bytes", *ratio,
                   share ? "" : "an assumed ", 100 * share.value_or(assumed_share));
}

// Returns whether a term needs no knowledge of the policy: the link with the most traffic, and ranks without cores.
bool is_plain(std::string_view term) { return term.starts_with("busiest link: ") || term.starts_with("no rank is "); }

// Returns one sentence for a user who reads no further; empty if the job has no nodes.
std::string summary(const Decision& d, std::string_view topology) {
  const bool advised = d.outcome == DECISION_ADVICE,
             chosen = d.outcome == DECISION_NODES || d.outcome == DECISION_CORES;
  const std::string& nodes = d.given.empty() && (advised || chosen) ? d.choice : d.given;
  if (d.tasks == 0 || nodes.empty()) return {};
  const std::size_t given = leaf_switches_of(nodes, topology);
  const std::size_t stock = leaf_switches_of(d.stock_choice, topology);
  std::string text = "  " + counted(d.tasks, "rank") + " on " + (given > 0 ? counted(given, "leaf switch") : nodes);
  if (!chosen && !d.given.empty()) text += "; Slurm chose the nodes";
  if (chosen && given > 0 && stock > 0) text += "; stock would use " + std::to_string(stock);
  if (const auto ratio = expected_time_ratio(d))
    text += formatted("; expected run time %s%.2f of stock's", advised ? "as advised: " : "", *ratio);
  return text + "\n";
}

// Returns whether the record has the ranks and cost of a step or of the plan, as text; empty if it has neither.
std::string described_by(const Decision& d) {
  for (const std::string& term : d.terms)
    if (term.starts_with(slurms_order_term))
      return "step " + d.step + ", which ran in Slurm's order: " + term.substr(slurms_order_term.size());
  if (!d.step.empty()) return "step " + d.step + ", as srun placed its ranks";
  if (d.cost.empty()) return {};
  if (d.outcome == DECISION_ADVICE) return "the plan; Slurm itself places the ranks, because of Mode=" + d.mode;
  if (d.reason.find(natural_order_note) != std::string::npos) return "the plan, in natural order";
  return "the plan; srun may place the ranks better, which srun -v prints";
}

// Returns the reason without the terms of the policy, which have lines of their own. The last one may have been cut.
std::string note_without_terms(const Decision& d) {
  std::string note;
  for (std::size_t at = 0, end = 0; at < d.reason.size(); at = end + 2) {
    end = std::min(d.reason.find(", ", at), d.reason.size());
    const std::string part = d.reason.substr(at, end - at);
    const std::string known = ", " + (is_cut(part) ? part.substr(0, part.size() - 2) : part + ", ");
    const auto has_part = [&](const std::string& term) { return (", " + term + ", ").find(known) != term.npos; };
    if (std::ranges::none_of(d.terms, has_part)) note += (note.empty() ? "" : ", ") + part;
  }
  return note;
}

constexpr std::size_t most_lines = 32;

// The nodes of a job in the order of its record, and their switches.
struct JobSwitches {
  std::vector<std::string> nodes;
  std::vector<std::int64_t> tasks;  // of each node; empty: not known
  std::vector<std::string> ranks;   // of each node, as "0,5-7"; empty: not known
  std::vector<SwitchShape> switches;
};

// Returns the nodes that are drawn.
const std::string& nodes_to_draw(const Decision& decision) {
  return decision.given.empty() ? decision.choice : decision.given;
}

JobSwitches switches_of(const std::string& hosts, std::string_view topology) {
  JobSwitches job;
  if (hosts.empty() || is_cut(hosts)) return job;
  try {
    job.nodes = expand_hostlist(hosts);
    std::vector<NodeShape> shapes;
    for (const std::string& node : job.nodes) shapes.push_back({node});
    job.switches = parse_scontrol_topology(topology, shapes);
  } catch (const Error&) {
    job.switches.clear();
  }
  return job;
}

// Returns the numbers of a text such as 4(x3),2: 4, 4, 4 and 2. Returns none if they are not `count`.
std::vector<std::int64_t> expand_counts(std::string_view text, std::size_t count) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : split_at(text, ',')) {
    const std::size_t times = part.find("(x");
    const auto number = parse_integer(part.substr(0, times));
    const auto repeated = times == part.npos ? 1 : parse_integer(part.substr(times + 2, part.size() - times - 3));
    if (!number || !repeated || *repeated < 1 || numbers.size() + static_cast<std::size_t>(*repeated) > count)
      return {};
    numbers.insert(numbers.end(), static_cast<std::size_t>(*repeated), *number);
  }
  return numbers.size() == count ? numbers : std::vector<std::int64_t>();
}

// Returns the ranks of each of `count` nodes from the term of a decision that has them; none if no term has them.
std::vector<std::string> ranks_in(const std::vector<std::string>& terms, std::size_t count) {
  constexpr std::string_view name = "ranks: ";
  std::vector<std::string> ranks;
  for (const std::string& term : terms) {
    if (!term.starts_with(name)) continue;
    for (const std::string_view of_node : split_at(std::string_view(term).substr(name.size()), ';'))
      ranks.emplace_back(of_node);
  }
  return ranks.size() == count ? ranks : std::vector<std::string>();
}

// Returns the nodes at a switch, as "n[1-3] with 4 tasks each, n4 with 2 tasks", or with ranks as "n1: 0,5 n2: 1-3".
std::string nodes_text(const JobSwitches& job, std::span<const std::int32_t> attached) {
  if (!job.ranks.empty()) {
    std::string text;
    for (const std::int32_t node : attached)
      text += (text.empty() ? "" : "  ") + job.nodes[node] + ": " + job.ranks[node];
    return text;
  }
  std::vector<std::pair<std::int64_t, std::vector<std::string>>> groups;  // of nodes with equally many tasks
  for (const std::int32_t node : attached) {
    const auto n = static_cast<std::size_t>(node);
    const std::int64_t tasks = job.tasks.empty() ? 0 : job.tasks[n];
    auto group = std::ranges::find(groups, tasks, &std::pair<std::int64_t, std::vector<std::string>>::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {tasks, {}});
    group->second.push_back(job.nodes[n]);
  }
  std::string text;
  for (const auto& [tasks, names] : groups) {
    text += (text.empty() ? "" : ", ") + compress_hostlist(names);
    if (!job.tasks.empty())
      text += " with " + counted(static_cast<std::size_t>(tasks), "task") + (names.size() > 1 ? " each" : "");
  }
  return text;
}

// Adds the line of a switch, then the lines of switches below it. Slurm's trees have few levels; others are not drawn.
void draw(const JobSwitches& job, std::size_t number, std::size_t level, std::vector<std::string>& lines) {
  constexpr std::size_t most_levels = 16;
  const SwitchShape& one = job.switches[number];
  const std::string nodes = nodes_text(job, one.nodes);
  lines.push_back(std::string(2 * level, ' ') + one.name + (nodes.empty() ? "" : ": " + nodes));
  for (std::size_t below = 0; below < job.switches.size() && level < most_levels; ++below)
    if (job.switches[below].parent == static_cast<std::int32_t>(number)) draw(job, below, level + 1, lines);
}

}  // namespace

std::string explained(const Decision& d, const std::string& component, std::string_view topology, bool verbose) {
  std::string text = "job " + job_name(d) + (component.empty() ? "" : " (" + component + ")") +
                     (d.restarts > 0 ? ", restart " + std::to_string(d.restarts) : "") + ", " + shown_time(d.at_s) +
                     (d.predicted   ? ", predicted"
                      : d.for_start ? ""
                                    : ", asked ahead of the start") +
                     "\n" + summary(d, topology);
  add_fact(text, "outcome", outcome_sentence(d));
  add_fact(text, "policy", d.policy + (d.parameters.empty() ? "" : " " + d.parameters));
  if (d.candidates > 0) add_fact(text, "candidates", std::to_string(d.candidates) + " nodes: " + d.candidate_nodes);
  add_fact(text, "choice", d.choice + (d.tasks_per_node.empty() ? "" : ", tasks " + d.tasks_per_node));
  const bool not_applied = d.outcome == DECISION_ADVICE;
  const auto marked = [&](const std::string& fact) {
    return fact + (not_applied && !fact.empty() ? "; only advised, because of Mode=" + d.mode : "");
  };
  add_fact(text, "allocated", d.given + (not_applied && !d.given.empty() ? ", ranks in Slurm's order" : ""));
  const char* const of_drawing = not_applied ? "advised" : "switches";
  const std::vector<std::string> drawing = drawn_on_switches(d, topology);
  for (const std::string& line : drawing) add_fact(text, &line == &drawing.front() ? of_drawing : "", line);
  if (lacks_nodes_to_draw(d, topology))
    add_fact(text, of_drawing, "not drawn: the record does not have the whole list of nodes");
  add_fact(text, "stock", stock_nodes(d, topology));
  add_fact(text, "cost", marked(costs(d)));
  add_fact(text, "describes", described_by(d));
  add_fact(text, "expected", marked(expected_time(d)));
  if (!std::isnan(d.live_age_s)) add_fact(text, "live data", shown_seconds(d.live_age_s) + " old");
  add_fact(text, "live data", d.why_not_live);
  if (d.outcome != DECISION_STOCK && d.outcome != DECISION_WAIT) add_fact(text, "note", note_without_terms(d));
  const char* name = "terms";
  for (const std::string& term : d.terms) {
    const bool is_ranks = term.starts_with("ranks: ");
    if (is_ranks ? !drawing.empty() : term.starts_with(slurms_order_term) || (!verbose && !is_plain(term))) continue;
    add_fact(text, std::exchange(name, ""), term);
  }
  if (d.time_us > 0)
    add_fact(text, "time",
             shown_microseconds(static_cast<double>(d.time_us)) + (d.remembered ? ", the answer was remembered" : ""));
  return text;
}

void decisions_json(JsonWriter& json, std::string_view name, std::span<const Decision> decisions) {
  json.objects(name, decisions, [&](const Decision& d) {
    visit_fields(d, [&json](std::string_view field, const auto& value, std::size_t = 0) {
      using Value = std::decay_t<decltype(value)>;
      if constexpr (std::is_same_v<Value, decision_outcome>)
        json.member(field, decision_outcome_names[value]);
      else if constexpr (std::is_same_v<Value, stock_reason>)
        json.member(field, stock_reason_names[value]);
      else
        json.member(field, value);
    });
    json.member("expected_time_ratio", expected_time_ratio(d).value_or(unknown_value)).list("terms", d.terms);
  });
}

std::vector<DecisionSum> sums_of(std::span<const Decision> decisions) {
  struct Times {
    std::int64_t count = 0;
    std::vector<std::int64_t> us;
  };
  std::map<std::pair<std::string, std::string>, Times> sums;
  for (const Decision& d : decisions) {
    Times& sum = sums[{d.policy.empty() ? "-" : d.policy,
                       std::string(decision_outcome_names[d.outcome]) + (d.for_start ? "" : " (ahead)")}];
    ++sum.count;
    if (!d.remembered && d.time_us > 0) sum.us.push_back(d.time_us);
  }
  std::vector<DecisionSum> result;
  for (auto& [key, sum] : sums) {
    result.push_back({key.first, key.second, sum.count});
    if (sum.us.empty()) continue;
    std::sort(sum.us.begin(), sum.us.end());
    result.back().median_us = static_cast<double>(sum.us[sum.us.size() / 2]);
    result.back().most_us = static_cast<double>(sum.us.back());
  }
  return result;
}

StartSum starts_of(std::span<const Decision> decisions) {
  StartSum sum;
  for (const Decision& decision : decisions) {
    sum.starts += decision.for_start;
    sum.stock += decision.for_start && decision.outcome == DECISION_STOCK;
  }
  return sum;
}

std::vector<std::pair<std::string, std::int64_t>> stock_reasons(std::span<const Decision> decisions, std::size_t most) {
  std::map<std::string, std::int64_t> count;
  for (const Decision& d : decisions)
    if (d.for_start && d.outcome == DECISION_STOCK) ++count[d.reason.empty() ? "?" : d.reason];
  std::vector<std::pair<std::string, std::int64_t>> reasons(count.begin(), count.end());
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  reasons.resize(std::min(reasons.size(), most));
  return reasons;
}

std::vector<std::string> drawn_on_switches(const Decision& decision, std::string_view topology) {
  JobSwitches job = switches_of(nodes_to_draw(decision), topology);
  const bool as_chosen = decision.given.empty() || decision.given == decision.choice;
  if (as_chosen) job.tasks = expand_counts(decision.tasks_per_node, job.nodes.size());
  if (as_chosen || !decision.step.empty()) job.ranks = ranks_in(decision.terms, job.nodes.size());
  std::vector<std::string> lines;
  for (std::size_t number = 0; number < job.switches.size(); ++number)
    if (job.switches[number].parent < 0) draw(job, number, 0, lines);
  if (lines.size() > most_lines) {
    const std::size_t missing = lines.size() - most_lines + 1;
    lines.resize(most_lines - 1);
    lines.push_back("and " + std::to_string(missing) + " more switches");
  }
  return lines;
}

bool lacks_nodes_to_draw(const Decision& decision, std::string_view topology) {
  const bool has_switches =
      topology.find("SwitchName=") != topology.npos || topology.find("BlockName=") != topology.npos;
  return has_switches && is_cut(nodes_to_draw(decision));
}

std::size_t leaf_switches_of(const std::string& nodes, std::string_view topology) {
  const JobSwitches job = switches_of(nodes, topology);
  return std::ranges::count_if(job.switches, [](const SwitchShape& one) { return !one.nodes.empty(); });
}

}  // namespace placement::tools
