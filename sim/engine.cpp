// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/engine.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/deadline.hpp"
#include "common/util/text.hpp"
#include "sim/backfill.hpp"
#include "sim/failures.hpp"
#include "sim/running_jobs.hpp"

namespace placement::sim {

namespace {

constexpr std::int64_t second_us = 1000000;
constexpr std::int64_t hour_us = 3600 * second_us;
constexpr std::int64_t latest_us = never_us / 4;  // the latest simulated time: adding a run time does not overflow
constexpr std::size_t most_samples = 100'000;

// Returns the name of a job in messages.
std::string name_of(const LogJob& job) {
  return "job " + std::to_string(job.id) + (job.line > 0 ? " (line " + std::to_string(job.line) + " of the log)" : "");
}

[[noreturn]] void refuse_run_time(const LogJob& job, double run_s) {
  throw Error(name_of(job) + " would run " + short_number(run_s) + " s: at most " +
              std::to_string(latest_us / second_us) + " s can be replayed");
}

void check_times(std::span<const LogJob> jobs) {
  for (const LogJob& job : jobs) {
    if (job.run_s > latest_us / second_us) refuse_run_time(job, static_cast<double>(job.run_s));
    if (job.submit_s > latest_us / second_us)
      throw Error(name_of(job) + ": submitted " + std::to_string(job.submit_s) + " s after the start, at most " +
                  std::to_string(latest_us / second_us) + " s can be replayed");
  }
}

// The cores of a job from its start to its end, or to the time at which it is counted.
struct Use {
  std::int64_t start_us, end_us, cores;
};

Use use_of(const RunningJob& job, std::int64_t now_us) {
  return {job.start_us, std::min(now_us, job.end_us), std::ssize(job.cores)};
}

// A node that is down, and its leaves, which jobs cannot use until the repair.
struct DownNode {
  std::int32_t node;
  std::vector<std::int32_t> leaves;
};

class Engine {
 public:
  Engine(const Machine& machine, std::span<const LogJob> jobs, const Strategy& strategy, const PatternSource& patterns,
         const ReplayOptions& options, ReplayControl& control)
      : machine_(machine),
        jobs_(jobs),
        strategy_(strategy),
        patterns_(patterns),
        options_(options),
        control_(control),
        release_us_(std::llround(options.release_s * second_us)),
        failures_(options, machine.nodes()) {
    result_.strategy = strategy.name;
    result_.outcomes.resize(jobs.size());
    for (std::size_t k = 0; k < jobs.size(); ++k)
      if (shares(k)) patterns.check(jobs[k].tasks);
  }

  Replay run() {
    const std::chrono::nanoseconds begin = processor_time();  // processor time of this thread
    if (options_.full_start) fill_machine();
    while (result_.ended + result_.given_up < std::ssize(jobs_)) {
      if (stopped()) {
        result_.interrupted = true;
        break;
      }
      advance(next_event());
      while (running_.next_end_us() <= now_us_) end(running_.first());
      repair_nodes();
      while (failures_.next_us() <= now_us_) fail_node(failures_.take());
      for (; arrived_ < jobs_.size() && jobs_[arrived_].submit_s * second_us <= now_us_; ++arrived_)
        waiting_.push_back(static_cast<std::int32_t>(arrived_));
      record_free_leaves();
      schedule();
      if (now_us_ >= next_sample_us_) {
        sample();
        next_sample_us_ = result_.samples.size() < most_samples ? now_us_ + hour_us : never_us;
      }
    }
    for (const std::int64_t slot : running_.slots()) uses_.push_back(use_of(running_.at(slot), now_us_));
    for (const Use& use : uses_)
      result_.busy_core_us +=
          static_cast<double>(use.cores) *
          static_cast<double>(std::max<std::int64_t>(std::min(use.end_us, result_.makespan_us) - use.start_us, 0));
    result_.replay_s = static_cast<double>((processor_time() - begin).count()) / 1e9;
    return std::move(result_);
  }

