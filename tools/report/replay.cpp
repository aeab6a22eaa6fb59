// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/replay.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <span>
#include <thread>

#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/text.hpp"
#include "spank/step/scontrol.hpp"
#include "tools/input/decision_input.hpp"
#include "tools/input/settings_in_force.hpp"
#include "tools/simulate/simulate_machine.hpp"
#include "tools/simulate/simulate_options.hpp"
#include "tools/simulate/simulate_run.hpp"

namespace placement::tools {

namespace {

// What sacct printed, as a file in memory.
class SacctLog {
 public:
  SacctLog(double since_s, bool all_users) : file_(memfd_create("sacct", MFD_CLOEXEC)) {
    if (!slurmctld_answers()) throw Error("no slurmctld answers on this host, so that sacct is not asked");
    setenv("SLURM_TIME_FORMAT", "%s", 1);  // times in seconds since 1970, whatever the time zone
    char since[32];
    std::snprintf(since, sizeof since, "uts%lld", static_cast<long long>(since_s));
    const std::vector<std::string> words{
        "sacct",
        all_users ? "--allusers" : "--user=" + std::to_string(geteuid()),
        "--parsable2",
        "--allocations",
        "--noconvert",
        "--starttime",
        since,
        "--format=JobID,Submit,Eligible,ElapsedRaw,AllocCPUS,TimelimitRaw,Partition,State,Start,NodeList"};
    const spank::CommandOutput said = spank::SlurmCommand(words).output();  // its warnings are no lines of the log
    if (said.exit_code != 0) {
      const std::string why = spank::SlurmCommand(words, true).output().text;
      throw Error("sacct fails: " + why.substr(0, why.find('\n')));
    }
    for (std::size_t at = 0; at < said.text.size();) {
      const ssize_t written = write(file_, said.text.data() + at, said.text.size() - at);
      if (written <= 0) throw Error("what sacct prints finds no room in memory");
      at += static_cast<std::size_t>(written);
    }
    lseek(file_, 0, SEEK_SET);
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(static_cast<int>(file_)); }

