// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/gres_conf.hpp"

#include <algorithm>
#include <numeric>
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

// Thrown when the file does not give the GPUs of the node in Slurm's order, with the reason.
struct NotGiven {
  std::string why;
};

// Whether Slurm finds the GPUs of one node itself. AutoDetect= on a line of the file for all nodes counts where no line
// that describes the node's devices has its own, wherever these lines stand in the file.
class AutoDetect {
 public:
  // Takes a line that is for this node.
  void take(const ConfLine& line) {
    const std::string* const detect = line.value("AutoDetect");
    if (!detect) return;
    const bool is_of_node = line.value("NodeName") || line.value("Name");
    (is_of_node ? of_node_ : of_all_) = !equal_any_case(*detect, "off");
  }
  bool in_force() const { return of_node_.value_or(of_all_.value_or(false)); }

 private:
  std::optional<bool> of_node_, of_all_;
};

const std::string* value_of(const ConfLine& line, const char* key, const char* other) {
  const std::string* const value = line.value(key);
  return value ? value : line.value(other);
}

std::vector<std::int32_t> cores_of(const ConfLine& line) {
  const std::string* const list = value_of(line, "Cores", "CPUs");
  if (!list) return {};
  const auto cores = listed_cores(*list, max_cores);
  if (!cores) throw NotGiven{"Cores=" + shown(*list) + ": it takes numbers below " + std::to_string(max_cores)};
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
    throw NotGiven{"Count=" + shown(*text) + ": it takes a number from 0 to " + std::to_string(max_gpus)};
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

// Collects the GPUs of one node, line by line.
class GpuReader {
 public:
  // Takes a line that is for this node, unless an earlier one was wrong.
  void take(const std::string& file, const ConfLine& line) {
    if (!why_.empty()) return;
    try {
      add(line);
    } catch (const Error& error) {  // a list of files
      fail(file, line, error.what());
    } catch (const NotGiven& reason) {
      fail(file, line, reason.why);
    }
  }
  void fail(const std::string& file, const ConfLine& line, const std::string& why) {
    if (why_.empty()) why_ = file + ":" + std::to_string(line.number) + ": " + why;
  }
  NodeGpus gpus(const std::string& file) {
    if (why_.empty() && detect_.in_force()) why_ = file + ": Slurm finds the GPUs itself (AutoDetect)";
    if (!why_.empty()) return {std::nullopt, std::move(why_)};
    gpus_.insert(gpus_.end(), of_node_.begin(), of_node_.end());
    return {std::move(gpus_), {}};
  }

 private:
  void add(const ConfLine& line) {
    detect_.take(line);
    const std::string* const name = line.value("Name");
    if (!name || !equal_any_case(*name, "gpu")) return;
    const std::string* const type = line.value("Type");
    const std::string type_here = type ? *type : "";
    if (type_here != type_.value_or(type_here))
      throw NotGiven{"Type=" + shown(type_here) + " after Type=" + shown(*type_) +
                     ": Slurm orders GPUs of several types by itself"};
    type_ = type_here;
    const std::vector<std::int32_t> cores = cores_of(line);
    const std::vector<std::int32_t> links = links_of(line);
    std::vector<GpuShape>& gpus = equal_any_case(line.pairs[0].first, "NodeName") ? of_node_ : gpus_;
    for (const std::string& file : files_of(line)) gpus.push_back({file, cores, links});
    if (gpus.size() > max_gpus) throw NotGiven{"more than " + std::to_string(max_gpus) + " GPUs"};
  }

  std::string why_;  // why the GPUs are not known; empty: they are
  AutoDetect detect_;
  std::optional<std::string> type_;  // of the lines before
  std::vector<GpuShape> gpus_,
      of_node_;  // of lines that begin with Name=, and with NodeName=, which Slurm takes after them
};

// The nodes of a caller that a line is for, by their numbers. Consecutive lines often have the same list, which is then
// expanded once.
class LineNodes {
 public:
  explicit LineNodes(std::span<const std::string> nodes) : all_(nodes.size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
    for (std::size_t n = 0; n < nodes.size(); ++n) number_.emplace(nodes[n], n);
  }

  // Returns null if NodeName= is no host list.
  const std::vector<std::size_t>* of(const ConfLine& line) {
    const std::string* const list = line.value("NodeName");
    if (!list) return &all_;
    if (list_ != *list) expand(*list);
    return is_list_ ? &named_ : nullptr;
  }

 private:
  void expand(const std::string& list) {
    list_ = list;
    named_.clear();
    try {
      for (const std::string& name : expand_hostlist(list)) {
        const auto [first, end] = number_.equal_range(name);
        for (auto node = first; node != end; ++node) named_.push_back(node->second);
      }
      std::ranges::sort(named_);
      named_.erase(std::unique(named_.begin(), named_.end()), named_.end());
      is_list_ = true;
    } catch (const Error&) {
      is_list_ = false;
    }
  }

  std::vector<std::size_t> all_, named_;
  std::unordered_multimap<std::string_view, std::size_t> number_;
  std::optional<std::string> list_;
  bool is_list_ = false;
};

}  // namespace

std::vector<NodeGpus> read_gpu_shapes(const std::string& path, std::span<const std::string> nodes) {
  std::vector<GpuReader> readers(nodes.size());
  LineNodes line_nodes(nodes);
  for_each_conf_line(path, [&](const std::string& file, const ConfLine& read) {
    const ConfLine line = without_slurmd(read);
    if (const std::vector<std::size_t>* const of_line = line_nodes.of(line))
      for (const std::size_t n : *of_line) readers[n].take(file, line);
    else
      for (GpuReader& reader : readers) reader.fail(file, line, "NodeName=" + shown(*line.value("NodeName")));
  });
  std::vector<NodeGpus> gpus;
  for (GpuReader& reader : readers) gpus.push_back(reader.gpus(path));
  return gpus;
}

NodeGpus read_gpu_shapes(const std::string& path, const std::string& node) {
  return std::move(read_gpu_shapes(path, std::span(&node, 1)).front());
}

bool finds_gpus_itself(const std::string& path, const std::string& node) {
  AutoDetect detect;
  LineNodes line_nodes(std::span(&node, 1));
  for_each_conf_line(path, [&](const std::string&, const ConfLine& line) {
    const std::vector<std::size_t>* const of_line = line_nodes.of(line);
    if (of_line && !of_line->empty()) detect.take(line);
  });
  return detect.in_force();
}

}  // namespace placement
