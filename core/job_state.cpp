// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/job_state.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/armour.hpp"
#include "core/error.hpp"
#include "core/pair_arrays.hpp"
#include "core/snapshot_text.hpp"
#include "core/torus_topology.hpp"
#include "core/zstd_frame.hpp"

namespace placement {

namespace {

constexpr std::size_t max_text_bytes = std::size_t{4} << 20;
constexpr std::int32_t max_groups = 128;       // their pairs come to some 30 KiB
constexpr std::size_t max_other_nodes = 1024;  // that may fail
constexpr int compression_level = 3;            // slurmctld packs under its locks
constexpr std::string_view end_of_part = "---\n";

float three_digits(float value) {
  if (!std::isfinite(value) || value == 0) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::fabs(value))) - 2);
  return static_cast<float>(std::round(value / unit) * unit);
}

// The job's nodes, and others that may fail.
class Selection {
 public:
  Selection(const ClusterView& view, std::span<const std::int32_t> nodes) : view_(view) {
    for (const std::int32_t node : nodes) {
      names_.push_back(view.nodes[static_cast<std::size_t>(node)].name);
      states_.push_back(view.nodes[static_cast<std::size_t>(node)].state);
    }
    if (view.outages || !view.live) return;
    for (const NodeState& node : view.live->nodes) {
      const double estimate = node.outage_probability > 0 ? node.outage_probability : 0;
      const double outage = node.silent() ? std::max(estimate, outage_of_silent_node) : estimate;
      if (outage > 0) live_outages_.set(node.name, outage);
    }
  }

  // Those that routes had better not cross, the likeliest to fail first, and so many others that these are
  // the exception for srun as well: a policy calls a node suspect that is likelier to fail than most.
  void add_other_nodes() {
    if (!view_.torus || view_.torus->nodes() == 0) return;
    const std::unordered_set<std::string> own(names_.begin(), names_.end());
    std::vector<double> probability;
    for (std::int32_t node = 0; node < view_.torus->nodes(); ++node)
      probability.push_back(outages().of(view_.torus->name(node)));
    std::vector<double> sorted = probability;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());

    std::vector<std::int32_t> risky, healthy;
    for (std::int32_t node = 0; node < view_.torus->nodes(); ++node)
      if (!own.contains(view_.torus->name(node)))
        (probability[static_cast<std::size_t>(node)] > *middle ? risky : healthy).push_back(node);
    std::stable_sort(risky.begin(), risky.end(), [&](std::int32_t a, std::int32_t b) {
      return probability[static_cast<std::size_t>(a)] > probability[static_cast<std::size_t>(b)];
    });
    risky.resize(std::min(risky.size(), max_other_nodes));
    if (risky.empty()) return;
    healthy.resize(std::min(healthy.size(), risky.size() + own.size()));
    for (const std::vector<std::int32_t>* nodes : {&risky, &healthy})
      for (const std::int32_t node : *nodes) names_.push_back(view_.torus->name(node));
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

  // The line is there also when nothing can fail: that is known then.
  std::string outage_text() const {
    if (!view_.outages && !view_.live) return {};
    std::string text = "# outages\n";
    for (const std::string& name : names_)
      if (const double probability = outages().of(name); probability > 0) {
        char digits[32];
        const auto end = std::to_chars(digits, digits + sizeof digits, probability).ptr;
        text += name + " " + std::string(digits, end) + "\n";
      }
    return text;
  }

  std::string live_text(bool with_pairs) const {
    if (!view_.live) return {};
    LiveState part;
    part.published_at_s = view_.live->published_at_s;
    for (std::size_t n = 0; n < states_.size(); ++n) {
      NodeState node;
      node.name = names_[n];
      if (states_[n] >= 0) {
        const NodeState& known = view_.live->nodes[static_cast<std::size_t>(states_[n])];
        node.liveness = known.liveness;
        node.age_s = known.age_s;
      }
      part.nodes.push_back(std::move(node));
    }
    if (with_pairs) part.pairs = pairs();
    return format_snapshot(part);
  }

 private:
  const NodeOutages& outages() const { return view_.outages ? *view_.outages : live_outages_; }

