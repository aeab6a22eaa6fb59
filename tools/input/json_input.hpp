// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/state/live_state.hpp"

struct json_object;

namespace placement::tools {

struct JsonRelease {
  void operator()(json_object* value) const;
};
using Json = std::unique_ptr<json_object, JsonRelease>;

// Returns the object in a JSON text, as json-c reads it. `file` is the name of the file in errors. Throws Error
// "file:line: .." when the text is empty, not valid or not one object, and when brackets are nested too deeply.
Json parse_json(std::string_view text, const std::string& file);

// The members of one object. finish() refuses members that were not requested. A member that is missing or null has no
// known value. All functions throw Error with the file, the member, its value, and the expected value.
class JsonObject {
 public:
  // `place`, such as "nodes[3]", is for errors; empty: the outermost object. `value` and `file` must outlive this.
  JsonObject(json_object* value, const std::string& file, const std::string& place = {});

  // Return the value of a member; 0, an empty string or no elements when it is not known.
  std::string text(const char* member);
  std::int64_t count(const char* member, std::int64_t most);
  std::vector<json_object*> list(const char* member);
  template <typename Number>  // NaN when it is not known
  Number number(const char* member, const NumberRange& range);
  template <typename Enum, std::size_t size>  // the first of `names` when it is not known
  Enum word(const char* member, const std::array<std::string_view, size>& names) {
    return static_cast<Enum>(word_of(member, names.data(), size));
  }

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

  json_object* object_;
  const std::string& file_;
  std::string place_;
  std::vector<std::string_view> asked_;
};

// Returns the text of a JSON string. Throws Error "file: place VALUE: expected `wanted`" for any other value.
std::string json_text(json_object* value, const std::string& file, const std::string& place, const std::string& wanted);

}  // namespace placement::tools
