// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/decision_log.hpp"

#include <chrono>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/word_list.hpp"

namespace placement::planning {

// The most nodes in a list of names. A longer list is not shown whole, and making it takes time.
constexpr std::size_t most_listed = 512;

// Returns the names of `nodes`, indices into the offer, as a hostlist. Nodes without a name are left out.
static std::string listed(const Machine& machine, const placement_offer& offer, std::span<const std::uint32_t> nodes) {
  std::vector<std::string> names;
  for (const std::uint32_t node : nodes.first(std::min(nodes.size(), most_listed)))
    if (offer.node[node] >= 0 && offer.node[node] < machine.nodes())
      names.push_back(machine.node(offer.node[node]).name);
  return compress_hostlist(names) + (nodes.size() > most_listed ? ".." : "");
}

DecisionLog::DecisionLog(std::string path, RingReaders readers) : path_(std::move(path)), readers_(readers) { open(); }

bool DecisionLog::open() {
  if (!status().ring.empty()) return true;
  std::unique_ptr<DecisionWriter> ring;
  Status found;
  try {
    ring = std::make_unique<DecisionWriter>(path_, readers_);
    found.ring = ring->path();
  } catch (const Error& error) {
    found.trouble = error.what();
    found.in_use = dynamic_cast<const RingIsInUse*>(&error) != nullptr;
  }
  const std::lock_guard lock(mutex_);
  if (ring)
    for (const Decision& decision : std::exchange(kept_, {})) ring->put(decision);
  ring_ = std::move(ring);
  status_ = std::move(found);
  return ring_ != nullptr;
}

void DecisionLog::record_choice(const Machine& machine, const placement_offer& offer, const JobRequest& job_request,
                                const LiveNow& live, const Plan* plan) {
  decision_ = {};
  decision_.parameters =
      joined(job_request.spec.parameters, ",", [](const auto& one) { return one.first + "=" + one.second; });
  decision_.live_age_s = live.age_s;
  decision_.why_not_live = live.why_not;
  decision_.candidates = offer.node_count;
  std::vector<std::uint32_t> all;
  for (std::uint32_t node = 0; node < offer.node_count && node <= most_listed; ++node) all.push_back(node);
  decision_.candidate_nodes = listed(machine, offer, all);
  if (plan == nullptr) return;
  decision_.choice = listed(machine, offer, plan->nodes);
  decision_.tasks_per_node = run_lengths(plan->tasks, 4 * most_listed);
  decision_.terms = plan->terms;
}

void DecisionLog::record(const placement_decision& d) {
  const auto text = [](const char* value) { return value != nullptr ? value : ""; };
  const auto add_term = [&](const std::string& name, const char* value) {
    if (*text(value) != '\0') decision_.terms.push_back(name + value);
  };
  decision_.at_s = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  decision_.job_id = d.job_id;
  decision_.array_task = d.array_task_known ? std::to_string(d.job_id) + "_" + std::to_string(d.array_task) : "";
  decision_.restarts = d.restarts;
  decision_.submitted_s = d.submitted_s;
  decision_.predicted = d.predicted;
  decision_.uid = d.uid;
  decision_.policy = text(d.policy);
  decision_.outcome = d.end;
  decision_.for_start = d.for_start;
  decision_.mode = to_string(static_cast<Mode>(d.mode));
  decision_.given = text(d.given);
  decision_.stock_choice = text(d.stock_choice);
  decision_.remembered = d.remembered;
  decision_.time_us = d.time_us;
  decision_.tasks = d.task_count;
  decision_.reason = text(d.reason);
  if (d.end == DECISION_STOCK) decision_.reason_class = d.stock_reason;
  decision_.cost = text(d.cost);
  decision_.natural_cost = text(d.natural_cost);
  decision_.first_nodes_cost = text(d.stock_cost);
  if (d.end != DECISION_STOCK) add_term("busiest link: ", d.busiest_link);
  if (d.end != DECISION_STOCK) add_term("ranks: ", d.ranks);
  if (d.end == DECISION_CORES || d.end == DECISION_NODES)
    add_term("no rank is bound to its core: TaskPlugin=", d.unbound);
  {
    const std::lock_guard lock(mutex_);
    if (ring_)
      ring_->put(decision_);
    else if (kept_.size() < ring_places)
      kept_.push_back(decision_);
  }
  forget();
}

}  // namespace placement::planning
