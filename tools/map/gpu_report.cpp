// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/gpu_report.hpp"

#include <algorithm>

#include "common/util/cpu_list.hpp"
#include "common/util/text.hpp"
#include "mapping/core_slots.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

// Returns the CPUs of a place, ascending.
std::vector<std::int32_t> cpus_of(const GpuTask& gpu, const mapping::GpuPlace& place) {
  std::vector<std::int32_t> cpus;
  for (const std::int32_t core : place.cores) {
    const std::vector<std::int32_t>& threads = gpu.node.cores[static_cast<std::size_t>(core)].cpus;
    const auto taken = std::min(threads.size(), static_cast<std::size_t>(gpu.threads_per_core));
    cpus.insert(cpus.end(), threads.begin(), threads.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

// Returns the mask of the CPUs in hexadecimal.
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
  const std::int32_t nic = gpu.node.gpus[static_cast<std::size_t>(place.gpu)].nic;
  return nic < 0 ? "-" : gpu.node.nics[static_cast<std::size_t>(nic)];
}

std::string gpu_bind(const GpuOutcome& outcome) {
  std::string list;
  for (const mapping::GpuPlace& place : outcome.mapping.of_rank)
    list += (list.empty() ? "map_gpu:" : ",") + std::to_string(place.gpu);
  return list;
}

std::string cpu_bind(const GpuTask& gpu, const GpuOutcome& outcome) {
  std::string masks, numbers;
  bool one_each = true;
  for (const mapping::GpuPlace& place : outcome.mapping.of_rank) {
    const std::vector<std::int32_t> cpus = cpus_of(gpu, place);
    masks += (masks.empty() ? "mask_cpu:" : ",") + format_mask(cpus);
    numbers += (numbers.empty() ? "map_cpu:" : ",") + std::to_string(cpus.front());
    one_each = one_each && cpus.size() == 1;
  }
  return one_each ? numbers : masks;
}

// Returns the number of cores that are not next to the GPU of their rank.
std::int64_t far_cores(const GpuTask& gpu, const GpuOutcome& outcome) {
  std::int64_t far = 0;
  for (const mapping::GpuPlace& place : outcome.mapping.of_rank)
    for (const std::int32_t core : place.cores)
      if (mapping::slot_distance(gpu.node, {{core}, 0}, static_cast<std::size_t>(place.gpu)) > 0) ++far;
  return far;
}

}  // namespace

std::string format_gpu_places(const GpuTask& gpu, const GpuOutcome& outcome, const ClusterView& view,
                              const std::vector<RankPlace>& places) {
  std::string text;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const mapping::GpuPlace& place = outcome.mapping.of_rank[static_cast<std::size_t>(outcome.place_of_rank[rank])];
    text += std::to_string(rank) + " " + view.nodes[static_cast<std::size_t>(places[rank].node)].name + " " +
            std::to_string(place.gpu) + " " + format_cores(cpus_of(gpu, place)) + " " + nic_of(gpu, place) + "\n";
  }
  return text;
}

std::string srun_options(const GpuTask& gpu, const GpuOutcome& outcome) {
  return "--gpu-bind=" + gpu_bind(outcome) + " --cpu-bind=" + cpu_bind(gpu, outcome);
}

std::string format_gpu_summary(const GpuTask& gpu, const GpuOutcome& outcome) {
  const auto ranks = static_cast<std::int64_t>(outcome.mapping.of_rank.size());
  std::string text =
      formatted("GPUs      %lld of %d of %s, with %d cores each, %lld of which are not next to their GPU\n",
                static_cast<long long>(ranks), gpu.gpus(), shown(gpu.node.name).c_str(), gpu.cores_per_rank,
                static_cast<long long>(far_cores(gpu, outcome)));
  if (outcome.has_traffic)
    text += formatted(
        "links     carry %.1f %% of the traffic within nodes, %.1f %% with ranks in the order of the cores\n"
        "GPU cost  %lld, %lld with ranks in the order of the cores (ratio %.3f), %s\n",
        100 * outcome.linked, 100 * outcome.natural_linked, static_cast<long long>(outcome.cost),
        static_cast<long long>(outcome.natural_cost),
        outcome.natural_cost > 0 ? static_cast<double>(outcome.cost) / static_cast<double>(outcome.natural_cost) : 1.0,
        outcome.mapping.exact ? "the least one" : "by a search that does not try all");
  return text + "srun      " + srun_options(gpu, outcome) + "\n";
}

void write_gpus(JsonWriter& json, const GpuTask& gpu, const GpuOutcome& outcome) {
  json.key("gpus").begin_object().member("node_topology", gpu.node.name, "gpus", gpu.gpus());
  json.member("cores_per_rank", gpu.cores_per_rank, "far_cores", far_cores(gpu, outcome));
  json.member("exact", outcome.mapping.exact);
  if (outcome.has_traffic)
    json.member("cost", outcome.cost, "natural_cost", outcome.natural_cost, "linked", outcome.linked, "natural_linked",
                outcome.natural_linked);
  json.member("gpu_bind", gpu_bind(outcome), "cpu_bind", cpu_bind(gpu, outcome));
  json.objects("places", outcome.mapping.of_rank, [&](const mapping::GpuPlace& place) {
    json.member("gpu", place.gpu, "name", gpu.node.gpus[static_cast<std::size_t>(place.gpu)].name);
    json.list("cpus", cpus_of(gpu, place)).member("nic", nic_of(gpu, place));
  });
  json.end_object();
}

}  // namespace placement::tools
