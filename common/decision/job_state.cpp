// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/job_state.hpp"

#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/state/outage_file.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/state/snapshot.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/base64url.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "common/util/zstd_frame.hpp"

namespace placement {

namespace {

constexpr std::size_t max_text_bytes = std::size_t{4} << 20;
constexpr std::int32_t max_groups = 128;  // if the pair table has more groups for the job's nodes, it is omitted
constexpr double age_step_s = 8;      // without pairs, ages are rounded down to a multiple: equal ages compress better
constexpr int compression_level = 3;  // a fast level, because slurmctld packs under its locks
constexpr std::string_view end_of_part = "---\n";

// Rounds the value to this number of significant digits; 0: the value stays as it is.
double rounded(double value, int digits) {
  if (digits == 0 || value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::fabs(value))) - (digits - 1));
  return unit > 0 ? std::round(value / unit) * unit : value;
}

// Returns the value with only the first eight bits of its fraction, which zstd packs well. It is at most 0.4 % lower.
float shortened(float value) {
  return std::isnan(value) ? value : std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x7fffu);
}

std::string other_name(std::int32_t position) { return "@" + std::to_string(position); }

// Makes the parts of a job's state as texts: data on its own nodes, and on the nodes that its routes may cross.
class Selection {
 public:
  Selection(const ClusterView& view, std::span<const std::int32_t> nodes, double job_seconds) : view_(view) {
    for (const std::int32_t node : nodes) {
      names_.push_back(view.nodes[node].name);
      states_.push_back(view.nodes[node].state);
    }
    knows_outages_ = view.outages || (view.live && outages_known(*view.live));
    if (view.outages || !view.live) return;
    for (const NodeState& node : view.live->nodes)
      if (const double outage = outage_of(node, view.live->outage_horizon_s, job_seconds); outage > 0)
        live_outages_.set(node.name, outage);
  }

  std::string torus_text() const {
    if (!view_.torus) return {};
    const TorusTopology& torus = *view_.torus;
    std::string text;
    for (const TorusDimension& dimension : torus.dimensions())
      text += (dimension.wraps ? " torus " : " mesh ") + std::to_string(dimension.size);
    std::string lines;
    for (const std::string& name : names_) {
      const std::int32_t node = torus.find(name);
      if (node < 0) continue;
      lines += name;
      for (std::size_t d = 0; d < torus.dimensions().size(); ++d)
        lines += " " + std::to_string(torus.coordinate(torus.position(node), d));
      lines += "\n";
    }
    return lines.empty() ? lines : text.substr(1) + "\n" + lines;
  }

  // The comment line is written even when no node has a probability: it shows that the outages are known.
  std::string outage_text() const {
    if (!knows_outages_) return {};
    std::string text = "# outages\n";
    for (const std::string& name : names_)
      if (const double probability = outages().of(name); probability > 0)
        text += name + " " + exact_number(probability) + "\n";
    return text;
  }

  // Returns the outage probabilities of all positions of the torus, in order and run-length coded. A line has a
  // probability, or "-" for positions without a node, and the number of successive positions to which it applies.
  std::string positions_text(int digits) const {
    if (!view_.torus || !knows_outages_) return {};
    std::string text, word, last;
    std::int64_t count = 0;
    double last_probability = -1;
    for (std::int32_t position = 0; position <= view_.torus->positions(); ++position) {
      if (position == view_.torus->positions()) {
        word.clear();
      } else if (const std::int32_t node = view_.torus->node_at(position); node < 0) {
        word = "-";
      } else if (const double probability = outages().of(view_.torus->name(node));
                 probability != last_probability || word == "-") {
        word = exact_number(rounded(probability, digits));
        last_probability = probability;
      }
      if (word != last && count > 0) text += last + " " + std::to_string(std::exchange(count, 0)) + "\n";
      last = word;
      ++count;
    }
    return text;
  }

