// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace placement {

// An error in a file, an option or a request, which the user or the administrator can correct. The text names the file
// and line or the option, the wrong value, and the expected value. It is shown to the user unchanged.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws the Error "PATH: WHAT: text of `error`", an errno. `what` is the failure, such as "cannot be opened".
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
