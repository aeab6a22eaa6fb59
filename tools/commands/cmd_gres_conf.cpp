// SPDX-License-Identifier: GPL-2.0-or-later
// placectl gres-conf: the lines of gres.conf(5) for the GPUs of a node, with Links= from the links between the GPUs.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "common/util/cpu_list.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "tools/commands/command.hpp"
#include "tools/map/node_gpus.hpp"

namespace placement::tools {

namespace {

constexpr Option gres_conf_options[] = {
    {'n', "nodes", "LIST", "nodes with these GPUs, such as gpu[01-16] [all nodes]"},
    {0, "type", "WORD", "Type= of the GPUs"},
    {0, "file", "LIST", "device files of the GPUs in Slurm's order, as /dev/dri/renderD[128-135] [those in FILE]"},
    {0, "driver", "DIR",
     "/proc/driver/nvidia/gpus of the node, or a copy; it has the number N of each device file /dev/nvidiaN\n"
     "[/proc/driver/nvidia/gpus]"},
    {'o', "output", "FILE", "file for the lines [standard output]"},
};

constexpr CommandHelp gres_conf_help{
    "placectl gres-conf [OPTION]... FILE",
    "Writes the lines of gres.conf for the GPUs of a node: device files, the cores near each GPU, and Links=. FILE is the\n"
    "output of \"lstopo node.xml\" on the node. The lines replace AutoDetect=, which hides the links from srun.\n",
    gres_conf_options, 1, 1};

// Returns the numbers for Links=, GPUs * GPUs values with -1 for a GPU and itself; empty if all GPUs are equally near.
// They are in proportion to bandwidth / hops, and the slowest link has 1. Without links, or with equal ones, they show
// how near GPUs are by PCI and memory, in the proportions of gpu_costs().
std::vector<std::int64_t> link_numbers(const NodeTopology& node) {
  constexpr std::int64_t alike = 100, most = 1000;
  const std::size_t gpus = node.gpus.size();
  std::vector<double> speed(gpus * gpus, 0);
  std::set<double> speeds;
  std::set<Closeness> ways;
  for (std::size_t pair = 0; pair < speed.size(); ++pair) {
    if (pair / gpus == pair % gpus) continue;
    const std::int64_t hops = node.hops.empty() ? 1 : std::max<std::int64_t>(node.hops[pair], 1);
    speed[pair] = static_cast<double>(std::max<std::int64_t>(node.bandwidth[pair], 0)) / static_cast<double>(hops);
    speeds.insert(speed[pair]);
    ways.insert(node.closeness[pair]);
  }
  if (speeds.size() <= 1 && ways.size() <= 1) return {};
  const auto least = speeds.upper_bound(0);  // the end where no two GPUs have a link
  std::vector<std::int64_t> numbers;
  for (std::size_t pair = 0; pair < speed.size(); ++pair) {
    const auto steps = static_cast<std::int64_t>(node.closeness[pair]);
    std::int64_t number = 0;
    if (pair / gpus == pair % gpus)
      number = -1;
    else if (speeds.size() > 1)
      number = speed[pair] > 0 ? std::min<std::int64_t>(std::llround(speed[pair] / *least), most) : 0;
    else
      number = *speeds.begin() > 0 ? alike - steps : 12 / (1 + steps);
    numbers.push_back(number);
  }
  return numbers;
}

constexpr const char* driver_directory = "/proc/driver/nvidia/gpus";

// Returns N of a GPU's device file /dev/nvidiaN by the file of the driver; nothing if the driver does not report it.
std::optional<std::int64_t> device_minor(const std::string& directory, const std::string& bus_id) {
  constexpr std::string_view key = "Device Minor:";
  const std::string file = directory + "/" + bus_id + "/information";
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  const std::string text = read_input_file(file, 1 << 16);
  for (const std::string_view line : split_at(text, '\n'))
    if (line.starts_with(key)) return parse_integer(trimmed(line.substr(key.size())));
  return std::nullopt;
}

// The number in NVIDIA's device files is that of the driver, which can differ from NVML's. Replaces `files` by the
// driver's files. If the driver reports none, the files keep NVML's numbers and a message is printed.
void number_as_driver(const CommandLine& line, const NodeTopology& node, std::vector<std::string>& files) {
  const std::string directory = line.value_or("driver", driver_directory);
  std::vector<std::string> told;
  for (std::size_t k = 0; k < files.size() && files[k].starts_with("/dev/nvidia"); ++k) {
    const auto minor = device_minor(directory, node.gpus[k].name);
    if (!minor && line.has("driver"))
      throw UsageError("--driver " + shown(directory) + ": it has no " + node.gpus[k].name +
                       "/information with a line \"Device Minor\"");
    if (!minor) break;
    told.push_back("/dev/nvidia" + std::to_string(*minor));
  }
  const bool known = told.size() == files.size();
  if (known) files = std::move(told);
  if (line.has("driver") || (!known && !files.front().starts_with("/dev/nvidia"))) return;
  notify("gres-conf", formatted("device files have %s: for those of the node's driver, use --driver with the node's %s",
                                known ? "this host's numbers" : "NVML's numbers, which may differ", driver_directory));
}

std::vector<std::string> device_files(const CommandLine& line, const NodeTopology& node) {
  std::vector<std::string> files;
  if (const auto list = line.value("file")) {
    files = from_command_line([&] { return expand_hostlist(*list); });
    if (files.size() != node.gpus.size())
      throw UsageError("--file " + shown(*list) + ": " + std::to_string(files.size()) + " files, and " +
                       printable(node.name) + " has " + std::to_string(node.gpus.size()) + " GPUs");
    return files;
  }
  for (const NodeGpu& gpu : node.gpus) {
    if (gpu.file.empty())
      throw Error(printable(node.name) + " does not name the device file of GPU " + gpu.name +
                  ": use --file, for example --file /dev/dri/renderD[128-135] or --file /dev/nvidia[0-7]");
    files.push_back(gpu.file);
  }
  number_as_driver(line, node, files);
  return files;
}

std::string one_word(const char* option, const std::string& word) {
  if (word.empty() || word.find_first_of(" \t\n\r#=\"\\") != word.npos)
    throw UsageError("--" + std::string(option) + " " + shown(word) + ": expected one word");
  return word;
}

}  // namespace

int command_gres_conf(int argc, char** argv) {
  const CommandLine line(gres_conf_help, argc, argv);
  const NodeTopology node = read_node(line.operands()[0]);
  if (node.gpus.empty()) throw Error(printable(node.name) + " has no GPU: create it with an lstopo that detects GPUs");
  std::string begin;
  if (const auto nodes = line.value("nodes")) {
    from_command_line([&] { return expand_hostlist(*nodes); });
    begin = "NodeName=" + one_word("nodes", *nodes) + " ";
  }
  begin += "Name=gpu";
  if (const auto type = line.value("type")) begin += " Type=" + one_word("type", *type);
  const std::vector<std::string> files = device_files(line, node);
  const std::vector<std::int64_t> links = link_numbers(node);
  std::string text;
  for (std::size_t gpu = 0; gpu < files.size(); ++gpu) {
    text += begin + " File=" + one_word("file", files[gpu]);
    if (!node.gpus[gpu].cores.empty()) text += " Cores=" + format_cores(node.gpus[gpu].cores);
    for (std::size_t other = 0; other < files.size() && !links.empty(); ++other)
      text += (other == 0 ? " Links=" : ",") + std::to_string(links[gpu * files.size() + other]);
    text += "\n";
  }
  return write_output(line.value_or("output", ""), text);
}

}  // namespace placement::tools
