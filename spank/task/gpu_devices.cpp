// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/gpu_devices.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "common/util/cpu_list.hpp"
#include "common/util/text.hpp"

namespace placement::spank {

namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return std::string(trimmed(line));
}

// Returns the folders of the devices that a driver has, in the order of their PCI addresses, such as 0000:c1:00.0.
std::vector<fs::path> devices_of(const fs::path& driver) {
  std::vector<fs::path> devices;
  std::error_code failed;
  for (fs::directory_iterator entry(driver, failed), end; !failed && entry != end; entry.increment(failed))
    if (entry->path().filename().string().find(':') != std::string::npos) devices.push_back(entry->path());
  std::ranges::sort(devices, {}, [](const fs::path& device) {
    const std::string address = device.filename().string();
    return std::pair(address.size(), address);  // a domain may have more than four digits
  });
  return devices;
}

// Returns whether a GPU of NVIDIA is divided into instances.
bool is_divided(const fs::path& root) {
  std::error_code failed;
  for (fs::directory_iterator gpu(root / "proc/driver/nvidia/capabilities", failed), end; !failed && gpu != end;
       gpu.increment(failed)) {
    std::error_code none;
    for (fs::directory_iterator part(gpu->path() / "mig", none); !none && part != end; part.increment(none))
      if (part->path().filename().string().starts_with("gi")) return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<GpuShape>> gpus_by_kernel(const std::string& root, const MachineCores& machine) {
  const fs::path base = root.empty() ? "/" : root;
  std::vector<fs::path> devices = devices_of(base / "sys/bus/pci/drivers/nvidia");
  const std::vector<fs::path> others = devices_of(base / "sys/bus/pci/drivers/amdgpu");
  if (devices.empty() == others.empty() || is_divided(base)) return std::nullopt;
  if (devices.empty()) devices = others;
  const std::string model = first_line(devices.front() / "device");
  const auto cpus = static_cast<std::int32_t>(machine.core_of_cpu.size());
  std::vector<GpuShape> gpus;
  for (const fs::path& device : devices) {
    const auto near = listed_cores(first_line(device / "local_cpulist"), cpus);
    if (!near || near->empty() || first_line(device / "device") != model) return std::nullopt;
    std::set<std::int32_t> cores;
    for (const std::int32_t cpu : *near) cores.insert(machine.core_of_cpu[static_cast<std::size_t>(cpu)]);
    gpus.push_back({"", {cores.begin(), cores.end()}});
  }
  return gpus;
}

}  // namespace placement::spank
