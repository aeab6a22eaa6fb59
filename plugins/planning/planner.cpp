// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/planner.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "common/decision/decision.hpp"
#include "common/decision/job_state.hpp"
#include "common/state/outage_file.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/placement_error.hpp"
#include "pattern/pattern.hpp"
#include "policies/fabric_choice.hpp"
#include "policies/nla.hpp"

namespace placement::planning {

namespace {

// The most bytes of PLACEMENT_STATE and of PLACEMENT_RANKS, variables that slurmctld keeps with the job.
constexpr std::size_t max_state_bytes = 32 << 10;
constexpr std::size_t max_ranks_bytes = 16 << 10;

// For jobs of up to this number of tasks, the ranks of the first step are placed a second time. This takes a
// millisecond or two.
constexpr std::uint64_t most_tasks_placed_twice = 128;

// Makes one decision: converts the offer's arrays to the policy's view and request, and the placement back to a plan.
class Planner {
 public:
  explicit Planner(const DecisionInput& input)
      : input_(input),
        offer_(input.offer),
        request_(input.request),
        job_request_(input.job_request),
        config_(input.config),
        candidates_(input.machine, offer_, request_, job_request_, config_) {}

  Plan plan(PolicyViews& views, const Deadline& deadline) const {
    Request request = policy_request(candidates_, request_, job_request_, config_);
    if (input_.without_matrix) request.matrix = nullptr;
    const ClusterView& view = views.of(input_.machine, input_.live, offer_, candidates_);
    const Deadline search = end_of_search(deadline, request.matrix.get(), config_);
    const Placement placement = asked_place(view, request, search);
    const bool cut_short = search.expired();
    Plan plan = wanted(view, placement, request.cores_per_task);
    check_step_starts(plan);
    plan.note = candidates_.note;
    plan.cut_short = cut_short;
    if (cut_short)
      add_term(plan.note, "DecisionTimeMs=" + std::to_string(config_.decision_time_ms) + " cut the search short");
    add_traffic_note(plan.note, request);
    if (request.matrix && job_request_.natural_order) add_term(plan.note, std::string(natural_order_note));
    add_wait_note(plan.note, request);
    if (const std::string unknown = unknown_outages(view); !unknown.empty()) {
      add_term(plan.note, unknown);
      plan.lacks = job_request_.spec.policy + " as if no node failed, because " + unknown;
    }
    plan.terms = placement.reasons;
    if (job_request_.policy->uses_live) {
      // The record reports the first reason in other fields.
      for (std::size_t k = 1; k < placement.reasons.size(); ++k) add_term(plan.note, placement.reasons[k]);
      plan.for_steps.job_state = state_for_steps(view, request, placement, deadline);
    }
    if (request.matrix) {
      set_placed(plan.costs, view, job_request_, placement);
      if (!job_request_.natural_order)  // srun starts with these ranks, unless the text is too long
        plan.for_steps.planned_ranks =
            pack_planned_ranks({request_.job_id, ranks_of_used_nodes(placement, view.nodes.size())}, max_ranks_bytes);
      add_step_costs(plan, deadline);
      if (job_request_.natural_order) {
        plan.costs.cost = plan.costs.natural_cost;
        plan.costs.busiest_link.clear();
        plan.costs.ranks.clear();
      }
      // On a torus the tree's distances mean nothing. There, natural_cost of the policy's placement is the cost of
      // natural order on the first nodes.
      if (on_torus(view, job_request_))
        plan.costs.stock_cost = to_string(placement.natural_cost);
      else
        add_costs_on_first_nodes(plan, view, request, deadline);
    } else if (input_.without_matrix) {
      plan.note = "without the matrix, the time for decisions is used up";
      try {
        plan.costs.natural_cost = first_step(plan).natural_cost();
      } catch (const Error&) {  // the cost stays empty
      }
      add_costs_on_first_nodes(plan, view, request, deadline);
    }
    return plan;
  }

  bool use_stock_choice(const std::set<std::string>& names, PolicyViews& views, Plan& plan,
                        const Deadline& deadline) const {
    Request request = policy_request(candidates_, request_, job_request_, config_);
    const ClusterView& view = views.of(input_.machine, input_.live, offer_, candidates_);
    request.required_nodes.clear();
    for (std::size_t n = 0; n < view.nodes.size(); ++n)
      if (names.contains(view.nodes[n].name)) request.required_nodes.push_back(static_cast<std::int32_t>(n));
    request.min_nodes = request.max_nodes = static_cast<std::int32_t>(names.size());
    if (request.required_nodes.size() != names.size()) return false;
    set_stock_costs(plan, view, request, deadline);
    return true;
  }

