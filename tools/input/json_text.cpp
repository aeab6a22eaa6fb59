// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/json_text.hpp"

#include <json.h>
#include <json_visit.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "common/util/text_scanner.hpp"
#include "common/util/word_list.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

constexpr int max_depth = 16;  // brackets within each other
constexpr int lenient = 0;
constexpr std::size_t max_value_bytes = std::size_t{64} << 20;  // of one element, such as the host list of a group

// Counts the members of all objects that json_c_visit() visits.
int count_member(json_object*, int flags, json_object*, const char* key, std::size_t*, void* count) {
  if (key != nullptr && flags != JSON_C_VISIT_SECOND) ++*static_cast<std::size_t*>(count);
  return JSON_C_VISIT_RETURN_CONTINUE;
}

// Returns the number of colons in valid JSON outside of strings: one for each member that is written there.
std::size_t colons_in(std::string_view value) {
  std::size_t count = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < value.size(); ++at)
    if (value[at] == '"')
      in_string = !in_string;
    else if (in_string && value[at] == '\\')
      ++at;
    else if (!in_string && value[at] == ':')
      ++count;
  return count;
}

std::string as_shown(json_object* value) {
  return shown(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
}

}  // namespace

void JsonText::Release::operator()(json_object* object) const { json_object_put(object); }

void JsonText::Release::operator()(json_tokener* tokener) const { json_tokener_free(tokener); }

JsonText::JsonText(std::string_view text, const std::string& name)
    : text_(text),
      name_(name),
      tokener_(json_tokener_new_ex(max_depth)),
      members_(json_object_new_object()) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (!tokener_ || !members_) throw Error(name_ + ": not enough memory to read it");
  std::size_t at = text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  at = after_blanks(at);
  if (at == text_.size()) throw Error(name_ + ": it is empty: expected the JSON that placectl export writes");
  expect(at, '{');
  if (!skip(at, '}')) {
    do add_member(at);
    while (skip(at, ','));
    expect(at, '}');
  }
  at = after_blanks(at);
  if (at < text_.size()) fail(text_.substr(at), "expected nothing behind the end of the JSON");
}

std::size_t JsonText::after_blanks(std::size_t at) const {
  return std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
}

// Skips blanks at `at`, and then the character `c`. Returns whether it was there.
bool JsonText::skip(std::size_t& at, char c) const {
  at = after_blanks(at);
  if (at == text_.size() || text_[at] != c) return false;
  ++at;
  return true;
}

void JsonText::expect(std::size_t& at, char c) const {
  if (skip(at, c)) return;
  if (at == text_.size()) fail(text_.substr(at), "it is not whole: expected '" + std::string(1, c) + "'");
  fail(text_.substr(at), in_quotes(text_.substr(at, 20)) + ": expected '" + std::string(1, c) + "'");
}

void JsonText::add_member(std::size_t& at) {
  const std::string_view quoted = value(at);
  const Parsed key = parsed(quoted, "the name of a member");
  if (!json_object_is_type(key.get(), json_type_string)) fail(quoted, "expected the name of a member in quotes");
  const std::string member = json_object_get_string(key.get());
  if (json_object_object_get_ex(members_.get(), member.c_str(), nullptr))
    fail(quoted, "member " + in_quotes(member) + " appears twice");
  expect(at, ':');
  Parsed single;
  if (skip(at, '[')) {
    lists_[member] = elements(at);
    single.reset(json_object_new_array());
  } else {
    single = parsed(value(at), member);
  }
  json_object_object_add(members_.get(), member.c_str(), single.release());
}

// Returns the elements of the list whose first one is at `at`, and moves `at` behind the list.
std::vector<std::string_view> JsonText::elements(std::size_t& at) const {
  std::vector<std::string_view> all;
  if (skip(at, ']')) return all;
  do all.push_back(value(at));
  while (skip(at, ','));
  expect(at, ']');
  return all;
}

// Returns the value that begins at `at` or behind blanks there, and moves `at` behind it.
std::string_view JsonText::value(std::size_t& at) const {
  at = after_blanks(at);
  const std::string_view rest = text_.substr(at, max_value_bytes);
  read(rest, rest, lenient);
  const std::string_view found = rest.substr(0, json_tokener_get_parse_end(tokener_.get()));
  at += found.size();
  return found;
}

