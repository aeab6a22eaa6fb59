// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/slurm_conf.hpp"

#include "config.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include "common/util/cpu_list.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr int max_include_depth = 8;
constexpr int max_included_files = 10'000;
constexpr std::size_t max_text_of_nodes = 256 << 20;  // Features= and Topology= of all nodes together, in bytes
constexpr std::int64_t max_count = 65535;             // Slurm keeps the counts of a node in 16 bits
// Whether topology/block keeps the nodes in the order of their lines in slurm.conf, as Slurm 23.11 to 24.11 do. False
// in programs for Slurm before 23.11, which has no topology/block: they assume the order of Slurm 25.05 and later.
constexpr bool has_blocks_by_line =
    std::string_view(SLURM_RELEASE) >= "23.11" && std::string_view(SLURM_RELEASE) < "25.05";

// Returns the line up to its first '#' that no '\' escapes.
std::string_view without_comment(std::string_view line) {
  bool escaped = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '#' && !escaped) return line.substr(0, at);
    escaped = line[at] == '\\' && !escaped;
  }
  return line;
}

// Returns whether the line continues on the next one: it ends in an odd number of '\'.
bool is_continued(std::string_view line) {
  const std::size_t last = line.find_last_not_of('\\');
  const std::size_t backslashes = line.size() - (last == std::string_view::npos ? 0 : last + 1);
  return backslashes % 2 == 1;
}

std::string without_escapes(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\' && at + 1 < line.size()) ++at;
    out += line[at];
  }
  return out;
}

bool is_key_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// Removes one pair from the front of the text and stores it in `pair`. Returns false when the text does not start with
// a pair. As in Slurm, an operator may precede '='. A quoted value may be empty or have blanks. Any other value is a
// word up to the next blank or the end.
bool take_pair(std::string_view& text, std::pair<std::string, std::string>& pair) {
  const std::string_view line = trimmed(text);
  std::size_t at = 0;
  while (at < line.size() && is_key_letter(line[at])) ++at;
  const std::string_view key = line.substr(0, at);
  std::string_view after = trimmed(line.substr(at));
  if (after.size() > 1 && after[1] == '=' && std::string_view("-*+/").find(after[0]) != std::string_view::npos)
    after.remove_prefix(1);
  if (key.empty() || !after.starts_with('=')) return false;
  after = trimmed(after.substr(1));
  if (after.empty()) return false;
  std::size_t begin = 0, end = std::min(after.find_first_of(" \t\r\v\f\n"), after.size()), next = end;
  if (const std::size_t quote = after.find('"', 1); after[0] == '"' && quote != std::string_view::npos)
    if (const std::string_view behind = after.substr(quote + 1);
        behind.empty() || trimmed(behind.substr(0, 1)).empty()) {
      begin = 1;
      end = quote;
      next = quote + 1;
    }
  pair = {std::string(key), std::string(after.substr(begin, end - begin))};
  text = after.substr(next);
  return true;
}

ConfLine parse_line(std::int64_t number, std::string_view text) {
  ConfLine line{number, {}, {}};
  std::pair<std::string, std::string> pair;
  while (take_pair(text, pair)) line.pairs.push_back(pair);
  line.rest = trimmed(text);
  return line;
}

// Reads the lines of a file and of the files that it includes.
class FileReader {
 public:
  explicit FileReader(const TakeLine& take) : take_(take) {}

  void read(const std::string& path, std::string_view text, int depth = 0) {
    if (text.starts_with("\xef\xbb\xbf"))
      fail_at(path, 1, "starts with a byte order mark, which Slurm rejects: save the file without it");
    take_lines(conf_lines(text), [&](const ConfLine& line) {
      if (const std::string* name = line.value("ClusterName")) cluster_ = lower_case(*name);
      const std::vector<std::string_view> words = split_words(line.rest);
      if (!line.pairs.empty() || words.size() != 2 || !equal_any_case(words[0], "include"))
        take_(path, line);
      else
        include(path, line.number, std::string(words[1]), depth);
    });
  }

