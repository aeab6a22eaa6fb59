// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/topology_yaml.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>

#include "common/topology/topology_conf.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "config.h"
#ifdef HAVE_YAML
#include <yaml.h>
#endif

namespace placement {

bool is_topology_yaml(const MachineFile& file) {
  const std::vector<TextLine> lines = text_lines(file.text);
  if (lines.empty()) return false;
  const std::string_view first = split_words(lines[0].text)[0];
  return first == "---" || first == "-" || first == "%YAML" || first == "topology:" || first.starts_with('[') ||
         file.path.ends_with(".yaml");
}

#ifdef HAVE_YAML

namespace {

constexpr std::string_view kinds[] = {"block", "flat", "ring", "torus3d", "tree"};
constexpr std::string_view false_words[] = {"", "false", "f", "no", "n", "off"};

// Throws Error if the text has an alias, which Slurm ignores, many anchors or %TAG lines, or if values are nested too
// deeply. The time of libyaml grows with the square of the depth and of each number.
void check_yaml_events(std::string_view text, const std::string& file) {
  constexpr int max_depth = 64;  // Slurm's own files have at most 8
  constexpr int max_names = 1000;
  int tags = 0, anchors = 0;
  for (std::size_t at = text.find("%TAG"); at != text.npos && tags <= max_names; at = text.find("%TAG", at + 1)) ++tags;
  if (tags > max_names) throw Error(file + ": more than " + std::to_string(max_names) + " times %TAG: remove them");
  yaml_parser_t parser;
  if (yaml_parser_initialize(&parser) == 0) return;
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::int64_t line = 0;
  int depth = 0;
  std::string mistake;
  yaml_event_t event;
  for (bool goes_on = true; goes_on && yaml_parser_parse(&parser, &event) != 0; yaml_event_delete(&event)) {
    line = static_cast<std::int64_t>(event.start_mark.line) + 1;
    depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
    depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
    if (event.type == YAML_ALIAS_EVENT) mistake = "an alias (*NAME), which Slurm does not read: repeat the value";
    anchors += (event.type == YAML_SCALAR_EVENT && event.data.scalar.anchor != nullptr) ||
               (event.type == YAML_SEQUENCE_START_EVENT && event.data.sequence_start.anchor != nullptr) ||
               (event.type == YAML_MAPPING_START_EVENT && event.data.mapping_start.anchor != nullptr);
    if (anchors > max_names) mistake = "more than " + std::to_string(max_names) + " anchors (&NAME): remove them";
    if (depth > max_depth) mistake = "more than " + std::to_string(max_depth) + " lists or mappings within each other";
    goes_on = mistake.empty() && event.type != YAML_STREAM_END_EVENT;
  }
  yaml_parser_delete(&parser);
  if (!mistake.empty()) fail_at(file, line, mistake);
}

class YamlDocument {
 public:
  YamlDocument(std::string_view text, const std::string& file) : file_(file) {
    if (text.empty()) text = " ";  // libyaml aborts on a null address
    check_yaml_events(text, file);
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) throw Error(file + ": cannot be read: out of memory");
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    const bool read = yaml_parser_load(&parser, &document_) != 0;
    const std::string problem = parser.problem ? parser.problem : "it cannot be read";
    const auto line = static_cast<std::int64_t>(parser.problem_mark.line) + 1;
    yaml_parser_delete(&parser);
    if (!read) fail_at(file, line, "invalid YAML: " + printable(problem));
  }
  YamlDocument(const YamlDocument&) = delete;
  YamlDocument& operator=(const YamlDocument&) = delete;
  ~YamlDocument() { yaml_document_delete(&document_); }

  const std::string& file() const { return file_; }
  const yaml_node_t* root() { return yaml_document_get_root_node(&document_); }

  [[noreturn]] void fail(const yaml_node_t& node, const std::string& message) const {
    fail_at(file_, line_of(node), message);
  }

  static std::int64_t line_of(const yaml_node_t& node) { return static_cast<std::int64_t>(node.start_mark.line) + 1; }

