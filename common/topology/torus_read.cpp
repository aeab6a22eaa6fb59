// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "common/topology/slurm_conf.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

bool is_header_word(std::string_view word) { return equal_any_case(word, "torus") || equal_any_case(word, "mesh"); }

// SCOTCH's target architectures that are neither a torus, nor a mesh, nor a tree of equal levels.
constexpr std::string_view other_scotch_targets[] = {"cmplt",  "cmpltw", "deco",   "hcub",
                                                     "ltleaf", "sub",    "vcmplt", "vhcub"};

// One of SCOTCH's target architectures: torus2D, torus3D, torusXD, mesh2D, mesh3D and meshXD.
struct ScotchTarget {
  bool wraps = true;
  std::size_t dimensions = 0;  // 0: the number is the first word after the keyword
};

std::optional<ScotchTarget> scotch_target(std::string_view word) {
  for (const bool wraps : {true, false})
    for (const auto& [end, dimensions] : {std::pair{"2d", 2}, {"3d", 3}, {"xd", 0}})
      if (equal_any_case(word, std::string(wraps ? "torus" : "mesh") + end))
        return ScotchTarget{wraps, static_cast<std::size_t>(dimensions)};
  return std::nullopt;
}

class TorusFile {
 public:
  TorusFile(std::string_view text, const std::string& file) : file_(file), lines_(text_lines(text)) {}

  TorusDescription read() {
    if (lines_.empty()) throw Error(file_ + ": is empty");
    if (const auto target = scotch_target(split_words(lines_[0].text)[0])) return read_scotch(*target);
    if (const std::string_view word = split_words(lines_[0].text)[0];
        std::ranges::count(other_scotch_targets, lower_case(word)) != 0)
      fail_at(
          file_, lines_[0].number,
          "'" + shown(word) + "': of SCOTCH's targets, only tleaf, and torus and mesh with 2D, 3D or XD can be read");
    take_lines(lines_, [this](const TextLine& line) {
      const std::vector<std::string_view> words = split_words(line.text);
      if (is_header_word(words[0]))
        read_header(words, line.number);
      else if (equal_any_case(words[0], "faulty"))
        read_faulty(words, line.number);
      else
        node_lines_.push_back({line.number, words});
    });
    if (node_lines_.empty()) return without_names();
    if (faulty_line_ != 0)
      fail_at(file_, faulty_line_, "faulty: only in a file that names no nodes; for named nodes use an outage file");
    const bool has_header = !dimensions_.empty();
    infer_dimensions();
    const TorusTopology empty =
        naming_file(file_, [&] { return TorusTopology(dimensions_, {}); });  // throws Error if too large
    take_lines(node_lines_, [&](const NodeLine& line) { place(line, empty); });
    if (nodes_.size() == 1 && !has_header)  // a keyword that this reader does not know
      fail_at(file_, node_lines_[0].number,
              "'" + shown(nodes_[0].name) +
                  "': a torus file starts with torus, mesh, torus2D, mesh3D or another target of SCOTCH, or has "
                  "coordinates of at least two nodes");
    return {naming_file(file_, [&] { return TorusTopology(dimensions_, std::move(nodes_)); })};
  }

 private:
  struct NodeLine {
    std::int64_t number;
    std::vector<std::string_view> words;
  };

  void add_dimension(std::string_view word, bool wraps, std::int64_t line) {
    const auto size = parse_integer(word);
    if (!size || *size < 1 || *size > TorusTopology::max_positions)
      fail_at(file_, line,
              "dimension '" + shown(word) + "': expected a number from 1 to " +
                  std::to_string(TorusTopology::max_positions) + ", or the word torus or mesh");
    dimensions_.push_back({static_cast<std::int32_t>(*size), wraps});
  }

  // Reads a target architecture of SCOTCH, whose words may stand on several lines.
  TorusDescription read_scotch(const ScotchTarget& target) {
    const std::int64_t first_line = lines_[0].number;
    std::vector<std::string_view> words;
    for (const TextLine& line : lines_)
      for (const std::string_view word : split_words(line.text)) words.push_back(word);
    const auto given = words.size() > 1 && target.dimensions == 0 ? parse_integer(words[1]) : std::nullopt;
    const std::size_t before = target.dimensions == 0 ? 2 : 1;
    const auto count = static_cast<std::int64_t>(target.dimensions == 0 ? given.value_or(0) : target.dimensions);
    if (count < 1 || count > static_cast<std::int64_t>(TorusTopology::max_dimensions) ||
        static_cast<std::int64_t>(words.size()) != static_cast<std::int64_t>(before) + count)
      fail_at(file_, first_line,
              shown(words[0]) + " with " + std::to_string(words.size() - 1) +
                  " numbers: expected the size of each dimension, as in \"torus2D 4 4\" or \"meshXD 3 4 4 2\", and "
                  "at most " +
                  std::to_string(TorusTopology::max_dimensions) + " dimensions");
    for (std::size_t w = before; w < words.size(); ++w) add_dimension(words[w], target.wraps, first_line);
    return without_names();
  }

