// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/launch/local_rank.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "spank/task/gpu_devices.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::tools;
using spank::CpuMask;
using spank::CpuPosition;

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

CpuMask cpus(int first, int last) {
  CpuMask mask;
  for (int cpu = first; cpu <= last; ++cpu) mask.add(cpu);
  return mask;
}

// A node with four GPUs of NVIDIA, two on each package of eight cores. GPUs 0 and 1 are near the second package. GPUs 0
// and 2 share a PCI switch with an interface. GPU 1 is only below the same root as interface mlx5_1, and GPU 3 only on
// the NUMA node of mlx5_2.
class Node {
 public:
  Node() {
    gpu("pci0000:40/0000:40:01.0/0000:41:00.0/0000:42:00.0", "8-15", "1");
    gpu("pci0000:40/0000:40:02.0/0000:47:00.0", "8-15", "1");
    gpu("pci0000:80/0000:80:01.0/0000:81:00.0/0000:82:00.0", "0-7", "0");
    gpu("pci0000:a0/0000:a0:01.0/0000:a1:00.0", "0-7", "0");
    interface("mlx5_0", "pci0000:40/0000:40:01.0/0000:41:00.0/0000:43:00.0", "1", {"4: ACTIVE"});
    interface("mlx5_1", "pci0000:40/0000:40:03.0/0000:48:00.0", "1", {"1: DOWN", "4: ACTIVE"});
    interface("mlx5_2", "pci0000:80/0000:80:01.0/0000:81:00.0/0000:83:00.0", "0", {"4: ACTIVE"});
    interface("mlx5_3", "pci0000:a0/0000:a0:01.0/0000:a2:00.0", "0", {"1: DOWN"});
  }

  void interface(const std::string& name, const std::string& place, const std::string& numa, const Names& states,
                 const std::string& layer = "InfiniBand") const {
    const fs::path device = directory(place, numa), of_class = sys() / "class/infiniband" / name;
    fs::create_directories(of_class / "ports");
    fs::create_directory_symlink(device, of_class / "device");
    for (std::size_t port = 0; port < states.size(); ++port) {
      const fs::path folder = of_class / "ports" / std::to_string(port + 1);
      fs::create_directories(folder);
      std::ofstream(folder / "state") << states[port] << "\n";
      std::ofstream(folder / "link_layer") << layer << "\n";
    }
  }

  std::string root() const { return root_.path(); }
  fs::path sys() const { return fs::path(root_.path()) / "sys"; }

 private:
  fs::path directory(const std::string& place, const std::string& numa) const {
    const fs::path device = sys() / "devices" / place;
    fs::create_directories(device);
    std::ofstream(device / "numa_node") << numa << "\n";
    return device;
  }

  void gpu(const std::string& place, const std::string& near, const std::string& numa) const {
    const fs::path device = directory(place, numa), driver = sys() / "bus/pci/drivers/nvidia";
    std::ofstream(device / "device") << "0x20b0\n";
    std::ofstream(device / "local_cpulist") << near << "\n";
    fs::create_directories(driver);
    fs::create_directory_symlink(device, driver / device.filename());
  }

  TemporaryDirectory root_;
};

const spank::MachineCores machine = spank::machine_cores(16, [](int cpu) { return CpuPosition{cpu / 8, cpu % 8}; });

// The place of each child, with the variables of the task.
class Children {
 public:
  explicit Children(std::map<std::string, std::string> variables) : variables_(std::move(variables)) {}

  ChildPlace place(const Node& node, std::size_t number, std::size_t children, const CpuMask& allowed = cpus(0, 15),
                   bool one_gpu = false) const {
    return place_child({number, children}, allowed, machine, node.root(), one_gpu, task());
  }

  spank::TaskVariables task() const {
    return {[this](const char* name) {
              const auto found = variables_.find(name);
              return found == variables_.end() ? std::nullopt : std::optional(found->second);
            },
            [](const char*, const std::string&) {}};
  }

 private:
  std::map<std::string, std::string> variables_;
};

std::string value(const ChildPlace& place, const std::string& name) {
  for (const auto& [variable, text] : place.environment)
    if (variable == name) return text;
  return "unset";
}

}  // namespace

START_TEST(interfaces_near_each_gpu) {
  const Node node;
  const Names near{"mlx5_0:1", "mlx5_1:2", "mlx5_2:1", "mlx5_2:1"};
  ck_assert(spank::interfaces_near_gpus(node.root()) == near);
  node.interface("mlx5_4", "pci0000:a0/0000:a0:01.0/0000:a3:00.0", "0", {"4: ACTIVE"}, "Ethernet");
  ck_assert(spank::interfaces_near_gpus(node.root()) == near);  // InfiniBand comes first
  fs::remove_all(node.sys() / "class");
  ck_assert(spank::interfaces_near_gpus(node.root()).empty());
}
END_TEST

START_TEST(interfaces_of_ethernet_are_used_in_turn) {
  const Node node;
  fs::remove_all(node.sys() / "class");
  node.interface("irdma0", "pci0000:10/0000:10:01.0/0000:11:00.0", "0", {"4: ACTIVE"}, "Ethernet");
  node.interface("irdma1", "pci0000:20/0000:20:01.0/0000:21:00.0", "0", {"4: ACTIVE"}, "Ethernet");
  ck_assert(spank::interfaces_near_gpus(node.root()) == (Names{"irdma0:1", "irdma1:1", "irdma0:1", "irdma1:1"}));
}
END_TEST

