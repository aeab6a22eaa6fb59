// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cerrno>
#include <cstring>
#include <string>

#include "common/util/error.hpp"

namespace placement {

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
