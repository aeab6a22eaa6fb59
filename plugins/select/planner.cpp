// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/select/planner.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include "core/error.hpp"
#include "core/job_state.hpp"
#include "policies/fabric_choice.hpp"
#include "core/step_view.hpp"
#include "policies/natural_order.hpp"
#include "policies/nla.hpp"

namespace placement {

namespace {

// One variable of a job's environment; slurmctld keeps it with the job.
constexpr std::size_t max_state_bytes = 32 << 10;

std::int32_t clamped(std::uint64_t value) {
  return static_cast<std::int32_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::int32_t>::max()));
}

// One question, from the offer's arrays to a policy's request and back.
class Planner {
 public:
  Planner(const Machine& machine, const LiveNow& live, const placement_offer& offer,
          const placement_request& request, const Asked& asked, const Config& config)
      : machine_(machine), live_(live), offer_(offer), request_(request), asked_(asked), config_(config) {
    choose_tasks();
    choose_leaves();
    choose_nodes();
  }

  Plan plan(const Deadline& deadline) const {
    const Request request = policy_request();
    const ClusterView view = policy_view();
    const Placement placement = asked_place(view, request, deadline);
    Plan plan = wanted(view, placement, request.cores_per_task);
    plan.note = note_;
    add_wait_note(plan.note, request);
    if (asked_.policy->uses_live) add_terms(plan.note, placement.reasons);
    plan.terms = placement.reasons;
    if (asked_.policy->uses_live) plan.job_state = state_for_steps(view, request, placement, deadline);
    if (request.matrix && !asked_.coarse) {
      plan.cost = to_string(placement.cost);
      add_step_costs(plan, deadline);
      // On a torus the policy's natural order is that of the first nodes, and the tree's distances mean nothing.
      plan.stock_cost = on_torus(view) ? to_string(placement.natural_cost) : stock_cost(view, request, deadline);
    }
    return plan;
  }

  GivenCosts assess(const Plan& plan, const placement_grant& grant, const Deadline& deadline) const {
    const std::span given(grant.node, grant.node_count);
    const std::vector<std::int32_t> tasks = block_layout({grant.room, grant.node_count}, tasks_, request_.pack_nodes);
    GivenCosts costs{plan.cost, plan.natural_cost, {}};
    const bool same_tasks = std::ranges::equal(given, plan.nodes) && std::ranges::equal(tasks, plan.tasks);
    const bool same_cores = std::equal(plan.core_wanted.begin(), plan.core_wanted.end(), grant.core_given);
    if (!same_tasks) costs.difference = "Slurm gives " + counts_text(tasks) + " tasks, planned were " + counts_text(plan.tasks);
    if (plan.cost.empty() || (same_tasks && same_cores && !request_.whole_nodes)) return costs;
    costs.cost = costs.natural_cost = {};
    try {
      const StepView step = step_on(given, tasks, grant.core_given);
      costs.natural_cost = in_order(step, tasks);
      if (!deadline.expired()) costs.cost = placed(step, tasks, deadline);
    } catch (const Error&) {  // what is not known is left out
    }
    return costs;
  }

 private:
  // A policy that fails for want of live data is told why there are none.
  Placement asked_place(const ClusterView& view, const Request& request, const Deadline& deadline) const {
    try {
      return place_on_one_fabric(*asked_.policy, view, request, deadline);
    } catch (const Error& error) {
      if (!asked_.policy->uses_live || view.live || view.why_not_live.empty()) throw;
      const std::string text = error.what();
      throw Error(text.find(view.why_not_live) != std::string::npos ? text : text + ": " + view.why_not_live);
    }
  }

  bool on_torus(const ClusterView& view) const { return view.torus && asked_.policy->name.starts_with("TOFA"); }

  // ---- the job's first step, as srun will see it

