// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::string_view term_name = "term";

[[noreturn]] void fail(const std::string& what) { throw Error("no record of a decision: " + what); }

std::size_t number_of(std::span<const std::string_view> names, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

// Returns the value as text; empty if it is not known.
template <typename Value>
std::string text_of(const Value& value, std::size_t most) {
  if constexpr (std::is_same_v<Value, std::string>) {
    return printable(value.size() <= most ? value : value.substr(0, most - 2) + "..");
  } else if constexpr (std::is_same_v<Value, bool>) {
    return value ? "1" : "0";
  } else if constexpr (std::is_same_v<Value, decision_outcome>) {
    return std::string(decision_outcome_names[value]);
  } else if constexpr (std::is_same_v<Value, stock_reason>) {
    return std::string(stock_reason_names[value]);
  } else {
    if constexpr (std::is_floating_point_v<Value>)
      if (std::isnan(value)) return {};
    return exact_number(value);
  }
}

// Sets the value from a text of text_of(). Returns false if the text is wrong.
template <typename Value>
bool set(Value& value, std::string_view text) {
  if constexpr (std::is_same_v<Value, std::string>) {
    value = text;
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = text == "1";
    return value || text == "0";
  } else if constexpr (std::is_same_v<Value, decision_outcome>) {
    const std::size_t number = number_of(decision_outcome_names, text);
    if (number == decision_outcome_names.size()) return false;
    value = static_cast<decision_outcome>(number);
  } else if constexpr (std::is_same_v<Value, stock_reason>) {
    const std::size_t number = number_of(stock_reason_names, text);
    value = number < stock_reason_names.size() ? static_cast<stock_reason>(number) : STOCK_OTHER;
  } else {
    const std::optional<Value> number = parse_number<Value>(text);
    if (!number) return false;
    value = *number;
    return value >= 0 && value <= std::numeric_limits<Value>::max();
  }
  return true;
}

}  // namespace

std::string job_name(const Decision& decision) {
  return decision.array_task.empty() ? std::to_string(decision.job_id) : decision.array_task;
}

std::string decision_text(const Decision& decision) {
  std::string text;
  const auto add = [&text](std::string_view name, const std::string& value) {
    if (!value.empty() && text.size() + name.size() + value.size() + 2 <= most_decision_bytes)
      text.append(name).append("\t").append(value).append("\n");
  };
  visit_fields(decision, [&](std::string_view name, const auto& value, std::size_t most = 0) {
    add(name, text_of(value, most));
  });
  for (const std::string& term : decision.terms) add(term_name, printable(term));
  return text;
}

Decision parse_decision_text(std::string_view text) {
  Decision decision;
  bool has_job = false;
  for (const std::string_view line : split_at(text, '\n')) {
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) fail("the line '" + shown(line) + "' has no tab");
    const std::string_view name = line.substr(0, tab);
    const std::string value = printable(line.substr(tab + 1));
    visit_fields(decision, [&](std::string_view field_name, auto& field, std::size_t = 0) {
      if (field_name == name && !set(field, value)) fail(std::string(name) + " is '" + shown(value) + "'");
    });
    if (name == term_name) decision.terms.push_back(value);
    has_job = has_job || name == "job";
  }
  if (!has_job) fail("it names no job");
  return decision;
}

}  // namespace placement
