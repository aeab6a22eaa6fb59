// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/gres_conf.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/topology/slurm_conf.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::int32_t max_cores = 4096;
constexpr std::size_t max_gpus = 1024;
constexpr std::int64_t max_links = 1000;  // between two GPUs

const std::string* value_of(const ConfLine& line, const char* key, const char* other) {
  const std::string* const value = line.value(key);
  return value ? value : line.value(other);
}

std::vector<std::int32_t> cores_of(const ConfLine& line) {
  const std::string* const list = value_of(line, "Cores", "CPUs");
  if (!list) return {};
  const auto cores = listed_cores(*list, max_cores);
  if (!cores) throw Error("Cores=" + shown(*list) + ": expected numbers below " + std::to_string(max_cores));
  return *cores;
}

// Returns the numbers of Links=, as in "-1,4,0,2"; none without Links=. Slurm ignores a list that is wrong or has not
// exactly one -1, and empty parts of a list.
std::vector<std::int32_t> links_of(const ConfLine& line) {
  const std::string* const list = value_of(line, "Links", "Link");
  std::vector<std::int32_t> links;
  if (!list) return links;
  for (const std::string_view part : split_at(*list, ',')) {
    if (part.empty()) continue;
    const auto number = parse_integer(trimmed(part));
    if (!number || *number < -2 || *number > max_links || links.size() == max_gpus) return {};
    links.push_back(static_cast<std::int32_t>(*number));
  }
  if (std::ranges::count(links, -1) != 1) links.clear();
  return links;
}

// Returns the device files of a line, one for each GPU. They are empty for a line with a number of GPUs alone. Several
// files of MultipleFiles are those of one GPU, such as a part of a GPU that is divided (MIG).
std::vector<std::string> files_of(const ConfLine& line) {
  if (const std::string* const list = value_of(line, "File", "Files")) return expand_hostlist(*list);
  if (const std::string* const list = line.value("MultipleFiles")) return {*list};
  const std::string* const text = line.value("Count");
  const auto count = text ? parse_integer(*text) : 1;
  if (!count || *count < 0 || *count > static_cast<std::int64_t>(max_gpus))
    throw Error("Count=" + shown(*text) + ": expected a number from 0 to " + std::to_string(max_gpus));
  return std::vector<std::string>(static_cast<std::size_t>(*count));
}

// Returns the line without what slurmd -G prints before it, as in "slurmd: Gres Name=gpu Type=a100 Count=1".
ConfLine without_slurmd(const ConfLine& line) {
  const std::size_t gres = line.pairs.empty() ? line.rest.find("Gres Name=") : line.rest.npos;
  if (gres == line.rest.npos) return line;
  ConfLine printed = conf_lines(line.rest.substr(gres + 5)).at(0);
  printed.number = line.number;
  return printed;
}

// The GPUs of one node in the lines that were read so far.
struct GpuLines {
  NodeGpus result;
  std::optional<bool> detect_of_node, detect_of_all;  // AutoDetect=
  std::optional<std::string> type;                    // of the lines before
  std::vector<GpuShape> gpus,
      of_node;  // of lines that begin with Name=, and with NodeName=, which Slurm takes after them
};

void add_gpus(const ConfLine& line, GpuLines& node) {
  const std::string* const name = line.value("Name");
  if (const std::string* const detect = line.value("AutoDetect"))
    (line.value("NodeName") || name ? node.detect_of_node : node.detect_of_all) = !equal_any_case(*detect, "off");
  if (!name || !equal_any_case(*name, "gpu") || !node.result.why_not.empty()) return;
  const std::string* const given = line.value("Type");
  const std::string type = given ? *given : "";
  if (type != node.type.value_or(type))
    throw Error("Type=" + shown(type) + " after Type=" + shown(*node.type) +
                ": Slurm orders GPUs of several types by itself");
  node.type = type;
  const std::vector<std::int32_t> cores = cores_of(line);
  std::vector<GpuShape>& gpus = equal_any_case(line.pairs[0].first, "NodeName") ? node.of_node : node.gpus;
  for (const std::string& file : files_of(line)) gpus.push_back({file, cores, links_of(line)});
  if (gpus.size() > max_gpus) throw Error("more than " + std::to_string(max_gpus) + " GPUs");
}

NodeGpus finished(GpuLines&& node, const std::string& path) {
  NodeGpus result = std::move(node.result);
  result.detected = node.detect_of_node.value_or(node.detect_of_all.value_or(false));
  if (result.why_not.empty() && result.detected) result.why_not = path + ": Slurm finds the GPUs itself (AutoDetect)";
  if (!result.why_not.empty()) return result;
  node.gpus.insert(node.gpus.end(), node.of_node.begin(), node.of_node.end());
  result.shapes = std::move(node.gpus);
  return result;
}

}  // namespace

std::vector<NodeGpus> read_gpu_shapes(const std::string& path, std::span<const std::string> nodes) {
  std::vector<GpuLines> gpus(nodes.size());
  std::unordered_map<std::string_view, GpuLines*> of_name;
  for (std::size_t n = 0; n < nodes.size(); ++n) of_name.emplace(nodes[n], &gpus[n]);
  for_each_conf_line(path, [&](const std::string& file, const ConfLine& read) {
    const ConfLine line = without_slurmd(read);
    const auto take = [&](GpuLines& node) {
      try {
        add_gpus(line, node);
      } catch (const Error& error) {
        node.result.why_not = file + ":" + std::to_string(line.number) + ": " + error.what();
      }
    };
    const std::string* const list = line.value("NodeName");
    if (!list) return std::ranges::for_each(gpus, take), void();
    std::set<std::string> names;
    try {
      std::ranges::copy(expand_hostlist(*list), std::inserter(names, names.end()));
    } catch (const Error&) {
      for (GpuLines& node : gpus)
        node.result.why_not = file + ":" + std::to_string(line.number) + ": NodeName=" + shown(*list);
    }
    for (const std::string& name : names)
      if (const auto node = of_name.find(name); node != of_name.end()) take(*node->second);
  });
  std::vector<NodeGpus> result;
  for (GpuLines& node : gpus) result.push_back(finished(std::move(node), path));
  return result;
}

NodeGpus read_gpu_shapes(const std::string& path, const std::string& node) {
  return std::move(read_gpu_shapes(path, std::span(&node, 1)).front());
}

}  // namespace placement