  // The nodes with as many tasks each, and the cores that are 1 in `core`, which is like the offer's core_free.
  StepView step_on(std::span<const std::uint32_t> nodes, const std::vector<std::int32_t>& tasks,
                   const std::uint8_t* core) const {
    ClusterView view = view_of(nodes, 1);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const std::uint32_t first = offer_.first_core[nodes[n]], end = offer_.first_core[nodes[n] + 1];
      view.nodes[n].core_free.assign(core + first, core + end);
    }
    StepShape shape;
    shape.tasks = tasks;
    shape.cores_per_task = clamped(cpus_per_task_);
    return view_of_step(view, shape);
  }

  Request step_request(const StepView& step, const std::vector<std::int32_t>& tasks) const {
    Request request = policy_request();
    request.cores_per_task = step.cores_per_task;
    request.min_nodes = request.max_nodes = clamped(tasks.size());
    request.max_tasks_per_node = std::numeric_limits<std::int32_t>::max();
    request.equal_tasks_per_node = request.whole_nodes = false;
    request.required_nodes.clear();
    request.node_tasks = tasks;
    return request;
  }

  std::string in_order(const StepView& step, const std::vector<std::int32_t>& tasks) const {
    return to_string(natural_order_cost(step.view, step_request(step, tasks), on_torus(step.view)));
  }

  // What costs cannot be told stays as it is. Hardware threads are other leaves for srun than for the choice of cores.
  void add_step_costs(Plan& plan, const Deadline& deadline) const {
    if (deadline.expired()) return;
    try {
      const std::vector<std::int32_t> tasks(plan.tasks.begin(), plan.tasks.end());
      const StepView step = step_on(plan.nodes, tasks, plan.core_wanted.data());
      plan.natural_cost = in_order(step, tasks);
      if (leaves_per_core_ > 1) plan.cost = placed(step, tasks, deadline);
    } catch (const Error&) {
    }
  }

  // With ranks placed by the policy.
  std::string placed(const StepView& step, const std::vector<std::int32_t>& tasks, const Deadline& deadline) const {
    return to_string(asked_.policy->place(step.view, step_request(step, tasks), deadline).cost);
  }

  template <typename Counts>
  static std::string counts_text(const Counts& counts) {
    std::string text;
    for (const auto count : counts) {
      if (text.size() > 40) return text + ",..";
      text += (text.empty() ? "" : ",") + std::to_string(count);
    }
    return text;
  }

  std::span<const std::uint8_t> cores(std::uint32_t node) const {
    return {offer_.core_free + offer_.first_core[node], offer_.core_free + offer_.first_core[node + 1]};
  }

  // What a choice by live data rests on, for the record; the first reason tells what the record has anyway.
  static void add_terms(std::string& note, const std::vector<std::string>& reasons) {
    for (std::size_t k = 1; k < reasons.size(); ++k) note += (note.empty() ? "" : ", ") + reasons[k];
  }

  // Whether the job asks for a longer wait than the site allows.
  void add_wait_note(std::string& note, const Request& request) const {
    const auto wait = request.parameters.find("wait");
    if (wait == request.parameters.end() || wait_s(request.parameters) <= static_cast<double>(config_.max_wait_s)) return;
    note += (note.empty() ? "" : ", ") + ("wait=" + wait->second) + " is more than MaxWaitS=" + std::to_string(config_.max_wait_s);
  }

  // A job that names no number of tasks has one per node, or as many as the matrix has ranks where
  // it gets whole nodes anyway.
  void choose_tasks() {
    matrix_ = asked_.matrix;
    tasks_ = request_.tasks;
    if (tasks_ == 0 && request_.whole_nodes && matrix_) tasks_ = matrix_->ranks();
    if (tasks_ == 0)
      tasks_ = std::uint64_t{std::max(request_.min_nodes, 1u)} * std::max(request_.tasks_per_node, 1u);
    if (tasks_ > static_cast<std::uint64_t>(CommMatrix::max_ranks))
      throw Error(std::to_string(tasks_) + " tasks are too many");
    if (matrix_ && static_cast<std::uint64_t>(matrix_->ranks()) != tasks_)
      throw Error("the matrix has " + std::to_string(matrix_->ranks()) + " ranks and the job " +
                  std::to_string(tasks_) + " tasks");
    node_level_ = tasks_ > static_cast<std::uint64_t>(config_.node_level_tasks);
    if (matrix_ && node_level_)
      note_ = "by nodes only, tasks are more than NodeLevelTasks=" + std::to_string(config_.node_level_tasks);
  }

  // Leaves are cores, or threads where tasks share cores.
  void choose_leaves() {
    if (offer_.node_count == 0) throw Error("no node is free");
    usable_threads_ = offer_.cpus_per_core[0];
    for (const std::uint16_t threads : std::span(offer_.cpus_per_core, offer_.node_count))
      if (threads != usable_threads_)
        throw Error("the nodes differ in the threads per core that the job may use");
    if (usable_threads_ < 1) throw Error("no thread of a core is usable");
    cpus_per_task_ = std::max(request_.cpus_per_task, 1u);
    leaves_per_core_ = cpus_per_task_ % usable_threads_ == 0 ? 1 : usable_threads_;
    leaves_per_task_ = leaves_per_core_ == 1 ? cpus_per_task_ / usable_threads_ : cpus_per_task_;
  }

  // The leaves of a node that tasks may be planned on: no more than for the tasks that a socket, and the node, may have.
  std::vector<bool> usable_leaves(std::uint32_t node) const {
    const auto free = cores(node);
    const std::size_t leaves = free.size() * leaves_per_core_;
    const std::size_t of_socket = leaves / std::max(machine_.node(offer_.node[node]).sockets, 1);
    const auto most = [&](std::uint32_t tasks) { return tasks > 0 ? std::uint64_t{tasks} * leaves_per_task_ : leaves; };
    const std::uint64_t most_of_node = offer_.max_tasks ? most(offer_.max_tasks[node]) : leaves;
    std::vector<bool> usable(leaves, false);
    std::uint64_t used = 0;
    for (std::size_t leaf = 0, in_socket = 0; leaf < leaves && used < most_of_node; ++leaf) {
      if (leaf % of_socket == 0) in_socket = 0;
      if (!free[leaf / leaves_per_core_] || in_socket >= most(request_.tasks_per_socket)) continue;
      usable[leaf] = true;
      ++in_socket;
      ++used;
    }
    return usable;
  }

  std::uint64_t capacity(std::uint32_t node) const {
    if (!offer_.max_tasks && request_.tasks_per_socket == 0) {
      const auto free = cores(node);
      return static_cast<std::uint64_t>(std::count(free.begin(), free.end(), 1)) * leaves_per_core_ / leaves_per_task_;
    }
    const std::vector<bool> usable = usable_leaves(node);
    return static_cast<std::uint64_t>(std::count(usable.begin(), usable.end(), true)) / leaves_per_task_;
  }

  std::uint64_t room(std::span<const std::uint32_t> nodes) const {
    std::uint64_t tasks = 0;
    for (const std::uint32_t node : nodes)
      tasks += request_.tasks_per_node > 0 ? request_.tasks_per_node : capacity(node);
    return tasks;
  }

  bool suffice(std::uint64_t room, std::size_t nodes) const { return room >= tasks_ && nodes >= request_.min_nodes; }

  // An administrator who gives nodes different weights wants light ones used first: the policy chooses
  // among the lightest that suffice, and the nodes that the job insists on. Each node is counted once: all may
  // differ in weight.
  void keep_light_nodes() {
    if (offer_.weight == nullptr || config_.node_weights == NodeWeights::ignore) return;
    std::vector<bool> required(offer_.node_count, false);
    for (const std::uint32_t node : std::span(request_.required, request_.required_count))
      if (node < offer_.node_count) required[node] = true;
    std::map<std::uint64_t, std::vector<std::uint32_t>> of_weight;
    std::vector<std::uint32_t> kept;
    for (const std::uint32_t node : chosen_) {
      if (required[node])
        kept.push_back(node);
      else
        of_weight[offer_.weight[node]].push_back(node);
    }
    std::uint64_t kept_room = room(kept);
    for (const auto& [weight, nodes] : of_weight) {
      if (suffice(kept_room, kept.size())) break;
      kept_room += room(nodes);
      kept.insert(kept.end(), nodes.begin(), nodes.end());
    }
    std::sort(kept.begin(), kept.end());
    chosen_ = kept;
  }

  // Nodes that can take a task, and all that one of them must take.
  void choose_nodes() {
    std::vector<std::int32_t> chosen_at(offer_.node_count, -1);
    for (std::uint32_t node = 0; node < offer_.node_count; ++node) {
      if (offer_.node[node] < 0 || offer_.node[node] >= machine_.nodes())
        throw Error("a node is offered that the machine does not have");
      const NodeShape& shape = machine_.node(offer_.node[node]);
      if (cores(node).size() != static_cast<std::size_t>(shape.sockets) * shape.cores_per_socket)
        throw Error("node " + shape.name + " has changed its cores");
      const std::uint64_t tasks = capacity(node);
      if (tasks == 0 || tasks < request_.tasks_per_node) continue;
      chosen_.push_back(node);
    }
    if (!suffice(room(chosen_), chosen_.size())) throw Error("not enough cores are free for the policy to choose from");
    keep_light_nodes();
    for (std::size_t i = 0; i < chosen_.size(); ++i) chosen_at[chosen_[i]] = static_cast<std::int32_t>(i);
    for (const std::uint32_t node : std::span(request_.required, request_.required_count)) {
      if (node >= offer_.node_count || chosen_at[node] < 0)
        throw Error("a required node has not enough free cores");
      required_.push_back(chosen_at[node]);
    }
  }

  bool takes_key(std::string_view key) const {
    const auto keys = asked_.policy->keys;
    return std::any_of(keys.begin(), keys.end(), [key](const PolicyKey& known) { return known.name == key; });
  }

  Request policy_request() const {
    Request request;
    request.tasks = static_cast<std::int32_t>(tasks_);
    request.cores_per_task = clamped(leaves_per_task_);
    request.min_nodes = std::max(clamped(request_.min_nodes), 1);
    request.max_nodes = std::max(clamped(request_.max_nodes), 1);
    if (request_.tasks_per_node > 0) {
      request.max_tasks_per_node = clamped(request_.tasks_per_node);
      request.equal_tasks_per_node = true;
    }
    request.whole_nodes = request_.whole_nodes;
    request.waited_s = request_.waited_s;
    request.max_wait_s = config_.max_wait_s;
    request.node_level = node_level_;
    request.required_nodes = required_;
    request.matrix = matrix_;
    request.parameters = asked_.spec.parameters;
    add_defaults(request.parameters, partition_parameters());
    if (request_.time_limit_s > 0 && takes_key("job-seconds"))
      request.parameters.try_emplace("job-seconds", std::to_string(request_.time_limit_s));
    if (config_.treematch_scope == TreeScope::whole) request.parameters.try_emplace("scope", "whole");
    if (!config_.nla_weights.empty())
      add_defaults(request.parameters, parse_policy_spec("NLA=" + config_.nla_weights).parameters);
    if (config_.treematch_levels_up > 0)
      request.parameters.try_emplace("levels-up", std::to_string(config_.treematch_levels_up));
    return request;
  }

  // What the partition's policy says, where the job asks for the same.
  Parameters partition_parameters() const {
    if (request_.partition == nullptr) return {};
    for (const auto& [partition, word] : config_.partition_policies) {
      if (partition != request_.partition) continue;
      PolicySpec spec = parse_policy_spec(word);
      if (spec.policy == asked_.spec.policy) return std::move(spec.parameters);
    }
    return {};
  }

  // Where the job says nothing, its partition does, then the site; alpha and beta go together, and a profile gives both.
  void add_defaults(Parameters& parameters, const Parameters& defaults) const {
    const bool own_weights = parameters.contains("network-use");
    const bool own_balance = own_weights || parameters.contains("alpha") || parameters.contains("beta");
    for (const auto& [key, value] : defaults) {
      if (!takes_key(key) || (own_balance && (key == "alpha" || key == "beta"))) continue;
      if (own_weights && (key == "latency" || key == "bandwidth")) continue;
      parameters.try_emplace(key, value);
    }
  }

  // Nodes of the offer, with leaves_per_core leaves for each core, all of them free.
  ClusterView view_of(std::span<const std::uint32_t> nodes, std::uint32_t leaves_per_core) const {
    const ClusterView& all = machine_.view(leaves_per_core);
    ClusterView view;
    view.tree = all.tree;
    view.torus = machine_.torus();
    view.outages = machine_.outages();
    view.live = live_.state;
    view.live_age_s = live_.age_s;
    view.why_not_live = live_.why_not;
    view.nodes.reserve(nodes.size());
    for (const std::uint32_t node : nodes) {
      NodeView& added = view.nodes.emplace_back(all.nodes[offer_.node[node]]);
      if (live_.state) added.state = (*live_.state_of_node)[offer_.node[node]];
      added.torus_node = machine_.torus_node(offer_.node[node]);
    }
    return view;
  }

  ClusterView policy_view() const {
    ClusterView view = view_of(chosen_, leaves_per_core_);
    for (std::size_t n = 0; n < chosen_.size(); ++n) view.nodes[n].core_free = usable_leaves(chosen_[n]);
    return view;
  }

  // The policy's answer as cores of the offer. A policy that does not keep its promises is not
  // believed: what it says decides over other people's jobs.
  Plan wanted(const ClusterView& view, const Placement& placement, std::int32_t leaves_per_task) const {
    const std::string broken = asked_.spec.policy + " gave a placement that is not legal";
    if (placement.ranks.size() != tasks_) throw Error(broken);
    std::vector<std::uint32_t> tasks(view.nodes.size(), 0);
    std::vector<std::vector<std::uint32_t>> leaves(view.nodes.size());  // taken, per core
    std::vector<std::vector<bool>> free;
    for (const NodeView& node : view.nodes) free.push_back(node.core_free);
    for (const RankPlace& rank : placement.ranks) {
      if (rank.node < 0 || static_cast<std::size_t>(rank.node) >= view.nodes.size() ||
          rank.cores.size() != static_cast<std::size_t>(leaves_per_task))
        throw Error(broken);
      ++tasks[rank.node];
      leaves[rank.node].resize(free[rank.node].size() / leaves_per_core_);
      for (const std::int32_t leaf : rank.cores) {
        if (leaf < 0 || static_cast<std::size_t>(leaf) >= free[rank.node].size() || !free[rank.node][leaf])
          throw Error(broken);
        free[rank.node][leaf] = false;
        ++leaves[rank.node][leaf / leaves_per_core_];
      }
    }
    return in_terms_of_offer(tasks, leaves, broken);
  }

  Plan in_terms_of_offer(const std::vector<std::uint32_t>& tasks,
                         const std::vector<std::vector<std::uint32_t>>& leaves,
                         const std::string& broken) const {
    Plan plan;
    plan.task_count = static_cast<std::uint32_t>(tasks_);
    plan.core_wanted.assign(offer_.first_core[offer_.node_count], 0);
    for (const std::int32_t node : required_)
      if (tasks[node] == 0) throw Error(broken);
    for (std::size_t node = 0; node < tasks.size(); ++node) {
      if (tasks[node] == 0) continue;
      if (request_.tasks_per_node > 0 && tasks[node] > request_.tasks_per_node) throw Error(broken);
      plan.nodes.push_back(chosen_[node]);
      plan.tasks.push_back(tasks[node]);
      want_cores(plan, chosen_[node], tasks[node], leaves[node]);
    }
    if (plan.nodes.size() < request_.min_nodes || plan.nodes.size() > request_.max_nodes)
      throw Error(broken);
    return plan;
  }

  // Exactly the cores that Slurm will count for so many tasks, no more and no less, or it picks
  // among them or refuses: those with most of the planned threads first, then free ones.
  void want_cores(Plan& plan, std::uint32_t node, std::uint32_t tasks,
                  const std::vector<std::uint32_t>& leaves) const {
    const auto free = cores(node);
    const std::uint64_t cpus = std::uint64_t{std::max(tasks, request_.tasks_per_node)} * cpus_per_task_;
    const std::size_t needed =
        request_.whole_nodes ? free.size() : (cpus + usable_threads_ - 1) / usable_threads_;
    std::vector<std::uint32_t> order;
    for (std::uint32_t core = 0; core < free.size(); ++core)
      if (free[core]) order.push_back(core);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return leaves[a] > leaves[b]; });
    order.resize(std::min(order.size(), needed));
    for (const std::uint32_t core : order) plan.core_wanted[offer_.first_core[node] + core] = 1;
  }

  // By the same probabilities as the choice of nodes.
  std::string state_for_steps(const ClusterView& view, const Request& request, const Placement& placement,
                              const Deadline& deadline) const {
    std::vector<std::int32_t> nodes;
    for (const RankPlace& rank : placement.ranks) nodes.push_back(rank.node);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    const auto job_seconds = static_cast<double>(number_parameter(request, "job-seconds", 0, INT32_MAX));
    return pack_job_state(request_.job_id, view, nodes, job_seconds, max_state_bytes, deadline);
  }

  std::string stock_cost(const ClusterView& view, const Request& request, const Deadline& deadline) const {
    const Policy* sequential = find_policy("SEQUENTIAL");
    if (sequential == nullptr || deadline.expired()) return {};
    Request plain = request;
    plain.parameters.clear();
    try {
      const Plan first = wanted(view, place_on_one_fabric(*sequential, view, plain, deadline), plain.cores_per_task);
      const std::vector<std::int32_t> tasks(first.tasks.begin(), first.tasks.end());
      return in_order(step_on(first.nodes, tasks, first.core_wanted.data()), tasks);
    } catch (const Error&) {
      return {};
    }
  }

  const Machine& machine_;
  const LiveNow& live_;
  const placement_offer& offer_;
  const placement_request& request_;
  const Asked& asked_;
  const Config& config_;

  std::shared_ptr<const CommMatrix> matrix_;
  std::string note_;
  std::uint64_t tasks_ = 0;
  bool node_level_ = false;
  std::uint32_t cpus_per_task_ = 1;
  std::uint32_t usable_threads_ = 1;
  std::uint32_t leaves_per_core_ = 1;
  std::uint32_t leaves_per_task_ = 1;
  std::vector<std::uint32_t> chosen_;    // indices into the offer: the nodes of the policy's view
  std::vector<std::int32_t> required_;  // indices into chosen_
};

}  // namespace

