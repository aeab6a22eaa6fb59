// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/json_input.hpp"

#include <json.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <limits>
#include <span>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "common/util/text_scanner.hpp"

namespace placement::tools {

namespace {

constexpr int max_depth = 16;  // brackets within each other

std::string as_shown(json_object* value) {
  return shown(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
}

}  // namespace

void JsonRelease::operator()(json_object* value) const { json_object_put(value); }

Json parse_json(std::string_view text, const std::string& file) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    throw Error(file + ": it is empty: expected the JSON that placectl export writes");
  if (text.size() > INT_MAX) throw Error(file + ": more than " + std::to_string(INT_MAX) + " bytes");
  const std::unique_ptr<json_tokener, decltype(&json_tokener_free)> tokener(json_tokener_new_ex(max_depth),
                                                                            &json_tokener_free);
  if (!tokener) throw Error(file + ": not enough memory to read it");
  json_tokener_set_flags(tokener.get(), JSON_TOKENER_STRICT);
  Json value(json_tokener_parse_ex(tokener.get(), text.data(), static_cast<int>(text.size())));
  const json_tokener_error error = json_tokener_get_error(tokener.get());
  const std::size_t end = json_tokener_get_parse_end(tokener.get());
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  if (error == json_tokener_continue) fail_at(file, line, "the JSON is not whole");
  if (error != json_tokener_success || end < text.size())
    fail_at(file, line, in_quotes(text.substr(end, 20)) + " is not valid JSON here: " + json_tokener_error_desc(error));
  return value;
}

JsonObject::JsonObject(json_object* value, const std::string& file, const std::string& place)
    : object_(value),
      file_(file),
      place_(place) {
  if (!json_object_is_type(object_, json_type_object))
    throw Error(file + ": " + place + (place.empty() ? "" : " ") + as_shown(value) +
                ": expected an object, {\"NAME\": VALUE, ..}");
}

json_object* JsonObject::find(const char* member) const {
  json_object* value = nullptr;
  json_object_object_get_ex(object_, member, &value);
  return value;
}

json_object* JsonObject::get(const char* member) {
  asked_.push_back(member);
  return find(member);
}

void JsonObject::fail(const std::string& message) const {
  throw Error(file_ + ": " + place_ + (place_.empty() ? "" : ": ") + message);
}

void JsonObject::fail_member(const char* member, const std::string& wanted) const {
  throw Error(file_ + ": " + place_ + (place_.empty() ? "" : ".") + member + " " + as_shown(find(member)) +
              ": expected " + wanted);
}

bool JsonObject::has(const char* member) const { return json_object_object_get_ex(object_, member, nullptr); }

bool JsonObject::known(const char* member) const { return find(member) != nullptr; }

void JsonObject::require(const char* member) const {
  if (!known(member)) fail("its member " + std::string(member) + " is missing");
}

std::string JsonObject::text(const char* member) {
  json_object* const value = get(member);
  return value ? json_text(value, file_, place_ + "." + member, "a text in quotes") : std::string();
}

std::int64_t JsonObject::count(const char* member, std::int64_t most) {
  json_object* const value = get(member);
  if (value == nullptr) return 0;
  const std::int64_t number = json_object_get_int64(value);
  if (!json_object_is_type(value, json_type_int) || number < 0 || number > most)
    fail_member(member, "a whole number from 0 to " + std::to_string(most));
  return number;
}

// The number is read from its text, which json-c keeps: a float that is made from a double may be rounded twice.
template <typename Number>
Number JsonObject::number(const char* member, const NumberRange& range) {
  json_object* const value = get(member);
  if (value == nullptr) return std::numeric_limits<Number>::quiet_NaN();
  Number number = 0;
  if (json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double)) {
    const std::string_view digits = json_object_to_json_string(value);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc{} && end == digits.data() + digits.size() && range.has(static_cast<double>(number)))
      return number;
  }
  fail_member(member, range.text() + ", or null");
}

template float JsonObject::number<float>(const char*, const NumberRange&);
template double JsonObject::number<double>(const char*, const NumberRange&);

std::size_t JsonObject::word_of(const char* member, const std::string_view* names, std::size_t size) {
  json_object* const value = get(member);
  if (value == nullptr) return 0;
  const std::string_view* const found = json_object_is_type(value, json_type_string)
                                            ? std::find(names, names + size, json_object_get_string(value))
                                            : names + size;
  if (found == names + size) fail_member(member, "one of \"" + joined(std::span(names, size), "\", \"") + "\"");
  return static_cast<std::size_t>(found - names);
}

std::vector<json_object*> JsonObject::list(const char* member) {
  std::vector<json_object*> elements;
  json_object* const value = get(member);
  if (value == nullptr) return elements;
  if (!json_object_is_type(value, json_type_array)) fail_member(member, "a list, [..]");
  for (std::size_t k = 0; k < json_object_array_length(value); ++k)
    elements.push_back(json_object_array_get_idx(value, k));
  return elements;
}

void JsonObject::finish() const {
  json_object_object_foreach(object_, key, member) {
    static_cast<void>(member);
    if (std::find(asked_.begin(), asked_.end(), std::string_view(key)) != asked_.end()) continue;
    fail("unknown member " + in_quotes(key) + ": " + suggested(key, asked_, "the members are"));
  }
}

std::string json_text(json_object* value, const std::string& file, const std::string& place,
                      const std::string& wanted) {
  if (!json_object_is_type(value, json_type_string))
    throw Error(file + ": " + place + " " + as_shown(value) + ": expected " + wanted);
  return {json_object_get_string(value), static_cast<std::size_t>(json_object_get_string_len(value))};
}

}  // namespace placement::tools
