// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/map_report.hpp"

#include <cmath>
#include <cstdio>

#include "tofa/assess.hpp"
#include "tools/map/gpu_report.hpp"
#include "tools/output/json.hpp"

namespace placement::tools {

namespace {

std::string format_cores(const std::vector<std::int32_t>& cores) {
  std::string text;
  if (cores.empty()) return "-";
  for (const std::int32_t core : cores) text += (text.empty() ? "" : ",") + std::to_string(core);
  return text;
}

// Returns a line with the cost of a baseline, and the mapping's cost as a share of it.
std::string format_baseline(const char* name, Cost baseline, Cost cost) {
  std::string text = std::string(name) + to_string(baseline);
  if (baseline > 0) {
    char ratio[48];
    std::snprintf(ratio, sizeof ratio, " (ratio %.3f)", static_cast<double>(cost) / static_cast<double>(baseline));
    text += ratio;
  }
  return text + "\n";
}

// Returns half of `twice`. The traffic of a link in one direction may end in a half: half of a pair's traffic goes each
// way.
std::string half_of(Cost twice) { return to_string(twice / 2) + (twice % 2 == 0 ? "" : ".5"); }

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace

std::string format_assessment(const tofa::Assessment& assessment, double job_seconds) {
  char line[160];
  std::string text = "hops      " + to_string(assessment.hop_bytes) + " hop-bytes without weights\n" + "link load " +
                     half_of(assessment.link_load_twice) + " at most, in one direction\n";
  std::snprintf(line, sizeof line, "abort     %.9g probability, by %lld of %lld nodes with ranks or on their routes\n",
                assessment.abort_probability, static_cast<long long>(assessment.suspects_touched),
                static_cast<long long>(assessment.nodes_touched));
  text += line;
  if (assessment.abort_probability >= 1) return text + "expected  never: each run is aborted\n";
  const double length = job_seconds > 0 ? job_seconds : 1;
  std::snprintf(
      line, sizeof line,
      job_seconds > 0 ? "expected  %.9g s until the job is through\n" : "expected  %.9g times the length of the job\n",
      tofa::expected_seconds(length, assessment.abort_probability));
  return text + line;
}

std::string format_objective(double objective) {
  if (std::isinf(objective)) return "objective none: the job is never through\n";
  char line[128];
  std::snprintf(line, sizeof line, "objective %.9g times the natural order's time without faults\n", objective);
  return line;
}

std::string format_places(const ClusterView& view, const std::vector<RankPlace>& places) {
  std::string text;
  for (std::size_t rank = 0; rank < places.size(); ++rank)
    text +=
        std::to_string(rank) + " " + view.nodes[places[rank].node].name + " " + format_cores(places[rank].cores) + "\n";
  return text;
}

std::string format_summary(const MapTask& task, const MapOutcome& outcome) {
  std::string text = std::to_string(task.matrix->ranks()) + " ranks on " + std::to_string(task.usable.size()) + " of " +
                     std::to_string(task.view.tree->leaves()) + " leaves by " + task.spec.policy;
  if (!outcome.reasons.empty()) text += ": " + joined(outcome.reasons);
  char times[96];
  std::snprintf(times, sizeof times, "time      %.6f s wall, %.6f s processor\n", outcome.wall_s, outcome.cpu_s);
  return text + "\ncost      " + to_string(outcome.cost) + " hop-bytes\n" +
         format_baseline("natural   ", outcome.natural_cost, outcome.cost) +
         (outcome.greedy_cost ? format_baseline("greedy    ", *outcome.greedy_cost, outcome.cost) : "") +
         (outcome.assessment ? format_assessment(*outcome.assessment, task.job_seconds) : "") +
         (outcome.objective ? format_objective(*outcome.objective) : "") + times;
}

std::string format_json(const MapTask& task, const MapOutcome& outcome, bool with_mapping, const GpuTask* gpu,
                        const GpuOutcome* gpus) {
  JsonWriter json;
  json.begin_object()
      .member("policy", task.spec.policy)
      .member("ranks", task.matrix->ranks())
      .member("usable_leaves", static_cast<std::int64_t>(task.usable.size()))
      .member("leaves", task.view.tree->leaves())
      .member("cost", outcome.cost)
      .member("natural_cost", outcome.natural_cost);
  if (outcome.greedy_cost) json.member("greedy_cost", *outcome.greedy_cost);
  if (const auto& assessment = outcome.assessment) {
    json.member("hop_bytes", assessment->hop_bytes)
        .key("max_link_load")
        .half(assessment->link_load_twice)
        .member("nodes_touched", assessment->nodes_touched)
        .member("suspects_touched", assessment->suspects_touched)
        .member("abort_probability", assessment->abort_probability)
        .member("expected_time", tofa::expected_seconds(1, assessment->abort_probability));
    if (task.job_seconds > 0)
      json.member("expected_seconds", tofa::expected_seconds(task.job_seconds, assessment->abort_probability));
  }
  if (outcome.objective) json.member("objective", *outcome.objective);
  json.member("wall_s", outcome.wall_s).member("cpu_s", outcome.cpu_s).key("reasons").begin_array();
  for (const std::string& reason : outcome.reasons) json.value(reason);
  json.end_array();
  if (with_mapping) {
    json.key("leaf_of_rank").begin_array();
    for (const std::int32_t leaf : outcome.leaf_of_rank) json.value(leaf);
    json.end_array();
    if (!outcome.places.empty()) {
      json.key("places").begin_array();
      for (const RankPlace& place : outcome.places) {
        json.begin_object().member("node", task.view.nodes[place.node].name).key("cores").begin_array();
        for (const std::int32_t core : place.cores) json.value(core);
        json.end_array().end_object();
      }
      json.end_array();
    }
  }
  if (gpu) write_gpus(json, *gpu, *gpus);
  return json.end_object().take();
}

}  // namespace placement::tools
