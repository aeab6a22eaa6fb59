// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/decision.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "common/util/byte_reader.hpp"
#include "common/util/byte_writer.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

// The texts of a decision, and the largest number of bytes that is kept of each. All of them and the numbers together
// fit into min_decision_bytes.
struct TextField {
  std::string_view name;
  std::string Decision::*text;
  std::size_t most;
};

constexpr std::array text_fields = {
    TextField{"array-task", &Decision::array_task, 24},
    TextField{"mode", &Decision::mode, 8},
    TextField{"policy", &Decision::policy, 24},
    TextField{"parameters", &Decision::parameters, 120},
    TextField{"candidate-nodes", &Decision::candidate_nodes, 160},
    TextField{"choice", &Decision::choice, 240},
    TextField{"tasks-per-node", &Decision::tasks_per_node, 100},
    TextField{"given", &Decision::given, 240},
    TextField{"stock-choice", &Decision::stock_choice, 240},
    TextField{"cost", &Decision::cost, 44},
    TextField{"natural-cost", &Decision::natural_cost, 44},
    TextField{"first-nodes-cost", &Decision::first_nodes_cost, 44},
    TextField{"reason", &Decision::reason, 200},
    TextField{"why-not-live", &Decision::why_not_live, 160},
};
constexpr std::string_view term_name = "term";
constexpr std::string_view class_name = "reason-class";

struct Numbers {
  double at_s;
  double live_age_s;
  std::int64_t submitted_s;
  std::int64_t time_us;
  std::uint32_t job_id;
  std::uint32_t restarts;
  std::uint32_t uid;
  std::uint32_t tasks;
  std::uint32_t candidates;
  std::uint8_t outcome;
  std::uint8_t for_start;
  std::uint8_t remembered;
  std::uint8_t terms;
};
static_assert(sizeof(Numbers) == 56);
constexpr std::uint8_t is_ahead = 0, is_for_start = 1, is_predicted = 2;  // of Numbers::for_start

constexpr std::size_t most_without_terms() {
  std::size_t bytes = sizeof(Numbers);
  for (const TextField& field : text_fields) bytes += sizeof(std::uint16_t) + field.most;
  return bytes;
}
static_assert(most_without_terms() + 64 < min_decision_bytes);

// The last byte of the room is the class of the reason. Versions that have no classes leave it 0 or end a term there,
// whose characters are greater than each class.
static_assert(STOCK_REASONS < ' ');

// ---- bytes

// Writes the length and up to `most` bytes of a text. Two dots stand at the end of a text that was cut.
void put_text(ByteWriter<std::byte>& out, std::string_view text, std::size_t most) {
  constexpr std::string_view dots = "..";
  const bool cut = text.size() > most;
  out.value(static_cast<std::uint16_t>(std::min(text.size(), most)));
  out.text(cut ? text.substr(0, most - dots.size()) : text);
  if (cut) out.text(dots);
}

[[noreturn]] void fail(const std::string& what) { throw Error("no record of a decision: " + what); }

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : in_(bytes) {}

  template <typename T>
  T value() {
    const std::optional<T> next = in_.value<T>();
    if (!next) fail("it is cut short");
    return *next;
  }

  std::string text() {
    const auto part = in_.take(value<std::uint16_t>());
    if (!part) fail("it is cut short");
    return printable({reinterpret_cast<const char*>(part->data()), part->size()});
  }

 private:
  ByteReader<std::byte> in_;
};

// ---- text

template <typename Number>
std::string written(Number value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, error == std::errc{} ? end : text};
}

template <typename Number>
Number number(std::string_view name, std::string_view text, Number most = std::numeric_limits<Number>::max()) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= most))
    fail(std::string(name) + " is '" + shown(text) + "'");
  return value;
}

void add_line(std::string& text, std::string_view name, std::string_view value) {
  if (!value.empty()) text += std::string(name) + '\t' + std::string(value) + '\n';
}

void read_line(Decision& decision, std::string_view name, std::string_view value) {
  if (name == "at") decision.at_s = number<double>(name, value);
  if (name == "job") decision.job_id = number<std::uint32_t>(name, value);
  if (name == "submitted") decision.submitted_s = number<std::int64_t>(name, value);
  if (name == "step") decision.step = std::to_string(number<std::uint32_t>(name, value));
  if (name == "restarts") decision.restarts = number<std::uint32_t>(name, value);
  if (name == "uid") decision.uid = number<std::uint32_t>(name, value);
  if (name == "for-start") decision.for_start = number<std::int32_t>(name, value, 1) == 1;
  if (name == "predicted") decision.predicted = number<std::int32_t>(name, value, 1) == 1;
  if (name == "remembered") decision.remembered = number<std::int32_t>(name, value, 1) == 1;
  if (name == "time-us") decision.time_us = number<std::int64_t>(name, value);
  if (name == "tasks") decision.tasks = number<std::uint32_t>(name, value);
  if (name == "candidates") decision.candidates = number<std::uint32_t>(name, value);
  if (name == "live-age-s") decision.live_age_s = number<double>(name, value);
  if (name == term_name) decision.terms.push_back(printable(value));
  if (name == "outcome") {
    const auto found = std::find(decision_outcome_names.begin(), decision_outcome_names.end(), value);
    if (found == decision_outcome_names.end()) fail("outcome is '" + shown(value) + "'");
    decision.outcome = static_cast<decision_outcome>(found - decision_outcome_names.begin());
  }
  if (name == class_name) {
    const auto found = std::find(stock_reason_names.begin(), stock_reason_names.end(), value);
    if (found != stock_reason_names.end())
      decision.reason_class = static_cast<stock_reason>(found - stock_reason_names.begin());
  }
  for (const TextField& field : text_fields)
    if (name == field.name) decision.*field.text = printable(value);
}

}  // namespace

