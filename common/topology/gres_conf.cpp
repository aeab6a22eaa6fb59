// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/gres_conf.hpp"

#include <algorithm>
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
constexpr std::int64_t max_links = 1000;    // largest number of links between two GPUs
constexpr std::size_t max_bytes = 1 << 29;  // limit on the memory for the GPUs of all nodes
constexpr std::size_t most_mistakes = 100;

const std::string* value_of(const ConfLine& line, const char* key, const char* other) {
  const std::string* const value = line.value(key);
  return value ? value : line.value(other);
}

std::vector<std::int32_t> cores_of(const ConfLine& line) {
  const std::string* const list = value_of(line, "Cores", "CPUs");
  if (!list) return {};
  const auto cores = configured_cores(*list, max_cores);
  if (!cores) throw Error("Cores=" + shown(*list) + ": expected numbers below " + std::to_string(max_cores));
  return *cores;
}

// Returns the numbers of Links=, as in "-1,4,0,2". Skips empty parts. Returns none without Links=, and for a wrong list
// or one without exactly one -1. Slurm ignores these, too.
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

// Returns the device files of a line, one for each GPU; empty texts for a line with only a number of GPUs.
// MultipleFiles lists the files of one GPU, such as a part of a divided GPU (MIG).
std::vector<std::string> files_of(const ConfLine& line) {
  if (const std::string* const list = value_of(line, "File", "Files")) return expand_hostlist(*list, max_gpus);
  if (const std::string* const list = line.value("MultipleFiles")) return {*list};
  const std::string* const text = line.value("Count");
  const auto count = text ? parse_integer(*text) : 1;
  if (!count || *count < 0 || *count > static_cast<std::int64_t>(max_gpus))
    throw Error("Count=" + shown(*text) + ": expected a number from 0 to " + std::to_string(max_gpus));
  return std::vector<std::string>(static_cast<std::size_t>(*count));
}

// Returns the line without the prefix of slurmd -G, as in "slurmd: Gres Name=gpu Type=a100 Count=1".
ConfLine without_slurmd(const ConfLine& line) {
  const std::size_t gres = line.pairs.empty() ? line.rest.find("Gres Name=") : line.rest.npos;
  if (gres == line.rest.npos) return line;
  ConfLine printed = conf_lines(line.rest.substr(gres + 5)).at(0);
  printed.number = line.number;
  return printed;
}

// The content of a line: GPUs, AutoDetect= of some nodes, or a mistake.
struct GpuLine {
  std::string place;  // file and number of the line, for messages
  bool begins_with_node = false;
  std::optional<bool> detects;  // AutoDetect= of the nodes
  std::string type;
  std::vector<GpuShape> gpus;
  std::string mistake;
};

// Reads the GPUs and AutoDetect= of a line. Slurm ignores AutoDetect= in a line that begins with Name=.
void read_line(const ConfLine& line, GpuLine& read) {
  read.begins_with_node = !line.pairs.empty() && equal_any_case(line.pairs[0].first, "NodeName");
  if (const std::string* const detect = line.value("AutoDetect"); detect && read.begins_with_node)
    read.detects = !equal_any_case(*detect, "off");
  const std::string* const name = line.value("Name");
  if (!name || !equal_any_case(*name, "gpu")) return;
  if (const std::string* const type = line.value("Type")) read.type = *type;
  const std::vector<std::int32_t> cores = cores_of(line), links = links_of(line);
  for (const std::string& file : files_of(line)) read.gpus.push_back({file, cores, links});
}

// The GPUs of one node in the lines that were read so far.
struct GpuLines {
  NodeGpus result;
  std::optional<bool> detects;      // AutoDetect= of the node
  std::optional<std::string> type;  // of all GPUs so far
  std::vector<GpuShape> gpus,
      of_node;  // from lines that begin with NodeName=, which Slurm reads after those with Name= (gpus)
};

void add_line(const GpuLine& line, GpuLines& node) {
  if (line.detects) node.detects = line.detects;
  if (!node.result.why_not.empty()) return;
  std::string mistake = line.mistake;
  std::vector<GpuShape>& gpus = line.begins_with_node ? node.of_node : node.gpus;
  if (mistake.empty() && !line.gpus.empty()) {
    if (line.type != node.type.value_or(line.type))
      mistake = "Type=" + shown(line.type) + " after Type=" + shown(*node.type) +
                ": Slurm orders GPUs of several types by itself";
    node.type = line.type;
    gpus.insert(gpus.end(), line.gpus.begin(), line.gpus.end());
    if (gpus.size() > max_gpus) mistake = "more than " + std::to_string(max_gpus) + " GPUs";
  }
  if (!mistake.empty()) node.result.why_not = line.place + mistake;
}

