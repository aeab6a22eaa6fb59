// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/topology_read.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>

#include "common/topology/scontrol_topology.hpp"
#include "common/topology/slurm_conf.hpp"
#include "common/topology/topology_conf.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::string_view conf_words[] = {
    "switchname", "blockname",       "blocksizes", "blocklevels",
    "ringname",   "aggregatedblock", "include"};  // first words of a topology.conf, or of what scontrol prints
constexpr std::string_view ibnetdiscover_words[] = {"vendid", "devid", "sysimgguid", "switchguid", "caguid",
                                                    "switch", "ca",    "sw"};  // first words of its output

// A balanced tree as the file describes it.
struct Levels {
  std::vector<std::int32_t> arities;    // from the root to the leaves
  std::vector<std::int64_t> distances;  // of leaves that meet 1, 2, .. levels up; empty: not given
  std::int64_t distance_line = 0;
};

std::int64_t number_at(std::string_view word, std::int64_t least, std::int64_t most, const char* what,
                       const std::string& file, std::int64_t line) {
  const std::optional<std::int64_t> number = parse_integer(word);
  if (!number || *number < least || *number > most)
    fail_at(file, line,
            std::string(what) + " '" + shown(word) + "': expected a number from " + std::to_string(least) + " to " +
                std::to_string(most));
  return *number;
}

Levels parse_tree(std::span<const TextLine> lines, const std::string& file) {
  Levels levels;
  for (const TextLine& line : lines) {
    const std::vector<std::string_view> words = split_words(line.text);
    const std::span<const std::string_view> numbers = std::span(words).subspan(1);
    if (equal_any_case(words[0], "tree")) {
      if (!levels.arities.empty()) fail_at(file, line.number, "a second tree line");
      for (const std::string_view word : numbers)
        levels.arities.push_back(
            static_cast<std::int32_t>(number_at(word, 1, TreeTopology::max_leaves, "arity", file, line.number)));
      if (numbers.empty()) fail_at(file, line.number, "tree: expected the arities from the root to the leaves");
    } else if (equal_any_case(words[0], "dist")) {
      if (levels.distance_line != 0) fail_at(file, line.number, "a second dist line");
      for (const std::string_view word : numbers)
        levels.distances.push_back(number_at(word, 0, INT32_MAX, "distance", file, line.number));
      levels.distance_line = line.number;
    } else {
      fail_at(file, line.number, "'" + shown(words[0]) + "' in a tree: the lines are tree and dist");
    }
  }
  if (levels.distance_line != 0 && levels.distances.size() != levels.arities.size())
    fail_at(file, levels.distance_line,
            std::to_string(levels.distances.size()) + " distances for a tree of " +
                std::to_string(levels.arities.size()) + " levels");
  return levels;
}

Levels parse_tleaf(std::span<const TextLine> lines, const std::string& file) {
  std::vector<std::pair<std::string_view, std::int64_t>> words;
  for (const TextLine& line : lines)
    for (const std::string_view word : split_words(line.text)) words.emplace_back(word, line.number);
  if (words.size() < 2) fail_at(file, lines[0].number, "tleaf: expected the number of levels");
  const auto at = [&](std::size_t w, std::int64_t least, std::int64_t most, const char* what) {
    return number_at(words[w].first, least, most, what, file, words[w].second);
  };
  const auto count = static_cast<std::size_t>(at(1, 1, 64, "number of levels"));
  if (words.size() != 2 + 2 * count)
    fail_at(file, words.back().second,
            "tleaf " + std::to_string(count) + " needs " + std::to_string(2 * count) +
                " numbers, arity and cost of each level, and has " + std::to_string(words.size() - 2));
  Levels levels;
  levels.distance_line = words[0].second;
  for (std::size_t l = 0; l < count; ++l)
    levels.arities.push_back(static_cast<std::int32_t>(at(2 + 2 * l, 1, TreeTopology::max_leaves, "arity")));
  std::int64_t distance = 0;
  for (std::size_t l = count; l-- > 0;) {
    distance += at(3 + 2 * l, 0, INT32_MAX, "cost");
    levels.distances.push_back(distance);
  }
  return levels;
}

