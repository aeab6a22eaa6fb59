// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/node_topology.hpp"

#include <fcntl.h>
#include <hwloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/parent_process.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::size_t max_bytes = std::size_t{16} << 20;
constexpr rlim_t max_memory = rlim_t{4} << 30;
constexpr rlim_t max_seconds = 30;
constexpr unsigned max_matrices = 64;
constexpr std::int64_t max_bandwidth = std::int64_t{1} << 40;

using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, void (*)(hwloc_topology_t)>;

Topology new_topology() {
  setenv("HWLOC_HIDE_ERRORS", "2", 0);  // errors are reported once, below
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error("libhwloc cannot be initialised");
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_flags(
      raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);  // so that cores have the numbers of the whole machine
  return Topology(raw, hwloc_topology_destroy);
}

bool load_xml(hwloc_topology_t topology, const std::string& text) {
  return hwloc_topology_set_xmlbuffer(topology, text.c_str(), static_cast<int>(text.size() + 1)) == 0 &&
         hwloc_topology_load(topology) == 0;
}

// Returns whether libhwloc loads this XML. This runs in a separate process, because some texts cause a segmentation
// fault in libhwloc, and others may need much memory or time.
bool loads(const std::string& text) {
  const pid_t child = fork();
  if (child < 0) throw Error(std::string("fork: ") + std::strerror(errno));
  if (child == 0) {
    constexpr rlimit no_core{0, 0}, time{max_seconds, max_seconds};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &time);
#ifndef __SANITIZE_ADDRESS__
    constexpr rlimit memory{max_memory, max_memory};
    setrlimit(RLIMIT_AS, &memory);
#endif
    signal(SIGSEGV, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) dup2(null, STDERR_FILENO);
    try {
      _exit(load_xml(new_topology().get(), text) ? 0 : 1);
    } catch (...) {
      _exit(1);
    }
  }
  const int status = status_of(child);
  if (status < 0) throw Error(std::string("waitpid: ") + std::strerror(errno));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Throws Error if a description such as "package:2 core:8 pu:1" has more than most_described objects at its lowest
// level. libhwloc would create all of them.
void check_description(const std::string& text) {
  constexpr std::int64_t most_described = 65'536;
  std::int64_t objects = 1;
  for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    const bool is_count =
        at == 0 || text[at - 1] == ':' || text[at - 1] == ' ';  // not the digit of L3, nor an attribute
    const auto count =
        is_count ? parse_integer(std::string_view(text).substr(at, end - at)) : std::optional<std::int64_t>(1);
    if (!count || *count > most_described || (objects *= std::max<std::int64_t>(*count, 1)) > most_described)
      throw Error(shown(text) + ": expected a description of at most " + std::to_string(most_described) +
                  " processors");
    at = end;
  }
}

// Throws Error, with the remedy, if the text has a form that this libhwloc does not read.
void check_form(const std::string& text, const std::string& source) {
  const std::string_view start = std::string_view(text).substr(0, 4096);
  const std::size_t version = start.find("<topology version=\"");
  if (version != start.npos && start.substr(version + 19, 1) > "0" &&
      start[version + 19] - '0' > HWLOC_API_VERSION >> 16)
    throw Error(printable(source) + " has the format of hwloc " + std::string(1, start[version + 19]) +
                ", and this placectl has libhwloc " + std::to_string(HWLOC_API_VERSION >> 16) +
                ": write it with \"lstopo --export-xml-flags v" + std::to_string(HWLOC_API_VERSION >> 16) +
                " node.xml\"");
  if (start.find("GPU0") != start.npos && start.find("CPU Affinity") != start.npos)
    throw Error(
        printable(source) +
        " is output of nvidia-smi topo -m: use the file that \"lstopo node.xml\" writes. For the links use --gres-conf "
        "with the lines that placectl gres-conf prints on the node");
}

