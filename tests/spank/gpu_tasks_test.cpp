// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/gpu_tasks.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>

#include "spank/task/gpu_devices.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

namespace {

using placement::GpuShape;
using placement::spank::CpuMask;
using placement::spank::CpuPosition;
using placement::spank::gpus_of_tasks;
using placement::spank::MachineCores;
using placement::spank::slots_near_gpus;
using Numbers = std::vector<std::int32_t>;
using Gpus = std::vector<Numbers>;

CpuMask cores(int first, int last) {
  CpuMask mask;
  for (int cpu = first; cpu <= last; ++cpu) mask.add(cpu);
  return mask;
}

Numbers range(int first, int last) {
  Numbers numbers(static_cast<std::size_t>(last - first + 1));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// A machine of `cpus` cores with one thread each, `of_package` cores in each package.
MachineCores machine(int cpus, int of_package) {
  return placement::spank::machine_cores(cpus, [=](int cpu) {
    return CpuPosition{cpu / of_package, cpu % of_package};
  });
}

// One GPU for each task, in their order.
Gpus one_each(int tasks) {
  Gpus gpus;
  for (int task = 0; task < tasks; ++task) gpus.push_back({task});
  return gpus;
}

// Returns the GPU of each slot if each task has one GPU.
Numbers gpus_in_core_order(const Numbers& slots) {
  Numbers gpus(slots.size());
  for (std::size_t task = 0; task < slots.size(); ++task)
    gpus[static_cast<std::size_t>(slots[task])] = static_cast<std::int32_t>(task);
  return gpus;
}

// Returns the GPUs of the node by a gres.conf with this text.
std::optional<std::vector<GpuShape>> gpus_by(const std::string& text, const std::string& node) {
  const std::string path = "gpu_tasks_test.gres.conf";
  std::ofstream(path) << text;
  const auto gpus = placement::read_gpu_shapes(path, node);
  std::remove(path.c_str());
  return gpus.shapes;
}

// The last-level cache to which each GPU of a LUMI-G node is attached, in the order of its GCDs.
constexpr int cache_of_gcd[] = {6, 7, 2, 3, 0, 1, 4, 5};

}  // namespace

START_TEST(on_a_lumi_node_the_gpus_are_in_the_order_of_the_caches) {
  std::vector<CpuMask> masks;
  for (int cache = 0; cache < 8; ++cache)
    masks.push_back(cores(8 * cache + 1, 8 * cache + 7));  // the system has the first core
  std::vector<GpuShape> by_cache, by_numa;
  for (const int cache : cache_of_gcd) {
    by_cache.push_back({"", range(8 * cache, 8 * cache + 7)});
    by_numa.push_back({"", range(16 * (cache / 2), 16 * (cache / 2) + 15)});
  }
  for (const auto& gpus : {by_cache, by_numa}) {
    const Numbers slots = slots_near_gpus(masks, range(0, 7), one_each(8), gpus, machine(64, 64));
    ck_assert(gpus_in_core_order(slots) == (Numbers{4, 5, 2, 3, 6, 7, 0, 1}));
  }
}
END_TEST

START_TEST(no_other_order_is_nearer) {
  std::mt19937 random(1);
  const auto below = [&random](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  for (int round = 0; round < 300; ++round) {
    const int tasks = 1 + below(6), width = 1 + below(3), cpus = tasks * width;
    std::vector<CpuMask> masks;
    for (int task = 0; task < tasks; ++task) masks.push_back(cores(task * width, task * width + width - 1));
    std::vector<GpuShape> gpus(static_cast<std::size_t>(1 + below(4)));
    for (GpuShape& gpu : gpus)
      for (int cpu = 0; cpu < cpus; ++cpu)
        if (below(3) == 0) gpu.cores.push_back(cpu);
    Gpus of_task;
    for (int task = 0; task < tasks; ++task) of_task.push_back({below(static_cast<int>(gpus.size()))});
    Numbers plan = range(0, tasks - 1);
    std::shuffle(plan.begin(), plan.end(), random);
    const int of_package = std::max(1, cpus / 2);
    const auto distance = [&](int task, int slot) {
      const Numbers& near = gpus[static_cast<std::size_t>(of_task[static_cast<std::size_t>(task)][0])].cores;
      int sum = 0;
      for (int cpu = slot * width; cpu < (slot + 1) * width && !near.empty(); ++cpu) {
        if (std::count(near.begin(), near.end(), cpu)) continue;
        sum += std::any_of(near.begin(), near.end(), [&](int other) { return other / of_package == cpu / of_package; })
                   ? 1
                   : 2;
      }
      return sum;
    };
    const auto cost = [&](const Numbers& slots) {
      int far = 0, off = 0;
      for (int task = 0; task < tasks; ++task) {
        const int slot = slots[static_cast<std::size_t>(task)], planned = plan[static_cast<std::size_t>(task)];
        far += distance(task, slot);
        off += (slot - planned) * (slot - planned);
      }
      return std::pair(far, off);
    };
    const Numbers slots = slots_near_gpus(masks, plan, of_task, gpus, machine(cpus, of_package));
    Numbers other = range(0, tasks - 1);
    ck_assert(std::is_permutation(slots.begin(), slots.end(), other.begin(), other.end()));
    do ck_assert(cost(slots) <= cost(other));
    while (std::next_permutation(other.begin(), other.end()));
  }
}
END_TEST

START_TEST(without_cores_the_plan_stays) {
  const std::vector<CpuMask> masks{cores(0, 0), cores(1, 1), cores(2, 2)};
  const Numbers plan{2, 0, 1};
  ck_assert(slots_near_gpus(masks, plan, one_each(3), std::vector<GpuShape>(3), machine(3, 3)) == plan);
  ck_assert(slots_near_gpus(masks, plan, one_each(3), std::vector<GpuShape>(2), machine(3, 3)) == plan);
}
END_TEST

START_TEST(threads_of_a_core_are_one_core) {
  // Two packages of two cores with two threads: CPUs 0 to 3 are the first threads, alternately over the packages.
  const MachineCores cores = placement::spank::machine_cores(8, [](int cpu) {
    return CpuPosition{cpu % 2, cpu % 4 / 2};
  });
  ck_assert(cores.core_of_cpu == (Numbers{0, 2, 1, 3, 0, 2, 1, 3}));
  ck_assert(cores.package_of_cpu == (Numbers{0, 1, 0, 1, 0, 1, 0, 1}));
}
END_TEST

START_TEST(slurms_bindings_are_understood) {
  const Numbers four = range(0, 3), last{2, 3};
  ck_assert(gpus_of_tasks("", four, 4).of_task == one_each(4));
  ck_assert(gpus_of_tasks("gpu:none", four, 4).of_task == one_each(4));
  ck_assert(gpus_of_tasks("gpu:per_task:1", four, 4).of_task == one_each(4));
  ck_assert(gpus_of_tasks("gpu:per_task:1", last, 2).of_task == (Gpus{{2}, {3}}));
  ck_assert(gpus_of_tasks("gpu:verbose,per_task:2", four, 2).of_task == (Gpus{{0, 1}, {2, 3}}));
  ck_assert(gpus_of_tasks("gpu:map_gpu:3,1*2", four, 4).of_task == (Gpus{{3}, {1}, {1}, {3}}));
  ck_assert(gpus_of_tasks("gpu:mask_gpu:0x3,8", four, 2).of_task == (Gpus{{0, 1}, {3}}));
  ck_assert(gpus_of_tasks("gres/gpu:map:3,2+gres/nic:closest", four, 2).of_task == (Gpus{{3}, {2}}));
  for (const char* binding : {"gpu:closest", "gpu:single:2", "gpu:verbose,closest", "gres/gpu:per_task:1",
                              "gres/nic:closest+gres/gpu:single:1"}) {
    ck_assert_msg(gpus_of_tasks(binding, four, 4).follow_cores, "%s", binding);
    ck_assert(gpus_of_tasks(binding, four, 4).of_task.empty());
  }
}
END_TEST

START_TEST(what_is_not_known_leaves_the_plan) {
  const Numbers four = range(0, 3), last{2, 3};
  const auto unknown = [](const char* binding, const Numbers& gpus, std::size_t tasks) {
    const auto found = gpus_of_tasks(binding, gpus, tasks);
    return found.of_task.empty() && !found.follow_cores;
  };
  ck_assert(unknown("", {}, 4));  // no GPUs
  ck_assert(unknown("gpu:closest", {}, 4));
  ck_assert(unknown("", four, 8));  // fewer GPUs than tasks
  ck_assert(unknown("", four, 2));
  ck_assert(unknown("gpu:per_task:2", four, 4));  // more than there are
  for (const char* damaged :
       {"gpu:per_task:", "gpu:per_task:x", "gpu:per_task:0", "gpu:map_gpu:", "gpu:map_gpu:4", "gpu:map_gpu:1*0",
        "gpu:map_gpu:1*99999999", "gpu:mask_gpu:0x", "gpu:mask_gpu:0x10", "gpu:per_task:99999999999999999999"})
    ck_assert_msg(unknown(damaged, four, 3), "%s", damaged);
  ck_assert(unknown("gpu:map_gpu:0,1", last, 2));  // of the node or of the step?
  ck_assert(placement::spank::parse_gpu_list("2,0") == (Numbers{0, 2}));
  for (const char* list : {"", "x", "0,", "0,0", "-1", "GPU-1234", "99999"})
    ck_assert(placement::spank::parse_gpu_list(list).empty());
}
END_TEST

START_TEST(gres_conf_tells_the_gpus_of_a_node) {
  const std::string text =
      "NodeName=a[1-2] Name=gpu Type=gcd File=/dev/dri/card[128-129] Cores=48-63 Links=-1,4\n"
      "nodename=a[1-2] name=gpu type=gcd file=/dev/dri/card130 \\\n cores=0,2-3\n"
      "NodeName=b1 Name=gpu Count=2\n"
      "NodeName=b1 Name=nic Count=2 Cores=0\n"
      "NodeName=b2 Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap21 CPUs=0-1\n"
      "NodeName=c1 AutoDetect=nvml\n"
      "NodeName=c2 Name=gpu Type=a File=/dev/a\nNodeName=c2 Name=gpu Type=b File=/dev/b\n"
      "NodeName=c3 Name=gpu File=/dev/a Cores=zero\n"
      "NodeName=c4 Name=gpu File=/dev/a[0-\n"
      "NodeName=c5 Name=gpu File=/dev/a[0-1000000000]\n"
      "NodeName=c6 Name=gpu File=/dev/a[0-1024]\n";
  const auto a2 = gpus_by(text, "a2").value();
  ck_assert_uint_eq(a2.size(), 3);
  ck_assert_text_eq(a2[1].file, "/dev/dri/card129");
  ck_assert(a2[1].cores == range(48, 63));
  ck_assert(a2[2].cores == (Numbers{0, 2, 3}));
  const auto b1 = gpus_by(text, "b1").value();
  ck_assert_uint_eq(b1.size(), 2);
  ck_assert(b1[0].cores.empty());
  const auto b2 = gpus_by(text, "b2").value();
  ck_assert_uint_eq(b2.size(), 1);
  ck_assert(b2[0].cores == range(0, 1));
  ck_assert(gpus_by(text, "other").value().empty());
  // As in slurmd, lines that begin with Name= come first, and Links= counts only with one -1 and without other words.
  const auto printed =
      gpus_by(
          "slurmd-n1: Gres Name=gpu Type=a Count=1 Index=0 ID=7 File=/dev/g0 Cores=8-9 CoreCnt=16 Links=-1,0\n"
          "slurmd: Gres Name=gpu Type=a Count=1 Index=1 ID=7 File=/dev/g1 (null)\n",
          "n1")
          .value();
  ck_assert_uint_eq(printed.size(), 2);
  ck_assert(printed[0].cores == range(8, 9));
  const auto mixed =
      gpus_by("NodeName=d Name=gpu Files=/dev/g1 Link=0,,-1\nName=gpu File=/dev/g0 Links=0,1\n", "d").value();
  ck_assert_text_eq(mixed[0].file, "/dev/g0");
  ck_assert(mixed[0].links.empty());
  ck_assert(mixed[1].links == (Numbers{0, -1}));
  for (const char* node : {"c1", "c2", "c3", "c4", "c5", "c6"}) ck_assert_msg(!gpus_by(text, node), "%s", node);
  ck_assert(!gpus_by("NodeName=a[1- Name=gpu\nName=gpu Cores=0\n", "other"));  // for which nodes is the line?
  ck_assert_error(placement::read_gpu_shapes("/no/such/gres.conf", "a1"), "/no/such/gres.conf");
}
END_TEST

// Each line costs time for the nodes that it names, and not for all nodes of a step.
START_TEST(gres_conf_of_very_many_lines) {
  constexpr int count = 5000, gpus = 40;
  std::string text;
  for (int gpu = 0; gpu < gpus; ++gpu)
    for (int n = 0; n < count; ++n)
      text += "NodeName=n" + std::to_string(n) + " Name=gpu File=/dev/nvidia" + std::to_string(gpu) + "\n";
  std::vector<std::string> nodes;
  for (int n = 0; n < count; ++n) nodes.push_back("n" + std::to_string(n));
  const TemporaryDirectory folder;
  const auto shapes = placement::read_gpu_shapes(folder.file("gres.conf", text), nodes);
  ck_assert_uint_eq(shapes.size(), count);
  for (const auto& node : shapes)
    ck_assert(node.shapes && node.shapes->size() == gpus && node.shapes->back().file == "/dev/nvidia39");
}
END_TEST

// Each line without NodeName= is read once for all nodes, and each list of nodes once for all lines.
START_TEST(gres_conf_of_very_many_lines_for_all_nodes) {
  constexpr int count = 4000, lines = 100'000;
  std::string all, listed;
  for (int line = 0; line < lines; ++line) {
    all += "Name=gpu File=/dev/nvidia0\n";
    listed += "NodeName=n[0-3999] Name=nic Count=2\n";
  }
  std::vector<std::string> nodes;
  for (int n = 0; n < count; ++n) nodes.push_back("n" + std::to_string(n));
  const TemporaryDirectory folder;
  const auto shapes = placement::read_gpu_shapes(
      folder.file("gres.conf", listed + "NodeName=n[1-2] Name=gpu File=/dev/nvidia1\nName=gpu File=/dev/nvidia0\n"),
      nodes);
  ck_assert_uint_eq(shapes[0].shapes->size(), 1);
  ck_assert_uint_eq(shapes[2].shapes->size(), 2);
  ck_assert_text_eq(shapes[2].shapes->back().file, "/dev/nvidia1");
  for (const auto& node : placement::read_gpu_shapes(
           folder.file("gres.conf", "NodeName=n[1-3] AutoDetect=rsmi\n" + all + "NodeName=n2 AutoDetect=off\n"),
           nodes)) {
    ck_assert(!node.shapes);
    ck_assert(node.why_not.find("gres.conf:1026: ") != std::string::npos);  // more than 1,024 GPUs
  }
}
END_TEST

// The GPUs of all nodes have a limit in addition to that of one node.
START_TEST(gres_conf_of_very_many_gpus) {
  std::vector<std::string> nodes;
  for (int n = 0; n < 10'000; ++n) nodes.push_back("n" + std::to_string(n));
  const TemporaryDirectory folder;
  const std::string path =
      folder.file("gres.conf", "NodeName=n[0-9999] Name=gpu Count=8\nNodeName=n[1-9999] Name=gpu Count=1000\n");
  ck_assert_uint_eq(placement::read_gpu_shapes(path, std::span(nodes).first(200))[1].shapes->size(), 1008);
  ck_assert_error(placement::read_gpu_shapes(path, nodes), "gres.conf:2: ");
}
END_TEST

// After a mistake at all nodes of a list, further lines with this list are not read for each node.
START_TEST(gres_conf_of_very_many_mistakes) {
  constexpr int count = 50'000, lines = 20'000;
  const std::string nodes_of_all = "NodeName=n[0-" + std::to_string(count - 1) + "] ";
  std::string text = "NodeName=n[0-9] Name=gpu Type=t0 File=/dev/nvidia0\n";
  for (int line = 1; line < lines; ++line) {
    const std::string number = std::to_string(line);
    text += nodes_of_all + "Name=gpu Type=t" + number + " File=/dev/nvidia" + number + "\n";
  }
  text += nodes_of_all + "AutoDetect=nvml\n";
  std::vector<std::string> nodes;
  for (int n = 0; n < count; ++n) nodes.push_back("n" + std::to_string(n));
  const TemporaryDirectory folder;
  const auto gpus = placement::read_gpu_shapes(folder.file("gres.conf", text), nodes);
  ck_assert_uint_eq(gpus.size(), count);
  for (const auto& node : gpus) {
    ck_assert(!node.shapes && node.detected);
    const bool is_first = &node - gpus.data() < 10;
    ck_assert(node.why_not.find(is_first ? "gres.conf:2: " : "gres.conf:3: ") != std::string::npos);
  }
}
END_TEST

// As gres.conf(5) says, AutoDetect= of a node replaces that of the whole file there, in any order of the lines.
START_TEST(gres_conf_finds_no_gpus_of_a_node_that_says_off) {
  const std::string node =
      "NodeName=a[1-2] AutoDetect=off Name=gpu File=/dev/nvidia0 Links=-1,4\nNodeName=a[1-2] Name=gpu "
      "File=/dev/nvidia1\n";
  for (const std::string& text : {"AutoDetect=nvml\n" + node, node + "AutoDetect=nvml\n"}) {
    const auto gpus = gpus_by(text, "a2");
    ck_assert(gpus && gpus->size() == 2 && gpus->front().links == (Numbers{-1, 4}));
    ck_assert(!gpus_by(text, "b1"));
  }
  ck_assert(!gpus_by("NodeName=a1 AutoDetect=rsmi\nAutoDetect=off\n", "a1"));
  ck_assert(gpus_by("Name=gpu AutoDetect=rsmi\nAutoDetect=off\n", "a1"));  // Slurm ignores it in this line
  ck_assert(!gpus_by("Name=gpu AutoDetect=off\nAutoDetect=rsmi\n", "a1"));
}
END_TEST

START_TEST(where_slurm_finds_the_gpus_itself) {
  const auto finds = [](const std::string& text, const std::string& node) {
    const TemporaryDirectory folder;
    return placement::read_gpu_shapes(folder.file("gres.conf", text), node).detected;
  };
  const std::string text =
      "AutoDetect=nvml\nNodeName=a[1-2] AutoDetect=off Name=gpu File=/dev/nvidia0\nNodeName=b1 Name=gpu Type=t\n";
  ck_assert(finds(text, "b1") && finds(text, "c1") && !finds(text, "a2"));
  ck_assert(!finds("NodeName=a1 AutoDetect=off Name=gpu\nAutoDetect=nvml\n", "a1"));
  ck_assert(!finds("NodeName=a1 AutoDetect=rsmi\nName=gpu\n", "b1") && finds("NodeName=a1 AutoDetect=rsmi\n", "a1"));
  ck_assert(!finds("NodeName=a[ AutoDetect=rsmi\n", "a1") && !finds("", "a1"));
}
END_TEST

// The devices of a driver as the kernel shows them: address, model, near CPUs.
void show_device(const TemporaryDirectory& root, const std::string& driver, const std::string& address,
                 const std::string& model, const std::string& cpus) {
  const std::string folder = root.path() + "/sys/bus/pci/drivers/" + driver + "/" + address;
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/device") << model << "\n";
  std::ofstream(folder + "/local_cpulist") << cpus << "\n";
}

// On LUMI-G, each NUMA node has two GCDs and 16 cores. CPUs from 64 on are second threads.
START_TEST(gpus_as_the_kernel_tells_them) {
  using placement::spank::gpus_by_kernel;
  const MachineCores lumi = placement::spank::machine_cores(128, [](int cpu) { return CpuPosition{0, cpu % 64}; });
  const TemporaryDirectory root;
  ck_assert(!gpus_by_kernel(root.path(), lumi));
  const char* const addresses[] = {"0000:c1:00.0", "0000:c6:00.0", "0000:c9:00.0", "0000:ce:00.0",
                                   "0000:d1:00.0", "0000:d6:00.0", "0000:d9:00.0", "0000:dc:00.0"};
  const char* const cpus[] = {"48-63,112-127", "48-63,112-127", "16-31,80-95",  "16-31,80-95",
                              "0-15,64-79",    "0-15,64-79",    "32-47,96-111", "32-47,96-111"};
  for (int gpu = 7; gpu >= 0; --gpu) show_device(root, "amdgpu", addresses[gpu], "0x7408", cpus[gpu]);
  std::ofstream(root.path() + "/sys/bus/pci/drivers/amdgpu/bind");
  const auto gpus = gpus_by_kernel(root.path(), lumi).value();
  ck_assert_uint_eq(gpus.size(), 8);
  ck_assert(gpus[0].cores == range(48, 63) && gpus[4].cores == range(0, 15) && gpus[7].cores == range(32, 47));
  std::vector<CpuMask> masks;
  for (int task = 0; task < 8; ++task) masks.push_back(cores(8 * task, 8 * task + 7));
  ck_assert(gpus_in_core_order(slots_near_gpus(masks, range(0, 7), one_each(8), gpus, lumi)) ==
            (Numbers{4, 5, 2, 3, 6, 7, 0, 1}));

  show_device(root, "amdgpu", "0001:01:00.0", "0x164e", "0-63");  // graphics for a screen
  ck_assert(!gpus_by_kernel(root.path(), lumi));
  show_device(root, "amdgpu", "0001:01:00.0", "0x7408", "0-200");
  ck_assert(!gpus_by_kernel(root.path(), lumi));
  show_device(root, "amdgpu", "0001:01:00.0", "0x7408", "");
  ck_assert(!gpus_by_kernel(root.path(), lumi));
}
END_TEST

START_TEST(gpus_that_the_kernel_numbers_otherwise_than_slurm) {
  using placement::spank::gpus_by_kernel;
  const TemporaryDirectory root;
  const MachineCores four = machine(4, 2);
  show_device(root, "nvidia", "0000:07:00.0", "0x20b0", "0-1");
  show_device(root, "nvidia", "10000:01:00.0", "0x20b0", "2-3");
  const auto gpus = gpus_by_kernel(root.path(), four).value();
  ck_assert(gpus[0].cores == range(0, 1) && gpus[1].cores == range(2, 3));
  std::filesystem::create_directories(root.path() + "/proc/driver/nvidia/capabilities/gpu1/mig/gi3");
  ck_assert(!gpus_by_kernel(root.path(), four));
  std::filesystem::remove(root.path() + "/proc/driver/nvidia/capabilities/gpu1/mig/gi3");
  ck_assert(gpus_by_kernel(root.path(), four));
  show_device(root, "amdgpu", "0000:c1:00.0", "0x7408", "0-3");
  ck_assert(!gpus_by_kernel(root.path(), four));
}
END_TEST

START_TEST(every_task_sees_all_gpus) {
  using placement::spank::all_see_all;
  const Numbers four = range(0, 3);
  ck_assert(all_see_all("", four, 4) && all_see_all("gpu:none", four, 4) &&
            all_see_all("gres/gpu:verbose,none", four, 4));
  ck_assert(!all_see_all("", four, 3) && !all_see_all("", {}, 0));
  for (const char* binding : {"gpu:per_task:1", "gres/gpu:per_task:1", "gpu:single:1", "gpu:closest",
                              "gpu:map_gpu:0,1,2,3", "gpu:mask_gpu:1,2,4,8"})
    ck_assert(!all_see_all(binding, four, 4));
}
END_TEST

START_TEST(lists_are_put_into_another_order) {
  using placement::spank::reordered_list;
  ck_assert_text_eq(reordered_list("0,1,2,3", Numbers{2, 0, 3, 1}).value_or(""), "2,0,3,1");
  ck_assert_text_eq(reordered_list("GPU-a,GPU-b", Numbers{1, 0}).value_or(""), "GPU-b,GPU-a");
  ck_assert(!reordered_list("0,1,2", Numbers{1, 0}) && !reordered_list("", Numbers{1, 0}));
}
END_TEST

// Only one list is reordered, because AMD's libraries apply CUDA_VISIBLE_DEVICES to the GPUs that ROCR_VISIBLE_DEVICES
// leaves.
START_TEST(the_list_that_a_program_goes_by) {
  using Names = std::vector<std::string>;
  const auto variable = [](const char* file, const Names& set) {
    const char* const name = placement::spank::gpu_list_variable(
        file, [&](const char* of) { return std::count(set.begin(), set.end(), of) > 0; });
    return std::string(name ? name : "none");
  };
  const Names all{"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK"};
  ck_assert_text_eq(variable("/dev/nvidia0", all), "CUDA_VISIBLE_DEVICES");
  ck_assert_text_eq(variable("/dev/dri/renderD128", all), "ROCR_VISIBLE_DEVICES");
  ck_assert_text_eq(variable("/dev/dri/renderD128", {"ZE_AFFINITY_MASK"}), "ZE_AFFINITY_MASK");
  ck_assert_text_eq(variable("/dev/nvidia0", {"ROCR_VISIBLE_DEVICES"}), "none");
  ck_assert_text_eq(variable("/tmp/gpu0", all), "none");
  ck_assert_text_eq(variable("/tmp/gpu0", {"ROCR_VISIBLE_DEVICES"}), "ROCR_VISIBLE_DEVICES");
  ck_assert_text_eq(variable("", {}), "none");
}
END_TEST

int main() {
  Suite* const suite = suite_create("gpu_tasks");
  TCase* const tests = tcase_create("gpu_tasks");
  tcase_add_test(tests, on_a_lumi_node_the_gpus_are_in_the_order_of_the_caches);
  tcase_add_test(tests, no_other_order_is_nearer);
  tcase_add_test(tests, without_cores_the_plan_stays);
  tcase_add_test(tests, threads_of_a_core_are_one_core);
  tcase_add_test(tests, slurms_bindings_are_understood);
  tcase_add_test(tests, what_is_not_known_leaves_the_plan);
  tcase_add_test(tests, gres_conf_tells_the_gpus_of_a_node);
  tcase_add_test(tests, gres_conf_of_very_many_lines);
  tcase_add_test(tests, gres_conf_of_very_many_lines_for_all_nodes);
  tcase_add_test(tests, gres_conf_of_very_many_gpus);
  tcase_add_test(tests, gres_conf_of_very_many_mistakes);
  tcase_add_test(tests, gres_conf_finds_no_gpus_of_a_node_that_says_off);
  tcase_add_test(tests, where_slurm_finds_the_gpus_itself);
  tcase_add_test(tests, gpus_as_the_kernel_tells_them);
  tcase_add_test(tests, gpus_that_the_kernel_numbers_otherwise_than_slurm);
  tcase_add_test(tests, every_task_sees_all_gpus);
  tcase_add_test(tests, lists_are_put_into_another_order);
  tcase_add_test(tests, the_list_that_a_program_goes_by);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
