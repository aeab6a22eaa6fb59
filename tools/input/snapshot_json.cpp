// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/snapshot_json.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <unordered_map>
#include <utility>

#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/state/snapshot.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "common/util/text_scanner.hpp"
#include "config.h"
#include "tools/input/json_input.hpp"
#include "tools/output/json.hpp"
#ifdef HAVE_JSON_C
#include <json.h>
#endif

namespace placement::tools {

namespace {

constexpr const char* version_name = "slurm-placement-snapshot";
constexpr int version = 3;
constexpr int lines_within = 2;  // nesting depth down to which each element has a line: one per node, group and pair

#ifdef HAVE_JSON_C
// Reads the parts of a snapshot, for any order in the file, so that each part is known before another refers to it.
class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  LiveState read(std::string_view json) {
    const Json whole = parse_json(json, name_);
    JsonObject object(whole.get(), name_);
    object.require(version_name);
    if (object.count(version_name, INT32_MAX) != version)
      object.fail_member(version_name, std::to_string(version) + ", the version that this placectl reads");
    state_.published_at_s = object.count("published_at_s", static_cast<std::int64_t>(live_range::seconds.most));
    state_.outage_horizon_s = object.number<double>("outage_horizon_s", live_range::seconds);
    const std::vector<json_object*> nodes = object.list("nodes"), groups = object.list("groups"),
                                    pairs = object.list("pairs");
    object.finish();
    each("nodes", nodes, max_live_nodes, [this](auto value, const auto& place) { read_node(value, place); });
    read_groups(groups);
    each("pairs", pairs, SIZE_MAX, [this](auto value, const auto& place) { read_pair(value, place); });
    if (arrays_) state_.pairs = pair_table(std::move(*arrays_));
    try {
      check_live_state(state_);
    } catch (const Error& error) {
      throw Error(name_ + ": " + error.what());
    }
    return std::move(state_);
  }

 private:
  // Calls take(element, its place) for each element of the list `name`.
  template <typename Take>
  void each(const std::string& name, const std::vector<json_object*>& list, std::size_t most, const Take& take) const {
    if (list.size() > most) throw Error(name_ + ": more than " + std::to_string(most) + " " + name);
    for (std::size_t k = 0; k < list.size(); ++k) take(list[k], name + "[" + std::to_string(k) + "]");
  }

  void read_node(json_object* value, const std::string& place) {
    JsonObject object(value, name_, place);
    NodeState node;
    object.require("name");
    node.name = object.text("name");
    if (node.name.find_first_of("[],") != std::string::npos)
      object.fail_member("name", "the name of one node, without brackets and commas");
    node.liveness = object.word<Liveness>("liveness", liveness_names);
    node.outages = object.count("outages", max_outages);
    for (const NodeField& field : node_fields) {
      const char* const member = field.name.data();  // a literal, which ends with a zero
      const double number = object.number<double>(member, field.range);
      if (object.known(member)) field.set(node, number);
    }
    read_network(object, "network_latency_us", live_range::latency_us, node_latency_us_);
    read_network(object, "network_bandwidth_Bps", live_range::rate_Bps, node_bandwidth_Bps_);
    object.finish();
    if (!index_.emplace(node.name, state_.nodes.size()).second)
      object.fail_member("name", "each node once, but it appears twice");
    state_.nodes.push_back(std::move(node));
  }

  // Reads what a node adds to its pairs. The values of all nodes are known to exist when one has the member.
  void read_network(JsonObject& object, const char* member, const NumberRange& range,
                    std::vector<float>& values) const {
    if (!object.has(member)) return;
    values.resize(state_.nodes.size() + 1, std::numeric_limits<float>::quiet_NaN());
    values.back() = object.number<float>(member, range);
  }

