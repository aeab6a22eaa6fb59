// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state/snapshot_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/state/live_check.hpp"
#include "common/state/live_range.hpp"
#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

namespace {

constexpr std::string_view snapshot_first_word = "slurm-placement-snapshot";
constexpr std::string_view snapshot_plain_version = "1";
constexpr std::string_view snapshot_extra_version = "2";  // a text that may have forecasts
constexpr std::string_view snapshot_not_known = "-";

constexpr NumberRange any_number{0, std::numeric_limits<double>::max()};

// Reads the lines of a text one after another and builds the state.
class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  LiveState read() {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
    if (!next_line())
      throw Error(name_ + ": it is empty: a snapshot as text begins with " + std::string(snapshot_first_word));
    if (const std::vector<std::string_view> words = split_words(fields_[0]);
        words.size() > 1 && words[0] == snapshot_first_word)
      fail("blanks after " + std::string(snapshot_first_word) + ": want a tab, here and between all fields");
    if (fields_[0] != snapshot_first_word) fail("a snapshot as text begins with " + std::string(snapshot_first_word));
    want_fields(2, "version");
    if (fields_[1] != snapshot_plain_version && fields_[1] != snapshot_extra_version)
      fail("version " + in_quotes(fields_[1]) + " is not known, want 1 or 2");
    extra_ = fields_[1] == snapshot_extra_version;
    while (next_line()) read_line();
    finish();
    return std::move(state_);
  }

 private:
  // A line about two groups: its number, the groups, and its other values.
  template <typename Told>
  struct GroupsLine {
    std::int64_t line;
    std::int32_t a, b;
    Told told;
  };
  using PairLine = GroupsLine<PairArrays::Cell>;
  using ForecastLine = GroupsLine<PairArrays::CellForecast>;

  [[noreturn]] void fail(const std::string& text) const { fail_at(name_, line_, text); }

