// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/slurm_conf.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::size_t max_file_bytes = 64 << 20;
constexpr int max_include_depth = 8;
constexpr std::int64_t max_count = 65535;  // Slurm keeps the counts of a node in 16 bits

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

std::string_view without_end_blanks(std::string_view line) {
  while (!line.empty() && trimmed(line.substr(line.size() - 1)).empty()) line.remove_suffix(1);
  return line;
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

// Removes one pair from the front of the text and stores it in `pair`. Returns false when the text begins with no pair.
// As in Slurm, an operator may stand before '=', a quoted value may be empty or have blanks, and any other value is a
// word, which a blank or the end follows.
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
    for (const ConfLine& line : conf_lines(text)) {
      if (const std::string* name = line.value("ClusterName")) cluster_ = lower_case(*name);
      const std::vector<std::string_view> words = split_words(line.rest);
      if (!line.pairs.empty() || words.size() != 2 || !equal_any_case(words[0], "include"))
        take_(path, line);
      else
        include(path, line.number, std::string(words[1]), depth);
    }
  }

 private:
  // Reads an included file. "%c" in its name is the ClusterName. Slurm passes over a name with '*'.
  void include(const std::string& path, std::int64_t number, std::string name, int depth) {
    if (depth >= max_include_depth) fail_at(path, number, "files include each other");
    if (name.find('*') != std::string::npos) return;
    for (std::size_t at = 0; (at = name.find("%c")) != std::string::npos;) {
      if (cluster_.empty()) fail_at(path, number, shown(name) + ": no line before this one has ClusterName=");
      name.replace(at, 2, cluster_);
    }
    const std::filesystem::path included = std::filesystem::path(path).parent_path() / name;
    read(included.string(), read_input_file(included.string(), max_file_bytes), depth + 1);
  }

  const TakeLine& take_;
  std::string cluster_;
};

// Reads the NodeName lines of a slurm.conf and of the files that it includes.
class NodeReader {
 public:
  void read(const std::string& path) {
    for_each_conf_line(path, [this](const std::string& file, const ConfLine& line) {
      if (!line.pairs.empty() && equal_any_case(line.pairs[0].first, "NodeName")) add_nodes(file, line);
    });
  }
  std::vector<NodeShape> take() { return std::move(nodes_); }

 private:
  void add_nodes(const std::string& path, const ConfLine& line);
  std::optional<std::int32_t> count(const std::string& path, const ConfLine& line, const char* key) const;
  NodeShape shape(const std::string& path, const ConfLine& line) const;

  ConfLine defaults_;  // the values of the NodeName=DEFAULT lines so far
  std::vector<NodeShape> nodes_;
  std::unordered_map<std::string, bool> known_;
};

std::optional<std::int32_t> NodeReader::count(const std::string& path, const ConfLine& line, const char* key) const {
  const std::string* text = line.value(key);
  if (!text) text = defaults_.value(key);
  if (!text) return std::nullopt;
  const std::optional<std::int64_t> number = parse_integer(*text);
  if (!number || *number < 1 || *number > max_count)
    fail_at(path, line.number,
            std::string(key) + "=" + shown(*text) + ": it takes a number from 1 to " + std::to_string(max_count));
  return static_cast<std::int32_t>(*number);
}

// Returns the shape of the nodes of a line, by the rules of slurm.conf(5), NODE CONFIGURATION. SocketsPerBoard wins
// over Sockets. Without either, the number of sockets follows from CPUs when CPUs is a multiple of the threads of a
// socket; otherwise there is one socket per board.
NodeShape NodeReader::shape(const std::string& path, const ConfLine& line) const {
  NodeShape node;
  node.cores_per_socket = count(path, line, "CoresPerSocket").value_or(1);
  node.threads_per_core = count(path, line, "ThreadsPerCore").value_or(1);
  const std::int64_t boards = count(path, line, "Boards").value_or(1);
  const auto per_board = count(path, line, "SocketsPerBoard");
  const auto sockets = count(path, line, "Sockets");
  auto cpus = count(path, line, "CPUs");
  if (!cpus) cpus = count(path, line, "Procs");
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
  // Slurm leaves threads alone only when CPUs= is the number of cores or of sockets. It corrects any other value.
  if (!cpus || (*cpus != total && *cpus != total * node.cores_per_socket)) node.cpus_per_core = node.threads_per_core;
  return node;
}

void NodeReader::add_nodes(const std::string& path, const ConfLine& line) {
  if (!line.rest.empty()) fail_at(path, line.number, "'" + shown(line.rest) + "' is not of the form Key=value");
  const std::string& names = line.pairs[0].second;
  if (equal_any_case(names, "DEFAULT")) {
    std::vector<std::pair<std::string, std::string>> kept = std::move(defaults_.pairs);
    defaults_ = line;
    defaults_.pairs.insert(defaults_.pairs.begin(), kept.begin(), kept.end());
    return;
  }
  NodeShape node = shape(path, line);
  for (std::string& name : hosts_at(names, path, line)) {
    if (!known_.emplace(name, true).second) fail_at(path, line.number, "node " + shown(name) + " is given twice");
    if (nodes_.size() >= max_hosts) fail_at(path, line.number, "more than " + std::to_string(max_hosts) + " nodes");
    node.name = std::move(name);
    nodes_.push_back(node);
  }
}

}  // namespace

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
    const std::string_view end = without_end_blanks(line);
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
  for_each_conf_line(path, read_input_file(path, max_file_bytes), take);
}

std::vector<std::string> hosts_at(const std::string& list, const std::string& file, const ConfLine& line) {
  try {
    return expand_hostlist(list);
  } catch (const Error& error) {
    fail_at(file, line.number, error.what());
  }
}

std::string unknown_nodes(const std::string& file, std::span<const std::string> names) {
  if (names.empty()) return {};
  return file + ": " + shown(compress_hostlist(names)) + " is not in slurm.conf, and is left out";
}

std::vector<std::string> read_partition_names(const std::string& slurm_conf_path) {
  std::vector<std::string> names;
  for_each_conf_line(slurm_conf_path, [&names](const std::string&, const ConfLine& line) {
    if (line.pairs.empty() || !equal_any_case(line.pairs[0].first, "PartitionName")) return;
    for (const std::string_view name : split_at(line.pairs[0].second, ','))
      if (!equal_any_case(name, "DEFAULT")) names.emplace_back(name);
  });
  return names;
}

std::vector<NodeShape> read_node_shapes(const std::string& slurm_conf_path) {
  NodeReader reader;
  reader.read(slurm_conf_path);
  std::vector<NodeShape> nodes = reader.take();
  if (nodes.empty()) throw Error(slurm_conf_path + ": it has no NodeName line");
  return nodes;
}

}  // namespace placement
