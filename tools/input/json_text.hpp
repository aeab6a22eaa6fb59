// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/state/live_range.hpp"

struct json_object;
struct json_tokener;

namespace placement::tools {

// A JSON text that may be large and may come from anybody. This class finds where the values of the outer objects and
// lists are, which takes no memory; json-c then reads one value after another. So the memory needed is that of the
// largest single value, and not that of a tree of millions of objects.
class JsonText {
 public:
  // Finds the one value of the text. `name` is the name of the file in errors. Both must outlive this object. Throws
  // Error "name:line: .." when the text is empty, ends too early or goes on too long, when brackets are nested too
  // deeply, or when a string has control characters or others than ASCII.
  JsonText(std::string_view text, const std::string& name);
  ~JsonText();
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  // Values are parts of the text, from their first character to their last. The place of a value, as in "nodes[3]",
  // is for messages.
  std::string_view root() const { return root_; }
  struct Member {
    std::string name;
    std::string_view value;
  };
  // Returns the members of the object `value`. Throws Error when it is no object, or has a member twice.
  std::vector<Member> members(std::string_view value, const std::string& place) const;
  // Calls take(element, its place) for each element of the list `value`. Throws Error when it is no list, or has more
  // than `most` elements; `what` names these.
  void for_each(std::string_view value, const std::string& place, std::size_t most, std::string_view what,
                const std::function<void(std::string_view, const std::string&)>& take) const;

  struct Release {
    void operator()(json_object* object) const;
  };
  using Parsed = std::unique_ptr<json_object, Release>;
  // Returns the value as json-c reads it; nullptr for null. Throws Error when it is no JSON, when an object in it has a
  // member twice, or when it has more than `most_bytes` bytes.
  Parsed parsed(std::string_view value, const std::string& place, std::size_t most_bytes = std::size_t{1} << 20) const;

  // Throws Error "name:line: message" with the line in which the part `at` of the text begins.
  [[noreturn]] void fail(std::string_view at, const std::string& message) const;

 private:
  std::size_t after_blanks(std::size_t at) const;
  std::size_t string_end(std::size_t at) const;
  std::size_t value_end(std::size_t at) const;
  std::size_t start_of(std::string_view part) const { return static_cast<std::size_t>(part.data() - text_.data()); }
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  [[noreturn]] void fail_at_position(std::size_t position, const std::string& message) const;
  void find_twice(std::string_view value, const std::string& place) const;

  std::string_view text_;
  const std::string& name_;
  std::string_view root_;
  json_tokener* tokener_ = nullptr;
};

// The largest number of a range that has no other end.
inline constexpr double unbounded = std::numeric_limits<double>::max();

// Returns what is wrong with a member of another name than the known ones, which it lists unless one is near.
std::string unknown_member(std::string_view name, std::span<const std::string_view> known);

// The members of one object. Each member that is asked for is known; finish() refuses the others. A member that is
// missing or null is not known. All functions throw Error with the file, the line, the member, its value, and what
// would be right.
class JsonObject {
 public:
  // Reads the object `value`, which is a part of `text`.
  JsonObject(const JsonText& text, std::string_view value, const std::string& place);
  // Takes a member of an object for an object that has this member alone. Its place is its name.
  JsonObject(const JsonText& text, const JsonText::Member& member);
  // Reads the object `object` within that value.
  JsonObject(const JsonText& text, std::string_view value, const std::string& place, json_object* object);

  // Return the value of a member; false, 0 or an empty string when it is not known.
  std::string text(const char* member);
  bool flag(const char* member);
  std::int64_t count(const char* member, std::int64_t most);
  template <typename Number>  // NaN when it is not known
  Number number(const char* member, const NumberRange& range);
  template <typename Enum, std::size_t size>  // the first of `names` when it is not known
  Enum word(const char* member, const std::array<std::string_view, size>& names) {
    return static_cast<Enum>(word_of(member, names.data(), size));
  }

  json_object* list(const char* member);  // nullptr when it is not known

  // Returns whether the member is there, even if it is null, and whether it is there and not null.
  bool has(const char* member) const;
  bool known(const char* member) const;
  // Throws Error unless the member is known.
  void require(const char* member) const;
  // Throws Error when there is a member that was not asked for.
  void finish() const;
  [[noreturn]] void fail(const std::string& message) const;
  // Throws Error with the value of the member and what is wanted in its place.
  [[noreturn]] void fail_member(const char* member, const std::string& wanted) const;

 private:
  json_object* find(const char* member) const;
  json_object* get(const char* member);
  std::size_t word_of(const char* member, const std::string_view* names, std::size_t size);
  void want_object(const json_object* object) const;

  const JsonText& text_;
  std::string_view value_;
  std::string place_;
  JsonText::Parsed owned_;
  json_object* object_ = nullptr;
  std::vector<std::string_view> asked_;
};

}  // namespace placement::tools