Topology load(const std::string& source) {
  Topology topology = new_topology();
  if (!may_exist(source) && source.find(':') != source.npos && source.find('/') == source.npos) {
    check_description(source);
    if (hwloc_topology_set_synthetic(topology.get(), source.c_str()) != 0 || hwloc_topology_load(topology.get()) != 0)
      throw Error(shown(source) + " is neither a file nor a description such as \"package:2 core:8 pu:1\"");
    return topology;
  }
  const std::string text = read_input_file(source, max_bytes);
  check_form(text, source);
  if (!loads(text) || !load_xml(topology.get(), text))
    throw Error(printable(source) +
                " is not a complete XML file of hwloc: write it with \"lstopo node.xml\" on the compute node");
  return topology;
}

// Returns a name that is safe on a terminal, of at most 40 bytes.
std::string short_name(const char* name) {
  return name ? printable(std::string_view(name).substr(0, 40)) : std::string();
}

// Throws Error if `number` of the things called `what` is above `most`. `source` names the description.
void check_number(std::int64_t number, std::int64_t most, const char* what, const std::string& source) {
  if (number > most)
    throw Error(printable(source) + " has " + std::to_string(number) + " " + what + ": at most " +
                std::to_string(most) + " are taken");
}

std::vector<std::int32_t> numbers_in(hwloc_const_bitmap_t set) {
  std::vector<std::int32_t> numbers;
  for (int number = hwloc_bitmap_first(set); number >= 0 && number < NodeTopology::max_cpus;
       number = hwloc_bitmap_next(set, number))
    numbers.push_back(number);
  return numbers;
}

std::int32_t index_above(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t object) {
  const hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(topology, type, object);
  return above ? static_cast<std::int32_t>(above->logical_index) : -1;
}

void read_cores(hwloc_topology_t topology, NodeTopology& node) {
  const bool has_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  check_number(hwloc_get_nbobjs_by_type(topology, type), NodeTopology::max_cores, "cores", node.name);
  const hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(topology);
  check_number(hwloc_bitmap_last(allowed), NodeTopology::max_cpus - 1, "as the highest number of a CPU", node.name);
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object));) {
    NodeCore core;
    core.number = static_cast<std::int32_t>(object->logical_index);
    for (const std::int32_t cpu : numbers_in(object->cpuset))
      if (hwloc_bitmap_isset(allowed, static_cast<unsigned>(cpu))) core.cpus.push_back(cpu);
    core.package = index_above(topology, HWLOC_OBJ_PACKAGE, object);
    core.numa = object->nodeset ? hwloc_bitmap_first(object->nodeset) : -1;
    core.cache = index_above(topology, HWLOC_OBJ_L3CACHE, object);
    if (!core.cpus.empty()) node.cores.push_back(std::move(core));
  }
  if (node.cores.empty()) throw Error(printable(node.name) + " has no cores");
}

// Returns the PCI device of an object, which is the object itself or the one above an OS device; null if there is none.
hwloc_obj_t pci_device(hwloc_obj_t object) {
  while (object && object->type != HWLOC_OBJ_PCI_DEVICE)
    object = object->type == HWLOC_OBJ_OS_DEVICE ? object->parent : nullptr;
  return object;
}

bool is_device_of(hwloc_obj_t device, hwloc_obj_osdev_type_t type) {
#if HWLOC_API_VERSION >= 0x00030000
  return (device->attr->osdev.types & static_cast<unsigned long>(type)) != 0;
#else
  return device->attr->osdev.type == type;
#endif
}

bool is_subtype(hwloc_obj_t object, const char* subtype) {
  return object->subtype && std::strcmp(object->subtype, subtype) == 0;
}

// Returns the number after `prefix` in one of the device's names, such as 3 for "rsmi3".
std::optional<std::int64_t> index_of_device(hwloc_obj_t device, std::string_view prefix) {
  if (device->type == HWLOC_OBJ_OS_DEVICE)
    return std::string_view(device->name).starts_with(prefix)
               ? parse_integer(std::string_view(device->name).substr(prefix.size()))
               : std::nullopt;
  for (hwloc_obj_t name = device->io_first_child; name; name = name->next_sibling)
    if (name->name && std::string_view(name->name).starts_with(prefix))
      if (const auto index = parse_integer(std::string_view(name->name).substr(prefix.size()))) return index;
  return std::nullopt;
}

constexpr unsigned amd = 0x1002, nvidia = 0x10de, intel = 0x8086;

