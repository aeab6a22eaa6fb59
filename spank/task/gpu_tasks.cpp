// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/gpu_tasks.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "common/util/text.hpp"
#include "mapping/assignment.hpp"

namespace placement::spank {

namespace {

constexpr std::size_t most_tasks = 1024;  // of a node; the search takes their third power
constexpr std::int32_t most_gpus = 1024;
constexpr std::size_t mask_bits = 64;

// Removes `word` from the front of `text`, in any case of its letters. Returns false if `text` does not begin with it.
bool take(std::string_view& text, std::string_view word) {
  if (!equal_any_case(text.substr(0, word.size()), word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// Parses a number, in hexadecimal where it begins with 0x. Returns nothing if the text is not a number.
std::optional<std::uint64_t> parse_number(std::string_view text) {
  const int base = text.starts_with("0x") || text.starts_with("0X") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns the numbers of "0,3*2,1", one for each task; Slurm begins the list anew when it is too short. Returns none if
// it has another form.
std::vector<std::uint64_t> numbers_for(std::string_view list, std::size_t tasks) {
  std::vector<std::uint64_t> numbers;
  for (const std::string_view part : split_at(list, ',')) {
    const std::size_t star = part.find('*');
    const auto number = parse_number(part.substr(0, star));
    const auto times = star == part.npos ? 1 : parse_number(part.substr(star + 1)).value_or(0);
    if (!number || times < 1 || times > most_tasks) return {};
    numbers.insert(numbers.end(), times, *number);
    if (numbers.size() >= tasks) break;
  }
  for (std::size_t i = 0; numbers.size() < tasks; ++i) numbers.push_back(numbers[i]);
  numbers.resize(tasks);
  return numbers;
}

// Returns `each` GPUs for every task, in the order of the GPUs; none if they do not suffice.
std::vector<std::vector<std::int32_t>> in_order(std::span<const std::int32_t> gpus, std::size_t tasks,
                                                std::uint64_t each) {
  if (each < 1 || each > gpus.size() / tasks) return {};
  std::vector<std::vector<std::int32_t>> of_task;
  for (std::size_t task = 0; task < tasks; ++task)
    of_task.emplace_back(gpus.begin() + static_cast<std::ptrdiff_t>(task * each),
                         gpus.begin() + static_cast<std::ptrdiff_t>((task + 1) * each));
  return of_task;
}

// Returns the GPUs of each task by a list of numbers, or of masks if `masks` is set. Numbers count the GPUs of the
// node, or those of the step if devices are constrained. Returns nothing if these two differ.
std::vector<std::vector<std::int32_t>> by_list(std::string_view list, bool masks, std::span<const std::int32_t> gpus,
                                               std::size_t tasks) {
  if (gpus.back() != static_cast<std::int32_t>(gpus.size()) - 1 || gpus.size() > mask_bits) return {};
  std::vector<std::vector<std::int32_t>> of_task;
  for (const std::uint64_t number : numbers_for(list, tasks)) {
    of_task.emplace_back();
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
      if (masks ? (number >> gpu) & 1 : number == gpu) of_task.back().push_back(static_cast<std::int32_t>(gpu));
    if (of_task.back().empty()) return {};
  }
  return of_task;
}

// Returns the distance of each CPU from the GPUs of a task.
std::vector<std::int64_t> distance_of_cpus(std::span<const std::int32_t> gpus_of_task, std::span<const GpuShape> gpus,
                                           const MachineCores& machine) {
  const std::size_t cpus = machine.core_of_cpu.size();
  std::set<std::int32_t> cores, packages;  // cores and packages near a GPU
  for (const std::int32_t number : gpus_of_task) {
    const std::vector<std::int32_t>& near = gpus[static_cast<std::size_t>(number)].cores;
    if (near.empty()) return std::vector<std::int64_t>(cpus, 0);
    cores.insert(near.begin(), near.end());
  }
  for (std::size_t cpu = 0; cpu < cpus; ++cpu)
    if (cores.contains(machine.core_of_cpu[cpu])) packages.insert(machine.package_of_cpu[cpu]);
  std::vector<std::int64_t> distance;
  for (std::size_t cpu = 0; cpu < cpus; ++cpu)
    distance.push_back(cores.contains(machine.core_of_cpu[cpu])         ? 0
                       : packages.contains(machine.package_of_cpu[cpu]) ? 1
                                                                        : 2);
  return distance;
}

std::int64_t distance_of_mask(const CpuMask& mask, const std::vector<std::int64_t>& of_cpu) {
  std::int64_t sum = 0;
  for (std::size_t cpu = 0; cpu < of_cpu.size() && cpu < CpuMask::cpus; ++cpu)
    if (mask.has(static_cast<int>(cpu))) sum += of_cpu[cpu];
  return sum;
}

}  // namespace

MachineCores machine_cores(int cpus, const PositionOf& position) {
  std::map<int, int> first_of_package;       // the lowest CPU of each package
  std::map<CpuPosition, int> first_of_core;  // the lowest CPU of each core
  std::vector<CpuPosition> place;
  for (int cpu = 0; cpu < cpus; ++cpu) {
    place.push_back(position(cpu));
    first_of_package.emplace(place.back().package, cpu);
    first_of_core.emplace(place.back(), cpu);
  }
  std::vector<std::pair<int, int>> order;  // per core: the lowest CPU of its package, and its own
  for (const auto& [core, first] : first_of_core) order.emplace_back(first_of_package[core.package], first);
  std::sort(order.begin(), order.end());
  MachineCores machine;
  for (const CpuPosition& core : place) {
    const std::pair<int, int> key(first_of_package[core.package], first_of_core[core]);
    machine.core_of_cpu.push_back(
        static_cast<std::int32_t>(std::lower_bound(order.begin(), order.end(), key) - order.begin()));
    machine.package_of_cpu.push_back(core.package);
  }
  return machine;
}

std::vector<std::int32_t> parse_gpu_list(std::string_view list) {
  std::vector<std::int32_t> gpus;
  for (const std::string_view part : split_at(list, ',')) {
    const auto number = parse_integer(part);
    if (!number || *number < 0 || *number >= most_gpus) return {};
    gpus.push_back(static_cast<std::int32_t>(*number));
  }
  std::ranges::sort(gpus);
  if (std::ranges::adjacent_find(gpus) != gpus.end()) return {};
  return gpus;
}

bool all_see_all(std::string_view binding, std::span<const std::int32_t> gpus, std::size_t tasks) {
  const std::size_t begin = binding.find("gpu:");
  std::string_view rule = begin == binding.npos ? "none" : binding.substr(begin + 4);
  take(rule, "verbose,");
  return take(rule, "none") && gpus.size() == tasks && tasks > 0;
}

std::optional<std::string> reordered_list(std::string_view list, std::span<const std::int32_t> order) {
  const std::vector<std::string_view> parts = split_at(list, ',');
  if (parts.size() != order.size()) return std::nullopt;
  return joined(order, ",", [&](std::int32_t number) { return parts.at(static_cast<std::size_t>(number)); });
}

const char* gpu_list_variable(std::string_view file, const std::function<bool(const char*)>& is_set) {
  constexpr const char *cuda = "CUDA_VISIBLE_DEVICES", *rocr = "ROCR_VISIBLE_DEVICES", *ze = "ZE_AFFINITY_MASK",
                       *opencl = "GPU_DEVICE_ORDINAL";
  if (file.starts_with("/dev/nvidia")) return is_set(cuda) ? cuda : nullptr;
  if (file.starts_with("/dev/dri/") || file.starts_with("/dev/kfd"))
    return is_set(rocr) ? rocr : is_set(ze) ? ze : nullptr;
  const char* only = nullptr;
  for (const char* const variable : {cuda, rocr, ze, opencl})
    if (is_set(variable)) {
      if (only) return nullptr;
      only = variable;
    }
  return only;
}

GpusOfTasks gpus_of_tasks(std::string_view binding, std::span<const std::int32_t> gpus, std::size_t tasks) {
  if (gpus.empty() || tasks < 1) return {};
  const std::size_t begin = binding.find("gpu:");
  std::string_view rule = begin == binding.npos ? "none" : binding.substr(begin + 4);
  rule = rule.substr(0, rule.find_first_of("+;"));
  take(rule, "verbose,");
  if (take(rule, "closest") || take(rule, "single:")) return {true, {}};
  if (take(rule, "per_task:")) {
    if (binding.substr(0, begin).ends_with("gres/")) return {true, {}};  // from Slurm 23.11 on
    return {false, in_order(gpus, tasks, parse_number(rule).value_or(0))};
  }
  if (take(rule, "map_gpu:") || take(rule, "map:")) return {false, by_list(rule, false, gpus, tasks)};
  if (take(rule, "mask_gpu:") || take(rule, "mask:")) return {false, by_list(rule, true, gpus, tasks)};
  if (gpus.size() == tasks) return {false, in_order(gpus, tasks, 1)};
  return {};
}

std::vector<std::int32_t> slots_near_gpus(std::span<const CpuMask> sorted, std::span<const std::int32_t> slot_of_task,
                                          std::span<const std::vector<std::int32_t>> gpus_of_task,
                                          std::span<const GpuShape> gpus, const MachineCores& machine) {
  const std::size_t tasks = slot_of_task.size();
  const std::vector<std::int32_t> planned(slot_of_task.begin(), slot_of_task.end());
  if (tasks > most_tasks || gpus_of_task.size() != tasks || sorted.size() != tasks) return planned;
  // One step of distance outweighs the sum of all deviations of tasks from their planned slots.
  const std::int64_t weight = static_cast<std::int64_t>(tasks * tasks * tasks) + 1;
  std::vector<std::int64_t> cost;
  for (std::size_t task = 0; task < tasks; ++task) {
    for (const std::int32_t gpu : gpus_of_task[task])
      if (gpu < 0 || static_cast<std::size_t>(gpu) >= gpus.size()) return planned;
    const std::vector<std::int64_t> of_cpu = distance_of_cpus(gpus_of_task[task], gpus, machine);
    for (std::size_t slot = 0; slot < tasks; ++slot) {
      const std::int64_t off = static_cast<std::int64_t>(slot) - planned[task];
      cost.push_back(weight * distance_of_mask(sorted[slot], of_cpu) + off * off);
    }
  }
  return mapping::least_cost_assignment(cost, tasks, tasks);
}

}  // namespace placement::spank