  bool next_line() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (trimmed(line).empty() || line.starts_with('#')) continue;
      fields_ = split_at(line, '\t');
      return true;
    }
    return false;
  }

  void read_line() {
    if (fields_[0] == "node") return read_node();
    if (fields_[0] == "pair") return read_pair();
    if (fields_[0] == "group") return read_group();
    if (fields_[0] == "node-network") return read_node_network();
    if (fields_[0] == "node-columns") return read_columns();
    if (fields_[0] == "node-network-columns") return read_network_columns();
    if (extra_ && fields_[0] == "forecast") return read_forecast();
    if (fields_[0] == "published") {
      want_fields(2, "seconds since 1970");
      if (published_) fail("published is there twice");
      published_ = true;
      state_.published_at_s = count(fields_[1], "published", static_cast<std::int64_t>(live_range::seconds.most));
    } else if (fields_[0] == "outage-horizon") {
      want_fields(2, "seconds");
      state_.outage_horizon_s = number<double>(fields_[1], "outage-horizon", live_range::seconds);
    } else {
      fail("unknown line " + in_quotes(fields_[0]) +
           ": want published, outage-horizon, node-columns, node, group, pair, node-network-columns" +
           (extra_ ? ", node-network or forecast" : " or node-network") + ", then a tab");
    }
  }

  void want_fields(std::size_t wanted, std::string_view what) const {
    if (fields_.size() != wanted)
      fail(std::to_string(fields_.size()) + " fields, apart by tabs: want " + std::to_string(wanted) + " (" +
           std::string(fields_[0]) + ", " + std::string(what) + ")");
  }

  std::int64_t count(std::string_view field, std::string_view what, std::int64_t most) const {
    const std::optional<std::int64_t> value = parse_integer(field);
    if (!value || *value < 0 || *value > most)
      fail(std::string(what) + " " + in_quotes(field) + ": want a whole number from 0 to " + std::to_string(most));
    return *value;
  }

  template <typename Number>
  Number number(std::string_view field, std::string_view what, const NumberRange& range = any_number) const {
    if (field == snapshot_not_known) return static_cast<Number>(unknown_value);
    Number value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size() || !range.has(static_cast<double>(value)))
      fail(std::string(what) + " " + in_quotes(field) + ": want " +
           (range.most == any_number.most ? "a number of 0 or more" : range.text()) + ", or -");
    return value;
  }

  template <typename Enum, std::size_t count>
  Enum word(std::string_view field, std::string_view what, const std::array<std::string_view, count>& names) const {
    const auto found = std::find(names.begin(), names.end(), field);
    if (found != names.end()) return static_cast<Enum>(found - names.begin());
    std::string all;
    for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    fail(std::string(what) + " " + in_quotes(field) + ": want one of " + all);
  }

  void read_columns() {
    if (!columns_.empty()) fail("node-columns is there twice");
    for (std::size_t f = 1; f < fields_.size(); ++f) {
      const std::string_view column = fields_[f];
      const bool known = column == "name" || column == "liveness" || column == "outages" ||
                         std::any_of(node_fields.begin(), node_fields.end(),
                                     [&](const NodeField& field) { return field.name == column; });
      if (!known) fail("unknown column " + in_quotes(column));
      if (std::find(columns_.begin(), columns_.end(), column) != columns_.end())
        fail("column " + in_quotes(column) + " is there twice");
      columns_.emplace_back(column);
    }
    if (columns_.empty() || columns_.front() != "name") fail("the first column of nodes is name");
  }

  void read_node() {
    if (columns_.empty()) fail("a node-columns line must come before the first node");
    want_fields(columns_.size() + 1, "one for each of node-columns");
    NodeState node;
    node.name = fields_[1];
    if (node.name.find_first_of("[],") != std::string::npos)
      fail("node " + in_quotes(node.name) + ": the name of one node is wanted, without brackets and commas");
    for (std::size_t c = 1; c < columns_.size(); ++c) {
      const std::string_view field = fields_[c + 1];
      if (columns_[c] == "liveness") {
        node.liveness = word<Liveness>(field, "liveness", liveness_names);
      } else if (columns_[c] == "outages") {
        node.outages = count(field, "outages", max_outages);
      } else {
        for (const NodeField& known : node_fields)
          if (known.name == columns_[c]) known.set(node, number<double>(field, known.name, known.range));
      }
    }
    if (state_.nodes.size() == max_live_nodes) fail("more than " + std::to_string(max_live_nodes) + " nodes");
    if (!index_.emplace(node.name, state_.nodes.size()).second)
      fail("node " + in_quotes(node.name) + " is there twice");
    state_.nodes.push_back(std::move(node));
    group_of_node_.push_back(-1);
  }

  std::size_t node_index(std::string_view name) const {
    const auto found = index_.find(std::string(name));
    if (found == index_.end()) fail("no node line came for " + in_quotes(name));
    return found->second;
  }

  void read_group() {
    want_fields(3, "number, nodes");
    if (count(fields_[1], "group", max_pair_groups - 1) != groups_)
      fail("group " + in_quotes(fields_[1]) + ": groups are numbered from 0 up, want " + std::to_string(groups_));
    if (fields_[2] != snapshot_not_known)
      for (const std::string& name : expand(fields_[2])) {
        std::int32_t& group = group_of_node_[node_index(name)];
        if (group >= 0) fail("node " + name + " is in group " + std::to_string(group) + " already");
        group = groups_;
      }
    ++groups_;
  }

  std::vector<std::string> expand(std::string_view list) const {
    try {
      return expand_hostlist(list);
    } catch (const Error& error) {
      fail(error.what());
    }
  }

  // Reads the two groups of this line; the other values are left empty.
  template <typename Told>
  GroupsLine<Told> of_groups() const {
    const auto group = [this](std::size_t f) {
      return static_cast<std::int32_t>(count(fields_[f], "group", max_pair_groups - 1));
    };
    const std::int32_t a = group(1);
    return {line_, a, group(2), {}};
  }

  void read_pair() {
    want_fields(8, "two groups, latency, bandwidth, peak bandwidth, source, age");
    PairLine pair = of_groups<PairArrays::Cell>();
    pair.told = {number<float>(fields_[3], "latency", live_range::latency_us),
                 number<float>(fields_[4], "bandwidth", live_range::rate_Bps),
                 number<float>(fields_[5], "peak bandwidth", live_range::rate_Bps),
                 word<PairSource>(fields_[6], "source", pair_source_names),
                 number<float>(fields_[7], "age", live_range::seconds)};
    pairs_.push_back(pair);
  }

  void read_forecast() {
    want_fields(7, "two groups, predictor and error of the latency, the same of the bandwidth");
    ForecastLine line = of_groups<PairArrays::CellForecast>();
    line.told = {word<Predictor>(fields_[3], "predictor", predictor_names),
                 word<Predictor>(fields_[5], "predictor", predictor_names),
                 number<float>(fields_[4], "error", live_range::latency_us),
                 number<float>(fields_[6], "error", live_range::rate_Bps)};
    if (line.told.latency == Predictor::none && line.told.bandwidth == Predictor::none)
      fail("a forecast without a predictor");
    forecasts_.push_back(line);
  }

  void read_network_columns() {
    if (!network_columns_.empty()) fail("node-network-columns is there twice");
    for (std::size_t f = 1; f < fields_.size(); ++f) network_columns_.emplace_back(fields_[f]);
    const std::vector<std::vector<std::string>> allowed = {
        {"name", "latency_us"}, {"name", "bandwidth_Bps"}, {"name", "latency_us", "bandwidth_Bps"}};
    if (std::find(allowed.begin(), allowed.end(), network_columns_) == allowed.end())
      fail("want name and one or both of latency_us and bandwidth_Bps");
  }

  void read_node_network() {
    if (network_columns_.empty()) fail("a node-network-columns line must come before");
    want_fields(network_columns_.size() + 1, "one for each of node-network-columns");
    const std::size_t node = node_index(fields_[1]);
    node_latency_us_.resize(state_.nodes.size(), static_cast<float>(unknown_value));
    node_bandwidth_Bps_.resize(state_.nodes.size(), static_cast<float>(unknown_value));
    for (std::size_t c = 1; c < network_columns_.size(); ++c) {
      const bool latency = network_columns_[c] == "latency_us";
      (latency ? node_latency_us_ : node_bandwidth_Bps_)[node] =
          number<float>(fields_[c + 1], network_columns_[c], latency ? live_range::latency_us : live_range::rate_Bps);
    }
  }

  // Checks the lines against each other and makes the tables. This comes last because tables of many groups are large:
  // a text with wrong lines is refused before.
  void finish() {
    if (groups_ == 0 && !pairs_.empty()) fail_at(name_, pairs_[0].line, "a pair, and no groups");
    if (groups_ == 0 && !network_columns_.empty()) throw Error(name_ + ": node-network lines, and no groups");
    for (std::size_t n = 0; n < group_of_node_.size() && groups_ > 0; ++n)
      if (group_of_node_[n] < 0) throw Error(name_ + ": node " + state_.nodes[n].name + " is in no group");
    for (const PairLine& pair : pairs_)
      if (pair.a >= groups_ || pair.b >= groups_)
        fail_at(name_, pair.line, "the groups are 0 to " + std::to_string(groups_ - 1));
    for (const ForecastLine& line : forecasts_)
      if (line.a >= groups_ || line.b >= groups_)
        fail_at(name_, line.line,
                groups_ == 0 ? "a forecast, and no groups" : "the groups are 0 to " + std::to_string(groups_ - 1));
    if (groups_ > 0) state_.pairs = table();
    try {
      check_live_state(state_);
    } catch (const Error& error) {
      throw Error(name_ + ": " + error.what());
    }
  }

  // Calls take(line) for each line. Throws Error when two lines are about one pair of groups, in either order.
  template <typename Told, typename Take>
  void for_each_once(const std::vector<GroupsLine<Told>>& lines, const char* what, const Take& take) const {
    std::vector<bool> seen(static_cast<std::size_t>(groups_) * static_cast<std::size_t>(groups_));
    for (const GroupsLine<Told>& line : lines) {
      const auto [low, high] = std::minmax(line.a, line.b);
      const std::size_t at = cell_index(groups_, low, high);
      if (seen[at]) fail_at(name_, line.line, "this " + std::string(what) + " is there twice");
      seen[at] = true;
      take(line);
    }
  }

  PairTable table() {
    PairArrays arrays(groups_, group_of_node_);
    for_each_once(pairs_, "pair", [&](const PairLine& pair) { arrays.set(pair.a, pair.b, pair.told); });
    for_each_once(forecasts_, "forecast",
                  [&](const ForecastLine& line) { arrays.set_forecast(line.a, line.b, line.told); });
    for (std::size_t c = 1; c < network_columns_.size(); ++c) {
      const bool latency = network_columns_[c] == "latency_us";
      auto& values = latency ? node_latency_us_ : node_bandwidth_Bps_;
      values.resize(state_.nodes.size(), static_cast<float>(unknown_value));
      (latency ? arrays.node_latency_us : arrays.node_bandwidth_Bps) = values;
    }
    return pair_table(std::move(arrays));
  }

  std::string_view text_;
  const std::string& name_;
  bool extra_ = false;
  bool published_ = false;
  std::int64_t line_ = 0;
  std::vector<std::string_view> fields_;
  LiveState state_;
  std::vector<std::string> columns_;
  std::vector<std::string> network_columns_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::int32_t> group_of_node_;
  std::int32_t groups_ = 0;
  std::vector<PairLine> pairs_;
  std::vector<ForecastLine> forecasts_;
  std::vector<float> node_latency_us_;
  std::vector<float> node_bandwidth_Bps_;
};

}  // namespace

LiveState parse_snapshot(std::string_view text, const std::string& name) { return Reader(text, name).read(); }

}  // namespace placement