  // Returns the entries of the list, which error messages call `what`. As in Slurm, a mapping in place of a list is its
  // only entry. Throws Error for a single value.
  std::vector<const yaml_node_t*> entries(const yaml_node_t& list, const std::string& what) {
    if (list.type == YAML_MAPPING_NODE) return {&list};
    if (list.type != YAML_SEQUENCE_NODE) fail(list, what + " is not a list: start each entry with \"- \"");
    std::vector<const yaml_node_t*> result;
    for (const yaml_node_item_t* at = list.data.sequence.items.start; at < list.data.sequence.items.top; ++at)
      result.push_back(yaml_document_get_node(&document_, *at));
    return result;
  }

  // Returns the value of the key in the mapping, which error messages call `what`; null if the key is missing. Throws
  // Error if the node is not a mapping, or has the key twice.
  const yaml_node_t* value(const yaml_node_t& map, std::string_view key, const std::string& what) {
    if (map.type != YAML_MAPPING_NODE) fail(map, what + " has no keys such as \"" + std::string(key) + ":\"");
    const yaml_node_t* found = nullptr;
    for (const yaml_node_pair_t* at = map.data.mapping.pairs.start; at < map.data.mapping.pairs.top; ++at) {
      const yaml_node_t& name = *yaml_document_get_node(&document_, at->key);
      if (name.type != YAML_SCALAR_NODE || scalar(name) != key) continue;
      if (found) fail(name, std::string(key) + " is given twice");
      found = yaml_document_get_node(&document_, at->value);
    }
    return found;
  }

  // Returns the value of the key, one word; an empty text if the key or its value is missing. Throws Error if the value
  // is a list or a mapping, or has a character that would end or quote a word in a topology.conf.
  std::string word(const yaml_node_t& map, std::string_view key, const std::string& what) {
    const yaml_node_t* node = value(map, key, what);
    return node ? as_word(*node, key, scalar_of(*node, key)) : std::string();
  }

  // Returns the value of the key, a list of names in one word, as word() does. Blanks between the names become commas.
  std::string names(const yaml_node_t& map, std::string_view key, const std::string& what) {
    const yaml_node_t* node = value(map, key, what);
    if (!node) return {};
    std::string text = scalar_of(*node, key);
    std::ranges::replace_if(
        text, [](char c) { return c == ' ' || c == '\n'; }, ',');
    return as_word(*node, key, std::move(text));
  }

  std::string as_word(const yaml_node_t& node, std::string_view key) {
    return as_word(node, key, scalar_of(node, key));
  }

 private:
  std::string as_word(const yaml_node_t& node, std::string_view key, std::string text) const {
    if (std::ranges::any_of(
            text, [](char c) { return c <= ' ' || c == '#' || c == '"' || c == '\'' || c == '\\' || c == '='; }))
      fail(node, std::string(key) + ": '" + shown(text) + "' is neither a name nor a list of names");
    return text;
  }

  std::string scalar_of(const yaml_node_t& node, std::string_view key) const {
    std::string message(key);  // appended to, because operator+ has a false warning in g++ 12
    if (node.type != YAML_SCALAR_NODE) fail(node, message += ": expected one value");
    const std::string_view text = scalar(node);
    const bool is_null =
        node.data.scalar.style == YAML_PLAIN_SCALAR_STYLE && (text == "~" || equal_any_case(text, "null"));
    return is_null ? std::string() : std::string(text);
  }

  static std::string_view scalar(const yaml_node_t& node) {
    return {reinterpret_cast<const char*>(node.data.scalar.value), node.data.scalar.length};
  }

  const std::string& file_;
  yaml_document_t document_;
};

// Writes lines of a topology.conf, each at a line number that is at least the requested one.
class NumberedLines {
 public:
  explicit NumberedLines(const std::string& file) : file_(file) {}
  void add(std::int64_t number, const std::string& line) {
    // Limits memory. A file without aliases stays below this limit.
    if (text_.size() + line.size() > 4 * max_topology_yaml) throw Error(file_ + ": the topology is too large");
    for (; next_ < number; ++next_) text_ += '\n';
    text_ += line + "\n";
    ++next_;
  }
  std::string take() { return std::move(text_); }

