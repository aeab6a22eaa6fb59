// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/request/job_decision.hpp"

#include <string_view>

#include "common/util/text.hpp"

namespace placement::spank {

namespace {

constexpr std::string_view stock = "stock: ";

// Returns the outcome in the value of job_decision_variable, or none if the value is not about this job.
std::optional<std::string_view> outcome_of(std::uint32_t job, std::uint32_t array, const char* value) {
  const std::string_view text = value ? value : "";
  const auto space = text.find(' ');
  const auto of = parse_integer(text.substr(0, space));
  if (space == text.npos || !of || (*of != job && (array == 0 || *of != array))) return std::nullopt;
  return text.substr(space + 1);
}

}  // namespace

std::string decision_notice(bool asked, std::uint32_t job, std::uint32_t array, const char* value) {
  constexpr const char* not_considered =
      "slurmctld ignored its policy (Mode=off in placement.conf, or slurmctld runs without the select_cons_tres.so of "
      "slurm-placement for its version)";
  const std::string name = "job " + std::to_string(job), of_slurm = name + " runs on nodes that Slurm itself chose";
  const auto outcome = outcome_of(job, array, value);
  if (!outcome) return asked ? of_slurm + ": " + not_considered : "";
  if (!outcome->starts_with(stock)) {
    const auto colon = outcome->find(": ");
    return !asked || colon == outcome->npos ? "" : name + " is placed by " + std::string(outcome->substr(colon + 2));
  }
  const std::string reason(outcome->substr(stock.size()));
  if (asked) return of_slurm + ": " + reason;
  return reason.starts_with("Mode=") ? "" : of_slurm + ", not on those of its partition's policy: " + reason;
}

bool ranks_are_promised(std::uint32_t job, std::uint32_t array, const char* value) {
  const auto outcome = outcome_of(job, array, value);
  return outcome && (!outcome->starts_with(stock) || outcome->find("its ranks follow ") != outcome->npos);
}

std::string component_variable(const std::string& name, std::optional<std::uint32_t> component) {
  return component ? name + "_HET_GROUP_" + std::to_string(*component) : name;
}

}  // namespace placement::spank