// Returns why a file whose first word is `first`, in lower case, has no tree; empty if it may be a topology.conf.
std::string why_no_tree(const std::string& first, const std::string& word) {
  if (first == "torusname")
    return "this is printed by \"scontrol show topology\", without the coordinates of nodes: use the topology.yaml";
  if (first.starts_with("torus") || first.starts_with("mesh") || first == "dist" || first == "faulty")
    return "'" + first + "': only trees can be mapped to, and a tree line comes first";
  if (first == "---" || first == "-")
    return "this is a topology.yaml: use the output of \"scontrol show topology\" (\"scontrol show topology NAME\" for "
           "one of several topologies)";
  if (std::ranges::count(ibnetdiscover_words, first) != 0)
    return "this is printed by ibnetdiscover: make a topology.conf of it with placectl topology";
  if (first.ends_with("gpu0"))  // the line may begin with codes of a terminal
    return "this is printed by nvidia-smi topo -m: --node-topology takes the file of \"lstopo node.xml\" on the node";
  if (std::ranges::count(conf_words, first) == 0)
    return "'" + word + "': a topology file begins with tree, tleaf, SwitchName=, BlockName=, BlockSizes= or RingName=";
  return {};
}

// The text of a topology file, in one of its forms.
class TopologyFile {
 public:
  explicit TopologyFile(MachineFile file) : file_(std::move(file)) {
    const std::vector<TextLine> lines = text_lines(file_.text);
    if (lines.empty() && !file_.kind.empty()) return;
    if (lines.empty()) throw Error(file_.path + ": it is empty");
    const std::string_view word = split_words(lines[0].text)[0];
    const std::string first = lower_case(word.substr(0, word.find('=')));
    const std::string line = lower_case(lines[0].text);
    for (const char* key : {" level=", " blockindex=", " ringsize="}) printed_ |= line.find(key) != line.npos;
    if (first == "tree")
      levels_ = parse_tree(lines, file_.path);
    else if (first == "tleaf")
      levels_ = parse_tleaf(lines, file_.path);
    else if (const std::string reason = why_no_tree(first, shown(word)); !reason.empty())
      fail_at(file_.path, lines[0].number, reason);
  }

  const std::string& path() const { return file_.path; }
  const std::optional<Levels>& levels() const { return levels_; }

  std::vector<SwitchShape> shapes(std::span<const NodeShape> nodes, std::string* warning = nullptr) const {
    if (levels_) return {};
    return printed_ ? naming_file(file_.path, [&] { return parse_scontrol_topology(file_.text, nodes); })
                    : parse_topology_conf(file_.text, file_.path, nodes, warning, file_.topology);
  }

  ClusterView switches(std::span<const NodeShape> nodes, std::span<const std::int64_t> level_distance) const {
    if (file_.kind == "flat") return view_of_switches({}, nodes, level_distance);
    if (file_.kind == "torus3d") throw Error(file_.path + ": a topology of several toruses: only one can be read");
    std::string warning;
    const std::vector<SwitchShape> switches = shapes(nodes, &warning);
    if (switches.empty()) throw Error(file_.path + ": no switch or block has a node of slurm.conf");
    ClusterView view = naming_file(file_.path, [&] { return view_of_switches(switches, nodes, level_distance); });
    view.warning = std::move(warning);
    return view;
  }

  TreeTopology tree(std::span<const std::int64_t> level_distance) const {
    return naming_file(file_.path, [&] {
      return TreeTopology::balanced(levels_->arities, levels_->distances.empty() ? level_distance : levels_->distances);
    });
  }

 private:
  MachineFile file_;
  bool printed_ = false;  // the text is from "scontrol show topology", with keys that a topology.conf does not have
  std::optional<Levels> levels_;
};

// Returns the tree as switches: each vertex above the leaves is a switch, each leaf is a node.
std::vector<SwitchShape> switches_of(const TreeTopology& tree) {
  std::vector<SwitchShape> switches;
  std::vector<std::int32_t> switch_of(static_cast<std::size_t>(tree.vertices()), -1);
  for (std::int32_t v = 0; v < tree.vertices(); ++v) {
    const std::int32_t above = v == 0 ? -1 : switch_of[tree.parent(v)];
    if (!tree.children(v).empty()) {
      switch_of[v] = static_cast<std::int32_t>(switches.size());
      switches.push_back({"number " + std::to_string(v), above, {}});
    } else if (above != -1) {
      switches[above].nodes.push_back(tree.first_leaf(v));
    }
  }
  return switches;
}

