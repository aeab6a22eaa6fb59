// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/map_report.hpp"

#include <algorithm>
#include <cmath>

#include "common/util/cpu_list.hpp"
#include "common/util/text.hpp"
#include "mapping/gpu_mapping.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

// Returns the CPUs of a place, ascending.
std::vector<std::int32_t> cpus_of(const GpuTask& gpu, const mapping::GpuPlace& place) {
  std::vector<std::int32_t> cpus;
  for (const std::int32_t core : place.cores) {
    const std::vector<std::int32_t>& threads = gpu.node.cores[core].cpus;
    const auto taken = std::min(threads.size(), static_cast<std::size_t>(gpu.threads_per_core));
    cpus.insert(cpus.end(), threads.begin(), threads.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

std::string format_mask(const std::vector<std::int32_t>& cpus) {
  std::string digits(static_cast<std::size_t>(cpus.back() / 4 + 1), '0');
  for (const std::int32_t cpu : cpus) {
    char& digit = digits[digits.size() - 1 - static_cast<std::size_t>(cpu / 4)];
    const int value = (digit >= 'a' ? digit - 'a' + 10 : digit - '0') | (1 << (cpu % 4));
    digit = "0123456789abcdef"[value];
  }
  return "0x" + digits;
}

std::string nic_of(const GpuTask& gpu, const mapping::GpuPlace& place) {
  const std::int32_t nic = gpu.node.gpus[place.gpu].nic;
  return nic < 0 ? "-" : gpu.node.nics[nic];
}

std::string gpu_bind(const GpuTask& gpu) {
  return "map_gpu:" +
         joined(gpu.mapping.of_rank, ",", [](const mapping::GpuPlace& place) { return std::to_string(place.gpu); });
}

std::string cpu_bind(const GpuTask& gpu) {
  std::string masks, numbers;
  bool one_each = true;
  for (const mapping::GpuPlace& place : gpu.mapping.of_rank) {
    const std::vector<std::int32_t> cpus = cpus_of(gpu, place);
    masks += (masks.empty() ? "mask_cpu:" : ",") + format_mask(cpus);
    numbers += (numbers.empty() ? "map_cpu:" : ",") + std::to_string(cpus.front());
    one_each = one_each && cpus.size() == 1;
  }
  return one_each ? numbers : masks;
}

// Returns the number of cores that are not next to the GPU of their rank.
std::int64_t far_cores(const GpuTask& gpu) {
  std::int64_t far = 0;
  for (const mapping::GpuPlace& place : gpu.mapping.of_rank)
    for (const std::int32_t core : place.cores)
      if (mapping::slot_distance(gpu.node, {{core}, 0}, static_cast<std::size_t>(place.gpu)) > 0) ++far;
  return far;
}

}  // namespace

std::string format_gpu_places(const GpuTask& gpu, const ClusterView& view, const std::vector<RankPlace>& places) {
  std::string text;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const mapping::GpuPlace& place = gpu.mapping.of_rank[gpu.place_of_rank[rank]];
    text += std::to_string(rank) + " " + view.nodes[places[rank].node].name + " " + std::to_string(place.gpu) + " " +
            format_cores(cpus_of(gpu, place)) + " " + nic_of(gpu, place) + "\n";
  }
  return text;
}

std::string srun_options(const GpuTask& gpu) { return "--gpu-bind=" + gpu_bind(gpu) + " --cpu-bind=" + cpu_bind(gpu); }

std::string format_gpu_summary(const GpuTask& gpu) {
  std::string text = formatted("GPUs      %zu of %d of %s, with %d cores each; %ld cores are not next to their GPU\n",
                               gpu.mapping.of_rank.size(), gpu.gpus(), shown(gpu.node.name).c_str(), gpu.cores_per_rank,
                               far_cores(gpu));
  if (gpu.has_traffic)
    text += formatted(
        "links     carry %.1f %% of the traffic within nodes, %.1f %% with ranks in the order of the cores\n"
        "GPU cost  %ld, %ld with ranks in the order of the cores (ratio %.3f), %s\n",
        100 * gpu.linked, 100 * gpu.natural_linked, gpu.cost, gpu.natural_cost,
        gpu.natural_cost > 0 ? static_cast<double>(gpu.cost) / static_cast<double>(gpu.natural_cost) : 1.0,
        gpu.mapping.exact ? "the minimum" : "by a search that does not try all orders");
  return text + "srun      " + srun_options(gpu) + "\n";
}

// Writes the member "gpus" of the report in JSON. Place i is that of the i-th rank of each node.
static void write_gpus(JsonWriter& json, const GpuTask& gpu) {
  json.key("gpus").begin_object().member("node_topology", gpu.node.name, "gpus", gpu.gpus());
  json.member("cores_per_rank", gpu.cores_per_rank, "far_cores", far_cores(gpu));
  json.member("exact", gpu.mapping.exact);
  if (gpu.has_traffic)
    json.member("cost", gpu.cost, "natural_cost", gpu.natural_cost, "linked", gpu.linked, "natural_linked",
                gpu.natural_linked);
  json.member("gpu_bind", gpu_bind(gpu), "cpu_bind", cpu_bind(gpu));
  json.objects("places", gpu.mapping.of_rank, [&](const mapping::GpuPlace& place) {
    json.member("gpu", place.gpu, "name", gpu.node.gpus[place.gpu].name);
    json.list("cpus", cpus_of(gpu, place)).member("nic", nic_of(gpu, place));
  });
  json.end_object();
}

// Returns a line with the cost of a baseline, and the mapping's cost as a share of it.
static std::string format_baseline(const char* name, Cost baseline, Cost cost) {
  return name + to_string(baseline) +
         (baseline > 0 ? formatted(" (ratio %.3f)", static_cast<double>(cost) / static_cast<double>(baseline)) : "") +
         "\n";
}

std::string format_assessment(const tofa::Assessment& assessment, double job_seconds) {
  const double abort_probability = assessment.abort_probability;
  const std::string text =
      "hops      " + to_string(assessment.hop_bytes) + " hop-bytes without weights\n" +
      (assessment.weighted_twice == 2 * assessment.hop_bytes
           ? ""
           : "routes    " + half_of(assessment.weighted_twice) + " hop-bytes along the fixed routes, with weights\n") +
      "link load " + half_of(assessment.link_load_twice) + " at most, in one direction\n" +
      formatted("abort     %.9g probability, by %ld of %ld nodes with ranks or on their routes\n", abort_probability,
                assessment.suspects_touched, assessment.nodes_touched);
  if (abort_probability >= 1) return text + "expected  never: each run is aborted\n";
  return text + formatted(job_seconds > 0 ? "expected  %.9g s until the job ends\n"
                                          : "expected  %.9g times the length of the job\n",
                          tofa::expected_seconds(job_seconds > 0 ? job_seconds : 1, abort_probability));
}

void assessment_json(JsonWriter& json, const tofa::Assessment& assessment, double job_seconds) {
  const double abort_probability = assessment.abort_probability;
  json.member("hop_bytes", assessment.hop_bytes).key("route_cost").half(assessment.weighted_twice);
  json.key("max_link_load").half(assessment.link_load_twice);
  json.member("nodes_touched", assessment.nodes_touched, "suspects_touched", assessment.suspects_touched);
  json.member("abort_probability", abort_probability, "expected_time", tofa::expected_seconds(1, abort_probability));
  if (job_seconds > 0) json.member("expected_seconds", tofa::expected_seconds(job_seconds, abort_probability));
}

std::string format_objective(double objective) {
  return std::isinf(objective) ? "objective none: the job never ends\n"
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

std::string format_json(const MapTask& task, const MapOutcome& outcome, bool with_mapping,
                        const std::optional<GpuTask>& gpu) {
  JsonWriter json;
  json.begin_object().member("policy", task.spec.policy, "ranks", task.matrix->ranks());
  json.member("usable_leaves", task.usable.size(), "leaves", task.view.tree->leaves(), "cost", outcome.cost);
  json.member("natural_cost", outcome.natural_cost);
  if (outcome.greedy_cost) json.member("greedy_cost", *outcome.greedy_cost);
  if (outcome.assessment) assessment_json(json, *outcome.assessment, task.job_seconds);
  if (outcome.objective) json.member("objective", *outcome.objective);
  json.member("wall_s", outcome.wall_s, "cpu_s", outcome.cpu_s).list("reasons", outcome.reasons);
  if (with_mapping) {
    json.list("leaf_of_rank", outcome.leaf_of_rank);
    if (!outcome.places.empty())
      json.objects("places", outcome.places, [&](const RankPlace& place) {
        json.member("node", task.view.nodes[place.node].name).list("cores", place.cores);
      });
  }
  if (gpu) write_gpus(json, *gpu);
  return json.end_object().take();
}

}  // namespace placement::tools
