// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/gpu_devices.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>

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

// Returns the paths in a folder; none if it cannot be read.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    entries.push_back(entry->path());
  return entries;
}

// Returns the folders of the devices that a driver has, in the order of their PCI addresses, such as 0000:c1:00.0.
std::vector<fs::path> devices_of(const fs::path& driver) {
  std::vector<fs::path> devices = entries_of(driver);
  std::erase_if(devices,
                [](const fs::path& entry) { return entry.filename().string().find(':') == std::string::npos; });
  std::ranges::sort(devices, {}, [](const fs::path& device) {
    const std::string address = device.filename().string();
    return std::pair(address.size(), address);  // a domain may have more than four digits
  });
  return devices;
}

// Returns whether a GPU of NVIDIA is divided into instances.
bool is_divided(const fs::path& root) {
  for (const fs::path& gpu : entries_of(root / "proc/driver/nvidia/capabilities"))
    for (const fs::path& part : entries_of(gpu / "mig"))
      if (part.filename().string().starts_with("gi")) return true;
  return false;
}

fs::path base_of(const std::string& root) { return root.empty() ? "/" : root; }

std::vector<fs::path> nvidia_devices(const fs::path& base) { return devices_of(base / "sys/bus/pci/drivers/nvidia"); }

// Returns the GPUs of the only driver that has any; none if the order of Slurm is uncertain.
std::vector<fs::path> gpu_devices(const fs::path& base) {
  std::vector<fs::path> devices = nvidia_devices(base);
  std::vector<fs::path> others = devices_of(base / "sys/bus/pci/drivers/amdgpu");
  if (devices.empty() == others.empty() || is_divided(base)) return {};
  return devices.empty() ? others : devices;
}

// A network interface with RDMA.
struct Interface {
  fs::path device;        // its folder in /sys/devices
  std::string name;       // with its port, such as mlx5_0:1
  bool infiniband;        // false: Ethernet
  std::int32_t gpus = 0;  // number of GPUs to which it is assigned so far
};

// Returns all InfiniBand interfaces with an active port, else all others with one. They are sorted by `device`.
std::vector<Interface> active_interfaces(const fs::path& base) {
  std::vector<Interface> interfaces;
  for (const fs::path& entry : entries_of(base / "sys/class/infiniband")) {
    std::vector<fs::path> ports = entries_of(entry / "ports");
    std::erase_if(ports, [](const fs::path& port) { return !first_line(port / "state").ends_with("ACTIVE"); });
    if (ports.empty()) continue;
    const fs::path port = std::ranges::min(ports);
    std::error_code failed;
    interfaces.push_back({fs::weakly_canonical(entry / "device", failed),
                          entry.filename().string() + ":" + port.filename().string(),
                          first_line(port / "link_layer") == "InfiniBand"});
  }
  if (std::ranges::any_of(interfaces, &Interface::infiniband))
    std::erase_if(interfaces, [](const Interface& interface) { return !interface.infiniband; });
  std::ranges::sort(interfaces, {}, &Interface::device);
  return interfaces;
}

// Returns the number of folders that two paths share. Devices below one PCI switch share most.
std::ptrdiff_t shared_folders(const fs::path& a, const fs::path& b) {
  return std::distance(a.begin(), std::ranges::mismatch(a, b).in1);
}

}  // namespace

const char* visible_gpus_variable(const std::string& root) {
  return nvidia_devices(base_of(root)).empty() ? "ROCR_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
}

std::vector<std::string> interfaces_near_gpus(const std::string& root) {
  const fs::path base = base_of(root);
  std::vector<Interface> interfaces = active_interfaces(base);
  std::vector<std::string> names;
  if (interfaces.empty()) return names;
  for (const fs::path& gpu : gpu_devices(base)) {
    std::error_code failed;
    const fs::path place = fs::weakly_canonical(gpu, failed);
    const auto distance = [&](const Interface& interface) {
      return std::tuple(-shared_folders(place, interface.device),
                        first_line(place / "numa_node") != first_line(interface.device / "numa_node"), interface.gpus);
    };
    Interface& nearest = *std::ranges::min_element(interfaces, {}, distance);
    ++nearest.gpus;
    names.push_back(nearest.name);
  }
  return names;
}

std::optional<std::vector<GpuShape>> gpus_by_kernel(const std::string& root, const MachineCores& machine) {
  const std::vector<fs::path> devices = gpu_devices(base_of(root));
  if (devices.empty()) return std::nullopt;
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