 private:
  // The tasks and leaves that a placement uses on one node.
  struct NodeUse {
    std::uint32_t tasks = 0;
    std::vector<bool> taken;            // for each leaf of the node, whether a task has it
    std::vector<std::uint32_t> leaves;  // for each core of the node, the number of its leaves that tasks have
  };

  // Returns the policy's placement. If a policy that uses live data fails without them, the error also reports why they
  // are missing.
  Placement asked_place(const ClusterView& view, const Request& request, const Deadline& deadline) const {
    try {
      return policies::place_on_one_fabric(*job_request_.policy, view, request, deadline);
    } catch (const Error& error) {
      if (!job_request_.policy->uses_live || view.live || view.why_not_live.empty()) throw;
      const std::string text = error.what();
      throw PlacementError(STOCK_NO_LIVE_DATA,
                           text.find(view.why_not_live) != std::string::npos ? text : text + ": " + view.why_not_live);
    }
  }

  FirstStep first_step(const Plan& plan) const {
    return {input_, candidates_, plan.nodes, {plan.tasks.begin(), plan.tasks.end()}, plan.core_wanted.data()};
  }

  // Computes the costs of the first step on the planned cores. Costs that cannot be computed stay unchanged. The ranks
  // are placed again, and the cost with placed ranks is computed for them, in these cases:
  // - The network is measured: loads are relative to all pairs in view, and srun has fewer in view.
  // - srun sees other leaves: hardware threads, or cores that Slurm deals out differently (--ntasks-per-node).
  // - The job is small: srun may find other ranks.
  void add_step_costs(Plan& plan, const Deadline& deadline) const {
    try {
      const FirstStep step = first_step(plan);
      plan.costs.natural_cost = step.natural_cost();
      if (deadline.expired()) return;
      const bool by_network = job_request_.policy->uses_live && !on_torus(step.view(), job_request_);
      if (by_network || candidates_.leaves_per_core > 1 || (!request_.whole_nodes && has_spare_cores(plan)))
        step.place(plan.costs, plan.for_steps, deadline);
      else if (candidates_.tasks <= most_tasks_placed_twice)
        place_again(step, plan, deadline);
    } catch (const Error&) {
    }
  }

  // Replaces the plan's ranks and cost by those that srun will find. Leaves them unchanged if the time does not
  // suffice, because a search that is cut short returns natural order.
  void place_again(const FirstStep& step, Plan& plan, const Deadline& deadline) const {
    const Deadline search = end_of_search(deadline, job_request_.matrix.get(), config_);
    if (search.expired()) return;
    StepCosts again = plan.costs;
    step.place(again, plan.for_steps, deadline);
    if (!search.expired()) plan.costs = std::move(again);
  }

  std::uint64_t cores_wanted(const Plan& plan, std::uint32_t node) const {
    const auto first = plan.core_wanted.begin();
    return static_cast<std::uint64_t>(
        std::count(first + offer_.first_core[node], first + offer_.first_core[node + 1], 1));
  }

  // Returns the number of cores that `tasks` tasks need. Two tasks may share a core.
  std::uint64_t cores_of(std::uint64_t tasks) const {
    return (tasks * candidates_.cpus_per_task + candidates_.usable_threads - 1) / candidates_.usable_threads;
  }

  bool has_spare_cores(const Plan& plan) const {
    for (std::size_t n = 0; n < plan.nodes.size(); ++n)
      if (cores_wanted(plan, plan.nodes[n]) > cores_of(plan.tasks[n])) return true;
    return false;
  }

  // Throws PlacementError if Slurm would not start a step of all tasks on the planned cores. Slurm requires whole cores
  // for each task of a step that does not use all CPUs of the job.
  void check_step_starts(const Plan& plan) const {
    if (!request_.tasks_need_whole_cores || candidates_.cpus_per_task <= candidates_.usable_threads) return;
    std::uint64_t cores = 0;
    bool fits = true;
    for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
      const std::uint64_t wanted = cores_wanted(plan, plan.nodes[n]);
      cores += wanted;
      fits = fits && plan.tasks[n] * cores_of(1) <= wanted;
    }
    if (!fits && cores * candidates_.usable_threads != candidates_.tasks * candidates_.cpus_per_task)
      throw PlacementError(STOCK_NO_ROOM, "Slurm would not start " + std::to_string(candidates_.tasks) + " tasks of " +
                                              std::to_string(candidates_.cpus_per_task) +
                                              " CPUs on the policy's cores, because each task requires whole cores");
  }

  static void add_term(std::string& note, const std::string& term) { note += (note.empty() ? "" : ", ") + term; }