 private:
  void tell_progress() { control_.ended_jobs = result_.ended + result_.given_up; }
  bool stopped() const { return control_.stop != nullptr && *control_.stop; }
  bool fits(std::int32_t job) const { return cores_wanted(jobs_[job].tasks) <= machine_.free_cores(); }
  // Whether a job has a matrix. It depends on the seed and the number of the job only, so that replays of several
  // strategies agree.
  bool shares(std::size_t job) const { return fraction(number_of(options_.seed, Stream::share, job)) < options_.share; }

  std::int64_t cores_wanted(std::int32_t tasks) const {
    if (!options_.whole_nodes) return tasks;
    return machine_.least_nodes(tasks) * machine_.largest_node();
  }

  // Returns the requested time of a job, cut off at the latest time that can be replayed. With Slurm's backfill it is
  // rounded up to whole minutes, as Slurm does.
  std::int64_t limit_us(const LogJob& job) const {
    std::int64_t limit_s = std::min(job.limit_s, latest_us / second_us);
    if (options_.backfill == Backfill::slurm) limit_s = (limit_s + 59) / 60 * 60;
    return limit_s * second_us;
  }

  void launch(RunningJob job) {
    machine_.take(job.cores);
    running_.add(std::move(job));
  }

  // Takes an ended or stopped job off the machine and returns its cores.
  std::vector<std::int32_t> leave(std::int64_t slot) {
    RunningJob job = running_.remove(slot);
    machine_.release(job.cores);
    uses_.push_back(use_of(job, now_us_));
    return std::move(job.cores);
  }

  // Fills the machine with jobs of the log, as if it were in the middle of this work. A job is drawn with a probability
  // in proportion to its run time, and has a random part of it left.
  void fill_machine() {
    std::vector<double> weight;
    double total = 0;
    for (const LogJob& job : jobs_) weight.push_back(total += static_cast<double>(job.run_s));
    Random random(number_of(options_.seed, Stream::fill, 0));
    const Strategy stock{"SLURM", true, false, {}};
    constexpr int patience = 200;
    for (int misses = 0; misses < patience && machine_.free_cores() > 0;) {
      const auto pick =
          std::upper_bound(weight.begin(), weight.end(), fraction(random.next()) * total) - weight.begin();
      const LogJob& job = jobs_[std::min<std::size_t>(static_cast<std::size_t>(pick), jobs_.size() - 1)];
      const double left = fraction(random.next()) * static_cast<double>(job.run_s) * second_us;
      if (cores_wanted(job.tasks) > machine_.free_cores()) {
        ++misses;
        continue;
      }
      const auto end_us = static_cast<std::int64_t>(left) + 1;
      const std::int64_t expected_us = end_us + limit_us(job) - job.run_s * second_us;
      launch({filler, 0, end_us, end_us, expected_us, place_job(machine_, stock, request_of(job)).taken});
      result_.fill.push_back({job.tasks, end_us, expected_us});
    }
  }

  JobRequest request_of(const LogJob& job) const {
    JobRequest request;
    request.tasks = job.tasks;
    request.limit_s = job.limit_s;
    request.whole_nodes = options_.whole_nodes;
    request.stock = options_.stock_request;
    if (job.tasks >= options_.effort_tasks) request.effort = options_.effort;
    return request;
  }

  double run_time_us(std::int32_t job, const JobPlacement& placed) {
    JobOutcome& outcome = result_.outcomes[job];
    outcome.ratio = strategy_.stock || placed.stock_cost <= 0 ? 1.0 : placed.cost / placed.stock_cost;
    const double a = outcome.has_matrix ? options_.communication : 0;
    double charge_s = options_.charge_stock_s;
    if (placed.asked)
      charge_s = options_.charge_measured ? static_cast<double>(placed.thinking_us) * 1e-6
                                          : options_.charge_policy_s + options_.charge_policy_task_s * jobs_[job].tasks;
    return ((placed.slowdown * (1 - a) + outcome.ratio * a) * static_cast<double>(jobs_[job].run_s) + charge_s) *
           second_us;
  }