  void read_groups(const std::vector<json_object*>& list) {
    std::int32_t groups = 0;
    std::vector<std::int32_t> group_of_node(state_.nodes.size(), -1);
    each("groups", list, max_pair_groups,
         [&](json_object* value, const std::string& place) { read_group(value, place, groups++, group_of_node); });
    if (groups == 0) {
      if (!node_latency_us_.empty() || !node_bandwidth_Bps_.empty())
        throw Error(name_ + ": nodes with network_latency_us or network_bandwidth_Bps, and no groups");
      return;
    }
    for (std::size_t n = 0; n < group_of_node.size(); ++n)
      if (group_of_node[n] < 0) throw Error(name_ + ": node " + in_quotes(state_.nodes[n].name) + " is in no group");
    arrays_.emplace(groups, std::move(group_of_node));
    seen_pairs_.resize(static_cast<std::size_t>(groups) * static_cast<std::size_t>(groups));
    for (std::vector<float>* const values : {&node_latency_us_, &node_bandwidth_Bps_})
      if (!values->empty()) values->resize(state_.nodes.size(), std::numeric_limits<float>::quiet_NaN());
    arrays_->node_latency_us = std::move(node_latency_us_);
    arrays_->node_bandwidth_Bps = std::move(node_bandwidth_Bps_);
  }

  void read_group(json_object* value, const std::string& place, std::int32_t group,
                  std::vector<std::int32_t>& group_of_node) const {
    const std::string nodes = json_text(value, name_, place, "a host list in quotes, \"\" for a group without nodes");
    if (nodes.empty()) return;
    try {
      for (const std::string& name : expand_hostlist(nodes)) {
        const auto found = index_.find(name);
        if (found == index_.end()) throw Error("node " + in_quotes(name) + " is missing from nodes");
        std::int32_t& now = group_of_node[found->second];
        if (now >= 0) throw Error("node " + in_quotes(name) + " is in groups[" + std::to_string(now) + "] already");
        now = group;
      }
    } catch (const Error& error) {
      throw Error(name_ + ": " + place + ": " + error.what());
    }
  }

  void read_pair(json_object* value, const std::string& place) {
    JsonObject object(value, name_, place);
    if (!arrays_) object.fail("a pair, and no groups");
    const auto [a, b] = groups_of(object);
    PairArrays::Cell cell;
    cell.latency_us = object.number<float>("latency_us", live_range::latency_us);
    cell.bandwidth_Bps = object.number<float>("bandwidth_Bps", live_range::rate_Bps);
    cell.peak_bandwidth_Bps = object.number<float>("peak_bandwidth_Bps", live_range::rate_Bps);
    cell.source = object.word<PairSource>("source", pair_source_names);
    cell.age_s = object.number<float>("age_s", live_range::seconds);
    const bool foretold = object.has("latency_predictor") || object.has("bandwidth_predictor");
    PairArrays::CellForecast forecast;
    forecast.latency = object.word<Predictor>("latency_predictor", predictor_names);
    forecast.latency_error_us = object.number<float>("latency_error_us", live_range::latency_us);
    forecast.bandwidth = object.word<Predictor>("bandwidth_predictor", predictor_names);
    forecast.bandwidth_error_Bps = object.number<float>("bandwidth_error_Bps", live_range::rate_Bps);
    object.finish();
    if (!foretold && (object.known("latency_error_us") || object.known("bandwidth_error_Bps")))
      object.fail("an error of a forecast, and no predictor");
    arrays_->set(a, b, cell);
    if (foretold) arrays_->set_forecast(a, b, forecast);
  }

  // Returns the two groups of a pair, the lower one first.
  std::pair<std::int32_t, std::int32_t> groups_of(JsonObject& object) {
    const std::string wanted =
        "two groups, [A, B], each a whole number from 0 to " + std::to_string(arrays_->groups - 1);
    object.require("groups");
    const std::vector<json_object*> list = object.list("groups");
    if (list.size() != 2) object.fail_member("groups", wanted);
    std::int32_t group[2];
    for (std::size_t k = 0; k < 2; ++k) {
      group[k] = json_object_get_int(list[k]);  // a larger number becomes the largest one
      if (!json_object_is_type(list[k], json_type_int) || group[k] < 0 || group[k] >= arrays_->groups)
        object.fail_member("groups", wanted);
    }
    const auto [low, high] = std::minmax(group[0], group[1]);
    std::vector<bool>::reference seen = seen_pairs_[cell_index(arrays_->groups, low, high)];
    if (seen) object.fail_member("groups", "each pair once, but it appears twice");
    seen = true;
    return {low, high};
  }