// A graphics card that only drives a screen, such as that of a service processor, does not count as a GPU.
bool is_gpu(hwloc_obj_t device) {
  const auto& pci = device->attr->pcidev;
  if (pci.vendor_id != amd && pci.vendor_id != nvidia && pci.vendor_id != intel) return false;
  if (pci.class_id == 0x0302 || pci.class_id == 0x0380 || (pci.class_id == 0x1200 && pci.vendor_id == amd)) return true;
  if (pci.class_id >> 8 != 0x03) return false;
  for (hwloc_obj_t name = device->io_first_child; name; name = name->next_sibling)
    if (is_device_of(name, HWLOC_OBJ_OSDEV_COPROC) || is_subtype(name, "NVML") || is_subtype(name, "RSMI")) return true;
  return false;
}

// Returns the device file of a GPU; empty if the description does not contain it. With the driver nvidia-drm, a GPU of
// NVIDIA also has a renderD file, which compute programs do not open.
std::string device_file(hwloc_obj_t device) {
  if (device->type == HWLOC_OBJ_OS_DEVICE) return {};
  const bool of_nvidia = device->attr->pcidev.vendor_id == nvidia;
  const auto index = index_of_device(device, of_nvidia ? "nvml" : "renderD");
  if (!index) return {};
  return (of_nvidia ? "/dev/nvidia" : "/dev/dri/renderD") + std::to_string(*index);
}

std::tuple<unsigned, unsigned, unsigned, unsigned> bus_id(hwloc_obj_t device) {
  const auto& pci = pci_device(device)->attr->pcidev;
  return {pci.domain, pci.bus, pci.dev, pci.func};
}

// Returns the parts of a PCI device that AMD's driver and Slurm count as GPUs; none if the whole device is one GPU. An
// MI300 has parts in the modes TPX and CPX.
std::vector<hwloc_obj_t> parts_of(hwloc_obj_t device) {
  std::vector<hwloc_obj_t> parts;
  for (hwloc_obj_t part = device->io_first_child; part; part = part->next_sibling)
    if (part->name && is_subtype(part, "RSMI")) parts.push_back(part);
  if (parts.size() < 2) parts.clear();
  return parts;
}

// Returns the GPUs in the order in which Slurm and the vendors' tools number them: PCI devices or parts of them.
std::vector<hwloc_obj_t> gpu_devices(hwloc_topology_t topology) {
  std::vector<hwloc_obj_t> gpus;
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_pcidev(topology, device));) {
    if (!is_gpu(device)) continue;
    const std::vector<hwloc_obj_t> parts = parts_of(device);
    if (parts.empty()) gpus.push_back(device);
    gpus.insert(gpus.end(), parts.begin(), parts.end());
  }
  std::ranges::sort(gpus, [](hwloc_obj_t a, hwloc_obj_t b) { return bus_id(a) < bus_id(b); });
  for (const char* prefix : {"nvml", "rsmi"})
    if (std::ranges::all_of(gpus, [&](hwloc_obj_t gpu) { return index_of_device(gpu, prefix).has_value(); }))
      std::ranges::stable_sort(gpus, [&](hwloc_obj_t a, hwloc_obj_t b) {
        return *index_of_device(a, prefix) < *index_of_device(b, prefix);
      });
  return gpus;
}

// Returns the lowest object that contains both devices or is one of them. libhwloc's own function takes no devices.
hwloc_obj_t meeting_of(hwloc_obj_t device, hwloc_obj_t other) {
  std::vector<hwloc_obj_t> above;
  for (; device; device = device->parent) above.push_back(device);
  while (std::ranges::find(above, other) == above.end()) other = other->parent;
  return other;
}

Closeness closeness_of(hwloc_topology_t topology, hwloc_obj_t device, hwloc_obj_t other) {
  const hwloc_obj_t meeting = meeting_of(device, other);
  if (meeting->type == HWLOC_OBJ_PCI_DEVICE) return Closeness::pci_switch;  // parts of one device
  if (meeting->type == HWLOC_OBJ_BRIDGE && meeting->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI)
    return Closeness::pci_switch;
  const hwloc_obj_t a = hwloc_get_non_io_ancestor_obj(topology, device),
                    b = hwloc_get_non_io_ancestor_obj(topology, other);
  if (hwloc_bitmap_isequal(a->cpuset, b->cpuset)) return Closeness::numa;
  const std::int32_t package = index_above(topology, HWLOC_OBJ_PACKAGE, a);
  return package >= 0 && package == index_above(topology, HWLOC_OBJ_PACKAGE, b) ? Closeness::package
                                                                                : Closeness::machine;
}