 private:
  const std::string& file_;
  std::string text_;
  std::int64_t next_ = 1;
};

void add_pair(std::string& line, std::string_view key, const std::string& value) {
  if (!value.empty()) line += " " + std::string(key) + "=" + value;
}

// For a kind of topology: the key of the list of its switches, blocks or rings, the key of the name of an entry, and
// the key that starts the line of an entry in a topology.conf.
struct PlacesOfKind {
  std::string_view kind;
  const char *list, *key, *conf_key;
};
constexpr PlacesOfKind places_of_kind[] = {{"tree", "switches", "switch", "SwitchName="},
                                           {"block", "blocks", "block", "BlockName="},
                                           {"ring", "rings", "ring", "RingName="}};

// Adds a line for each switch, block or ring of `map`. As in Slurm, a switch with nodes has no children.
void add_places(YamlDocument& yaml, const yaml_node_t& map, const PlacesOfKind& kind, NumberedLines& lines) {
  const std::string list_key = kind.list, key = kind.key;
  const yaml_node_t* list = yaml.value(map, list_key, "the topology");
  if (!list) yaml.fail(map, "the topology has no " + list_key);
  for (const yaml_node_t* place : yaml.entries(*list, list_key)) {
    const std::string name = yaml.word(*place, key, "an entry of " + list_key);
    if (name.empty()) yaml.fail(*place, "the entry of " + list_key + " has no name such as \"" + key + ": s1\"");
    std::string line = kind.conf_key + name;
    const std::string nodes = yaml.names(*place, "nodes", list_key);
    add_pair(line, "Nodes", nodes);
    if (key == "switch" && nodes.empty()) add_pair(line, "Switches", yaml.names(*place, "children", list_key));
    lines.add(YamlDocument::line_of(*place), line);
  }
}

// Returns the switches, blocks or rings of a topology as lines of a topology.conf.
std::string conf_of(YamlDocument& yaml, const yaml_node_t& topology, const PlacesOfKind& places) {
  NumberedLines lines(yaml.file());
  const yaml_node_t* sizes = places.kind == "block" ? yaml.value(topology, "block_sizes", "the topology") : nullptr;
  std::string list;
  if (sizes && sizes->type == YAML_SCALAR_NODE)  // as in Slurm, one size in place of a list
    list = yaml.as_word(*sizes, "block_sizes");
  else if (sizes)
    list = joined(yaml.entries(*sizes, "block_sizes"), ",",
                  [&](const yaml_node_t* size) { return yaml.as_word(*size, "block_sizes"); });
  if (!list.empty()) lines.add(YamlDocument::line_of(*sizes), "BlockSizes=" + list);
  add_places(yaml, topology, places, lines);
  return lines.take();
}

// Returns the numbers x, y and z in the value of the key, or nothing if the key is missing. Throws Error if a number is
// not from `least` to 65535.
std::optional<std::array<std::int64_t, 3>> triple(YamlDocument& yaml, const yaml_node_t& map, const std::string& key,
                                                  std::int64_t least) {
  const yaml_node_t* node = yaml.value(map, key, "a torus");
  if (!node) return std::nullopt;
  std::array<std::int64_t, 3> numbers{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string word = yaml.word(*node, std::string_view("xyz").substr(d, 1), key);
    const auto number = parse_integer(word);
    if (!number || *number < least || *number > 65535)
      yaml.fail(*node, key + " has '" + shown(word) + "' as " + "xyz"[d] + ": expected a number from " +
                           std::to_string(least) + " to 65535");
    numbers[d] = *number;
  }
  return numbers;
}

// Adds a line of a torus file for the nodes of `map`, and appends their names to `nodes`. The nodes fill the box of the
// size `dims` at `anchor`, along x first, as in Slurm. Does nothing if `map` has no nodes.
void add_box(YamlDocument& yaml, const yaml_node_t& map, const std::array<std::int64_t, 3>& anchor,
             const std::array<std::int64_t, 3>& dims, NumberedLines& lines, std::string& nodes) {
  std::string line = yaml.names(map, "nodes", "a torus");
  if (line.empty()) return;
  nodes += line + ",";
  for (std::size_t d = 0; d < 3; ++d)
    line += " " + std::to_string(anchor[d]) + "-" + std::to_string(anchor[d] + dims[d] - 1);
  lines.add(YamlDocument::line_of(map), line);
}

// Returns the torus as the text of a torus file, for parse_torus(), and adds its nodes to `nodes`.
std::string torus_text(YamlDocument& yaml, const yaml_node_t& torus, std::string& nodes) {
  const auto dims = triple(yaml, torus, "dims", 1);
  if (!dims) yaml.fail(torus, "the torus has no dims such as \"dims: {x: 4, y: 4, z: 2}\"");
  NumberedLines lines(yaml.file());
  std::string header = "torus";
  for (const std::int64_t size : *dims) header += " " + std::to_string(size);
  lines.add(1, header);
  add_box(yaml, torus, {0, 0, 0}, *dims, lines, nodes);
  if (const yaml_node_t* regions = yaml.value(torus, "regions", "a torus"))
    for (const yaml_node_t* region : yaml.entries(*regions, "regions")) {
      const auto size = triple(yaml, *region, "dims", 1);
      if (!size) yaml.fail(*region, "the region has no dims");
      const auto anchor = triple(yaml, *region, "anchor", 0).value_or(std::array<std::int64_t, 3>{});
      add_box(yaml, *region, anchor, *size, lines, nodes);
    }
  return lines.take();
}

// Adds the toruses of `torus3d` to the topology: a line of a topology.conf for each torus, and the torus file if there
// is only one torus.
void add_toruses(YamlDocument& yaml, const yaml_node_t& torus3d, YamlTopology& topology) {
  const yaml_node_t* const list = yaml.value(torus3d, "toruses", "the topology");
  if (!list) yaml.fail(torus3d, "the topology has no toruses");
  const auto toruses = yaml.entries(*list, "toruses");
  if (toruses.empty()) yaml.fail(*list, "the topology has no toruses");
  NumberedLines lines(yaml.file());
  std::size_t size = 0;
  for (const yaml_node_t* torus : toruses) {
    const std::string name = yaml.word(*torus, "name", "a torus");
    std::string line = "RingName=" + name, nodes;
    topology.conf = torus_text(yaml, *torus, nodes);
    size += topology.conf.size();
    if (size > 4 * max_topology_yaml) yaml.fail(*torus, "the toruses are too large");
    add_pair(line, "Nodes", nodes);
    if (!name.empty()) lines.add(YamlDocument::line_of(*torus), line);
  }
  if (toruses.size() != 1) topology.conf.clear();
  topology.toruses = lines.take();
}

// Returns whether Slurm reads the value of the key as true. It does so for all values except 0 and the words for false.
bool is_true(YamlDocument& yaml, const yaml_node_t& entry, std::string_view key) {
  const std::string word = lower_case(yaml.word(entry, key, "a topology"));
  return std::ranges::find(false_words, word) == std::end(false_words) && parse_real(word) != 0;
}

// Returns whether the entry is a topology of this kind: whether it has the kind as a key. "flat: false" does not count.
// An empty mapping such as "tree: {}" counts only for flat.
bool has_kind(YamlDocument& yaml, const yaml_node_t& entry, std::string_view kind) {
  const yaml_node_t* value = yaml.value(entry, kind, "a topology");
  if (!value) return false;
  if (kind == "flat") return value->type != YAML_SCALAR_NODE || is_true(yaml, entry, kind);
  return value->type != YAML_MAPPING_NODE || value->data.mapping.pairs.start != value->data.mapping.pairs.top;
}

// Returns the name and the kind of an entry of the file, without its switches or blocks.
YamlTopology head_of(YamlDocument& yaml, const yaml_node_t& entry) {
  YamlTopology topology;
  topology.name = yaml.word(entry, "topology", "a topology");
  for (const std::string_view kind : kinds) {
    if (!has_kind(yaml, entry, kind)) continue;
    if (!topology.kind.empty())
      yaml.fail(entry, "topology '" + shown(topology.name) + "' has two kinds, " + topology.kind + " and " +
                           std::string(kind));
    topology.kind = kind;
  }
  if (topology.kind.empty())
    yaml.fail(entry,
              "topology '" + shown(topology.name) + "' has no kind: expected block, flat, ring, torus3d or tree");
  return topology;
}

}  // namespace