  void read_header(const std::vector<std::string_view>& words, std::int64_t line) {
    if (!dimensions_.empty()) fail_at(file_, line, "the dimensions are given twice");
    bool wraps = true;
    for (const std::string_view word : words) {
      if (is_header_word(word))
        wraps = equal_any_case(word, "torus");
      else
        add_dimension(word, wraps, line);
    }
    if (dimensions_.empty() || dimensions_.size() > TorusTopology::max_dimensions)
      fail_at(file_, line,
              std::to_string(dimensions_.size()) + " dimensions: expected 1 to " +
                  std::to_string(TorusTopology::max_dimensions) + ", as in \"torus 8 8 8\"");
  }

  void read_faulty(const std::vector<std::string_view>& words, std::int64_t line) {
    if (faulty_line_ != 0) fail_at(file_, line, "faulty is given twice");
    faulty_line_ = line;
    const auto factor = words.size() < 2 ? std::nullopt : parse_integer(words[1]);
    if (!factor || *factor < 1 || *factor > 1'000'000)
      fail_at(file_, line, "faulty: expected the weight of a link, from 1 to 1000000, and then the nodes");
    factor_ = *factor;
    for (std::size_t w = 2; w < words.size(); ++w) {
      const auto id = parse_integer(words[w]);
      if (!id || *id < 0 || *id >= TorusTopology::max_positions)
        fail_at(file_, line, "faulty node '" + shown(words[w]) + "': expected the number of a node");
      faulty_.push_back(static_cast<std::int32_t>(*id));
    }
  }

  TorusDescription without_names() {
    if (dimensions_.empty()) fail_at(file_, faulty_line_, "the dimensions are missing, as in \"torus 8 8 8\"");
    TorusDescription result{naming_file(file_, [&] { return TorusTopology::full(dimensions_); }), false, faulty_,
                            factor_};
    std::ranges::sort(result.faulty);
    for (std::size_t k = 0; k < result.faulty.size(); ++k) {
      if (result.faulty[k] >= result.torus.positions())
        fail_at(file_, faulty_line_,
                "faulty node " + std::to_string(result.faulty[k]) + " is outside 0.." +
                    std::to_string(result.torus.positions() - 1));
      if (k > 0 && result.faulty[k] == result.faulty[k - 1])
        fail_at(file_, faulty_line_, "faulty node " + std::to_string(result.faulty[k]) + " is listed twice");
    }
    return result;
  }

  // In a file without a torus or mesh line, all dimensions are rings that are just long enough for the coordinates.
  void infer_dimensions() {
    if (!dimensions_.empty()) return;
    const std::size_t count = node_lines_[0].words.size() - 1;
    if (count < 1 || count > TorusTopology::max_dimensions)
      fail_at(file_, node_lines_[0].number,
              "'" + shown(node_lines_[0].words[0]) + "': a line is a node and its coordinates, as in \"n1 0 0 0\"");
    dimensions_.assign(count, {1, true});
    for (const NodeLine& line : node_lines_) {
      for (std::size_t d = 0; d < count && d + 1 < line.words.size(); ++d) {
        const auto range = parse_range(line.words[d + 1], TorusTopology::max_positions);
        if (!range) fail_coordinate(line, d, TorusTopology::max_positions - 1);
        dimensions_[d].size = std::max(dimensions_[d].size, range->last + 1);
      }
    }
  }

  [[noreturn]] void fail_coordinate(const NodeLine& line, std::size_t dimension, std::int32_t most) const {
    fail_at(file_, line.number,
            "coordinate '" + shown(line.words[dimension + 1]) + "' of " + shown(line.words[0]) +
                ": expected a number from 0 to " + std::to_string(most) + ", or a range such as 0-1");
  }