  // If the policy avoids nodes that fail but has no outage probabilities, returns why; otherwise an empty string.
  std::string unknown_outages(const ClusterView& view) const {
    if (!job_request_.policy->avoids_faults || view.outages || (view.live && outages_known(*view.live))) return {};
    const std::string why = view.live ? "the live data have no outage probabilities" : view.why_not_live;
    return "no outages are known" + (why.empty() ? "" : ": " + why);
  }

  // Adds a remark on what replaces a matrix file: a pattern, or the nearest nodes. If the client did not know the
  // number of tasks, the request has no matrix of its pattern, and the pattern counts only for the steps. An all-to-all
  // needs no matrix, because the nearest nodes are best for it.
  void add_traffic_note(std::string& note, const Request& request) const {
    const auto pattern = pattern::pattern_of(job_request_.spec.parameters);
    std::string text;
    if (pattern && (request.matrix || pattern->kind == pattern::Pattern::Kind::all_to_all))
      text = "pattern " + pattern::to_string(*pattern);
    else if (!request.matrix && !job_request_.policy->needs_live)
      text = std::string("no matrix: the nearest nodes") +
             (job_request_.natural_order       ? ", ranks in natural order"
              : pattern                        ? ", ranks of each step by " + pattern::to_string(*pattern)
              : job_request_.policy->uses_live ? ", consecutive ranks near each other"
                                               : ", ranks in the order of the topology");
    if (!text.empty()) add_term(note, text);
  }

  // Adds a remark if the parameter `wait` exceeds the longest wait that the job may have.
  void add_wait_note(std::string& note, const Request& request) const {
    const auto wait = request.parameters.find("wait");
    if (wait == request.parameters.end() ||
        policies::wait_s(request.parameters) <= static_cast<double>(request.max_wait_s))
      return;
    add_term(note, "wait=" + wait->second +
                       (request_.no_wait ? std::string(" has no effect ") + request_.no_wait
                                         : " is more than MaxWaitS=" + std::to_string(config_.max_wait_s)));
  }

  // Converts the placement to a plan. Throws PlacementError if the placement is not legal: a wrong plan would harm
  // other users' jobs.
  Plan wanted(const ClusterView& view, const Placement& placement, std::int32_t leaves_per_task) const {
    const std::string broken = job_request_.spec.policy + " gave a placement that is not legal";
    if (placement.ranks.size() != candidates_.tasks) throw PlacementError(STOCK_OTHER, broken);
    std::map<std::int32_t, NodeUse> use_of;  // by the index of the node in the view, for the nodes that are used
    for (const RankPlace& rank : placement.ranks) {
      if (rank.node < 0 || static_cast<std::size_t>(rank.node) >= view.nodes.size() ||
          rank.cores.size() != static_cast<std::size_t>(leaves_per_task))
        throw PlacementError(STOCK_OTHER, broken);
      const std::vector<bool>& usable = view.nodes[rank.node].core_free;
      NodeUse& use = use_of[rank.node];
      ++use.tasks;
      use.taken.resize(usable.size());
      use.leaves.resize(usable.size() / candidates_.leaves_per_core);
      for (const std::int32_t leaf : rank.cores) {
        if (leaf < 0 || static_cast<std::size_t>(leaf) >= usable.size() || !usable[leaf] || use.taken[leaf])
          throw PlacementError(STOCK_OTHER, broken);
        use.taken[leaf] = true;
        ++use.leaves[leaf / candidates_.leaves_per_core];
      }
    }
    for (const std::int32_t node : candidates_.required)
      if (!use_of.contains(node)) throw PlacementError(STOCK_OTHER, broken);
    if (use_of.size() < request_.min_nodes || use_of.size() > request_.max_nodes)
      throw PlacementError(STOCK_OTHER, broken);
    return in_terms_of_offer(use_of, broken);
  }

  // Converts `use_of`, with indices into the view, to a plan with indices into the offer.
  Plan in_terms_of_offer(const std::map<std::int32_t, NodeUse>& use_of, const std::string& broken) const {
    Plan plan;
    plan.task_count = static_cast<std::uint32_t>(candidates_.tasks);
    plan.core_wanted.assign(offer_.first_core[offer_.node_count], 0);
    for (const auto& [node, use] : use_of) {
      if (request_.tasks_per_node > 0 && use.tasks > request_.tasks_per_node) throw PlacementError(STOCK_OTHER, broken);
      plan.nodes.push_back(candidates_.nodes[node]);
      plan.tasks.push_back(use.tasks);
      want_cores(plan, candidates_.nodes[node], use.tasks, use.leaves);
    }
    return plan;
  }