  // Returns the nodes of jobs that have ended and whose cores are not yet free, in ascending order.
  std::vector<std::int32_t> nodes_in_release() const {
    std::set<std::int32_t> nodes;
    for (const std::int64_t slot : running_.in_release(now_us_, release_us_))
      for (const std::int32_t leaf : running_.at(slot).cores) nodes.insert(machine_.node_of(leaf));
    return {nodes.begin(), nodes.end()};
  }

  // Starts a job on nodes other than `nodes`. Returns whether they have room for it.
  bool start_off(std::int32_t job, std::span<const std::int32_t> nodes) {
    if (!fits(job)) return false;
    const std::vector<std::int32_t> held = free_leaves(machine_, nodes);
    machine_.take(held);
    if (!fits(job)) {
      machine_.release(held);
      return false;
    }
    start(job, held);
    return true;
  }

  // Starts a job, and then frees the leaves `held`, which were occupied to keep the job off them. Starts nothing when
  // the replay has to stop.
  void start(std::int32_t job, std::span<const std::int32_t> held) {
    if (stopped()) return machine_.release(held);
    JobOutcome& outcome = result_.outcomes[job];
    JobRequest request = request_of(jobs_[job]);
    const auto index = static_cast<std::size_t>(job);
    request.seed = number_of(options_.seed, Stream::matrix, index);
    if (shares(index)) request.matrix = patterns_.matrix(request.tasks, request.seed);
    JobPlacement placed =
        place_job(machine_, strategy_, request, control_.stop ? Deadline::when(*control_.stop) : Deadline::never());
    machine_.release(held);
    if (stopped()) return;  // a stop may have cut the decision short, so that the job does not start
    outcome.has_matrix = request.matrix != nullptr;
    outcome.cost = placed.cost;
    outcome.asked += placed.asked;
    outcome.refused = !placed.refusal.empty();
    if (result_.first_refusal.empty()) result_.first_refusal = placed.refusal;
    outcome.thinking_us += placed.thinking_us;
    outcome.longest_thinking_us = std::max(outcome.longest_thinking_us, placed.thinking_us);
    outcome.nodes = machine_.nodes_spanned(placed.leaf_of_rank);
    outcome.switches = machine_.switches_spanned(placed.leaf_of_rank);
    outcome.start_us = now_us_;
    idle_failures_ = 0;
    const double run_us = run_time_us(job, placed);
    if (!(run_us <= static_cast<double>(latest_us))) refuse_run_time(jobs_[job], run_us / second_us);
    outcome.run_us = std::max<std::int64_t>(std::llround(run_us), 1);
    const std::int64_t end_us = now_us_ + outcome.run_us;
    launch({job, now_us_, end_us, end_us + release_us_, now_us_ + limit_us(jobs_[job]), std::move(placed.taken)});
  }

  void end(std::int64_t slot) {
    const auto [job, end_us] = std::pair(running_.at(slot).job, running_.at(slot).end_us);
    if (job != filler) result_.makespan_us = std::max(result_.makespan_us, end_us);
    leave(slot);
    if (job == filler) return;
    result_.outcomes[job].end_us = end_us;
    ++result_.ended;
    tell_progress();
  }

  void schedule() {
    const std::vector<std::int32_t> closed = nodes_in_release();
    while (!waiting_.empty() && !stopped() && start_off(waiting_.front(), closed)) waiting_.pop_front();
    if (waiting_.size() > 1 && machine_.free_cores() > 0 && now_us_ >= next_backfill_us_) backfill();
    if (now_us_ >= next_backfill_us_)
      next_backfill_us_ = now_us_ + std::llround(options_.backfill_interval_s * second_us);
  }

