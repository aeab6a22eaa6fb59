// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/state/live_range.hpp"

struct json_object;
struct json_tokener;

namespace placement::tools {

// A JSON text that is one object, which may be large and come from anybody. First json-c finds the position of each
// element in the object's lists, and later it reads one element after another. So the memory needed is that of the
// largest element, not that of a tree of millions of objects.
class JsonText {
 public:
  // Finds the members of the object. `name` is the name of the file in errors. Both must outlive this object. Throws
  // Error "name:line: .." when the text is empty or not one object, and when brackets are nested too deeply.
  JsonText(std::string_view text, const std::string& name);

  struct Release {
    void operator()(json_object* object) const;
    void operator()(json_tokener* tokener) const;
  };
  using Parsed = std::unique_ptr<json_object, Release>;

  std::string_view text() const { return text_; }
  // Returns the members of the object; a member that is a list is an empty list there.
  json_object* members() const { return members_.get(); }
  // Returns the elements of this member, each from its first character to its last; none when it is not a list.
  std::span<const std::string_view> list(const std::string& member) const;
  // Returns an element as json-c reads it. `place`, such as "nodes[3]", is for errors. Throws Error when it is not
  // JSON, or when an object in it has a member twice.
  Parsed parsed(std::string_view element, const std::string& place) const;

  // Throws Error "name:line: message" with the line in which the part `at` of the text begins.
  [[noreturn]] void fail(std::string_view at, const std::string& message) const;

 private:
  std::size_t after_blanks(std::size_t at) const;
  bool skip(std::size_t& at, char c) const;
  void expect(std::size_t& at, char c) const;
  void add_member(std::size_t& at);
  std::string_view value(std::size_t& at) const;
  std::vector<std::string_view> elements(std::size_t& at) const;
  Parsed read(std::string_view bytes, std::string_view at, int flags) const;

  std::string_view text_;
  const std::string& name_;
  std::unique_ptr<json_tokener, Release> tokener_;
  Parsed members_;
  std::map<std::string, std::vector<std::string_view>> lists_;
};

// The members of one object. finish() refuses members that were not requested. A member that is missing or null has no
// known value. All functions throw Error with the file, the line, the member, its value, and the expected value.
class JsonObject {
 public:
  // Takes all members of the text's own object.
  explicit JsonObject(const JsonText& text);
  // Reads the object `value`, which is an element of `text`.
  JsonObject(const JsonText& text, std::string_view value, const std::string& place);

  // Return the value of a member; 0 or an empty string when it is not known.
  std::string text(const char* member);
  std::int64_t count(const char* member, std::int64_t most);
  template <typename Number>  // NaN when it is not known
  Number number(const char* member, const NumberRange& range);
  template <typename Enum, std::size_t size>  // the first of `names` when it is not known
  Enum word(const char* member, const std::array<std::string_view, size>& names) {
    return static_cast<Enum>(word_of(member, names.data(), size));
  }

  json_object* list(const char* member);                         // nullptr when it is not known
  void ignore(const char* member) { asked_.push_back(member); }  // accepts it with any value

  // Returns whether the member is there, even if it is null, and whether it is there and not null.
  bool has(const char* member) const;
  bool known(const char* member) const;
  // Throws Error unless the member is known.
  void require(const char* member) const;
  // Throws Error when the object has a member that was not requested.
  void finish() const;
  [[noreturn]] void fail(const std::string& message) const;
  // Throws Error with the value of the member and with the expected value.
  [[noreturn]] void fail_member(const char* member, const std::string& wanted) const;

 private:
  json_object* find(const char* member) const;
  json_object* get(const char* member);
  std::size_t word_of(const char* member, const std::string_view* names, std::size_t size);

  const JsonText& text_;
  std::string_view value_;
  std::string place_;
  JsonText::Parsed owned_;
  json_object* object_ = nullptr;
  std::vector<std::string_view> asked_;
};

}  // namespace placement::tools