  // Marks in the plan exactly the number of cores that Slurm will count for `tasks` tasks on the node. With more cores
  // Slurm would choose among them; with fewer it would refuse. Cores with more leaves of tasks come first, and free
  // cores without tasks last.
  void want_cores(Plan& plan, std::uint32_t node, std::uint32_t tasks, const std::vector<std::uint32_t>& leaves) const {
    const auto free = candidates_.cores(node);
    const std::uint64_t cpus = std::uint64_t{std::max(tasks, request_.tasks_per_node)} * candidates_.cpus_per_task;
    const std::size_t needed =
        request_.whole_nodes ? free.size() : (cpus + candidates_.usable_threads - 1) / candidates_.usable_threads;
    std::vector<std::uint32_t> order;
    for (std::uint32_t core = 0; core < free.size(); ++core)
      if (free[core]) order.push_back(core);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t core) { return leaves[core]; });
    order.resize(std::min(order.size(), needed));
    for (const std::uint32_t core : order) plan.core_wanted[offer_.first_core[node] + core] = 1;
  }

  // Returns the value of PLACEMENT_STATE: the live data of the decision on the nodes of the placement. srun then places
  // ranks by the data that this decision used.
  std::string state_for_steps(const ClusterView& view, const Request& request, const Placement& placement,
                              const Deadline& deadline) const {
    std::vector<std::int32_t> nodes;
    for (const RankPlace& rank : placement.ranks) nodes.push_back(rank.node);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    const auto job_seconds = static_cast<double>(number_parameter(request, "job-seconds", 0, INT32_MAX));
    return pack_job_state(request_.job_id, view, nodes, job_seconds, max_state_bytes, deadline);
  }

  // Sets stock_cost and stock_busiest_link of the plan: those of natural order on the nodes that the policy SEQUENTIAL
  // takes from `nodes`. On a torus, sets only stock_cost. Throws Error if the job's limits do not allow these nodes.
  void set_stock_costs(Plan& plan, const ClusterView& nodes, Request plain, const Deadline& deadline) const {
    plain.parameters.clear();
    plain.matrix = candidates_.matrix;
    const policies::Policy& sequential = *policies::find_policy("SEQUENTIAL");
    const Plan taken =
        wanted(nodes, policies::place_on_one_fabric(sequential, nodes, plain, deadline), plain.cores_per_task);
    const FirstStep step = first_step(taken);
    if (on_torus(step.view(), job_request_)) {
      plan.costs.stock_cost = step.natural_cost();
      return;
    }
    const Placement natural = step.in_order(deadline);
    plan.costs.stock_cost = to_string(natural.cost);
    plan.stock = step.cost_within(natural);
    const std::string link = busiest_of(step.view(), job_request_, natural);
    plan.costs.stock_busiest_link = link.empty() ? "" : ", stock " + link;
  }

  // Calls set_stock_costs() for the first offered nodes or, if the job's limits do not allow them, for all offered
  // nodes. Leaves the costs empty if they cannot be computed.
  void add_costs_on_first_nodes(Plan& plan, const ClusterView& view, const Request& request,
                                const Deadline& deadline) const {
    try {
      if (request.required_nodes.empty() && policies::is_one_fabric(view))
        return set_stock_costs(plan, first_nodes(view), request, deadline);
    } catch (const Error&) {  // the job's limits do not allow the first nodes
    }
    try {
      set_stock_costs(plan, view, request, deadline);
    } catch (const Error&) {
    }
  }

  // Returns the view of the first nodes of `view`. Their number is the least that has room for the tasks and is not
  // below min_nodes.
  ClusterView first_nodes(const ClusterView& view) const {
    ClusterView first{view.tree, {}};
    std::uint64_t room = 0;
    for (std::size_t n = 0; n < view.nodes.size() && (room < candidates_.tasks || n < request_.min_nodes); ++n) {
      const std::uint64_t tasks = candidates_.capacity[candidates_.nodes[n]];
      room += request_.tasks_per_node > 0 ? std::min<std::uint64_t>(tasks, request_.tasks_per_node) : tasks;
      first.nodes.push_back(view.nodes[n]);
    }
    return first;
  }

  const DecisionInput& input_;
  const placement_offer& offer_;
  const placement_request& request_;
  const JobRequest& job_request_;
  const Config& config_;
  const CandidateNodes candidates_;
};

}  // namespace

Plan make_plan(const DecisionInput& input, PolicyViews& views, const Deadline& deadline) {
  if (input.job_request.policy == nullptr) throw Error(input.job_request.error);
  if (deadline.expired()) throw PlacementError(STOCK_NO_TIME, "no time is left to decide");
  return Planner(input).plan(views, deadline);
}

bool use_stock_choice(const DecisionInput& input, const std::string& nodes, PolicyViews& views, Plan& plan,
                      const Deadline& deadline) {
  const std::vector<std::string> names = expand_hostlist(nodes);
  return Planner(input).use_stock_choice({names.begin(), names.end()}, views, plan, deadline);
}

}  // namespace placement::planning
