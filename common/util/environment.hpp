// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdlib>
#include <string>

namespace placement {

// Returns the value of the variable `name` of this process's environment; empty if it is not set.
inline std::string environment_value(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value ? value : "";
}

}  // namespace placement