  void place(const NodeLine& line, const TorusTopology& empty) {
    std::vector<NumberSpan> box;
    if (line.words.size() != dimensions_.size() + 1)
      fail_at(file_, line.number,
              "'" + shown(line.words[0]) + "' with " + std::to_string(line.words.size() - 1) +
                  " coordinates: there are " + std::to_string(dimensions_.size()) + " dimensions");
    std::int64_t points = 1;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      const auto range = parse_range(line.words[d + 1], TorusTopology::max_positions);
      if (!range || range->last >= dimensions_[d].size) fail_coordinate(line, d, dimensions_[d].size - 1);
      box.push_back(*range);
      points *= range->last - range->first + 1;
    }
    std::vector<std::string> names = hosts_at(std::string(line.words[0]), file_, ConfLine{line.number, {}, {}});
    const auto count = static_cast<std::int64_t>(names.size());
    if (points > 1 && points != count)
      fail_at(file_, line.number, std::to_string(count) + " names for " + std::to_string(points) + " points");
    TorusTopology::Coordinates at{};
    for (std::size_t d = 0; d < box.size(); ++d) at[d] = box[d].first;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!names_.insert(names[k]).second) fail_at(file_, line.number, "node " + shown(names[k]) + " is given twice");
      if (const auto [node, is_free] = node_at_.emplace(empty.position_of(at), nodes_.size()); !is_free)
        fail_at(file_, line.number,
                "nodes " + shown(nodes_[node->second].name) + " and " + shown(names[k]) + " are at the same position");
      nodes_.push_back({std::move(names[k]), at});
      // When the line has a single position, the names continue from there through the whole torus.
      std::size_t d = 0;
      for (; d < box.size(); ++d) {
        const std::int32_t last = points > 1 ? box[d].last : dimensions_[d].size - 1;
        if (at[d] < last) {
          ++at[d];
          break;
        }
        at[d] = points > 1 ? box[d].first : 0;
      }
      if (d == box.size() && points == 1 && k + 1 < names.size())
        fail_at(file_, line.number, "there are more names than positions");
    }
  }

  const std::string& file_;
  std::vector<TextLine> lines_;
  std::vector<TorusDimension> dimensions_;
  std::vector<NodeLine> node_lines_;
  std::vector<TorusTopology::Node> nodes_;
  std::unordered_set<std::string> names_;                  // the names of the nodes in nodes_
  std::unordered_map<std::int32_t, std::size_t> node_at_;  // index into nodes_ of each position that is taken
  std::int64_t faulty_line_ = 0;
  std::int64_t factor_ = 1;
  std::vector<std::int32_t> faulty_;
};

}  // namespace

TorusDescription parse_torus(std::string_view text, const std::string& file) { return TorusFile(text, file).read(); }

TorusDescription read_torus(const std::string& path) {
  const std::string text = read_input_file(path);
  return parse_torus(text, path);
}

bool is_torus_text(std::string_view text) {
  const std::vector<TextLine> lines = text_lines(text);
  if (lines.empty()) return false;
  const std::vector<std::string_view> words = split_words(lines[0].text);
  if (is_header_word(words[0]) || scotch_target(words[0]) || equal_any_case(words[0], "faulty")) return true;
  const std::string first = lower_case(words[0]);
  if (first == "tree" || first == "tleaf" || first == "dist" || words.size() < 2 || first.find('=') != first.npos)
    return false;
  // Words that look like wrong coordinates count as coordinates, so that parse_torus() reports the error.
  return std::all_of(words.begin() + 1, words.end(), [](std::string_view word) {
    return word.find_first_of("0123456789") != word.npos && word.find_first_not_of("0123456789+-.,:[]") == word.npos;
  });
}

TorusTopology torus_of(const TorusDescription& description, std::span<const std::string> known, const std::string& file,
                       std::string& warning) {
  const TorusTopology& torus = description.torus;
  if (!description.named) throw Error(file + ": names no nodes");
  const std::unordered_set<std::string_view> names(known.begin(), known.end());
  std::vector<TorusTopology::Node> nodes;
  std::vector<std::string> unknown, without;
  for (std::int32_t node = 0; node < torus.nodes(); ++node)
    if (names.contains(torus.name(node)))
      nodes.push_back({torus.name(node), torus.coordinates(torus.position(node))});
    else
      unknown.push_back(torus.name(node));
  if (nodes.empty()) throw Error(file + ": none of its nodes is in slurm.conf");
  warning = unknown_nodes(file, unknown);
  for (const std::string& node : known)
    if (torus.find(node) < 0) without.push_back(node);
  if (!without.empty())
    warning += (warning.empty() ? "" : "; ") + file + ": has no coordinates of " + shown(compress_hostlist(without)) +
               ", which TOFA does not use";
  return TorusTopology({torus.dimensions().begin(), torus.dimensions().end()}, std::move(nodes));
}

}  // namespace placement