ClusterView view_of_file(const TopologyFile& file, std::span<const NodeShape> nodes,
                         std::span<const std::int64_t> level_distance) {
  if (!file.levels()) return file.switches(nodes, level_distance);
  std::int64_t cores = 0;
  for (const NodeShape& node : nodes) cores += static_cast<std::int64_t>(node.sockets) * node.cores_per_socket;
  const TreeTopology tree = file.tree({});
  if (tree.leaves() == cores) {
    ClusterView view;
    std::int32_t first_leaf = 0;
    for (const NodeShape& shape : nodes) {
      view.nodes.push_back(view_of_node(shape, first_leaf));
      view.nodes.back().cores_per_cache = 0;  // the file has the levels below the sockets
      first_leaf += view.nodes.back().cores();
    }
    view.tree = std::make_shared<const TreeTopology>(file.tree(level_distance));
    return view;
  }
  if (static_cast<std::size_t>(tree.leaves()) != nodes.size())
    throw Error(file.path() + ": its " + std::to_string(tree.leaves()) + " leaves are neither the " +
                std::to_string(cores) + " cores nor the " + std::to_string(nodes.size()) + " nodes of the machine");
  if (!file.levels()->distances.empty())
    throw Error(file.path() +
                ": its leaves are the nodes, so its distances do not include the cores: remove them, and use "
                "LevelDistances for all levels");
  return naming_file(file.path(), [&] { return view_of_switches(switches_of(tree), nodes, level_distance); });
}

}  // namespace

ClusterView read_topology(const std::string& path, const std::string& slurm_conf,
                          std::span<const std::int64_t> level_distance) {
  return parse_topology({path, read_input_file(path)}, slurm_conf, level_distance);
}

ClusterView parse_topology(MachineFile machine, const std::string& slurm_conf,
                           std::span<const std::int64_t> level_distance, TopologyReader read_topology) {
  const std::string beside = std::filesystem::path(machine.path).replace_filename("slurm.conf").string();
  const TopologyFile file(std::move(machine));
  if (file.levels() && slurm_conf.empty()) {
    ClusterView view;
    view.tree = std::make_shared<const TreeTopology>(file.tree(level_distance));
    return view;
  }
  return view_of_file(file, read_node_shapes(slurm_conf.empty() ? beside : slurm_conf, read_topology), level_distance);
}

std::vector<SwitchShape> parse_switches(MachineFile machine, std::span<const NodeShape> nodes, std::string* warning) {
  if (text_lines(machine.text).empty() || machine.kind == "torus3d") return {};  // no switches, or a torus file
  return TopologyFile(std::move(machine)).shapes(nodes, warning);
}

std::string own_topology(const std::string& cluster) {
  std::string directory = environment_value("XDG_CACHE_HOME");
  if (directory.empty()) directory = environment_value("HOME") + "/.cache";
  return directory == "/.cache" || cluster.empty() ? "" : directory + "/slurm-placement/" + cluster + ".topology.conf";
}

ClusterView view_of_shown(std::string_view shown, std::span<const NodeShape> nodes, const std::string& cluster,
                          std::span<const std::int64_t> level_distance) {
  const std::vector<SwitchShape> switches = parse_scontrol_topology(shown, nodes);
  const std::string own = own_topology(cluster);
  struct stat file;
  if (switches.size() > 1 || stat(own.c_str(), &file) != 0) return view_of_switches(switches, nodes, level_distance);
  ClusterView view = view_of_switches(parse_switches({own, read_input_file(own)}, nodes), nodes, level_distance);
  char date[16] = "";
  std::strftime(date, sizeof date, "%F", std::localtime(&file.st_mtime));
  view.warning = "Slurm reports no switches: using " + own + " of " + date;
  return view;
}

ClusterView read_topology_of(const std::string& path, std::span<const NodeShape> nodes,
                             std::span<const std::int64_t> level_distance) {
  return parse_topology_of({path, read_input_file(path)}, nodes, level_distance);
}

ClusterView parse_topology_of(MachineFile file, std::span<const NodeShape> nodes,
                              std::span<const std::int64_t> level_distance) {
  return view_of_file(TopologyFile(std::move(file)), nodes, level_distance);
}

}  // namespace placement