YamlTopology parse_topology_yaml(std::string_view text, const std::string& file,
                                 const std::optional<std::string>& wanted) {
  if (text.size() > max_topology_yaml)
    throw Error(file + ": has " + std::to_string(text.size()) + " bytes; the limit is " +
                std::to_string(max_topology_yaml));
  YamlDocument yaml(text, file);
  const yaml_node_t* root = yaml.root();
  if (!root) throw Error(file + ": is empty");
  const yaml_node_t* chosen = nullptr;
  std::string names;
  for (const yaml_node_t* entry : yaml.entries(*root, "the file")) {
    const std::string name = head_of(yaml, *entry).name;
    names += (names.empty() ? "" : ", ") + name;
    if (wanted ? !chosen && name == *wanted
               : !chosen || (is_true(yaml, *entry, "cluster_default") && !is_true(yaml, *chosen, "cluster_default")))
      chosen = entry;
  }
  if (!chosen && wanted)
    throw Error(file + ": topology '" + shown(*wanted) + "' is missing; the file has " + shown(names));
  if (!chosen) throw Error(file + ": has no topology");
  YamlTopology topology = head_of(yaml, *chosen);
  for (const PlacesOfKind& places : places_of_kind)
    if (topology.kind == places.kind)
      topology.conf = conf_of(yaml, *yaml.value(*chosen, places.kind, "a topology"), places);
  if (topology.kind == "torus3d") add_toruses(yaml, *yaml.value(*chosen, "torus3d", "a topology"), topology);
  return topology;
}