 private:
  FileDescriptor file_;
};

sim::JobList jobs_of(const CommandLine& line, const sim::JobSelection& selection, double since_s, std::string& log,
                     sim::LogNotes& notes) {
  if (const auto path = line.value("sacct")) {
    log = base_name(*path);
    return sim::select_jobs(*path, selection, notes);
  }
  const bool own = hides_other_jobs(config_for_records());
  log = own ? "sacct, of this user alone (PrivateData=jobs)," : "sacct";
  const SacctLog told(since_s, !own);
  try {
    return sim::select_jobs(told.path(), selection, notes);
  } catch (const Error& error) {
    std::string text = error.what();
    if (text.starts_with(told.path())) text.replace(0, told.path().size(), "sacct");
    throw Error(text);
  }
}

// Returns what the jobs tell of the past. sacct tells all jobs until now, and those that began before `since_s` and
// ended later; a file tells the jobs until the start of the last one.
sim::PastOccupancy past_of(const CommandLine& line, const sim::Machine& machine, const sim::JobList& list,
                           double since_s) {
  std::int64_t from_s = 0, to_s = 0;
  if (line.has("sacct")) {
    for (const sim::LogJob& job : list.jobs) to_s = std::max(to_s, job.submit_s + job.wait_s);
  } else {
    from_s = std::max<std::int64_t>(0, static_cast<std::int64_t>(since_s) - list.begin_s);
    to_s = static_cast<std::int64_t>(std::time(nullptr)) - list.begin_s;
  }
  return sim::past_occupancy(machine, list.jobs, from_s, to_s);
}

// sacct also tells jobs that were submitted before `since_s` and ran after it. A replay of them would begin long
// before, on a machine without the other jobs of that time.
void leave_out_before(sim::JobList& list, double since_s) {
  std::erase_if(list.jobs,
                [&](const sim::LogJob& job) { return static_cast<double>(list.begin_s + job.submit_s) < since_s; });
  if (list.jobs.empty()) throw sim::NoJobs("sacct tells no job that was submitted since then");
}

// Throws UsageError for a strategy that would leave all jobs to stock Slurm, for want of a live state or a torus.
void refuse_unserved(std::span<const sim::Strategy> strategies) {
  for (const sim::Strategy& strategy : strategies) {
    if (strategy.stock) continue;
    const policies::Policy& policy = *policies::find_policy(strategy.policy.policy);
    const auto refuse = [&](const std::string& why) {
      throw UsageError("--strategies: " + shown(strategy.name) + " " + why);
    };
    if (policy.needs_live)
      refuse(is_by_state(policy.name)
                 ? "goes by the state of the cluster, and is replayed by it in any case, so that it does not stand here"
                 : "goes by the state of the cluster: placectl simulate --state replays it");
    if (policy.needs_torus) refuse("is for a torus: placectl simulate --torus replays it");
  }
}

// Returns the strategies of the command line with stock Slurm as the first.
std::vector<sim::Strategy> strategies_of(const CommandLine& line) {
  std::vector<sim::Strategy> strategies = read_strategies(line);
  refuse_unserved(strategies);
  const auto stock =
      std::find_if(strategies.begin(), strategies.end(), [](const sim::Strategy& one) { return one.stock; });
  if (stock == strategies.end())
    strategies.insert(strategies.begin(), sim::parse_strategy("SLURM"));
  else
    std::rotate(strategies.begin(), stock, stock + 1);
  return strategies;
}

}  // namespace

ReplayRequest read_replay_request(const CommandLine& line) {
  const std::string pattern = line.value_or("pattern", "random");
  const sim::PatternSpec spec = from_command_line([&] { return sim::parse_pattern(pattern); }, "--pattern: ");
  return {strategies_of(line), read_options(line),
          line.integer("replay-jobs", 0, INT32_MAX).value_or(default_replay_jobs), pattern, sim::PatternSource(spec)};
}

SiteReplay replay_site(const CommandLine& line, const ReplayRequest& request, const ClusterView& view,
                       const std::string& conf, double since_s, const StateOfCluster& state, const Config& config) {
  const auto& [strategies, given_options, wanted, pattern, patterns] = request;
  sim::ReplayOptions options = given_options;
  SiteReplay site;
  site.communication = options.communication;
  site.pattern = pattern;
  const sim::Machine machine(view);
  site.cores = machine.cores();
  sim::JobSelection selection;
  if (line.has("threads-per-core"))
    selection.per_core = read_processors_per_core(line, machine);
  else if (!conf.empty())
    selection.per_core = processors_per_core_of(conf, machine);
  sim::LogNotes notes;
  sim::JobList list = jobs_of(line, selection, since_s, site.log, notes);
  site.notes = notes.text(true);
  site.begin_s = list.begin_s;
  site.local_clock = !line.has("sacct");
  site.past = past_of(line, machine, list, since_s);
  if (!line.has("sacct")) leave_out_before(list, since_s);
  site.too_large = static_cast<std::int64_t>(
      std::erase_if(list.jobs, [&](const sim::LogJob& job) { return job.tasks > machine.cores(); }));
  if (list.jobs.empty())
    throw sim::NoJobs(site.log + ": all its jobs are larger than the machine, which has " +
                      std::to_string(machine.cores()) + " cores");
  site.jobs = std::ssize(list.jobs);
  site.last_submit_us = list.jobs.back().submit_s * 1000000;
  const bool all = wanted == 0 || wanted >= site.jobs;
  site.sample.assign(all ? list.jobs.begin() : list.jobs.end() - wanted, list.jobs.end());
  const std::int64_t begin_s = site.sample.front().submit_s;
  for (sim::LogJob& job : site.sample) job.submit_s -= begin_s;
  std::atomic<bool> stop{false};
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  site.month = run_strategies({machine, list.jobs, patterns, options}, {strategies.front()}, 1, stop, false).front();
  options.full_start = !all;
  site.replays = run_strategies({machine, site.sample, patterns, options}, strategies, threads, stop, false);
  for (const sim::Replay& replay : site.replays) site.summaries.push_back(sim::summarise(machine, site.sample, replay));
  site.by_state =
      replays_by_state({machine, site.sample, patterns, options}, state.live, state.source, config, threads);
  return site;
}

}  // namespace placement::tools