NodeGpus finished(GpuLines&& node, bool all_detect, const std::string& path) {
  NodeGpus result = std::move(node.result);
  result.detected = node.detects.value_or(all_detect);
  if (result.why_not.empty() && result.detected) result.why_not = path + ": Slurm finds the GPUs itself (AutoDetect)";
  if (!result.why_not.empty()) return result;
  node.gpus.insert(node.gpus.end(), node.of_node.begin(), node.of_node.end());
  result.shapes = std::move(node.gpus);
  return result;
}

// Reads the lines of a gres.conf that apply to the given nodes.
class GresReader {
 public:
  GresReader(std::span<const std::string> names, std::vector<std::string>* mistakes)
      : nodes_(names.size()),
        mistakes_(mistakes) {
    for (std::size_t n = 0; n < names.size(); ++n) {
      number_of_.emplace(names[n], n);
      all_.insert(n);
    }
  }

  void take(const std::string& file, const ConfLine& line) {
    if (!line.pairs.empty() && equal_any_case(line.pairs[0].first, "AutoDetect"))
      all_detect_ = !equal_any_case(line.pairs[0].second, "off");
    const std::string* const list = line.value("NodeName");
    const std::set<std::size_t>* nodes = &all_;
    GpuLine read;
    try {
      if (list) nodes = &nodes_in(*list);
      if (nodes->empty()) return;
      read_line(line, read);
    } catch (const Error& error) {
      read.mistake = error.what();
    }
    if (!read.detects && read.gpus.empty() && read.mistake.empty()) return;
    read.place = file + ":" + std::to_string(line.number) + ": ";
    if (mistakes_ && !read.mistake.empty() && mistakes_->size() < most_mistakes)
      mistakes_->push_back(read.place + read.mistake);
    if (nodes == &all_ && lines_of_all_++ > max_gpus) return;  // there are too many already
    if (nodes == &listed_ && all_mistaken_ && !read.detects) return;
    for (const GpuShape& gpu : read.gpus)
      bytes_ += nodes->size() * (sizeof gpu + gpu.file.size() + sizeof(int) * (gpu.cores.size() + gpu.links.size()));
    if (bytes_ > max_bytes) fail_at(file, line.number, "the GPUs of all nodes need more than 512 MiB");
    for (const std::size_t node : *nodes) add_line(read, nodes_[node]);
    const auto is_mistaken = [this](std::size_t node) { return !nodes_[node].result.why_not.empty(); };
    if (nodes == &listed_) all_mistaken_ = std::ranges::all_of(listed_, is_mistaken);
  }

  std::vector<NodeGpus> gpus(const std::string& path) {
    std::vector<NodeGpus> result;
    for (GpuLines& node : nodes_) result.push_back(finished(std::move(node), all_detect_, path));
    return result;
  }

 private:
  // Returns the nodes of a list. Throws Error if the list is wrong.
  const std::set<std::size_t>& nodes_in(const std::string& text) {
    if (list_ == text) return listed_;  // successive lines often have one list
    std::set<std::size_t> nodes;
    for (const std::string& name : expand_hostlist(text))
      if (const auto number = number_of_.find(name); number != number_of_.end()) nodes.insert(number->second);
    list_ = text;
    all_mistaken_ = false;
    return listed_ = std::move(nodes);
  }

  std::unordered_map<std::string_view, std::size_t> number_of_;
  std::vector<GpuLines> nodes_;
  std::vector<std::string>* const mistakes_;
  std::set<std::size_t> all_;        // the numbers of all nodes
  std::optional<std::string> list_;  // the last value of NodeName=, and its nodes
  std::set<std::size_t> listed_;
  bool all_mistaken_ = false;     // all nodes in listed_ have a mistake, so their further GPUs are ignored
  std::size_t lines_of_all_ = 0;  // number of lines without NodeName=
  std::size_t bytes_ = 0;         // memory of the GPUs of all nodes so far
  bool all_detect_ = false;       // AutoDetect= of all nodes
};

}  // namespace

std::vector<NodeGpus> read_gpu_shapes(const std::string& path, std::span<const std::string> nodes,
                                      std::vector<std::string>* mistakes) {
  GresReader reader(nodes, mistakes);
  for_each_conf_line(path,
                     [&](const std::string& file, const ConfLine& line) { reader.take(file, without_slurmd(line)); });
  return reader.gpus(path);
}

NodeGpus read_gpu_shapes(const std::string& path, const std::string& node) {
  return std::move(read_gpu_shapes(path, std::span(&node, 1)).front());
}

}  // namespace placement