// Reads the JSON at the start of `bytes`, a part of the text or a copy of the part `at`.
JsonText::Parsed JsonText::read(std::string_view bytes, std::string_view at, int flags) const {
  json_tokener_reset(tokener_.get());
  json_tokener_set_flags(tokener_.get(), flags);
  Parsed value(json_tokener_parse_ex(tokener_.get(), bytes.data(), static_cast<int>(bytes.size())));
  const json_tokener_error error = json_tokener_get_error(tokener_.get());
  if (error == json_tokener_continue) fail(at, "a value is not whole or exceeds 64 MiB");
  const std::size_t end = std::min(json_tokener_get_parse_end(tokener_.get()), at.size());
  if (error != json_tokener_success)
    fail(at.substr(end),
         in_quotes(at.substr(end < at.size() ? end : 0, 20)) + " is not valid JSON: " + json_tokener_error_desc(error));
  return value;
}

JsonText::Parsed JsonText::parsed(std::string_view element, const std::string& place) const {
  // A number ends only at what follows it, which is the zero byte here.
  const std::string whole(element);
  Parsed value = read({whole.c_str(), whole.size() + 1}, element, JSON_TOKENER_STRICT);
  std::size_t members = 0;
  json_c_visit(value.get(), 0, count_member, &members);
  const bool has_members = element.starts_with('{') || element.starts_with('[');
  if (has_members && members != colons_in(element)) fail(element, place + ": an object has a member twice");
  return value;
}

std::span<const std::string_view> JsonText::list(const std::string& member) const {
  const auto found = lists_.find(member);
  return found == lists_.end() ? std::span<const std::string_view>() : found->second;
}

void JsonText::fail(std::string_view at, const std::string& message) const {
  const char* const end = at.data();
  fail_at(name_, 1 + std::count(text_.data(), end, '\n'), message);
}

JsonObject::JsonObject(const JsonText& text) : text_(text), value_(text.text()), object_(text.members()) {}

JsonObject::JsonObject(const JsonText& text, std::string_view value, const std::string& place)
    : text_(text),
      value_(value),
      place_(place),
      owned_(text.parsed(value, place)),
      object_(owned_.get()) {
  if (!json_object_is_type(object_, json_type_object))
    text_.fail(value_, place_ + " " + as_shown(object_) + ": expected an object, {\"NAME\": VALUE, ..}");
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
  text_.fail(value_, place_ + (place_.empty() ? "" : ": ") + message);
}

void JsonObject::fail_member(const char* member, const std::string& wanted) const {
  text_.fail(value_,
             place_ + (place_.empty() ? "" : ".") + member + " " + as_shown(find(member)) + ": expected " + wanted);
}

bool JsonObject::has(const char* member) const { return json_object_object_get_ex(object_, member, nullptr); }

bool JsonObject::known(const char* member) const { return find(member) != nullptr; }

void JsonObject::require(const char* member) const {
  if (!known(member)) fail("its member " + std::string(member) + " is missing");
}

std::string JsonObject::text(const char* member) {
  json_object* const value = get(member);
  if (value == nullptr) return {};
  if (!json_object_is_type(value, json_type_string)) fail_member(member, "a text in quotes");
  return {json_object_get_string(value), static_cast<std::size_t>(json_object_get_string_len(value))};
}

std::int64_t JsonObject::count(const char* member, std::int64_t most) {
  json_object* const value = get(member);
  if (value == nullptr) return 0;
  const std::int64_t number = json_object_get_int64(value);
  if (!json_object_is_type(value, json_type_int) || number < 0 || number > most)
    fail_member(member, "a whole number from 0 to " + std::to_string(most));
  return number;
}

// json-c keeps how a number is written. It is read from that, because a float that comes by way of a double may be
// rounded twice.
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
  const std::string_view* const found =
      json_object_is_type(value, json_type_string)
          ? std::find(names, names + size,
                      std::string_view(json_object_get_string(value),
                                       static_cast<std::size_t>(json_object_get_string_len(value))))
          : names + size;
  if (found != names + size) return static_cast<std::size_t>(found - names);
  fail_member(member, "one of \"" + joined(std::span(names, size), "\", \"") + "\"");
}

json_object* JsonObject::list(const char* member) {
  json_object* const value = get(member);
  if (value != nullptr && !json_object_is_type(value, json_type_array)) fail_member(member, "a list, [..]");
  return value;
}

void JsonObject::finish() const {
  json_object_object_foreach(object_, key, member) {
    static_cast<void>(member);
    if (std::find(asked_.begin(), asked_.end(), std::string_view(key)) != asked_.end()) continue;
    fail("unknown member " + in_quotes(key) + ": " + suggested(key, asked_, "the members are"));
  }
}

}  // namespace placement::tools