START_TEST(children_are_near_their_gpus) {
  const Node node;
  const Children children({{"SLURM_STEP_GPUS", "0,1,2,3"}, {"CUDA_VISIBLE_DEVICES", "0,1,2,3"}});
  const CpuMask expected[] = {cpus(8, 11), cpus(12, 15), cpus(0, 3), cpus(4, 7)};
  const Names nics{"mlx5_0:1", "mlx5_1:2", "mlx5_2:1", "mlx5_2:1"};
  for (std::size_t child = 0; child < 4; ++child) {
    const ChildPlace place = children.place(node, child, 4);
    ck_assert_text_eq(place.gpus_unknown, "");
    ck_assert(place.cpus && *place.cpus == expected[child]);
    ck_assert_text_eq(value(place, "CUDA_VISIBLE_DEVICES"), "0,1,2,3");
    ck_assert_text_eq(value(place, "CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
    ck_assert_text_eq(value(place, "UCX_NET_DEVICES"), nics[child]);
    ck_assert_text_eq(value(place, "NCCL_IB_HCA"), "=" + nics[child]);
    ck_assert_text_eq(value(children.place(node, child, 4, cpus(0, 15), true), "CUDA_VISIBLE_DEVICES"),
                      std::to_string(child));
  }
}
END_TEST

// With constrained devices, CUDA counts the GPUs of the task, and Slurm those of the node.
START_TEST(a_part_of_the_node) {
  const Node node;
  const Children children({{"SLURM_JOB_GPUS", "1,2"}, {"CUDA_VISIBLE_DEVICES", "0,1"}, {"NCCL_IB_HCA", "mlx5_7"}});
  const ChildPlace place = children.place(node, 1, 2, cpus(4, 11), true);
  ck_assert(place.cpus && *place.cpus == cpus(4, 7));
  ck_assert_text_eq(value(place, "CUDA_VISIBLE_DEVICES"), "1");
  ck_assert_text_eq(value(place, "UCX_NET_DEVICES"), "mlx5_2:1");
  ck_assert_text_eq(value(place, "NCCL_IB_HCA"), "unset");  // the user's value stays
  ck_assert_text_eq(value(children.place(node, 2, 3, cpus(4, 11), true), "CUDA_VISIBLE_DEVICES"), "0");
  ck_assert(!children.place(node, 1, 2, cpus(4, 4)).cpus);
}
END_TEST

START_TEST(the_order_of_the_visible_gpus) {
  const Node node;
  const Children children({{"SLURM_STEP_GPUS", "0,1,2,3"}, {"CUDA_VISIBLE_DEVICES", "3,2,1,0"}});
  ck_assert_text_eq(value(children.place(node, 0, 4), "UCX_NET_DEVICES"), "mlx5_2:1");
  ck_assert_text_eq(value(children.place(node, 3, 4), "UCX_NET_DEVICES"), "mlx5_0:1");
  ck_assert_text_eq(value(children.place(node, 3, 4), "CUDA_VISIBLE_DEVICES"), "3,2,1,0");
  const Children part({{"SLURM_STEP_GPUS", "1,2"}, {"CUDA_VISIBLE_DEVICES", "1,0"}});
  ck_assert_text_eq(value(part.place(node, 1, 2), "UCX_NET_DEVICES"), "mlx5_1:2");
}
END_TEST

START_TEST(gpus_that_are_not_known) {
  const Node node;
  for (const std::map<std::string, std::string>& variables :
       {std::map<std::string, std::string>{{"SLURM_STEP_GPUS", "3,4"}},
        std::map<std::string, std::string>{{"SLURM_STEP_GPUS", "2,3"}},  // which numbers the program has is not known
        std::map<std::string, std::string>{{"SLURM_STEP_GPUS", "2,3"}, {"CUDA_VISIBLE_DEVICES", "GPU-8f2a,GPU-11c0"}},
        std::map<std::string, std::string>{{"SLURM_STEP_GPUS", "0,1"}, {"CUDA_VISIBLE_DEVICES", "0"}}}) {
    const ChildPlace place = Children(variables).place(node, 0, 2);
    ck_assert(!place.gpus_unknown.empty() && place.environment.empty());
    ck_assert(place.cpus && *place.cpus == cpus(0, 7));
  }
  fs::remove_all(node.sys() / "bus");
  const ChildPlace place = Children({}).place(node, 1, 2);
  ck_assert(!place.gpus_unknown.empty() && place.environment.empty() && *place.cpus == cpus(8, 15));
}
END_TEST

START_TEST(variables_of_the_launcher) {
  const auto child_of = [](std::map<std::string, std::string> variables) {
    const Children children(std::move(variables));
    return this_child(children.task());
  };
  const auto torchrun = child_of({{"LOCAL_RANK", "2"}, {"LOCAL_WORLD_SIZE", "4"}});
  ck_assert(torchrun && torchrun->number == 2 && torchrun->children == 4);
  ck_assert(child_of({{"LOCAL_RANK", "0"}, {"LOCAL_SIZE", "1"}}));
  ck_assert(!child_of({{"LOCAL_RANK", "2"}}) && !child_of({{"LOCAL_WORLD_SIZE", "4"}}));
  ck_assert(!child_of({{"LOCAL_RANK", "4"}, {"LOCAL_WORLD_SIZE", "4"}}));
  ck_assert(!child_of({{"LOCAL_RANK", "x"}, {"LOCAL_WORLD_SIZE", "4"}}));
}
END_TEST

int main() {
  Suite* const suite = suite_create("local_rank");
  TCase* const tests = tcase_create("local_rank");
  tcase_add_test(tests, interfaces_near_each_gpu);
  tcase_add_test(tests, interfaces_of_ethernet_are_used_in_turn);
  tcase_add_test(tests, children_are_near_their_gpus);
  tcase_add_test(tests, a_part_of_the_node);
  tcase_add_test(tests, the_order_of_the_visible_gpus);
  tcase_add_test(tests, gpus_that_are_not_known);
  tcase_add_test(tests, variables_of_the_launcher);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