 private:
  // Reads an included file. "%c" in its name is the ClusterName. Slurm expands no '*': slurmctld rejects a slurm.conf
  // that has one, and skips the line in other files.
  void include(const std::string& path, std::int64_t number, std::string name, int depth) {
    if (depth >= max_include_depth) fail_at(path, number, "files include each other");
    if (++included_files_ > max_included_files)
      fail_at(path, number, "more than " + std::to_string(max_included_files) + " included files");
    if (depth == 0) top_path_ = path;
    if (name.find('*') != name.npos && std::filesystem::path(top_path_).filename() == "slurm.conf")
      fail_at(path, number, shown(name) + ": Slurm does not expand '*' in a name: include each file by its name");
    if (name.find('*') != name.npos) return;
    for (std::size_t at = 0; (at = name.find("%c")) != std::string::npos;) {
      if (cluster_.empty()) fail_at(path, number, shown(name) + ": no line before this one has ClusterName=");
      name.replace(at, 2, cluster_);
    }
    const std::filesystem::path included = std::filesystem::path(from_top ? top_path_ : path).parent_path() / name;
    read(included.string(), read_input_file(included.string()), depth + 1);
  }

  // Whether a name in an included file is relative to the directory of the first file, as in Slurm from 23.02 on.
  static constexpr bool from_top = std::string_view(SLURM_RELEASE) >= "23.02";

  const TakeLine& take_;
  std::string top_path_;
  std::string cluster_;
  int included_files_ = 0;
};

// The reserved cores of a NodeName line. slurm.conf gives their number or their CPUs.
struct ReservedCores {
  std::int32_t count = 0;               // CoreSpecCount
  std::vector<std::int32_t> cpus = {};  // CpuSpecList, ascending; if there are any, `count` has no meaning
};

// Returns for each core of the node whether Slurm offers it to jobs. For a count, Slurm reserves the last core of each
// socket, from the last socket to the first. Then it reserves the last but one of each socket, and so on. With
// `from_first` (spec_cores_first) it starts with the first core of the first socket. If the count leaves no core for
// jobs, one core is reserved, as in Slurm. A CPU stands for the whole core; each core has NodeShape::cpus_per_core of
// them.
std::vector<bool> offered_cores(const NodeShape& node, const ReservedCores& reserved, bool from_first) {
  const std::int32_t cores = node.sockets * node.cores_per_socket;
  std::vector<bool> offered(static_cast<std::size_t>(cores), true);
  for (const std::int32_t cpu : reserved.cpus) offered[cpu / node.cpus_per_core] = false;
  if (!reserved.cpus.empty()) return offered;
  const std::int32_t count = reserved.count < cores ? reserved.count : 1;
  for (std::int32_t k = 0; k < count; ++k) {
    const std::int32_t socket = k % node.sockets, core = k / node.sockets;
    const std::int32_t first = socket * node.cores_per_socket + core;
    offered[from_first ? first : cores - 1 - first] = false;
  }
  return offered;
}

// Returns whether Slurm starts jobs on a node with this State= in slurm.conf: not on DOWN, DRAIN, FAIL, ERROR and
// FUTURE. Returns nothing for a word that is not a state.
std::optional<bool> takes_jobs(std::string_view state) {
  const std::string word = lower_case(state);
  if (word == "down" || word == "error" || word == "future" || word.starts_with("drain") || word.starts_with("fail"))
    return false;
  if (word == "idle" || word == "allocated" || word == "mixed" || word == "unknown" || word.starts_with("cloud"))
    return true;
  return std::nullopt;
}

MachineFile topology_conf_of(const std::string& slurm_conf) {
  std::string path = std::filesystem::path(slurm_conf).replace_filename("topology.conf").string();
  std::string text = read_input_file(path);
  return {std::move(path), std::move(text)};
}

// Returns the hosts of a key of a NodeName line, one of each node. A DEFAULT line has none, as in Slurm.
std::vector<std::string> hosts_of(const std::string& path, const ConfLine& line, const char* key,
                                  const std::vector<std::string>& otherwise) {
  const std::string* const list = line.value(key);
  std::vector<std::string> hosts = list ? hosts_at(*list, path, line) : otherwise;
  const std::size_t nodes = otherwise.size();
  // Several slurmd may be on one host. Slurm leaves hosts beyond the number of nodes unused.
  if (hosts.size() == 1 || hosts.size() > nodes) hosts.resize(nodes, hosts[0]);
  if (hosts.size() != nodes)
    fail_at(path, line.number,
            std::string(key) + "=" + shown(*list) + " has " + std::to_string(hosts.size()) + " names, and NodeName " +
                std::to_string(nodes));
  return hosts;
}