  // Returns the places in the queue of the jobs that backfill examines. Of a job array these are the tasks for which
  // cores are free, and as many more as Slurm plans. Its other tasks do not count for the depth.
  std::vector<std::size_t> places_for_backfill() const {
    const auto depth = static_cast<std::size_t>(options_.backfill_depth) + 1;
    std::vector<std::size_t> places;
    std::unordered_map<std::int64_t, std::int64_t> tasks_of;  // by job array
    for (std::size_t k = 0; k < waiting_.size() && places.size() < depth; ++k) {
      const LogJob& job = jobs_[waiting_[k]];
      const std::int64_t most = most_planned_tasks + machine_.free_cores() / cores_wanted(job.tasks);
      if (job.array_task && ++tasks_of[job.id] > most) continue;
      places.push_back(k);
    }
    return places;
  }

  // Starts the waiting jobs that backfill allows to start, and takes them out of the queue.
  void backfill() {
    const std::vector<std::size_t> places = places_for_backfill();
    const std::int64_t margin_us = std::llround(options_.plan_margin_s * second_us);
    std::vector<Claim> claims;
    for (const std::size_t place : places) {
      const LogJob& job = jobs_[waiting_[place]];
      claims.push_back({cores_wanted(job.tasks), limit_us(job) + margin_us, job.array_task ? job.id : -1});
    }
    running_.expect_ended(now_us_, release_us_);
    std::vector<Passing> passed;
    if (options_.backfill == Backfill::slurm) {
      passed = planned_backfill(machine_, running_, now_us_, claims, options_.stock_request);
    } else {
      const std::vector<std::int32_t> closed = nodes_in_release();
      for (const std::size_t k : easy_backfill(now_us_, machine_.free_cores(), running_.expected_ends(), claims))
        passed.push_back({k, closed});
    }
    std::vector<std::size_t> started;
    for (const Passing& passing : passed) {
      // The plan assumes that jobs that start before use the nodes of stock Slurm. If a policy has put them elsewhere,
      // a passing job may have no room outside the closed nodes. It then waits.
      const std::size_t place = places[passing.index];
      if (start_off(waiting_[place], passing.closed)) started.push_back(place);
    }
    for (auto place = started.rbegin(); place != started.rend(); ++place)
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(*place));
  }

  void sample() {
    const LargestRoom room = largest_room(machine_, machine_.free());
    std::int64_t busy = machine_.cores() - machine_.free_cores();
    for (const auto& [up_us, node] : down_) busy -= std::ssize(node.leaves);
    result_.samples.push_back({now_us_, busy, std::ssize(waiting_), room.in_switch, room.in_subtree});
  }

  // Records the free leaves at the first event at or after each of the times that the options ask for, before jobs
  // start.
  void record_free_leaves() {
    const std::int64_t interval_us = std::llround(options_.free_leaves_interval_s * second_us);
    if (interval_us <= 0 || now_us_ < next_free_leaves_us_ || result_.free_leaves.size() >= most_free_leaves) return;
    result_.free_leaves.push_back(free_leaves_of(machine_, now_us_));
    next_free_leaves_us_ = (now_us_ / interval_us + 1) * interval_us;
  }

  void give_up(std::int32_t job) {
    result_.outcomes[job].given_up = true;
    ++result_.given_up;
    tell_progress();
  }

  // Ends all jobs on the node, puts them at the head of the queue, and takes the node away until it is repaired. A
  // failure of a node that is already down is ignored.
  void fail_node(const NodeFailure& failure) {
    const std::int32_t n = failure.node;
    if (machine_.usable_on(n) == 0) return;  // no job can be there
    if (std::ranges::any_of(down_, [n](const auto& each) { return each.second.node == n; })) return;
    ++result_.node_failures;
    if (running_.empty() && !waiting_.empty() && ++idle_failures_ >= most_idle_failures) {
      give_up(waiting_.front());
      waiting_.pop_front();
      idle_failures_ = 0;
    }
    interrupt_jobs_on(n);
    std::vector<std::int32_t> leaves = free_leaves(machine_, {&n, 1});
    machine_.take(leaves);
    down_.emplace(now_us_ + std::max<std::int64_t>(failure.repair_us, 1), DownNode{n, std::move(leaves)});
  }