  // The cells between the groups of the job's nodes.
  PairTable pairs() const {
    const PairTable& all = view_.live->pairs;
    if (all.groups == 0) return {};
    std::vector<std::int32_t> group_of_node, old_group;
    std::unordered_map<std::int32_t, std::int32_t> new_group;
    for (const std::int32_t state : states_) {
      const std::int32_t group = state < 0 ? -1 : all.group_of_node[static_cast<std::size_t>(state)];
      const auto [entry, is_new] = new_group.emplace(group, static_cast<std::int32_t>(old_group.size()));
      if (is_new) old_group.push_back(group);
      group_of_node.push_back(entry->second);
    }
    const auto groups = static_cast<std::int32_t>(old_group.size());
    if (groups > max_groups) return {};
    PairArrays arrays(groups, std::move(group_of_node));
    for (std::int32_t a = 0; a < groups; ++a)
      for (std::int32_t b = a; b < groups; ++b) {
        if (old_group[static_cast<std::size_t>(a)] < 0 || old_group[static_cast<std::size_t>(b)] < 0) continue;
        PairArrays::Cell cell =
            pair_cell(all, old_group[static_cast<std::size_t>(a)], old_group[static_cast<std::size_t>(b)]);
        for (float* value : {&cell.latency_us, &cell.bandwidth_Bps, &cell.peak_bandwidth_Bps, &cell.age_s})
          *value = three_digits(*value);
        arrays.set(a, b, cell);
      }
    arrays.node_latency_us = of_nodes(all.node_latency_us);
    arrays.node_bandwidth_Bps = of_nodes(all.node_bandwidth_Bps);
    return pair_table(std::move(arrays));
  }

  std::vector<float> of_nodes(std::span<const float> all) const {
    std::vector<float> values;
    if (all.empty()) return values;
    for (const std::int32_t state : states_)
      values.push_back(state < 0 ? static_cast<float>(unknown_value)
                                 : three_digits(all[static_cast<std::size_t>(state)]));
    return values;
  }

  const ClusterView& view_;
  NodeOutages live_outages_;          // when the view has none of its own
  std::vector<std::string> names_;    // the job's nodes, then others
  std::vector<std::int32_t> states_;  // of the job's nodes: into view_.live->nodes, or -1
};

// The pieces of a text, each of whole lines and with its end.
class Parts {
 public:
  explicit Parts(std::string_view text) : left_(text) {}

  std::string_view next() {
    std::size_t at = left_.starts_with(end_of_part) ? 0 : left_.find("\n" + std::string(end_of_part));
    if (at == left_.npos) throw Error("the state of a job is not whole");
    if (at > 0) ++at;  // the end of the line before
    const std::string_view part = left_.substr(0, at);
    left_.remove_prefix(at + end_of_part.size());
    return part;
  }

  void end() const {
    if (!left_.empty()) throw Error("the state of a job has too many parts");
  }

 private:
  std::string_view left_;
};

std::string packed(std::uint32_t job, const Selection& selection, bool with_pairs, std::size_t max_bytes) {
  std::string text;
  for (const std::string& part : {selection.torus_text(), selection.outage_text(), selection.live_text(with_pairs)})
    text += part + std::string(end_of_part);
  if (text.size() > max_text_bytes) return {};
  const std::string result =
      std::to_string(job) + "." + armour(pack_frame(std::as_bytes(std::span(text)), compression_level));
  return result.size() <= max_bytes ? result : std::string();
}

}  // namespace

std::string pack_job_state(std::uint32_t job, const ClusterView& view, std::span<const std::int32_t> nodes,
                           std::size_t max_bytes) {
  if (nodes.empty() || (!view.torus && !view.outages && !view.live)) return {};
  const Selection own(view, nodes);
  Selection all = own;
  all.add_other_nodes();
  for (const bool with_pairs : {true, false})
    if (std::string text = packed(job, all, with_pairs, max_bytes); !text.empty()) return text;
  return packed(job, own, false, max_bytes);
}

std::uint32_t job_of_state(std::string_view text) {
  std::uint32_t job = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), job);
  if (error != std::errc{} || end == text.data() + text.size() || *end != '.')
    throw Error("the state of a job does not begin with its number");
  return job;
}

JobState unpack_job_state(std::string_view text) {
  job_of_state(text);
  const std::vector<std::byte> frame = disarm(text.substr(text.find('.') + 1), max_text_bytes);
  const std::vector<std::byte> bytes = unpack_frame(frame, max_text_bytes);
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Parts parts(all);
  JobState state;
  if (const std::string_view text = parts.next(); !text.empty())
    state.torus = std::make_shared<const TorusTopology>(parse_torus(text, "the job's torus").torus);
  if (const std::string_view text = parts.next(); !text.empty())
    state.outages = std::make_shared<const NodeOutages>(parse_outages(text, "the job's outages"));
  if (const std::string_view text = parts.next(); !text.empty())
    state.live = std::make_shared<const LiveState>(parse_snapshot(text, "the job's state"));
  parts.end();
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
