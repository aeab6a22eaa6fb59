// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/json_text.hpp"

#include <json.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "common/util/text_scanner.hpp"

namespace placement::tools {

namespace {

constexpr int max_depth = 16;  // brackets within each other
// An integer of json-c ends at 2^63 or 2^64: what a larger one becomes depends on json-c's version.
constexpr std::size_t max_digits = 18;

// Returns the number of members of all objects in the value.
std::size_t members_in(json_object* value) {
  std::size_t count = 0;
  if (json_object_is_type(value, json_type_object)) {
    json_object_object_foreach(value, key, member) {
      static_cast<void>(key);
      count += 1 + members_in(member);
    }
  } else if (json_object_is_type(value, json_type_array)) {
    for (std::size_t k = 0; k < json_object_array_length(value); ++k)
      count += members_in(json_object_array_get_idx(value, k));
  }
  return count;
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

JsonText::JsonText(std::string_view text, const std::string& name) : text_(text), name_(name) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  const std::size_t begin = after_blanks(text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  if (begin == text_.size()) throw Error(name_ + ": it is empty: want JSON");
  const std::size_t end = value_end(begin);
  root_ = text_.substr(begin, end - begin);
  if (const std::size_t more = after_blanks(end); more < text_.size())
    fail_at_position(more, in_quotes(text_.substr(more, 20)) + " behind the end of the JSON: want nothing there");
  tokener_ = json_tokener_new_ex(max_depth);
  if (tokener_ == nullptr) throw Error(name_ + ": there is no memory for its reader");
  json_tokener_set_flags(tokener_, JSON_TOKENER_STRICT);
}

JsonText::~JsonText() { json_tokener_free(tokener_); }

void JsonText::fail(std::string_view at, const std::string& message) const { fail_at_position(start_of(at), message); }

void JsonText::fail_at_position(std::size_t position, const std::string& message) const {
  const std::string_view before = text_.substr(0, position);
  fail_at(name_, 1 + std::count(before.begin(), before.end(), '\n'), message);
}

std::size_t JsonText::after_blanks(std::size_t at) const {
  return std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
}

// Returns the end of the string that begins at the quotation mark `at`.
std::size_t JsonText::string_end(std::size_t at) const {
  const std::size_t begin = at++;
  while (at < text_.size() && text_[at] != '"') {
    const auto byte = static_cast<unsigned char>(text_[at]);
    if (byte < ' ' || byte == 0x7f)
      fail_at_position(at, "the control character of code " + std::to_string(byte) + " in a string: want \\u and its " +
                               "four digits, or a quotation mark before it");
    // The names of Slurm are ASCII, and json-c 0.18 refuses others.
    if (byte > 0x7f)
      fail_at_position(at, "the byte of code " + std::to_string(byte) + " in the string " +
                               in_quotes(text_.substr(begin, at - begin + 1)) + ": want ASCII");
    at += byte == '\\' ? 2 : 1;
  }
  if (at >= text_.size()) fail_at_position(begin, "a string without an end: the file is not whole");
  return at + 1;
}

// Returns the end of the value that begins at `at`. Brackets are counted; whether they match is found out when the
// value is read.
std::size_t JsonText::value_end(std::size_t at) const {
  int depth = 0;
  do {
    at = after_blanks(at);
    if (at >= text_.size()) fail_at_position(text_.size(), "the file ends within a value: it is not whole");
    const char c = text_[at];
    if (c == '"') {
      at = string_end(at);
    } else if (c == '{' || c == '[') {
      if (++depth > max_depth)
        fail_at_position(at, "more than " + std::to_string(max_depth) + " brackets within each other");
      ++at;
    } else if (c == '}' || c == ']') {
      if (--depth < 0) fail_at_position(at, "'" + std::string(1, c) + "': want a value");
      ++at;
    } else if (c == ',' || c == ':') {
      if (depth == 0) fail_at_position(at, "'" + std::string(1, c) + "': want a value");
      ++at;
    } else {  // a number, true, false or null: json-c says which
      const std::size_t end =
          std::min(text_.find_first_not_of("+-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", at),
                   text_.size());
      if (end == at) fail_at_position(at, in_quotes(text_.substr(at, 20)) + ": want a value");
      const std::string_view word = text_.substr(at, end - at), digits = word.substr(word.starts_with('-') ? 1 : 0);
      if (digits.size() > max_digits && digits.find_first_not_of("0123456789") == std::string_view::npos)
        fail_at_position(at, shown(word) + ": want a number of at most " + std::to_string(max_digits) +
                                 " digits, or one with an exponent");
      at = end;
    }
  } while (depth > 0);
  return at;
}

std::vector<JsonText::Member> JsonText::members(std::string_view value, const std::string& place) const {
  if (!value.starts_with('{')) fail(value, place + " " + shown(value) + ": want an object, {\"NAME\": VALUE, ..}");
  std::vector<Member> found;
  std::unordered_set<std::string> seen;
  std::size_t next = after_blanks(start_of(value) + 1);
  if (at(next) == '}') return found;
  for (;; next = after_blanks(next + 1)) {
    if (at(next) != '"')
      fail_at_position(next, in_quotes(text_.substr(next, 20)) + ": want the name of a member in quotes");
    const std::size_t name_end = string_end(next), colon = after_blanks(name_end);
    const std::string_view quoted = text_.substr(next, name_end - next);
    const Parsed name = parsed(quoted, "the name of a member");
    found.push_back({json_object_get_string(name.get()), {}});
    if (!seen.insert(found.back().name).second)
      fail(quoted, place + ": member " + in_quotes(found.back().name) + " is there twice");
    if (at(colon) != ':') fail_at_position(colon, "no : behind the name of member " + shown(quoted));
    const std::size_t begin = after_blanks(colon + 1), end = value_end(begin);
    found.back().value = text_.substr(begin, end - begin);
    next = after_blanks(end);
    if (at(next) == '}') return found;
    if (at(next) != ',')
      fail_at_position(next, in_quotes(text_.substr(next, 20)) + " behind member " + shown(quoted) + ": want , or }");
  }
}

void JsonText::for_each(std::string_view value, const std::string& place, std::size_t most, std::string_view what,
                        const std::function<void(std::string_view, const std::string&)>& take) const {
  if (!value.starts_with('[')) fail(value, place + " " + shown(value) + ": want a list, [..]");
  std::size_t next = after_blanks(start_of(value) + 1);
  if (at(next) == ']') return;
  for (std::size_t index = 0;; ++index, next = after_blanks(next + 1)) {
    if (index == most) fail_at_position(next, "more than " + std::to_string(most) + " " + std::string(what));
    const std::size_t end = value_end(next);
    const std::string where = place + "[" + std::to_string(index) + "]";
    take(text_.substr(next, end - next), where);
    next = after_blanks(end);
    if (at(next) == ']') return;
    if (at(next) != ',')
      fail_at_position(next, in_quotes(text_.substr(next, 20)) + " behind " + where + ": want , or ]");
  }
}

// Throws Error that names the member that an object in the value has twice.
void JsonText::find_twice(std::string_view value, const std::string& place) const {
  if (value.starts_with('{'))
    for (const Member& member : members(value, place)) find_twice(member.value, place + "." + member.name);
  else if (value.starts_with('['))
    for_each(value, place, value.size(), "elements",
             [this](std::string_view element, const std::string& where) { find_twice(element, where); });
}

JsonText::Parsed JsonText::parsed(std::string_view value, const std::string& place, std::size_t most_bytes) const {
  if (value.size() > most_bytes)
    fail(value, place + " has " + std::to_string(value.size()) + " bytes: want at most " + std::to_string(most_bytes));
  // A number ends only at what follows it, which is the zero byte here.
  const std::string whole(value);
  json_tokener_reset(tokener_);
  Parsed object(json_tokener_parse_ex(tokener_, whole.c_str(), static_cast<int>(whole.size() + 1)));
  const json_tokener_error error = json_tokener_get_error(tokener_);
  const std::size_t end = std::min(json_tokener_get_parse_end(tokener_), value.size());
  if (error != json_tokener_success || end < value.size())
    fail(value.substr(end),
         place + ": " + in_quotes(value.substr(end, 20)) + " is no JSON there" +
             (error == json_tokener_success ? "" : std::string(": ") + json_tokener_error_desc(error)));
  if ((value.starts_with('{') || value.starts_with('[')) && members_in(object.get()) != colons_in(value)) {
    find_twice(value, place);
    fail(value, place + ": a member is there twice");
  }
  return object;
}

JsonObject::JsonObject(const JsonText& text, std::string_view value, const std::string& place)
    : text_(text),
      value_(value),
      place_(place),
      owned_(text.parsed(value, place)),
      object_(owned_.get()) {
  want_object(object_);
}

JsonObject::JsonObject(const JsonText& text, std::string_view value, const std::string& place, json_object* object)
    : text_(text),
      value_(value),
      place_(place),
      object_(object) {
  want_object(object_);
}

void JsonObject::want_object(const json_object* object) const {
  if (!json_object_is_type(object, json_type_object))
    text_.fail(value_, place_ + " " + as_shown(object_) + ": want an object, {\"NAME\": VALUE, ..}");
}

JsonObject::JsonObject(const JsonText& text, const JsonText::Member& member)
    : text_(text),
      value_(member.value),
      owned_(json_object_new_object()),
      object_(owned_.get()) {
  json_object_object_add(object_, member.name.c_str(), text.parsed(member.value, member.name).release());
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

void JsonObject::fail(const std::string& message) const { text_.fail(value_, place_ + ": " + message); }

void JsonObject::fail_member(const char* member, const std::string& wanted) const {
  text_.fail(value_, place_ + (place_.empty() ? "" : ".") + member + " " + as_shown(find(member)) + ": want " + wanted);
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

bool JsonObject::flag(const char* member) {
  json_object* const value = get(member);
  if (value == nullptr) return false;
  if (!json_object_is_type(value, json_type_boolean)) fail_member(member, "true or false");
  return json_object_get_boolean(value);
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
  fail_member(member, range.most < unbounded ? range.text() + ", or null"
                      : range.least < 0      ? "a number or null"
                                             : "a number of 0 or more, or null");
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
  std::string all;
  for (const std::string_view* name = names; name != names + size; ++name)
    all += (all.empty() ? "\"" : ", \"") + std::string(*name) + "\"";
  fail_member(member, "one of " + all);
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
    fail(unknown_member(key, asked_));
  }
}

std::string unknown_member(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view near = near_miss(name, known);
  if (!near.empty()) return "unknown member " + in_quotes(name) + ", did you mean " + std::string(near) + "?";
  std::string all;
  for (const std::string_view one : known) all += (all.empty() ? "" : ", ") + std::string(one);
  return "unknown member " + in_quotes(name) + ": the members are " + all;
}

}  // namespace placement::tools
