// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace placement {

// An error in a file, an option or a request, which the user or the administrator can correct. The text names the file
// and line or the option, the wrong value, and the expected value. It is shown to the user unchanged.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The mistakes of several lines of a file. The text of the error is the first one.
class LineErrors : public Error {
 public:
  explicit LineErrors(std::vector<std::string> texts) : Error(texts.front()), all(std::move(texts)) {}
  std::vector<std::string> all;  // at least one
};

// Calls `check`, and appends the text of an Error that it throws to `mistakes`, or all texts of LineErrors.
template <typename Check>
void note_mistake(std::vector<std::string>& mistakes, Check check) {
  try {
    check();
  } catch (const LineErrors& errors) {
    mistakes.insert(mistakes.end(), errors.all.begin(), errors.all.end());
  } catch (const Error& error) {
    mistakes.emplace_back(error.what());
  }
}

// Calls take(line) for each line of a file. Continues after an Error until there are 100, then throws LineErrors.
template <typename Lines, typename Take>
void take_lines(const Lines& lines, Take take) {
  std::vector<std::string> mistakes;
  for (const auto& line : lines) {
    note_mistake(mistakes, [&] { take(line); });
    if (mistakes.size() >= 100) break;
  }
  if (!mistakes.empty()) throw LineErrors(std::move(mistakes));
}

// Throws Error "PATH: WHAT: TEXT". `what` is the failure, such as "cannot be opened"; TEXT describes the errno `error`.
[[noreturn]] inline void fail_errno(const std::string& path, const char* what, int error = errno) {
  throw Error(path + ": " + what + ": " + std::strerror(error));
}

// Returns call(). If it throws Error, throws Error with the name of the file before its text.
template <typename Call>
auto naming_file(const std::string& file, Call call) {
  try {
    return call();
  } catch (const Error& error) {
    throw Error(file + ": " + error.what());
  }
}

}  // namespace placement