std::string bus_name(hwloc_obj_t device) {
  const auto& pci = pci_device(device)->attr->pcidev;
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "%04x:%02x:%02x.%01x", pci.domain, pci.bus, pci.dev, pci.func);
  return name.data() + (device->type == HWLOC_OBJ_OS_DEVICE ? " " + short_name(device->name) : std::string());
}

bool is_fast_nic(hwloc_obj_t device) {
  const std::string_view name = device->name ? device->name : "";
  return is_device_of(device, HWLOC_OBJ_OSDEV_OPENFABRICS) || name.starts_with("hsn") || name.starts_with("cxi");
}

// Returns one network interface of each PCI device: of the fast devices, or of all if none is fast.
std::vector<hwloc_obj_t> nic_devices(hwloc_topology_t topology) {
  std::vector<hwloc_obj_t> fast, all;
  const auto add = [](std::vector<hwloc_obj_t>& list, hwloc_obj_t device) {
    if (std::ranges::none_of(list, [&](hwloc_obj_t other) { return other->parent == device->parent; }))
      list.push_back(device);
  };
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_osdev(topology, device));) {
    if (!pci_device(device)) continue;
    if (is_fast_nic(device)) add(fast, device);
    if (is_device_of(device, HWLOC_OBJ_OSDEV_NETWORK)) add(all, device);
  }
  std::vector<hwloc_obj_t>& nics = fast.empty() ? all : fast;
  std::ranges::sort(nics, [](hwloc_obj_t a, hwloc_obj_t b) { return bus_id(pci_device(a)) < bus_id(pci_device(b)); });
  return nics;
}

// Gives each GPU its nearest interface. Ties go to the interface that has the fewest GPUs so far.
void choose_nics(hwloc_topology_t topology, const std::vector<hwloc_obj_t>& gpus, NodeTopology& node) {
  const std::vector<hwloc_obj_t> nics = nic_devices(topology);
  check_number(static_cast<std::int64_t>(nics.size()), NodeTopology::max_nics, "network interfaces", node.name);
  for (hwloc_obj_t nic : nics) node.nics.push_back(short_name(nic->name));
  std::vector<std::int32_t> gpus_at(nics.size(), 0);
  for (std::size_t gpu = 0; gpu < gpus.size() && !nics.empty(); ++gpu) {
    const auto worth = [&](std::size_t nic) {
      return std::pair(closeness_of(topology, gpus[gpu], pci_device(nics[nic])), gpus_at[nic]);
    };
    std::size_t best = 0;
    for (std::size_t nic = 1; nic < nics.size(); ++nic)
      if (worth(nic) < worth(best)) best = nic;
    ++gpus_at[best];
    node.gpus[gpu].nic = static_cast<std::int32_t>(best);
  }
}

void read_gpus(hwloc_topology_t topology, const std::vector<hwloc_obj_t>& gpus, NodeTopology& node) {
  check_number(static_cast<std::int64_t>(gpus.size()), NodeTopology::max_gpus, "GPUs", node.name);
  for (hwloc_obj_t gpu : gpus) {
    const hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(topology, gpu);
    NodeGpu shape{bus_name(gpu), {}, -1, device_file(gpu)};
    for (const NodeCore& core : node.cores)
      if (hwloc_bitmap_isset(place->cpuset, static_cast<unsigned>(core.cpus.front())))
        shape.cores.push_back(core.number);
    if (shape.cores.size() == node.cores.size()) shape.cores.clear();  // next to all cores
    node.gpus.push_back(std::move(shape));
    for (hwloc_obj_t other : gpus) node.closeness.push_back(closeness_of(topology, gpu, other));
  }
  node.bandwidth.assign(gpus.size() * gpus.size(), 0);
}