void pack_decision(const Decision& d, std::span<std::byte> room) noexcept {
  constexpr std::size_t max_terms = 255;
  const std::uint8_t for_start = d.predicted ? is_predicted : d.for_start ? is_for_start : is_ahead;
  Numbers numbers{d.at_s,
                  d.live_age_s,
                  d.submitted_s,
                  d.time_us,
                  d.job_id,
                  d.restarts,
                  d.uid,
                  d.tasks,
                  d.candidates,
                  static_cast<std::uint8_t>(d.outcome),
                  for_start,
                  d.remembered,
                  0};
  std::fill(room.begin(), room.end(), std::byte{0});
  ByteWriter<std::byte> out(room.first(room.size() - 1));
  out.value(numbers);
  for (const TextField& field : text_fields) put_text(out, d.*field.text, field.most);
  constexpr std::size_t least_of_term = 16;
  for (const std::string& term : d.terms) {
    if (numbers.terms == max_terms || out.left() < sizeof(std::uint16_t) + least_of_term) break;
    put_text(out, term, out.left() - sizeof(std::uint16_t));
    ++numbers.terms;
  }
  room.back() = static_cast<std::byte>(d.reason_class);
  ByteWriter(room).value(numbers);
}

Decision unpack_decision(std::span<const std::byte> bytes) {
  Reader in(bytes);
  const auto numbers = in.value<Numbers>();
  if (numbers.outcome >= decision_outcome_names.size() || numbers.for_start > is_predicted || numbers.remembered > 1 ||
      numbers.time_us < 0 || numbers.submitted_s < 0 || !(numbers.at_s >= 0 && numbers.at_s < 1e12) ||
      numbers.live_age_s < 0 || std::isinf(numbers.live_age_s))
    fail("its numbers are impossible");
  Decision d;
  d.at_s = numbers.at_s;
  d.live_age_s = numbers.live_age_s;
  d.time_us = numbers.time_us;
  d.job_id = numbers.job_id;
  d.restarts = numbers.restarts;
  d.uid = numbers.uid;
  d.tasks = numbers.tasks;
  d.candidates = numbers.candidates;
  d.outcome = static_cast<decision_outcome>(numbers.outcome);
  d.submitted_s = numbers.submitted_s;
  d.for_start = numbers.for_start == is_for_start;
  d.predicted = numbers.for_start == is_predicted;
  d.remembered = numbers.remembered;
  for (const TextField& field : text_fields) {
    d.*field.text = in.text();
    if ((d.*field.text).size() > field.most) fail(std::string(field.name) + " is too long");
  }
  const auto reason_class = static_cast<std::uint8_t>(bytes.back());
  if (reason_class < STOCK_REASONS) d.reason_class = static_cast<stock_reason>(reason_class);
  for (int t = 0; t < numbers.terms; ++t) d.terms.push_back(in.text());
  return d;
}

std::string decision_text(const Decision& d) {
  std::string text;
  add_line(text, "at", written(d.at_s));
  add_line(text, "job", written(d.job_id));
  if (d.submitted_s > 0) add_line(text, "submitted", written(d.submitted_s));
  add_line(text, "step", d.step);
  add_line(text, "restarts", written(d.restarts));
  add_line(text, "uid", written(d.uid));
  add_line(text, "outcome", decision_outcome_names[static_cast<std::size_t>(d.outcome)]);
  add_line(text, "for-start", d.for_start ? "1" : "0");
  if (d.predicted) add_line(text, "predicted", "1");
  add_line(text, "remembered", d.remembered ? "1" : "0");
  add_line(text, "time-us", written(d.time_us));
  add_line(text, "tasks", written(d.tasks));
  add_line(text, "candidates", written(d.candidates));
  if (!std::isnan(d.live_age_s)) add_line(text, "live-age-s", written(d.live_age_s));
  for (const TextField& field : text_fields) add_line(text, field.name, d.*field.text);
  if (d.reason_class != STOCK_OTHER) add_line(text, class_name, stock_reason_names[d.reason_class]);
  for (const std::string& term : d.terms) add_line(text, term_name, term);
  return text;
}

Decision parse_decision_text(std::string_view text) {
  Decision decision;
  bool has_job = false;
  for (const std::string_view line : split_at(text, '\n')) {
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) fail("the line '" + shown(line) + "' has no tab");
    read_line(decision, line.substr(0, tab), printable(line.substr(tab + 1)));
    has_job = has_job || line.substr(0, tab) == "job";
  }
  if (!has_job) fail("it names no job");
  return decision;
}

}  // namespace placement