// Reads the nodes of a slurm.conf, and which of their cores Slurm offers to jobs.
class NodeReader {
 public:
  void take(const std::string& file, const ConfLine& line) {
    if (const std::string* words = line.value("SchedulerParameters"))
      reserves_first_ = lower_case(*words).find("spec_cores_first") != std::string::npos;
    if (const std::string* words = line.value("TopologyParam")) topology_param_ = lower_case(*words);
    take_topology_kind(line, topology_kind_);
    if (equal_any_case(line.pairs[0].first, "NodeName")) add_nodes(file, line);
    if (equal_any_case(line.pairs[0].first, "DownNodes")) down_.emplace_back(file, line);
  }

  // Returns the nodes in slurmctld's order.
  std::vector<NodeShape> nodes(const std::string& path, TopologyReader read_topology) {
    for (const auto& [file, line] : down_) set_state(file, line);
    find_offered(path);
    if (has_blocks_by_line && topology_kind_ == "block") return std::move(nodes_);
    std::unordered_map<std::string, std::size_t> rank = ranks(path, read_topology);
    if (rank.empty())
      std::ranges::stable_sort(nodes_, is_before_naturally, &NodeShape::name);
    else
      std::ranges::stable_sort(nodes_, {}, [&](const NodeShape& node) { return rank[node.name]; });
    return std::move(nodes_);
  }