  // Returns the bytes of a snapshot with the live data of the job's nodes.
  std::string live_bytes(bool with_pairs) const {
    if (!view_.live) return {};
    LiveState part;
    part.published_at_s = view_.live->published_at_s;
    for (std::size_t n = 0; n < states_.size(); ++n) {
      NodeState node;
      node.name = names_[n];
      if (states_[n] >= 0) {
        const NodeState& known = view_.live->nodes[states_[n]];
        node.liveness = known.liveness;
        node.age_s = with_pairs ? known.age_s : std::floor(known.age_s / age_step_s) * age_step_s;
      }
      part.nodes.push_back(std::move(node));
    }
    if (with_pairs) part.pairs = pairs();
    const std::vector<std::byte> bytes = encode_snapshot(part);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  const NodeOutages& outages() const { return view_.outages ? *view_.outages : live_outages_; }

  // Returns the pair table of the groups of the job's nodes; an empty one if they have more than max_groups groups.
  PairTable pairs() const {
    const PairTable& all = view_.live->pairs;
    if (all.groups == 0) return {};
    std::vector<std::int32_t> group_of_node, old_group;
    std::unordered_map<std::int32_t, std::int32_t> new_group;
    for (const std::int32_t state : states_) {
      const std::int32_t group = state < 0 ? -1 : all.group_of_node[state];
      const auto [entry, is_new] = new_group.emplace(group, static_cast<std::int32_t>(old_group.size()));
      if (is_new) old_group.push_back(group);
      group_of_node.push_back(entry->second);
    }
    const auto groups = static_cast<std::int32_t>(old_group.size());
    if (groups > max_groups) return {};
    PairArrays arrays(groups, std::move(group_of_node));
    for (std::int32_t a = 0; a < groups; ++a)
      for (std::int32_t b = a; b < groups; ++b) {
        if (old_group[a] < 0 || old_group[b] < 0) continue;
        PairArrays::Cell cell = pair_cell(all, old_group[a], old_group[b]);
        for (float* value : {&cell.latency_us, &cell.bandwidth_Bps, &cell.peak_bandwidth_Bps})
          *value = shortened(*value);
        cell.age_s = static_cast<float>(unknown_value);  // no policy uses the age of a cell
        arrays.set(a, b, cell);
      }
    arrays.node_latency_us = of_nodes(all.node_latency_us);
    arrays.node_bandwidth_Bps = of_nodes(all.node_bandwidth_Bps);
    return pair_table(std::move(arrays));
  }

  // Returns the shortened values of the job's nodes. `all` has one value for each node of view_.live, or is empty.
  std::vector<float> of_nodes(std::span<const float> all) const {
    std::vector<float> values;
    if (all.empty()) return values;
    for (const std::int32_t state : states_)
      values.push_back(state < 0 ? static_cast<float>(unknown_value) : shortened(all[state]));
    return values;
  }

  const ClusterView& view_;
  bool knows_outages_ = false;
  NodeOutages live_outages_;          // from the live data; used when the view has no outages of its own
  std::vector<std::string> names_;    // the job's nodes
  std::vector<std::int32_t> states_;  // for each of the job's nodes: its index in view_.live->nodes, or -1
};

// A level of detail: selects the parts of a job's state that are written.
struct Detail {
  int digits = 0;           // significant digits of the outage probabilities of `other_nodes`; 0: all
  bool other_nodes = true;  // the nodes of the torus that are not the job's
  bool pairs = true;
  bool live = true;
};

// The levels that are tried, in this order, until the text fits.
constexpr Detail details[] = {
    {0, true, true, true},  {3, true, true, true},   {3, true, false, true},
    {1, true, false, true}, {0, false, false, true}, {0, false, false, false},
};

// Parses positions_text(). Adds the nodes outside the job to `state.torus`, and their probabilities to `state.outages`.
void add_positions(JobState& state, std::string_view text) {
  const std::string name = "the job's positions";
  if (!state.torus || !state.outages) throw Error(name + ": the torus or the outages are missing");
  const TorusTopology& torus = *state.torus;
  std::vector<TorusTopology::Node> nodes;
  for (std::int32_t node = 0; node < torus.nodes(); ++node)
    nodes.push_back({torus.name(node), torus.coordinates(torus.position(node))});
  NodeOutages outages = *state.outages;
  std::int64_t position = 0;
  for (const TextLine& line : text_lines(text)) {
    const std::vector<std::string_view> words = split_words(line.text);
    double probability = 0;
    const auto count = words.size() == 2 ? parse_integer(words[1]) : std::nullopt;
    if (!count || *count < 1 || *count > torus.positions() - position ||
        (words[0] != "-" && !parse_probability(words[0], probability)))
      fail_at(name, line.number, "'" + shown(line.text) + "': expected a probability (or -) and a number of positions");
    for (const std::int64_t end = position + *count; position < end; ++position) {
      const auto at = static_cast<std::int32_t>(position);
      if (words[0] == "-" || torus.node_at(at) >= 0) continue;
      nodes.push_back({other_name(at), torus.coordinates(at)});
      if (probability > 0) outages.set(other_name(at), probability);
    }
  }
  if (position != torus.positions())
    throw Error(name + " cover " + std::to_string(position) + " of the torus's " + std::to_string(torus.positions()) +
                " positions");
  const std::span<const TorusDimension> dimensions = torus.dimensions();
  state.torus =
      std::make_shared<const TorusTopology>(std::vector(dimensions.begin(), dimensions.end()), std::move(nodes));
  state.outages = std::make_shared<const NodeOutages>(std::move(outages));
}

}  // namespace

