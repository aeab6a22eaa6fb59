// SPDX-License-Identifier: GPL-2.0-or-later
#include <json.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "common/state/live_state.hpp"
#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"
#include "common/util/text_scanner.hpp"
#include "tools/input/snapshot_json.hpp"

namespace placement::tools {

namespace {

std::string as_shown(json_object* value) {
  return shown(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
}

// Returns the object in a JSON text. `file` is its name in errors. Throws Error "file:line: .." when the text is empty,
// not valid or not one object, and when brackets are nested too deeply.
std::shared_ptr<json_object> parse_json(std::string_view text, const std::string& file) {
  constexpr int max_depth = 16;  // brackets within each other
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    throw Error(file + ": it is empty: expected the JSON that placectl export writes");
  if (text.size() > INT_MAX) throw Error(file + ": more than " + std::to_string(INT_MAX) + " bytes");
  const std::unique_ptr<json_tokener, decltype(&json_tokener_free)> tokener(json_tokener_new_ex(max_depth),
                                                                            &json_tokener_free);
  if (!tokener) throw Error(file + ": not enough memory to read it");
  json_tokener_set_flags(tokener.get(), JSON_TOKENER_STRICT);
  std::shared_ptr<json_object> value(json_tokener_parse_ex(tokener.get(), text.data(), static_cast<int>(text.size())),
                                     json_object_put);
  const json_tokener_error error = json_tokener_get_error(tokener.get());
  const std::size_t end = json_tokener_get_parse_end(tokener.get());
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  if (error == json_tokener_continue) fail_at(file, line, "the JSON is not complete");
  if (error != json_tokener_success || end < text.size())
    fail_at(file, line, in_quotes(text.substr(end, 20)) + " is not valid JSON here: " + json_tokener_error_desc(error));
  return value;
}

// Returns the text of a JSON string. Throws Error "file: place VALUE: expected `wanted`" for any other value.
std::string json_text(json_object* value, const std::string& file, const std::string& place,
                      const std::string& wanted) {
  if (!json_object_is_type(value, json_type_string))
    throw Error(file + ": " + place + " " + as_shown(value) + ": expected " + wanted);
  return {json_object_get_string(value), static_cast<std::size_t>(json_object_get_string_len(value))};
}

// The members of one object. finish() refuses members that were not requested. A member that is missing or null has no
// known value. All functions throw Error with the file, the member, its value, and the expected value.
class JsonObject {
 public:
  // `place`, such as "nodes[3]", is for errors; empty: the outermost object. `value` and `file` must outlive this.
  JsonObject(json_object* value, const std::string& file, const std::string& place = {})
      : object_(value),
        file_(file),
        place_(place) {
    if (!json_object_is_type(object_, json_type_object))
      throw Error(file + ": " + place + (place.empty() ? "" : " ") + as_shown(value) +
                  ": expected an object, {\"NAME\": VALUE, ..}");
  }

  // Return the value of a member; 0, an empty string or no elements when it is not known.
  std::string text(const char* member) {
    json_object* const value = get(member);
    return value ? json_text(value, file_, place_ + "." + member, "a text in quotes") : std::string();
  }
  std::int64_t count(const char* member, std::int64_t most) {
    json_object* const value = get(member);
    if (value == nullptr) return 0;
    const std::int64_t number = json_object_get_int64(value);
    if (!json_object_is_type(value, json_type_int) || number < 0 || number > most)
      fail_member(member, "a whole number from 0 to " + std::to_string(most));
    return number;
  }
  std::vector<json_object*> list(const char* member) {
    std::vector<json_object*> elements;
    json_object* const value = get(member);
    if (value == nullptr) return elements;
    if (!json_object_is_type(value, json_type_array)) fail_member(member, "a list, [..]");
    for (std::size_t k = 0; k < json_object_array_length(value); ++k)
      elements.push_back(json_object_array_get_idx(value, k));
    return elements;
  }
  // Returns NaN when the number is not known. It is read from its text, which json-c keeps: a float that is made from a
  // double may be rounded twice.
  template <typename Number>
  Number number(const char* member, const NumberRange& range) {
    json_object* const value = get(member);
    if (value == nullptr) return std::numeric_limits<Number>::quiet_NaN();
    if (json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double))
      if (const auto number = parse_number<Number>(json_object_to_json_string(value));
          number && range.has(static_cast<double>(*number)))
        return *number;
    fail_member(member, range.text() + ", or null");
  }
  // Returns the first of `names` when the word is not known.
  template <typename Enum, std::size_t size>
  Enum word(const char* member, const std::array<std::string_view, size>& names) {
    json_object* const value = get(member);
    if (value == nullptr) return Enum{};
    const auto found = json_object_is_type(value, json_type_string)
                           ? std::ranges::find(names, std::string_view(json_object_get_string(value)))
                           : names.end();
    if (found == names.end()) fail_member(member, "one of \"" + joined(names, "\", \"") + "\"");
    return static_cast<Enum>(found - names.begin());
  }

  void ignore(const char* member) { asked_.push_back(member); }

  // Returns whether the member is there, even if it is null, and whether it is there and not null.
  bool has(const char* member) const { return json_object_object_get_ex(object_, member, nullptr); }
  bool known(const char* member) const { return find(member) != nullptr; }
  // Throws Error unless the member is known.
  void require(const char* member) const {
    if (!known(member)) fail("its member " + std::string(member) + " is missing");
  }
  // Throws Error when the object has a member that was not requested.
  void finish() const {
    json_object_object_foreach(object_, key, member) {
      static_cast<void>(member);
      if (std::ranges::find(asked_, std::string_view(key)) != asked_.end()) continue;
      fail("unknown member " + in_quotes(key) + ": " + suggested(key, asked_, "the members are"));
    }
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(file_ + ": " + place_ + (place_.empty() ? "" : ": ") + message);
  }
  // Throws Error with the value of the member and with the expected value.
  [[noreturn]] void fail_member(const char* member, const std::string& wanted) const {
    throw Error(file_ + ": " + place_ + (place_.empty() ? "" : ".") + member + " " + as_shown(find(member)) +
                ": expected " + wanted);
  }

 private:
  json_object* find(const char* member) const {
    json_object* value = nullptr;
    json_object_object_get_ex(object_, member, &value);
    return value;
  }
  json_object* get(const char* member) {
    asked_.push_back(member);
    return find(member);
  }

  json_object* object_;
  const std::string& file_;
  std::string place_;
  std::vector<std::string_view> asked_;
};

// Reads the parts of a snapshot, for any order in the file, so that each part is known before another refers to it.
class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  LiveState read(std::string_view json) {
    const std::shared_ptr<json_object> whole = parse_json(json, name_);
    JsonObject object(whole.get(), name_);
    object.require(snapshot_json_name);
    if (object.count(snapshot_json_name, INT32_MAX) != snapshot_json_version)
      object.fail_member(snapshot_json_name,
                         std::to_string(snapshot_json_version) + ", the version that this placectl reads");
    state_.published_at_s = object.count("published_at_s", static_cast<std::int64_t>(live_range::seconds.most));
    state_.outage_horizon_s = object.number<double>("outage_horizon_s", live_range::seconds);
    const std::vector<json_object*> nodes = object.list("nodes"), groups = object.list("groups"),
                                    pairs = object.list("pairs");
    for (const char* older : {"scored_node_hours", "seen_outages", "estimator_reason", "estimators"})
      object.ignore(older);  // files of development builds have it
    object.finish();
    each("nodes", nodes, max_live_nodes, [this](auto value, const auto& place) { read_node(value, place); });
    read_groups(groups);
    each("pairs", pairs, SIZE_MAX, [this](auto value, const auto& place) { read_pair(value, place); });
    if (arrays_) state_.pairs = pair_table(std::move(*arrays_));
    naming_file(name_, [this] { check_live_state(state_); });
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

  // Reads the latency or bandwidth limit that a node adds to its pairs. If any node has it, `values` covers all nodes.
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
        throw Error(name_ + ": nodes with network_latency_us or network_bandwidth_Bps, but no groups");
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
    naming_file(name_ + ": " + place, [&] {
      for (const std::string& name : expand_hostlist(nodes)) {
        const auto found = index_.find(name);
        if (found == index_.end()) throw Error("node " + in_quotes(name) + " is missing from nodes");
        std::int32_t& now = group_of_node[found->second];
        if (now >= 0) throw Error("node " + in_quotes(name) + " is in groups[" + std::to_string(now) + "] already");
        now = group;
      }
    });
  }

  void read_pair(json_object* value, const std::string& place) {
    JsonObject object(value, name_, place);
    if (!arrays_) object.fail("a pair without groups");
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
      object.fail("an error of a forecast without a predictor");
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
  std::optional<PairArrays> arrays_;  // set if there are groups
  std::vector<bool> seen_pairs_;
};

}  // namespace

LiveState parse_snapshot_json(std::string_view json, const std::string& name) { return Reader(name).read(json); }

}  // namespace placement::tools