 private:
  void add_nodes(const std::string& path, const ConfLine& line) {
    if (!line.rest.empty()) fail_at(path, line.number, "'" + shown(line.rest) + "' is not of the form Key=value");
    const std::string& names = line.pairs[0].second;
    if (equal_any_case(names, "DEFAULT")) {
      defaults_.pairs.insert(defaults_.pairs.end(), line.pairs.begin(), line.pairs.end());  // later values win
      return;
    }
    NodeShape node = shape(path, line);
    const std::string* state = value(line, "State");
    if (const std::string* topology = value(line, "Topology")) node.topology = *topology;
    for (const ConfLine* from : std::initializer_list<const ConfLine*>{&defaults_, &line})
      for (const char* key : {"Features", "Feature"})
        if (const std::string* features = from->value(key)) node.features = *features;
    reserved_.push_back(reserved(path, line, node));
    const std::vector<std::string> all = hosts_at(names, path, line);
    text_of_nodes_ += all.size() * (node.features.size() + node.topology.size());
    if (text_of_nodes_ > max_text_of_nodes)
      fail_at(path, line.number, "Features= and Topology= of all nodes together have more than 256 MiB");
    const std::vector<std::string> hostnames = hosts_of(path, line, "NodeHostname", all),
                                   addresses = hosts_of(path, line, "NodeAddr", hostnames);
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (!known_.emplace(all[n], nodes_.size()).second)
        fail_at(path, line.number, "node " + shown(all[n]) + " is given twice");
      if (nodes_.size() >= max_hosts) fail_at(path, line.number, "more than " + std::to_string(max_hosts) + " nodes");
      of_hostname_.emplace(hostnames[n], nodes_.size());
      node.name = all[n];
      node.hostname = hostnames[n];
      node.address = addresses[n];
      nodes_.push_back(node);
      reserved_of_.push_back(reserved_.size() - 1);
      takes_jobs_.push_back(!state || takes_jobs(*state).value_or(true));
    }
  }

  const std::string* value(const ConfLine& line, const char* key) const {
    const std::string* const text = line.value(key);
    return text ? text : defaults_.value(key);
  }

  std::optional<std::int32_t> count(const std::string& path, const ConfLine& line, const char* key,
                                    std::int64_t least = 1) const {
    const std::string* text = value(line, key);
    if (!text) return std::nullopt;
    char* end = nullptr;
    const std::int64_t number = std::strtoll(text->c_str(), &end, 0);  // as in Slurm, 0x10 and 020 are 16
    if (end == text->c_str() || *end != '\0' || number < 0 || number > max_count)
      fail_at(path, line.number,
              std::string(key) + "=" + shown(*text) + ": expected a number from 0 to " + std::to_string(max_count));
    return static_cast<std::int32_t>(std::max(number, least));
  }

  std::optional<std::int32_t> cpu_count(const std::string& path, const ConfLine& line) const {
    const auto cpus = count(path, line, "CPUs");
    return cpus ? cpus : count(path, line, "Procs");
  }

  // Returns the shape of the nodes of a line, by the rules of slurm.conf(5), NODE CONFIGURATION. SocketsPerBoard wins
  // over Sockets. Without either, the number of sockets follows from CPUs when CPUs is a multiple of the threads of a
  // socket; otherwise there is one socket per board.
  NodeShape shape(const std::string& path, const ConfLine& line) const {
    NodeShape node;
    node.cores_per_socket = count(path, line, "CoresPerSocket").value_or(1);
    node.threads_per_core = count(path, line, "ThreadsPerCore").value_or(1);
    const std::int64_t boards = count(path, line, "Boards").value_or(1);
    const auto per_board = count(path, line, "SocketsPerBoard");
    const auto sockets = count(path, line, "Sockets");
    const auto cpus = cpu_count(path, line);
    const std::int64_t cpus_of_socket = static_cast<std::int64_t>(node.cores_per_socket) * node.threads_per_core;
    std::int64_t total = boards;
    if (per_board)
      total = boards * *per_board;
    else if (sockets)
      total = *sockets;
    else if (cpus && *cpus % cpus_of_socket == 0)
      total = *cpus / cpus_of_socket;
    if (total > max_count) fail_at(path, line.number, std::to_string(total) + " sockets in a node");
    node.sockets = static_cast<std::int32_t>(total);
    // If CPUs= is the number of cores or of sockets, Slurm counts cores as CPUs. It corrects any other value.
    if (!cpus || (*cpus != total && *cpus != total * node.cores_per_socket)) node.cpus_per_core = node.threads_per_core;
    return node;
  }

  // As in Slurm, a CpuSpecList that does not suit the node is ignored; any other overrides CoreSpecCount.
  ReservedCores reserved(const std::string& path, const ConfLine& line, const NodeShape& node) const {
    ReservedCores cores;
    cores.count = count(path, line, "CoreSpecCount", 0).value_or(0);
    // If CPUs= is the number of sockets, the numbers in the list must be below it.
    const std::int64_t cpus = cpu_count(path, line) == node.sockets ? node.sockets
                                                                    : static_cast<std::int64_t>(node.sockets) *
                                                                          node.cores_per_socket * node.cpus_per_core;
    if (const std::string* list = value(line, "CpuSpecList"); list && !list->empty())
      cores.cpus = configured_cores(*list, static_cast<std::int32_t>(std::min(cpus, max_count)))
                       .value_or(std::vector<std::int32_t>());
    return cores;
  }

  // Sets the state of the nodes of a DownNodes line, which has names or NodeHostnames. Slurm ignores names that are no
  // nodes, the state UNKNOWN and words that are no state.
  void set_state(const std::string& path, const ConfLine& line) {
    const std::string* state = line.value("State");
    const std::optional<bool> takes = state ? takes_jobs(*state) : false;
    if (!takes || (state && equal_any_case(*state, "UNKNOWN"))) return;
    for (const std::string& name : hosts_at(line.pairs[0].second, path, line))
      for (const auto* known : {&known_, &of_hostname_})
        if (const auto node = known->find(name); node != known->end()) {
          takes_jobs_[node->second] = *takes;
          break;
        }
  }

  void find_offered(const std::string& path) {
    std::int64_t listed = 0;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const ReservedCores& reserved = reserved_[reserved_of_[n]];
      if (takes_jobs_[n] && reserved.count == 0 && reserved.cpus.empty()) continue;
      const std::int64_t cores = static_cast<std::int64_t>(nodes_[n].sockets) * nodes_[n].cores_per_socket;
      if ((listed += cores) > TreeTopology::max_leaves)
        throw Error(path + ": more than " + std::to_string(TreeTopology::max_leaves) + " cores");
      nodes_[n].offered = takes_jobs_[n] ? offered_cores(nodes_[n], reserved, reserves_first_)
                                         : std::vector<bool>(static_cast<std::size_t>(cores), false);
    }
  }

  // Returns the place of each node's leaf switch or block in the topology file, by which TopologyParam sorts the nodes.
  // Nodes without a switch come first; nodes of one switch keep their order. Empty if nodes are sorted by name.
  std::unordered_map<std::string, std::size_t> ranks(const std::string& path, TopologyReader read_topology) const try {
    std::unordered_map<std::string, std::size_t> rank;
    if (topology_param_.find("asnoderank") == topology_param_.npos) return rank;
    const MachineFile file = read_topology ? read_topology(path) : topology_conf_of(path);
    const std::string kind = file.kind.empty() ? topology_kind_ : file.kind;
    if ((kind != "tree" || topology_param_.find("switchasnoderank") == topology_param_.npos) &&
        (kind != "block" || topology_param_.find("blockasnoderank") == topology_param_.npos))
      return rank;
    const std::vector<SwitchShape> switches = parse_switches(file, nodes_);
    for (std::size_t s = 0; s < switches.size(); ++s)
      for (const std::int32_t node : switches[s].nodes) rank[nodes_[node].name] = s + 1;
    return rank;
  } catch (const Error&) {  // a caller that needs the switches reads their file again, and reports what is wrong
    return {};
  }

  ConfLine defaults_;  // the values of the NodeName=DEFAULT lines so far
  std::vector<NodeShape> nodes_;
  std::unordered_map<std::string, std::size_t> known_, of_hostname_;  // the nodes by name and by NodeHostname
  std::vector<ReservedCores> reserved_;                               // of each NodeName line
  std::size_t text_of_nodes_ = 0;
  std::vector<std::size_t> reserved_of_;                // per node: index into reserved_
  std::vector<bool> takes_jobs_;                        // per node
  std::vector<std::pair<std::string, ConfLine>> down_;  // the DownNodes lines, each with its file
  bool reserves_first_ = false;
  std::string topology_param_;  // in lower case
  std::string topology_kind_;   // of TopologyPlugin: "tree" for topology/tree
};

}  // namespace