  void repair_nodes() {
    for (; !down_.empty() && down_.begin()->first <= now_us_; down_.erase(down_.begin()))
      machine_.release(down_.begin()->second.leaves);
  }

  // Ends all jobs on the node, and puts those that may start again at the head of the queue.
  void interrupt_jobs_on(std::int32_t n) {
    std::vector<std::int64_t> struck;
    for (const std::int64_t slot : running_.slots()) {
      const std::vector<std::int32_t>& cores = running_.at(slot).cores;
      if (std::any_of(cores.begin(), cores.end(), [&](std::int32_t leaf) { return machine_.node_of(leaf) == n; }))
        struck.push_back(slot);
    }
    std::vector<std::int32_t> again;
    for (const std::int64_t slot : struck) {
      const std::int32_t job = running_.at(slot).job;
      if (running_.at(slot).end_us <= now_us_) {  // the job has ended, and only its cores are not yet released
        end(slot);
        continue;
      }
      const std::vector<std::int32_t> cores = leave(slot);
      if (job == filler) continue;
      result_.lost_core_us +=
          static_cast<double>(cores.size()) * static_cast<double>(now_us_ - result_.outcomes[job].start_us);
      if (result_.outcomes[job].restarts < most_restarts) {
        ++result_.outcomes[job].restarts;
        again.push_back(job);
        continue;
      }
      give_up(job);
      result_.makespan_us = now_us_;
    }
    std::sort(again.begin(), again.end());
    waiting_.insert(waiting_.begin(), again.begin(), again.end());
  }

  std::int64_t next_event() const {
    std::int64_t next = std::min({next_sample_us_, failures_.next_us(), running_.next_end_us()});
    if (!down_.empty()) next = std::min(next, down_.begin()->first);
    if (waiting_.size() > 1 && next_backfill_us_ > now_us_) next = std::min(next, next_backfill_us_);
    if (arrived_ < jobs_.size()) next = std::min(next, jobs_[arrived_].submit_s * second_us);
    return next;
  }

  void advance(std::int64_t time_us) {
    if (time_us > latest_us)
      throw Error("the replay of " + strategy_.name + " has come to " + std::to_string(now_us_ / hour_us / 8766) +
                  " simulated years: run times or repairs are too long");
    const auto passed_us = static_cast<double>(time_us - now_us_);
    const LargestRoom room = largest_room(machine_, machine_.free());
    result_.switch_room_core_us += static_cast<double>(room.in_switch) * passed_us;
    result_.subtree_room_core_us += static_cast<double>(room.in_subtree) * passed_us;
    now_us_ = result_.simulated_us = time_us;
  }

  Machine machine_;
  const std::span<const LogJob> jobs_;
  const Strategy& strategy_;
  const PatternSource& patterns_;
  const ReplayOptions& options_;
  ReplayControl& control_;
  Replay result_;
  const std::int64_t release_us_;

  std::int64_t now_us_ = 0;
  std::size_t arrived_ = 0;
  std::deque<std::int32_t> waiting_;
  RunningJobs running_;
  std::vector<Use> uses_;  // of jobs that have left the machine
  std::int64_t next_sample_us_ = 0;
  std::int64_t next_free_leaves_us_ = 0;
  std::int64_t next_backfill_us_ = 0;

  Failures failures_;
  std::int32_t idle_failures_ = 0;              // failures since the last start, while jobs waited and none ran
  std::multimap<std::int64_t, DownNode> down_;  // by the time of the repair
};

}  // namespace

Replay replay(const Machine& machine, std::span<const LogJob> jobs, const Strategy& strategy,
              const PatternSource& patterns, const ReplayOptions& options, ReplayControl* control) {
  check_times(jobs);
  ReplayControl alone;
  return Engine(machine, jobs, strategy, patterns, options, control ? *control : alone).run();
}

}  // namespace placement::sim
