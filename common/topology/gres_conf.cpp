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

// Thrown when the file does not tell the GPUs of the node.
struct NotTold {};

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
  if (!cores) throw NotTold{};
  return *cores;
}

// Returns the numbers of Links=, as in "-1,4,0,2"; none without Links=.
std::vector<std::int32_t> links_of(const ConfLine& line) {
  const std::string* const list = line.value("Links");
  std::vector<std::int32_t> links;
  if (!list) return links;
  for (const std::string_view part : split_at(*list, ',')) {
    const auto number = parse_integer(trimmed(part));
    if (!number || *number < -1 || *number > max_links || links.size() == max_gpus) throw NotTold{};
    links.push_back(static_cast<std::int32_t>(*number));
  }
  return links;
}

// Returns the device files of a line, one for each GPU. They are empty for a line with a number of GPUs alone. Several
// files of MultipleFiles are those of one GPU, such as a part of a GPU that is divided (MIG).
std::vector<std::string> files_of(const ConfLine& line) {
  if (const std::string* const list = line.value("File")) return expand_hostlist(*list);
  if (const std::string* const list = line.value("MultipleFiles")) return {*list};
  const std::string* const text = line.value("Count");
  const auto count = text ? parse_integer(*text) : 1;
  if (!count || *count < 0 || *count > static_cast<std::int64_t>(max_gpus)) throw NotTold{};
  return std::vector<std::string>(static_cast<std::size_t>(*count));
}

// Collects the GPUs of one node, line by line.
class GpuReader {
 public:
  // Takes a line that is for this node.
  void take(const ConfLine& line) {
    detect_.take(line);
    const std::string* const name = line.value("Name");
    if (!name || !equal_any_case(*name, "gpu")) return;
    const std::string* const type = line.value("Type");
    const std::string type_here = type ? *type : "";
    if (!gpus_.empty() && type_here != type_) throw NotTold{};
    type_ = type_here;
    const std::vector<std::int32_t> cores = cores_of(line);
    const std::vector<std::int32_t> links = links_of(line);
    for (const std::string& file : files_of(line)) gpus_.push_back({file, cores, links});
    if (gpus_.size() > max_gpus) throw NotTold{};
  }
  void fail() { is_told_ = false; }
  bool is_told() const { return is_told_; }
  std::optional<std::vector<GpuShape>> gpus() {
    if (!is_told_ || detect_.in_force()) return std::nullopt;
    return std::move(gpus_);
  }

 private:
  bool is_told_ = true;
  AutoDetect detect_;
  std::string type_;
  std::vector<GpuShape> gpus_;
};

// The nodes of a caller that a line is for, by their numbers. Consecutive lines often have the same list, which is then
// expanded once.
class LineNodes {
 public:
  explicit LineNodes(std::span<const std::string> nodes) : all_(nodes.size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
    for (std::size_t n = 0; n < nodes.size(); ++n) number_.emplace(nodes[n], n);
  }

  // Returns null if nobody knows for which nodes the line is.
  const std::vector<std::size_t>* of(const ConfLine& line) {
    const std::string* const list = line.value("NodeName");
    if (!list) return &all_;
    if (list_ != *list) expand(*list);
    return is_list_ ? &named_ : nullptr;
  }
  const std::vector<std::size_t>& all() const { return all_; }

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

std::vector<std::optional<std::vector<GpuShape>>> read_gpu_shapes(const std::string& path,
                                                                  std::span<const std::string> nodes) {
  std::vector<GpuReader> readers(nodes.size());
  LineNodes line_nodes(nodes);
  for_each_conf_line(path, [&](const std::string&, const ConfLine& line) {
    const std::vector<std::size_t>* const of_line = line_nodes.of(line);
    for (const std::size_t n : of_line ? *of_line : line_nodes.all()) try {
        if (!of_line) throw NotTold{};
        if (readers[n].is_told()) readers[n].take(line);
      } catch (const Error&) {  // a list of files
        readers[n].fail();
      } catch (const NotTold&) {
        readers[n].fail();
      }
  });
  std::vector<std::optional<std::vector<GpuShape>>> shapes;
  for (GpuReader& reader : readers) shapes.push_back(reader.gpus());
  return shapes;
}

std::optional<std::vector<GpuShape>> read_gpu_shapes(const std::string& path, const std::string& node) {
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