// A distance matrix of libhwloc. It has the index of the GPU for each object of the matrix; -1 if the object is no GPU.
class GpuMatrix {
 public:
  GpuMatrix(const hwloc_distances_s& matrix, const std::vector<hwloc_obj_t>& gpus) : matrix_(matrix) {
    for (unsigned i = 0; i < matrix.nbobjs; ++i) {
      const hwloc_obj_t object = matrix.objs[i];
      const auto found = std::ranges::find_if(
          gpus, [object](hwloc_obj_t gpu) { return object && (gpu == object || gpu == pci_device(object)); });
      gpu_.push_back(found == gpus.end() ? -1 : found - gpus.begin());
    }
  }

  // Returns the mean value of both directions.
  std::int64_t value(std::size_t i, std::size_t j) const { return (at(i, j) + at(j, i)) / 2; }

  // Returns the bandwidth between two GPUs: that of their link, or the one through the NVSwitches of the node. All
  // switches are one fabric, as on the two boards of a DGX-2; libhwloc does not know the links between switches.
  std::int64_t bandwidth(std::size_t i, std::size_t j) const {
    return value(i, j) > 0 ? value(i, j) : std::min(to_switches(i), to_switches(j));
  }

  template <typename Take>
  void for_each_pair(Take take) const {
    for (std::size_t i = 0; i < gpu_.size(); ++i)
      for (std::size_t j = 0; j < gpu_.size(); ++j)
        if (gpu_[i] >= 0 && gpu_[j] >= 0 && gpu_[i] != gpu_[j])
          take(i, j, static_cast<std::size_t>(gpu_[i]), static_cast<std::size_t>(gpu_[j]));
  }

 private:
  std::int64_t to_switches(std::size_t i) const {
    std::int64_t sum = 0;
    for (std::size_t other = 0; other < gpu_.size(); ++other)
      if (matrix_.objs[other] && is_subtype(matrix_.objs[other], "NVSwitch")) sum += value(i, other);
    return std::min(sum, max_bandwidth);
  }

  std::int64_t at(std::size_t i, std::size_t j) const {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(matrix_.values[i * matrix_.nbobjs + j], max_bandwidth));
  }

  const hwloc_distances_s& matrix_;
  std::vector<std::ptrdiff_t> gpu_;
};

void read_links(hwloc_topology_t topology, const std::vector<hwloc_obj_t>& gpus, NodeTopology& node) {
  std::array<hwloc_distances_s*, max_matrices> matrices{};
  unsigned count = max_matrices;
  if (hwloc_distances_get(topology, &count, matrices.data(), 0, 0) != 0) return;
  for (unsigned i = 0; i < std::min(count, max_matrices); ++i) {
    const char* const name = hwloc_distances_get_name(topology, matrices[i]);
    const std::string_view kind = name ? name : "";
    if (matrices[i]->nbobjs <= 16 * static_cast<unsigned>(NodeTopology::max_gpus)) {
      const GpuMatrix matrix(*matrices[i], gpus);
      const std::size_t side = gpus.size();
      if (kind == "NVLinkBandwidth" || kind == "XGMIBandwidth" || kind == "XeLinkBandwidth")
        matrix.for_each_pair([&](std::size_t a, std::size_t b, std::size_t gpu, std::size_t other) {
          node.bandwidth[gpu * side + other] = matrix.bandwidth(a, b);
        });
      if (kind == "XGMIHops") {
        node.hops.assign(side * side, 0);
        matrix.for_each_pair([&](std::size_t a, std::size_t b, std::size_t gpu, std::size_t other) {
          node.hops[gpu * side + other] = matrix.value(a, b);
        });
      }
    }
    hwloc_distances_release(topology, matrices[i]);
  }
}

}  // namespace

NodeTopology read_node_topology(const std::string& source) {
  const Topology topology = load(source);
  NodeTopology node;
  node.name = source;
  read_cores(topology.get(), node);
  const std::vector<hwloc_obj_t> gpus = gpu_devices(topology.get());
  read_gpus(topology.get(), gpus, node);
  choose_nics(topology.get(), gpus, node);
  read_links(topology.get(), gpus, node);
  return node;
}

}  // namespace placement