  const std::string& name_;
  LiveState state_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<float> node_latency_us_, node_bandwidth_Bps_;
  std::optional<PairArrays> arrays_;  // there are groups
  std::vector<bool> seen_pairs_;
};
#endif

}  // namespace

static void put_nodes(JsonWriter& json, const LiveState& state) {
  const PairTable& pairs = state.pairs;
  json.objects("nodes", state.nodes, [&](const NodeState& node) {
    const auto n = static_cast<std::size_t>(&node - state.nodes.data());
    json.member("name", node.name, "liveness", to_string(node.liveness), "outages", node.outages);
    for (const NodeField& field : node_fields) json.exact_member(field.name, field.get(node));
    if (!pairs.node_latency_us.empty()) json.exact_member("network_latency_us", pairs.node_latency_us[n]);
    if (!pairs.node_bandwidth_Bps.empty()) json.exact_member("network_bandwidth_Bps", pairs.node_bandwidth_Bps[n]);
  });
}

static void put_pair(JsonWriter& json, const PairTable& pairs, std::int32_t a, std::int32_t b) {
  const bool foretold = !pairs.latency_predictor.empty();
  const PairArrays::Cell cell = pair_cell(pairs, a, b);
  const PairArrays::CellForecast forecast = pair_forecast(pairs, a, b);
  // A pair without data is left out. Pair (0, 0) is written if the table has forecasts, to show that.
  if (nothing_known(cell) && forecast.latency == Predictor::none && forecast.bandwidth == Predictor::none &&
      !(foretold && b == 0))
    return;
  json.begin_object().list("groups", std::array{a, b});
  json.exact_member("latency_us", cell.latency_us).exact_member("bandwidth_Bps", cell.bandwidth_Bps);
  json.exact_member("peak_bandwidth_Bps", cell.peak_bandwidth_Bps);
  json.member("source", to_string(cell.source)).exact_member("age_s", cell.age_s);
  if (foretold) {
    json.member("latency_predictor", to_string(forecast.latency));
    json.exact_member("latency_error_us", forecast.latency_error_us);
    json.member("bandwidth_predictor", to_string(forecast.bandwidth));
    json.exact_member("bandwidth_error_Bps", forecast.bandwidth_error_Bps);
  }
  json.end_object();
}

std::string format_snapshot_json(const LiveState& state) {
  check_live_state(state);
  JsonWriter json(lines_within);
  json.begin_object().member(version_name, version);
  json.member("published_at_s", state.published_at_s).exact_member("outage_horizon_s", state.outage_horizon_s);
  put_nodes(json, state);
  json.key("groups").begin_array();
  for (const std::vector<std::string>& names : names_of_groups(state))
    json.value(names.empty() ? "" : compress_hostlist(names));
  json.end_array().key("pairs").begin_array();
  for (std::int32_t a = 0; a < state.pairs.groups; ++a)
    for (std::int32_t b = a; b < state.pairs.groups; ++b) put_pair(json, state.pairs, a, b);
  json.end_array();
  return json.end_object().take();
}

LiveState parse_snapshot_json(std::string_view json, const std::string& name) {
#ifdef HAVE_JSON_C
  return Reader(name).read(json);
#else
  throw Error(name + ": this build reads no JSON, because configure found no json-c");
#endif
}

LiveState read_live_state(const std::string& path) {
  // Only a regular file is looked at for this, because the first bytes of a pipe would then be lost.
  char first[5] = {};
  if (std::error_code unreadable; std::filesystem::is_regular_file(path, unreadable))
    std::ifstream(path, std::ios::binary).read(first, sizeof first);
  return std::string_view(first, sizeof first) == "SPLIV"
             ? read_snapshot(path)
             : parse_snapshot_json(read_input_file(path, max_state_bytes), path);
}

}  // namespace placement::tools
