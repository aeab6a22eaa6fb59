// SPDX-License-Identifier: GPL-2.0-or-later
// The nodes of tests/data/node_topologies; make_nodes there names the sources of their facts.
#include "common/topology/node_topology.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>

#include "tests/check.hpp"

namespace {

using placement::Closeness;
using placement::NodeTopology;
using placement::read_node_topology;

std::string path_of(const std::string& name) {
  const char* const top = std::getenv("srcdir");
  return std::string(top ? top : ".") + "/tests/data/node_topologies/" + name + ".xml";
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns what is read from a file with this text.
NodeTopology from_text(const std::string& text) {
  const std::string path = "node_hwloc_test.xml";
  std::ofstream(path) << text;
  struct Remove {
    ~Remove() { std::remove("node_hwloc_test.xml"); }
  } const remove;
  return read_node_topology(path);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::int32_t first_core(const NodeTopology& node, std::size_t gpu) { return node.gpus[gpu].cores.front(); }

std::string nic(const NodeTopology& node, std::size_t gpu) {
  return node.nics[static_cast<std::size_t>(node.gpus[gpu].nic)];
}

}  // namespace

START_TEST(lumi_g) {
  const NodeTopology node = read_node_topology(path_of("lumi-g"));
  ck_assert_uint_eq(node.cores.size(), 64);
  ck_assert(node.cores[9].cpus == (std::vector<std::int32_t>{9, 73}));
  ck_assert_int_eq(node.cores[9].cache, 1);
  ck_assert_int_eq(node.cores[63].numa, 3);
  ck_assert_uint_eq(node.gpus.size(), 8);
  const int numa_of_gcd[] = {3, 3, 1, 1, 0, 0, 2, 2};
  for (std::size_t gcd = 0; gcd < 8; ++gcd) {
    ck_assert_uint_eq(node.gpus[gcd].cores.size(), 16);
    ck_assert_int_eq(first_core(node, gcd), 16 * numa_of_gcd[gcd]);
    ck_assert_text_eq(nic(node, gcd), "hsn" + std::to_string(gcd / 2));
  }
  ck_assert_int_eq(near_cores_per_gpu(node), 8);
  ck_assert_int_eq(node.bandwidth[0 * 8 + 1], 200000);
  ck_assert_int_eq(node.bandwidth[6 * 8 + 0], 100000);
  ck_assert(!node.linked(0, 3));
  ck_assert(node.closeness[0 * 8 + 1] == Closeness::numa && node.closeness[0 * 8 + 2] == Closeness::package);
  const auto cost = gpu_costs(node);
  ck_assert_int_eq(cost[0 * 8 + 1], 1010);
  ck_assert_int_eq(cost[0 * 8 + 6], 2020);
  ck_assert_int_eq(cost[0 * 8 + 2], 4020);
  ck_assert_int_gt(cost[0 * 8 + 3], 4020);
}
END_TEST

// All GPUs are linked through six switches; among equal links, the PCI switch decides.
START_TEST(dgx_a100) {
  const NodeTopology node = read_node_topology(path_of("dgx-a100"));
  ck_assert_uint_eq(node.cores.size(), 128);
  ck_assert_uint_eq(node.gpus.size(), 8);
  ck_assert_int_eq(first_core(node, 0), 48);
  ck_assert_int_eq(first_core(node, 4), 112);
  for (std::size_t gpu = 0; gpu < 8; ++gpu)
    for (std::size_t other = 0; other < gpu; ++other) ck_assert_int_eq(node.bandwidth[gpu * 8 + other], 300000);
  const auto cost = gpu_costs(node);
  ck_assert_int_eq(cost[0 * 8 + 1], 1000);
  ck_assert_int_eq(cost[0 * 8 + 2], 1020);
  ck_assert_int_eq(cost[0 * 8 + 4], 1030);
  ck_assert_text_eq(nic(node, 0), "mlx5_0");
  ck_assert_text_eq(nic(node, 1), "mlx5_1");
  ck_assert_text_eq(nic(node, 4), "mlx5_6");
}
END_TEST

// As on a DGX-2: each board has its own switches, and libhwloc does not know the links between the boards.
START_TEST(switches_of_two_boards) {
  std::string text = text_of(path_of("dgx-a100")), values;
  const std::size_t first = text.find("<u64values length=\"860\">"), last = text.find("</distances2hetero>", first);
  ck_assert_uint_ne(last, text.npos);
  const auto board = [](int object) { return object < 8 ? object / 4 : (object - 8) / 3; };
  for (int i = 0; i < 14; ++i)
    for (int j = 0; j < 14; ++j)
      values += i == j ? "1000000 " : (i < 8) != (j < 8) && board(i) == board(j) ? "50000 " : "0 ";
  text.replace(first, last - first,
               "<u64values length=\"" + std::to_string(values.size()) + "\">" + values + "</u64values>\n");
  const NodeTopology node = from_text(text);
  ck_assert_uint_eq(node.gpus.size(), 8);
  ck_assert_int_eq(node.bandwidth[0 * 8 + 1], 150000);
  ck_assert_int_eq(node.bandwidth[0 * 8 + 7], 150000);
  const auto cost = gpu_costs(node);
  ck_assert_int_lt(cost[0 * 8 + 2], cost[0 * 8 + 4]);  // the board is near one package
}
END_TEST

// With the driver nvidia-drm, a GPU of NVIDIA also has a file for drawing. Slurm requires the other file.
START_TEST(gpus_of_nvidia_with_files_for_drawing) {
  std::string text = text_of(path_of("dgx-a100"));
  for (int gpu = 0; gpu < 8; ++gpu) {
    const std::string device = "<object type=\"OSDev\" gp_index=\"" + std::to_string(9000 + gpu) + "\" name=\"renderD" +
                               std::to_string(128 + gpu) + "\" osdev_type=\"1\"/>";
    text.insert(text.rfind('<', text.find("name=\"nvml" + std::to_string(gpu) + "\"")), device);
  }
  const NodeTopology node = from_text(text);
  ck_assert_uint_eq(node.gpus.size(), 8);
  for (std::size_t gpu = 0; gpu < 8; ++gpu) ck_assert_text_eq(node.gpus[gpu].file, "/dev/nvidia" + std::to_string(gpu));
  // Without NVML, the numbers of the files are not those of the GPUs.
  ck_assert_text_eq(
      from_text(replaced(replaced(text, "name=\"nvml", "name=\"card"), "subtype=\"NVML\"", "")).gpus[0].file, "");
}
END_TEST

// A GPU of AMD has no other file.
START_TEST(gpus_of_amd_have_files_for_drawing) {
  const NodeTopology node = from_text(replaced(text_of(path_of("lumi-g")), "name=\"rsmi", "name=\"renderD"));
  ck_assert_uint_eq(node.gpus.size(), 8);
  ck_assert_text_eq(node.gpus[0].file, "/dev/dri/renderD0");
}
END_TEST

// As in the modes TPX and CPX of an MI300: Slurm counts what the driver of AMD counts.
START_TEST(parts_of_a_pci_device_are_gpus) {
  const std::string one = "name=\"rsmi0\" subtype=\"RSMI\" osdev_type=\"1\"/>";
  const std::string text = text_of(path_of("lumi-g"));
  ck_assert_uint_ne(text.find(one), text.npos);
  const NodeTopology node = from_text(
      replaced(text, one,
               one + "<object type=\"OSDev\" gp_index=\"999999\" name=\"rsmi8\" subtype=\"RSMI\" osdev_type=\"1\"/>"));
  ck_assert_uint_eq(node.gpus.size(), 9);
  ck_assert(node.closeness[8] == Closeness::pci_switch);
}
END_TEST

// The message has the remedy.
START_TEST(other_formats) {
  ck_assert_error(from_text("<?xml version=\"1.0\"?>\n<topology version=\"9.0\">\n</topology>\n"),
                  "--export-xml-flags");
  ck_assert_error(from_text("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV12\t0-31\n"), "nvidia-smi");
}
END_TEST

START_TEST(summit) {
  const NodeTopology node = read_node_topology(path_of("summit"));
  ck_assert_uint_eq(node.cores.size(), 44);
  ck_assert_uint_eq(node.cores[1].cpus.size(), 4);
  ck_assert_uint_eq(node.gpus.size(), 6);
  ck_assert_text_eq(node.gpus[3].name, "0035:03:00.0");
  ck_assert(node.linked(0, 2) && node.linked(3, 5) && !node.linked(2, 3));
  ck_assert_int_eq(near_cores_per_gpu(node), 7);
  ck_assert_text_eq(nic(node, 2), "mlx5_0");
  ck_assert_text_eq(nic(node, 3), "mlx5_1");
}
END_TEST

START_TEST(juwels_booster) {
  const NodeTopology node = read_node_topology(path_of("juwels-booster"));
  const int numa_of_gpu[] = {3, 1, 7, 5};
  for (std::size_t gpu = 0; gpu < 4; ++gpu) {
    ck_assert_int_eq(first_core(node, gpu), 6 * numa_of_gpu[gpu]);
    ck_assert_text_eq(nic(node, gpu), "mlx5_" + std::to_string(gpu));
  }
}
END_TEST

// What a task of a job sees of the node: the first core of each cache belongs to the system.
START_TEST(disallowed_cpus_are_left_out) {
  const std::string text =
      replaced(text_of(path_of("lumi-g")), "allowed_cpuset=\"0xffffffff,0xffffffff,0xffffffff,0xffffffff\"",
               "allowed_cpuset=\"0xfefefefe,0xfefefefe,0xfefefefe,0xfefefefe\"");
  const NodeTopology node = from_text(text);
  ck_assert_uint_eq(node.cores.size(), 56);
  ck_assert_int_eq(node.cores[7].number, 9);
  ck_assert_int_eq(near_cores_per_gpu(node), 7);
}
END_TEST

START_TEST(gpus_without_a_vendors_index_are_in_the_order_of_their_bus_ids) {
  const std::string text =
      replaced(replaced(text_of(path_of("lumi-g")), "name=\"rsmi4\"", "name=\"card0\""), "subtype=\"RSMI\"", "");
  const NodeTopology node = from_text(text);
  ck_assert_uint_eq(node.gpus.size(), 8);
  ck_assert_text_eq(node.gpus[0].name, "0000:c1:00.0");
  ck_assert_text_eq(node.gpus[7].name, "0000:de:00.0");
}
END_TEST

START_TEST(a_screen_is_no_gpu) {
  const std::string text = text_of(path_of("lumi-g"));
  ck_assert_uint_eq(
      from_text(replaced(replaced(text, "0380 [1002:", "0300 [1a03:"), "subtype=\"RSMI\"", "")).gpus.size(), 0);
  ck_assert_uint_eq(
      from_text(replaced(replaced(text, "0380 [1002:", "0300 [1002:"), "subtype=\"RSMI\"", "")).gpus.size(), 0);
  ck_assert_uint_eq(from_text(replaced(text, "0380 [1002:", "0300 [1002:")).gpus.size(), 8);
}
END_TEST

START_TEST(a_description_has_cores_alone) {
  const NodeTopology node = read_node_topology("package:2 l3:2 core:3 pu:2");
  ck_assert_uint_eq(node.cores.size(), 12);
  ck_assert_int_eq(node.cores[11].package, 1);
  ck_assert_int_eq(node.cores[11].cache, 3);
  ck_assert_uint_eq(node.cores[0].cpus.size(), 2);
  ck_assert(node.gpus.empty() && node.nics.empty());
}
END_TEST

START_TEST(broken_files) {
  const std::string text = text_of(path_of("lumi-g"));
  for (const std::size_t part : {std::size_t{0}, std::size_t{1}, text.size() / 3, text.size() / 2, text.size() - 12})
    ck_assert_error(from_text(text.substr(0, part)), "node_hwloc_test.xml is not ");
  ck_assert_error(from_text("tree 2 2\n"), "node_hwloc_test.xml is not ");
  ck_assert_error(from_text("<?xml version=\"1.0\"?><html/>"), "node_hwloc_test.xml is not ");
  ck_assert_error(from_text(std::string(17 << 20, ' ')), "node_hwloc_test.xml");
  ck_assert_error(read_node_topology("/no/such/node.xml"), "/no/such/node.xml");
  ck_assert_error(read_node_topology("package:2 nonsense:3"), "package:2 nonsense:3");
  ck_assert_error(read_node_topology("core:5000 pu:1"), "has 5000 cores: at most 4096 are taken");
}
END_TEST

// Numbers that would need much memory, or that no machine has. An error of libhwloc is reported; what it accepts has
// limits.
START_TEST(hostile_files) {
  const std::string text = text_of(path_of("lumi-g"));
  const auto reads_or_refuses = [](const std::string& hostile) {
    try {
      const NodeTopology node = from_text(hostile);
      ck_assert_uint_le(node.gpus.size(), NodeTopology::max_gpus);
      ck_assert_uint_le(node.cores.size(), NodeTopology::max_cores);
      for (const std::int64_t cost : gpu_costs(node)) ck_assert(cost >= 0 && cost <= std::int64_t{1} << 30);
    } catch (const placement::Error&) {
    }
  };
  reads_or_refuses(replaced(text, "nbobjs=\"8\"", "nbobjs=\"4000000000\""));
  reads_or_refuses(replaced(text, "nbobjs=\"8\"", "nbobjs=\"-1\""));
  reads_or_refuses(replaced(text, "nbobjs=\"8\"", "nbobjs=\"2\""));
  reads_or_refuses(replaced(text, " 200000 ", " 18446744073709551615 "));
  reads_or_refuses(replaced(text, " 200000 ", " 1 "));
  reads_or_refuses(replaced(text, "name=\"rsmi", "name=\"rsmi99999999999999999999"));
  reads_or_refuses(replaced(text, "pci_busid=\"0000:", "pci_busid=\"ffffffff:"));
  reads_or_refuses(replaced(text, "0380 [1002:", "zzzz ["));
  reads_or_refuses(replaced(text, "name=\"hsn", "name=\"\x1b[2J"));
}
END_TEST

// A GPU below one bridge more than the others, as behind a PCI switch.
START_TEST(bridges_of_different_depth) {
  std::string text = text_of(path_of("summit"));
  const std::size_t begin = text.find("<object type=\"PCIDev\""), end = text.find("</object>", begin) + 9;
  text.insert(end, "</object>");
  text.insert(
      begin,
      "<object type=\"Bridge\" gp_index=\"9000\" bridge_type=\"1-1\" depth=\"1\" bridge_pci=\"0004:[04-04]\" pci_busid=\"0004:00:00.0\" "
      "pci_type=\"0604 [1014:04c1] [0000:0000] 00 00\" pci_link_speed=\"0.000000\">");
  const NodeTopology node = from_text(text);
  ck_assert_uint_eq(node.gpus.size(), 6);
  ck_assert(node.closeness[0 * 6 + 1] == Closeness::numa && node.closeness[1 * 6 + 0] == Closeness::numa);
  ck_assert(node.closeness[0 * 6 + 3] == Closeness::machine);
  ck_assert_text_eq(nic(node, 0), "mlx5_0");
}
END_TEST

START_TEST(too_many_gpus) {
  const std::string text = text_of(path_of("lumi-g"));
  const std::size_t begin = text.find("<object type=\"PCIDev\""), end = text.find("</object>", begin) + 9;
  std::string many;
  for (int i = 0; i < 70; ++i) {
    std::string device = text.substr(begin, end - begin);
    device = replaced(device, "d1:00.0", "d1:0" + std::to_string(i / 8) + "." + std::to_string(i % 8));
    std::size_t at = 0;
    while ((at = device.find("gp_index=\"", at)) != device.npos)
      device.insert(at += 10, "9" + std::to_string(1000 + i));
    many += device;
  }
  std::string long_text = text;
  long_text.insert(end, many);
  ck_assert_error(from_text(long_text), " GPUs: at most 64 are taken");
}
END_TEST

int main() {
  Suite* suite = suite_create("node_hwloc");
  TCase* test = tcase_create("node_hwloc");
  tcase_add_test(test, lumi_g);
  tcase_add_test(test, dgx_a100);
  tcase_add_test(test, switches_of_two_boards);
  tcase_add_test(test, gpus_of_nvidia_with_files_for_drawing);
  tcase_add_test(test, gpus_of_amd_have_files_for_drawing);
  tcase_add_test(test, summit);
  tcase_add_test(test, parts_of_a_pci_device_are_gpus);
  tcase_add_test(test, other_formats);
  tcase_add_test(test, juwels_booster);
  tcase_add_test(test, disallowed_cpus_are_left_out);
  tcase_add_test(test, gpus_without_a_vendors_index_are_in_the_order_of_their_bus_ids);
  tcase_add_test(test, a_screen_is_no_gpu);
  tcase_add_test(test, a_description_has_cores_alone);
  tcase_add_test(test, broken_files);
  tcase_add_test(test, hostile_files);
  tcase_add_test(test, bridges_of_different_depth);
  tcase_add_test(test, too_many_gpus);
  suite_add_tcase(suite, test);
  return run_suite(suite);
}