#else

YamlTopology parse_topology_yaml(std::string_view, const std::string& file, const std::optional<std::string>&) {
  throw Error(file + ": this build reads no topology.yaml, because configure found no libyaml");
}

#endif

MachineFile without_yaml(MachineFile file, const std::optional<std::string>& wanted) {
  if (!is_topology_yaml(file)) return file;
  YamlTopology topology = parse_topology_yaml(file.text, file.path, wanted);
  return {std::move(file.path), std::move(topology.conf), std::move(topology.name), std::move(topology.kind),
          std::move(topology.toruses)};
}

std::string topology_file(const std::string& slurm_conf) {
  constexpr bool yaml_first = std::string_view(SLURM_RELEASE) >= "25.05";
  std::error_code unreadable;
  for (const char* name : {yaml_first ? "topology.yaml" : "topology.conf", "topology.conf", "topology.yaml"}) {
    const std::filesystem::path path = std::filesystem::path(slurm_conf).replace_filename(name);
    if (std::filesystem::exists(path, unreadable)) return path.string();
  }
  return {};
}

MachineFile read_site_topology(const std::string& slurm_conf) {
  const std::string path = topology_file(slurm_conf);
  if (path.empty()) throw Error(slurm_conf + ": there is no topology.yaml or topology.conf next to it");
  return without_yaml({path, read_input_file(path)});
}

std::vector<SwitchShape> read_switches(const std::string& slurm_conf, std::span<const NodeShape> nodes,
                                       std::string* warning) {
  if (topology_file(slurm_conf).empty()) return {};
  return parse_switches(read_site_topology(slurm_conf), nodes, warning);
}

std::vector<SwitchRecord> read_places(const std::string& slurm_conf, std::span<const NodeShape> nodes) {
  if (topology_file(slurm_conf).empty()) return {};
  const MachineFile file = read_site_topology(slurm_conf);
  return parse_topology_places(file.kind == "torus3d" ? file.toruses : file.text, file.path, nodes, file.topology);
}

}  // namespace placement