void take_topology_kind(const ConfLine& line, std::string& kind) {
  if (const std::string* plugin = line.value("TopologyPlugin"))
    kind = lower_case(plugin->substr(plugin->rfind('/') + 1));
}

const std::string* ConfLine::value(std::string_view key) const {
  for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair)
    if (equal_any_case(pair->first, key)) return &pair->second;
  return nullptr;
}

std::vector<ConfLine> conf_lines(std::string_view text) {
  std::vector<ConfLine> lines;
  std::string joined;
  std::int64_t number = 0;
  std::int64_t first = 0;
  const auto add = [&] {
    if (const std::string whole = without_escapes(joined); !trimmed(whole).empty())
      lines.push_back(parse_line(first, whole));
    joined.clear();
    first = 0;
  };
  for (const std::string_view physical : split_at(text, '\n')) {
    ++number;
    if (first == 0) first = number;
    const std::string_view line = without_comment(physical);
    const std::string_view end = line.substr(0, line.find_last_not_of(" \t\r\v\f") + 1);
    const bool continued = is_continued(end);
    joined += continued ? end.substr(0, end.size() - 1) : line;  // blanks before the '\' and on the next line stay
    if (!continued) add();
  }
  add();
  return lines;
}

void for_each_conf_line(const std::string& path, std::string_view text, const TakeLine& take) {
  FileReader(take).read(path, text);
}

void for_each_conf_line(const std::string& path, const TakeLine& take) {
  for_each_conf_line(path, read_input_file(path), take);
}

std::vector<std::string> hosts_at(const std::string& list, const std::string& file, const ConfLine& line) {
  if (list.find_first_not_of(", \t") == list.npos) return {};
  return naming_file(file + ":" + std::to_string(line.number), [&] { return expand_hostlist(list); });
}

std::string unknown_nodes(const std::string& file, std::span<const std::string> names) {
  if (names.empty()) return {};
  return file + ": " + shown(compress_hostlist(names)) + " is not in slurm.conf, and is left out";
}

std::vector<NodeShape> read_slurm_nodes(const std::string& slurm_conf_path, const TakeLine& take,
                                        TopologyReader read_topology) {
  NodeReader nodes;
  for_each_conf_line(slurm_conf_path, [&](const std::string& file, const ConfLine& line) {
    if (line.pairs.empty()) return;
    nodes.take(file, line);
    if (take) take(file, line);
  });
  return nodes.nodes(slurm_conf_path, read_topology);
}

std::vector<NodeShape> read_node_shapes(const std::string& slurm_conf_path, TopologyReader read_topology) {
  std::vector<NodeShape> nodes = read_slurm_nodes(slurm_conf_path, nullptr, read_topology);
  if (nodes.empty())
    throw Error(slurm_conf_path + ": has no NodeName line; for dynamic nodes write a copy with NodeName lines");
  return nodes;
}

}  // namespace placement
