// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/map_report.hpp"

#include <cmath>
#include <cstdio>

#include "tofa/assess.hpp"
#include "tools/map/gpu_report.hpp"
#include "tools/output/json.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

// Returns a line with the cost of a baseline, and the mapping's cost as a share of it.
std::string format_baseline(const char* name, Cost baseline, Cost cost) {
  return name + to_string(baseline) +
         (baseline > 0 ? formatted(" (ratio %.3f)", static_cast<double>(cost) / static_cast<double>(baseline)) : "") +
         "\n";
}

// Returns half of `twice`. The traffic of a link in one direction may end in a half: half of a pair's traffic goes each
// way.
std::string half_of(Cost twice) { return to_string(twice / 2) + (twice % 2 == 0 ? "" : ".5"); }

}  // namespace

std::string format_assessment(const tofa::Assessment& assessment, double job_seconds) {
  const double abort_probability = assessment.abort_probability;
  const std::string text =
      "hops      " + to_string(assessment.hop_bytes) + " hop-bytes without weights\nlink load " +
      half_of(assessment.link_load_twice) + " at most, in one direction\n" +
      formatted("abort     %.9g probability, by %lld of %lld nodes with ranks or on their routes\n", abort_probability,
                static_cast<long long>(assessment.suspects_touched), static_cast<long long>(assessment.nodes_touched));
  if (abort_probability >= 1) return text + "expected  never: each run is aborted\n";
  return text + formatted(job_seconds > 0 ? "expected  %.9g s until the job is through\n"
                                          : "expected  %.9g times the length of the job\n",
                          tofa::expected_seconds(job_seconds > 0 ? job_seconds : 1, abort_probability));
}

std::string format_objective(double objective) {
  return std::isinf(objective) ? "objective none: the job is never through\n"
                               : formatted("objective %.9g times the natural order's time without faults\n", objective);
}

std::string format_places(const ClusterView& view, const std::vector<RankPlace>& places) {
  std::string text;
  for (std::size_t rank = 0; rank < places.size(); ++rank)
    text += std::to_string(rank) + " " + view.nodes[places[rank].node].name + " " +
            (places[rank].cores.empty()
                 ? "-"
                 : joined(places[rank].cores, ",", [](std::int32_t core) { return std::to_string(core); })) +
            "\n";
  return text;
}

std::string format_summary(const MapTask& task, const MapOutcome& outcome) {
  std::string text = std::to_string(task.matrix->ranks()) + " ranks on " + std::to_string(task.usable.size()) + " of " +
                     std::to_string(task.view.tree->leaves()) + " leaves by " + task.spec.policy;
  if (!outcome.reasons.empty()) text += ": " + joined(outcome.reasons, "; ");
  return text + "\ncost      " + to_string(outcome.cost) + " hop-bytes\n" +
         format_baseline("natural   ", outcome.natural_cost, outcome.cost) +
         (outcome.greedy_cost ? format_baseline("greedy    ", *outcome.greedy_cost, outcome.cost) : "") +
         (outcome.assessment ? format_assessment(*outcome.assessment, task.job_seconds) : "") +
         (outcome.objective ? format_objective(*outcome.objective) : "") +
         formatted("time      %.6f s wall, %.6f s processor\n", outcome.wall_s, outcome.cpu_s);
}

std::string format_json(const MapTask& task, const MapOutcome& outcome, bool with_mapping, const GpuTask* gpu,
                        const GpuOutcome* gpus) {
  JsonWriter json;
  json.begin_object().member("policy", task.spec.policy, "ranks", task.matrix->ranks());
  json.member("usable_leaves", task.usable.size(), "leaves", task.view.tree->leaves(), "cost", outcome.cost);
  json.member("natural_cost", outcome.natural_cost);
  if (outcome.greedy_cost) json.member("greedy_cost", *outcome.greedy_cost);
  if (const auto& assessment = outcome.assessment) {
    const double abort_probability = assessment->abort_probability;
    json.member("hop_bytes", assessment->hop_bytes).key("max_link_load").half(assessment->link_load_twice);
    json.member("nodes_touched", assessment->nodes_touched, "suspects_touched", assessment->suspects_touched);
    json.member("abort_probability", abort_probability, "expected_time", tofa::expected_seconds(1, abort_probability));
    if (task.job_seconds > 0)
      json.member("expected_seconds", tofa::expected_seconds(task.job_seconds, abort_probability));
  }
  if (outcome.objective) json.member("objective", *outcome.objective);
  json.member("wall_s", outcome.wall_s, "cpu_s", outcome.cpu_s).list("reasons", outcome.reasons);
  if (with_mapping) {
    json.list("leaf_of_rank", outcome.leaf_of_rank);
    if (!outcome.places.empty())
      json.objects("places", outcome.places, [&](const RankPlace& place) {
        json.member("node", task.view.nodes[place.node].name).list("cores", place.cores);
      });
  }
  if (gpu) write_gpus(json, *gpu, *gpus);
  return json.end_object().take();
}

}  // namespace placement::tools
