// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/step_records.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/replace_file.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::size_t places = 512;
constexpr std::size_t record_bytes = 4096;
static_assert(most_decision_bytes < record_bytes);

// Returns the place of a step. Steps of consecutive jobs, and of the tasks of a job array, have different places.
std::size_t place_of(const Decision& step) {
  const auto task = parse_integer(std::string_view(step.array_task).substr(step.array_task.find('_') + 1));
  return (step.job_id + static_cast<std::size_t>(task.value_or(0) + parse_integer(step.step).value_or(0))) % places;
}

bool is_same_start(const Decision& plan, const Decision& step) {
  constexpr double most_skew_s = 60;  // largest difference between the clocks of the controller and of srun's host
  return step.job_id == plan.job_id && step.array_task == plan.array_task && step.restarts == plan.restarts &&
         step.uid == plan.uid && step.at_s >= plan.at_s - most_skew_s;
}

// Returns whether the step has the request and the nodes of the plan. A placed step has a reason only if its request
// differs from the job's. A step in Slurm's order always has a reason.
bool is_of_plan(const Decision& plan, const Decision& step) {
  const bool counts = step.outcome == DECISION_STOCK ? plan.outcome != DECISION_ADVICE : step.reason.empty();
  return counts && step.policy == plan.policy && (plan.tasks == 0 || step.tasks == plan.tasks) &&
         same_hosts(step.given, plan.given);
}

}  // namespace

StepRecords StepRecords::of_user(const std::string& cluster, const std::function<const char*(const char*)>& getenv) {
  if (cluster.empty() || cluster.find('/') != cluster.npos)
    throw Error("cannot choose a directory for the records of steps: the name of the cluster is '" + shown(cluster) +
                "'");
  for (const auto& [name, below] : {std::pair("XDG_STATE_HOME", ""), std::pair("HOME", "/.local/state")}) {
    const char* const value = getenv(name);
    if (value && value[0] == '/') return StepRecords(std::string(value) + below + "/slurm-placement/steps." + cluster);
  }
  throw Error("cannot choose a directory for the records of steps: set XDG_STATE_HOME or HOME");
}

void StepRecords::add_terms(Decision& step, const std::string& remark, const RanksOfNodes& ranks) {
  constexpr std::size_t most_bytes = 3000;
  if (!remark.empty()) step.terms.push_back(remark);
  if (const std::string text = ranks_text(ranks, most_bytes); !text.empty()) step.terms.push_back("ranks: " + text);
}

void StepRecords::put(const Decision& step) const {
  std::string text = decision_text(step);
  text.resize(record_bytes);
  make_directories_of(path_);
  const FileDescriptor file(open(path_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file < 0) fail_errno(path_, "cannot be opened");
  if (pwrite(file, text.data(), text.size(), static_cast<off_t>(place_of(step) * record_bytes)) != std::ssize(text))
    fail_errno(path_, "cannot be written");
}

std::vector<Decision> StepRecords::of_job(std::uint32_t job) const {
  std::vector<Decision> steps;
  const FileDescriptor file(open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (file < 0 && errno == ENOENT) return steps;
  if (file < 0) fail_errno(path_, "cannot be opened");
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
    throw Error(path_ + " is not a file of this user");
  std::array<char, record_bytes> bytes;
  for (std::size_t place = 0; place < places; ++place) {
    const ssize_t got = pread(file, bytes.data(), bytes.size(), static_cast<off_t>(place * record_bytes));
    if (got < std::ssize(bytes)) break;
    const std::string_view text(bytes.data(), bytes.size());
    try {
      if (Decision step = parse_decision_text(text.substr(0, text.find('\0'))); step.job_id == job)
        steps.push_back(std::move(step));
    } catch (const Error&) {  // an empty place, or two steps wrote it at once
    }
  }
  std::ranges::stable_sort(steps, {}, &Decision::at_s);
  return steps;
}

void describe_step(Decision& decision, const std::vector<Decision>& steps) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!is_same_start(decision, *step) || !is_of_plan(decision, *step)) continue;
    decision.step = step->step;
    if (step->outcome != DECISION_STOCK) decision.given = step->given;
    decision.cost = step->cost;
    // A step with another number of cores per task uses other cores, whose stock cost is unknown.
    if (!decision.natural_cost.empty() && decision.natural_cost != step->natural_cost)
      decision.first_nodes_cost.clear();
    decision.natural_cost = step->natural_cost;
    const bool as_planned = std::ranges::find_first_of(decision.terms, step->terms) != decision.terms.end();
    std::erase_if(decision.terms, [&](const std::string& term) {
      return term.starts_with("ranks: ") || (!as_planned && term.starts_with("busiest link: "));
    });
    decision.terms.insert(decision.terms.end(), step->terms.begin(), step->terms.end());
    if (step->outcome == DECISION_STOCK) decision.terms.push_back(std::string(slurms_order_term) + step->reason);
    return;
  }
}

}  // namespace placement