Plan make_plan(const Machine& machine, const LiveNow& live, const placement_offer& offer,
               const placement_request& request, const Asked& asked, const Config& config,
               const Deadline& deadline) {
  if (asked.policy == nullptr) throw Error(asked.error);
  if (deadline.expired()) throw Error("no time is left to decide");
  return Planner(machine, live, offer, request, asked, config).plan(deadline);
}

GivenCosts assess_grant(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                        const placement_request& request, const Asked& asked, const Config& config, const Plan& plan,
                        const placement_grant& grant, const Deadline& deadline) {
  try {
    return Planner(machine, live, offer, request, asked, config).assess(plan, grant, deadline);
  } catch (const Error&) {
    return {};
  }
}

std::vector<std::int32_t> block_layout(std::span<const std::uint32_t> room, std::uint64_t tasks, bool pack) {
  std::vector<std::int32_t> given(room.size(), 0);
  const auto round = [&](auto may_take) {
    bool took = false;
    for (std::size_t n = 0; n < room.size() && tasks > 0; ++n)
      while (tasks > 0 && may_take(n)) {
        ++given[n];
        --tasks;
        took = true;
        if (!pack) break;
      }
    return took;
  };
  const auto has_room = [&](std::size_t n) { return static_cast<std::uint32_t>(given[n]) < room[n]; };
  if (pack)  // none stays empty
    for (std::size_t n = 0; n < room.size() && tasks > 0; ++n, --tasks) ++given[n];
  while (round(has_room)) {
  }
  pack = false;
  while (!room.empty() && tasks > 0) round([](std::size_t) { return true; });
  return given;
}

}  // namespace placement