std::string pack_job_state(std::uint32_t job, const ClusterView& view, std::span<const std::int32_t> nodes,
                           double job_seconds, std::size_t max_bytes, const Deadline& deadline) {
  if (nodes.empty() || (!view.torus && !view.outages && !view.live)) return {};
  const Selection selection(view, nodes, job_seconds);
  const std::string torus = selection.torus_text(), outages = selection.outage_text();
  const std::string without_pairs = selection.live_bytes(false);
  for (const Detail& detail : details) {
    if ((detail.other_nodes || detail.pairs) && deadline.expired()) continue;
    std::string text = torus;
    text.append(end_of_part).append(outages).append(end_of_part);
    if (detail.other_nodes && !torus.empty()) text += selection.positions_text(detail.digits);
    text += end_of_part;
    if (detail.live) text += detail.pairs ? selection.live_bytes(true) : without_pairs;
    if (text.size() > max_text_bytes) continue;
    text = std::to_string(job) + "." + to_base64url(pack_frame(std::as_bytes(std::span(text)), compression_level));
    if (text.size() <= max_bytes) return text;
  }
  return {};
}

std::uint32_t job_of_state(std::string_view text) {
  const auto job = parse_number<std::uint32_t>(text.substr(0, text.find('.')));
  if (!job || text.find('.') == text.npos) throw Error("the state of a job does not start with its number");
  return *job;
}

JobState unpack_job_state(std::string_view text) {
  job_of_state(text);
  const std::vector<std::byte> frame = from_base64url(text.substr(text.find('.') + 1), max_text_bytes);
  const std::vector<std::byte> bytes = unpack_frame(frame, max_text_bytes);
  std::string_view left(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // Removes the first part and the line end_of_part after it from `left`, and returns the part. The last part, a
  // snapshot, has no line end_of_part and stays in `left`.
  const auto next = [&left] {
    const bool is_empty = left.starts_with(end_of_part);
    const std::size_t at = is_empty ? 0 : left.find("\n" + std::string(end_of_part)) + 1;
    if (at == 0 && !is_empty) throw Error("the state of a job is incomplete");
    return std::exchange(left, left.substr(at + end_of_part.size())).substr(0, at);
  };
  JobState state;
  if (const std::string_view text = next(); !text.empty())
    state.torus = std::make_shared<const TorusTopology>(parse_torus(text, "the job's torus").torus);
  if (const std::string_view text = next(); !text.empty())
    state.outages = std::make_shared<const NodeOutages>(parse_outages(text, "the job's outages"));
  if (const std::string_view text = next(); !text.empty()) add_positions(state, text);
  if (!left.empty()) state.live = std::make_shared<const LiveState>(decode_snapshot(left));
  return state;
}

void attach_job_state(ClusterView& view, const JobState& state) {
  view.torus = state.torus;
  view.outages = state.outages;
  view.live = state.live;
  std::unordered_map<std::string_view, std::int32_t> number;
  if (state.live)
    for (std::size_t n = 0; n < state.live->nodes.size(); ++n)
      number.emplace(state.live->nodes[n].name, static_cast<std::int32_t>(n));
  for (NodeView& node : view.nodes) {
    const auto found = number.find(node.name);
    node.state = found == number.end() ? -1 : found->second;
    node.torus_node = state.torus ? state.torus->find(node.name) : -1;
  }
}

}  // namespace placement
